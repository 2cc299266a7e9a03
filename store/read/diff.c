/* diff: the report of `diff`: compares two runs by pairs, conditions, options and times. */
#include <math.h>
#include <string.h>

#include "core/experiment/statistics.h"
#include "store/read/read.h"

/* ---- conditions ---- */

typedef struct condition {
    const char *key;
    const char *warning; /* shown if the condition differs and both runs have it; NULL: no warning */
} condition;

/* The conditions, in the order of the columns of CONDITIONS_OF_RUN. */
static const condition conditions[] = {
    {"engine", NULL},
    {"dataset", NULL},
    {"sha256", "the datasets differ: their times say nothing about each other"},
    {"n", NULL},
    {"d", NULL},
    {"dtype", NULL},
    {"eps", "ε differs: more pairs take more time"},
    {"mode", "one run only counted, the other made a table: end to end they did different work"},
    {"distances", "the tables keep other distances: end to end they did different work"},
    {"device", NULL},
    {"devices", "the numbers of devices differ: times are of all of them together"},
    {"device_model", "the devices differ"},
    {"architecture", NULL},
    {"driver", "the driver differs"},
    {"threads", "the numbers of threads differ"},
    {"memory_limit_bytes", "the memory limits differ"},
    {"host", NULL},
    {"version", NULL},
    {"commit", NULL},
    {"flags", "the compiler flags differ"},
    {"compiler", NULL},
};
#define CONDITIONS (sizeof conditions / sizeof conditions[0])

#define CONDITIONS_OF_RUN                                                                                              \
    "SELECT r.engine, r.dataset, substr(r.sha256, 1, 16) || '…', r.n, r.d, r.dtype, r.eps, r.mode, r.distances, "    \
    "r.device, 1 + length(r.device) - length(replace(r.device, '+', '')), r.device_model, r.device_architecture, "     \
    "r.device_driver, r.threads, r.memory_limit_bytes, "                                                               \
    "s.host, r.version, r.commit_hash, s.flags, s.compiler "                                                           \
    "FROM v_runs AS r JOIN v_sessions AS s ON s.session = r.session WHERE r.run = ?"

static bool same_value(eb_value a, eb_value b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case EB_NA: return true;
    case EB_BOOL: return a.as.boolean == b.as.boolean;
    case EB_INTEGER: return a.as.integer == b.as.integer;
    case EB_UNSIGNED: return a.as.u64 == b.as.u64;
    case EB_REAL: return a.as.real == b.as.real; /* NaN is n/a */
    case EB_TEXT: return strcmp(a.as.text, b.as.text) == 0;
    }
    return false;
}

static void report_conditions(eb_report *report, const eb_query *a, const eb_query *b)
{
    eb_table *table =
        EB_TABLE(report, EB_F(conditions), "Conditions", EB_F(condition), EB_F(baseline), EB_F(run), EB_F(differs));
    for (size_t k = 0; k < CONDITIONS; k++) {
        eb_value of_a = eb_sql_value(a, (int)k), of_b = eb_sql_value(b, (int)k);
        bool same = same_value(of_a, of_b);
        if (same && of_a.kind == EB_NA)
            continue; /* neither run has this condition */
        EB_ROW(table, eb_text(conditions[k].key), of_a, of_b, eb_bool(!same));
        if (!same && conditions[k].warning && of_a.kind != EB_NA && of_b.kind != EB_NA)
            eb_report_warn(report, "%s", conditions[k].warning);
    }
}

/* Lists each option that either run has, and whether they agree; n/a: not recorded, a flag is then as its preset has
 * it. Options differ with a warning if both runs have one with different values, or if engine and kind of device are
 * equal. */
static eb_code diff_options(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    static const char text[] =
        "SELECT name, max(value) FILTER (WHERE run = ?1), max(value) FILTER (WHERE run = ?2), "
        "(SELECT count(DISTINCT engine || (device LIKE 'cpu%')) FROM v_runs WHERE run IN (?1, ?2)) = 1 "
        "FROM v_options WHERE run IN (?1, ?2) GROUP BY name";
    eb_table *table = NULL;
    bool differ = false;
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(a), eb_int(b)), status);
    while (eb_sql_next(&query)) {
        eb_value of_a = eb_sql_value(&query, 1), of_b = eb_sql_value(&query, 2);
        bool same = same_value(of_a, of_b);
        if (!table) {
            table = EB_TABLE(report, EB_F(options), "Options", EB_F(option), EB_F(baseline), EB_F(run), EB_F(differs));
        }
        EB_ROW(table, eb_text(eb_sql_text(&query, 0)), of_a, of_b, eb_bool(!same));
        differ |= !same && (eb_sql_int(&query, 3) || (of_a.kind != EB_NA && of_b.kind != EB_NA));
    }
    EB_TRY(eb_sql_done(&query));
    if (differ)
        eb_report_warn(report, "the engines' options differ");
    return EB_OK;
}

/* Both rows are read at the same time, so the query needs two statements, which differ by the address of their text. */
static eb_code diff_conditions(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    static const char text_a[] = CONDITIONS_OF_RUN, text_b[] = CONDITIONS_OF_RUN;
    eb_query of_a = eb_sql_rows(store, text_a, EB_VALUES(eb_int(a)), status),
             of_b = eb_sql_rows(store, text_b, EB_VALUES(eb_int(b)), status);
    if (eb_sql_next(&of_a) && eb_sql_next(&of_b))
        report_conditions(report, &of_a, &of_b);
    eb_code failed_a = eb_sql_done(&of_a), failed_b = eb_sql_done(&of_b);
    return failed_a ? failed_a : failed_b;
}

/* ---- times ---- */

typedef struct times {
    double kernel_s[EB_MAX_TRIALS], total_s[EB_MAX_TRIALS];
    size_t count;
} times;

static eb_code read_times(eb_store *store, int64_t run, times *out, eb_status *status)
{
    static const char list[] = "SELECT kernel_s, total_s FROM v_trials WHERE run = ? ORDER BY trial";
    eb_query query = eb_sql_rows(store, list, EB_VALUES(eb_int(run)), status);
    out->count = 0;
    while (out->count < EB_MAX_TRIALS && eb_sql_next(&query)) {
        out->kernel_s[out->count] = eb_sql_real(&query, 0);
        out->total_s[out->count++] = eb_sql_real(&query, 1);
    }
    return eb_sql_done(&query);
}

static eb_verdict compare_part(eb_table *table, const char *title, const double *a, size_t count_a, const double *b,
                               size_t count_b)
{
    const eb_judgement j = eb_judge_samples(a, count_a, b, count_b);
    eb_summary of_a = eb_summarise(a, count_a), of_b = eb_summarise(b, count_b);
    EB_ROW(table, eb_text(title), eb_real(of_a.median), eb_real(of_b.median), eb_real(j.ratio),
           eb_text(eb_verdict_name(j.verdict)), eb_real(of_a.cov), eb_real(of_b.cov), eb_text(j.reason));
    return j.verdict;
}

static void note_trials(eb_report *report, size_t a, size_t b, bool unclear)
{
    size_t fewer = a < b ? a : b;
    if (fewer < 3)
        eb_report_note(report, "a verdict needs at least 3 trials a side; here are %zu and %zu", a, b);
    else if (unclear && fewer < 5)
        eb_report_note(report, "%zu and %zu trials are too few to tell; run again with trials=5", a, b);
}

static void report_times(eb_report *report, const times *a, const times *b)
{
    eb_table *table =
        EB_TABLE(report, EB_F(times), "Median times, the run against the baseline", EB_F(part), EB_F(baseline_s),
                 EB_F(run_s), EB_F(ratio), EB_F(verdict), EB_F(baseline_cov), EB_F(run_cov), EB_F(reason));
    eb_verdict kernels = compare_part(table, "kernel_s", a->kernel_s, a->count, b->kernel_s, b->count);
    eb_verdict total = compare_part(table, "total_s", a->total_s, a->count, b->total_s, b->count);
    note_trials(report, a->count, b->count, kernels == EB_UNCLEAR || total == EB_UNCLEAR);
}

static eb_code diff_times(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    times of_a, of_b;
    EB_TRY(read_times(store, a, &of_a, status));
    EB_TRY(read_times(store, b, &of_b, status));
    report_times(report, &of_a, &of_b);
    return EB_OK;
}

/* ---- results ---- */

/* Notes if the same points at the same ε gave different numbers of pairs. */
static eb_code diff_pairs(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    static const char text[] = "SELECT a.pairs, b.pairs, a.sha256 = b.sha256 AND a.eps = b.eps FROM v_runs AS a, "
                               "v_runs AS b WHERE a.run = ? AND b.run = ?";
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(a), eb_int(b)), status);
    if (eb_sql_next(&query)) {
        eb_value of_a = eb_sql_value(&query, 0), of_b = eb_sql_value(&query, 1);
        EB_FIELDS(report, {EB_F(baseline_pairs), of_a}, {EB_F(run_pairs), of_b});
        if (eb_sql_int(&query, 2) && of_a.kind == EB_INTEGER && of_b.kind == EB_INTEGER && !same_value(of_a, of_b))
            eb_report_note(report, "the same points at the same ε gave %lld and %lld pairs: the results differ",
                           (long long)of_a.as.integer, (long long)of_b.as.integer);
    }
    return eb_sql_done(&query);
}

static eb_code diff(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    EB_TRY(eb_need_run(store, a, status));
    EB_TRY(eb_need_run(store, b, status));
    EB_FIELDS(report, {EB_F(baseline), eb_int(a)}, {EB_F(run), eb_int(b)});
    EB_TRY(diff_pairs(store, a, b, report, status));
    EB_TRY(diff_conditions(store, a, b, report, status));
    EB_TRY(diff_options(store, a, b, report, status));
    return diff_times(store, a, b, report, status);
}

eb_code eb_store_diff(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    EB_TRY(eb_sql_begin_reading(store, status));
    return eb_sql_end(store, diff(store, a, b, report, status), status);
}
