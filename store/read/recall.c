/* recall: the reports of `recalls`: a list of recall experiments, one experiment, or two compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/argument.h"
#include "core/experiment/statistics.h"
#include "store/read/read.h"

/* ---- the list ---- */

#define WANTED                                                                                                         \
    "FROM recall AS r JOIN command AS c ON c.id = r.command_id JOIN dataset AS s ON s.id = r.dataset_id "              \
    "JOIN device AS v ON v.id = r.device_id WHERE ?1 IS NULL OR instr(lower(s.source), lower(?1)) > 0 "                \
    "OR instr(lower(r.implementation), lower(?1)) > 0 OR instr(lower(c.text), lower(?1)) > 0"

static eb_code list_experiments(eb_store *store, const char *text, size_t limit, eb_report *report, eb_status *status)
{
    static const eb_column *const columns[] =
        EB_LIST(EB_F(experiment), EB_F(session), EB_F(started), EB_F(dataset), EB_F(n_brief), EB_F(d_brief),
                EB_F(nlist), EB_F(m), EB_F(queries), EB_F(k), EB_F(device), EB_F(implementation), EB_F(luts),
                EB_F(points), EB_F(points_wanted), EB_F(best_recall));
    static const char list[] =
        "SELECT r.id, c.session_id, substr(r.started, 1, 19) || 'Z', s.source, r.n, s.d, nlist, m, queries, k, "
        "v.name, implementation, (SELECT group_concat(lut, ',') FROM (SELECT lut FROM recall_point "
        "WHERE recall_id = r.id GROUP BY lut ORDER BY min(id))), "
        "(SELECT count(*) FROM recall_point WHERE recall_id = r.id), points_wanted, "
        "(SELECT max(recall) FROM recall_point WHERE recall_id = r.id) " WANTED " ORDER BY r.id DESC LIMIT ?2";
    static const char count[] = "SELECT count(*) " WANTED;
    size_t shown;
    int64_t all = 0;
    EB_TRY(eb_read_table(store, report, EB_F(experiments), "Recall measured, newest first", EB_SHOWN(columns), list,
                         EB_VALUES(eb_text(text), eb_int(eb_list_limit(limit))), &shown, status));
    EB_TRY(eb_sql_integer(store, count, EB_VALUES(eb_text(text)), 0, &all, status));
    eb_note_cut(report, "experiments", shown, all);
    if (all == 0)
        eb_report_note(report, text ? "no experiment matches" : "no recall was measured yet; `recall` measures it");
    return EB_OK;
}

eb_code eb_store_recalls(eb_store *store, const char *text, size_t limit, eb_report *report, eb_status *status)
{
    EB_TRY(eb_sql_begin_reading(store, status));
    return eb_sql_end(store, list_experiments(store, text, limit, report, status), status);
}

/* ---- one experiment ---- */

static eb_code show_fields(eb_store *store, int64_t experiment, eb_report *report, eb_status *status)
{
    static const eb_column *const fields[] =
        EB_LIST(EB_F(experiment), EB_F(session), EB_F(command), EB_F(started), EB_F(dataset), EB_F(sha256), EB_F(k),
                EB_F(queries), EB_F(queries_source), EB_F(n), EB_F(d_brief), EB_F(nlist), EB_F(m), EB_F(kmeans_rounds),
                EB_F(seed), EB_F(accumulate), EB_F(scale), EB_F(refine), EB_F(device), EB_F(device_model),
                EB_F(threads), EB_F(implementation), EB_F(layout), EB_F(points_wanted), EB_F(trials_wanted),
                EB_F(build_s), EB_F(truth_s), EB_F(version), EB_F(commit));
    static const char text[] =
        "SELECT r.id, c.session_id, c.text, r.started, s.source, s.sha256, k, queries, "
        "coalesce(queries_source, 'the dataset'), r.n, s.d, nlist, m, rounds, seed, accumulate, scale, refine, v.name, "
        "v.model, threads, implementation, layout, points_wanted, trials_wanted, build_s, truth_s, b.version, "
        "b.commit_hash FROM recall AS r JOIN command AS c ON c.id = r.command_id JOIN dataset AS s "
        "ON s.id = r.dataset_id JOIN device AS v ON v.id = r.device_id JOIN session ON session.id = c.session_id "
        "JOIN build AS b ON b.id = build_id WHERE r.id = ?";
    return eb_read_record(store, report, NULL, NULL, EB_SHOWN(fields), text, EB_VALUES(eb_int(experiment)), status);
}

enum { OF_GPU = 6 }; /* number of trailing columns whose values only GPUs have */

/* Formats in the order in which they were measured, each with its nprobes. */
#define BY_FORMAT "ORDER BY min(p.point) OVER (PARTITION BY p.lut), p.point"

static eb_code show_points(eb_store *store, int64_t experiment, eb_report *report, eb_status *status)
{
    static const eb_column *const columns[] =
        EB_LIST(EB_HIDDEN(point), EB_F(lut), EB_F(table_bytes), EB_F(nprobe), EB_F(recall), EB_F(recall_low),
                EB_F(recall_high), EB_F(queries_per_s), EB_HIDDEN(pass_s), EB_F(cov), EB_F(speed), EB_F(trials),
                EB_F(lookup_kernel_s), EB_F(lookups), EB_F(blocks_per_sm), EB_F(queries_per_lookup),
                EB_F(lookup_conflicts), EB_F(occupancy));
    static const char text[] =
        "SELECT p.point, p.lut, p.table_bytes, p.nprobe, p.recall, p.recall_low, p.recall_high, p.queries_per_s, "
        "p.pass_s, p.pass_cov, first_value(p.pass_s) OVER (PARTITION BY p.nprobe ORDER BY p.point) / p.pass_s, "
        "p.trials, p.kernel_s, p.lookups, p.blocks_per_sm, p.queries_per_lookup, p.lookup_conflicts, p.occupancy "
        "FROM v_recall AS p WHERE p.experiment = ? " BY_FORMAT;
    static const char any[] = "SELECT count(lookups) FROM recall_point WHERE recall_id = ?";
    int64_t counted;
    EB_TRY(eb_sql_integer(store, any, EB_VALUES(eb_int(experiment)), 0, &counted, status));
    return eb_read_table(store, report, EB_F(cells), "Recall and throughput", columns,
                         EB_SHOWN_COUNT(columns) - (counted > 0 ? 0 : OF_GPU), text, EB_VALUES(eb_int(experiment)),
                         NULL, status);
}

enum { MOST_POINTS = EB_MOST_STEPS * EB_TABLE_FORMATS };

typedef struct curve {
    double x[MOST_POINTS], y[MOST_POINTS], low[MOST_POINTS], high[MOST_POINTS];
    char mark[MOST_POINTS];
    size_t count;
    char last[16], title[200];
} curve;

static void add_point(curve *c, const eb_query *query)
{
    const char *lut = eb_sql_text(query, 4);
    const bool another = c->count == 0 || strcmp(lut, c->last) != 0;
    const char mark = c->count == 0 ? 'a' : (char)(c->mark[c->count - 1] + another);
    const size_t used = strlen(c->title);
    if (another)
        (void)snprintf(c->title + used, sizeof c->title - used, " %c %s", mark, lut);
    (void)snprintf(c->last, sizeof c->last, "%s", lut);
    c->x[c->count] = eb_sql_real(query, 0);
    c->y[c->count] = eb_sql_real(query, 1);
    c->low[c->count] = eb_sql_real(query, 2);
    c->high[c->count] = eb_sql_real(query, 3);
    c->mark[c->count++] = mark;
}

static eb_code show_curve(eb_store *store, int64_t experiment, eb_report *report, eb_status *status)
{
    static const char text[] = "SELECT p.recall, p.queries_per_s, p.queries_per_s_low, p.queries_per_s_high, p.lut "
                               "FROM v_recall AS p WHERE p.experiment = ?1 " BY_FORMAT;
    curve c = {.title = "Throughput against recall:"};
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(experiment)), status);
    while (c.count < MOST_POINTS && eb_sql_next(&query))
        add_point(&c, &query);
    EB_TRY(eb_sql_done(&query));
    if (c.count > 0) {
        eb_series *series = eb_report_series(report, EB_F(curve), c.title, EB_LINE, c.count, c.x, c.y, c.low, c.high);
        eb_series_axes(series, EB_F(recall), false, EB_F(queries_per_s), true);
        eb_series_marks(series, c.mark);
    }
    return EB_OK;
}

static eb_code show_trials(eb_store *store, int64_t experiment, eb_report *report, eb_status *status)
{
    static const eb_column *const columns[] =
        EB_LIST(EB_HIDDEN(point), EB_F(lut), EB_F(nprobe), EB_F(trial), EB_F(pass_s), EB_F(passes));
    static const char text[] = "SELECT p.id, lut, nprobe, trial, pass_s, passes FROM recall_trial "
                               "JOIN recall_point AS p ON p.id = point_id WHERE recall_id = ? ORDER BY p.id, trial";
    return eb_read_table(store, report, EB_F(trial_times), "Trials", EB_SHOWN(columns), text,
                         EB_VALUES(eb_int(experiment)), NULL, status);
}

eb_code eb_read_recall(eb_store *store, int64_t experiment, eb_report *report, eb_status *status)
{
    static eb_code (*const parts[])(eb_store *, int64_t, eb_report *, eb_status *) = {show_fields, show_points,
                                                                                      show_curve, show_trials};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        EB_TRY(parts[k](store, experiment, report, status));
    return EB_OK;
}

eb_code eb_store_show_recall(eb_store *store, int64_t experiment, eb_report *report, eb_status *status)
{
    EB_TRY(eb_sql_begin_reading(store, status));
    eb_code failed = eb_need_recall(store, experiment, status);
    return eb_sql_end(store, failed ? failed : eb_read_recall(store, experiment, report, status), status);
}

/* ---- two experiments compared ---- */

static eb_code warn_of(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    static const char text[] =
        "SELECT s.sha256 <> t.sha256, a.seed <> b.seed OR a.queries <> b.queries OR "
        "a.queries_source IS NOT b.queries_source, a.nlist <> b.nlist OR a.m <> b.m OR a.rounds <> b.rounds, "
        "a.k <> b.k OR a.refine IS NOT b.refine, a.device_id <> b.device_id, a.threads <> b.threads, "
        "a.accumulate <> b.accumulate OR a.scale <> b.scale, a.layout IS NOT b.layout FROM recall AS a, recall AS b "
        "JOIN dataset AS s ON s.id = a.dataset_id "
        "JOIN dataset AS t ON t.id = b.dataset_id WHERE a.id = ? AND b.id = ?";
    static const char *const warning[] = {"the datasets differ: nothing here compares",
                                          "the queries differ, so that recall differs by chance as well",
                                          "the indexes differ in lists, pieces or rounds",
                                          "k or refine differ",
                                          "the devices differ",
                                          "the numbers of threads differ",
                                          "sums or scale differ",
                                          "the tables' layouts differ"};
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(a), eb_int(b)), status);
    const bool row = eb_sql_next(&query);
    for (size_t k = 0; row && k < sizeof warning / sizeof warning[0]; k++)
        if (eb_sql_int(&query, (int)k))
            eb_report_warn(report, "%s", warning[k]);
    return eb_sql_done(&query);
}

static eb_code read_passes(eb_store *store, int64_t point, double pass_s[EB_MAX_TRIALS], size_t *count,
                           eb_status *status)
{
    static const char text[] = "SELECT pass_s FROM recall_trial WHERE point_id = ? ORDER BY trial";
    *count = 0;
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(point)), status);
    while (*count < EB_MAX_TRIALS && eb_sql_next(&query))
        pass_s[(*count)++] = eb_sql_real(&query, 0);
    return eb_sql_done(&query);
}

/* Adds the row of a point that both experiments have. Columns 0 and 1 of the query are the points' ids. */
static eb_code diff_point(eb_store *store, const eb_query *query, eb_table *table, eb_status *status)
{
    double of_a[EB_MAX_TRIALS], of_b[EB_MAX_TRIALS];
    size_t count_a, count_b;
    EB_TRY(read_passes(store, eb_sql_int(query, 0), of_a, &count_a, status));
    EB_TRY(read_passes(store, eb_sql_int(query, 1), of_b, &count_b, status));
    const eb_judgement j = eb_judge_samples(of_a, count_a, of_b, count_b);
    EB_ROW(table, eb_text(eb_sql_text(query, 2)), eb_sql_value(query, 3), eb_sql_value(query, 4),
           eb_sql_value(query, 5), eb_real(eb_sql_real(query, 5) - eb_sql_real(query, 4)),
           eb_real(eb_summarise(of_a, count_a).median), eb_real(eb_summarise(of_b, count_b).median), eb_real(j.ratio),
           eb_text(eb_verdict_name(j.verdict)), eb_text(j.reason));
    return EB_OK;
}

static eb_code diff_points(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    static const char text[] =
        "SELECT a.id, b.id, a.lut, a.nprobe, a.recall, b.recall FROM recall_point AS a JOIN recall_point AS b "
        "ON b.lut = a.lut AND b.nprobe = a.nprobe WHERE a.recall_id = ? AND b.recall_id = ? ORDER BY a.id";
    size_t points = 0;
    eb_table *table = EB_TABLE(report, EB_F(cells), "Points of both, the experiment against the baseline", EB_F(lut),
                               EB_F(nprobe), EB_F(baseline_recall), EB_F(recall), EB_F(recall_difference),
                               EB_F(baseline_pass_s), EB_F(pass_s), EB_F(ratio), EB_F(verdict), EB_F(reason));
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(a), eb_int(b)), status);
    for (; eb_sql_next(&query); points++)
        query.failed = diff_point(store, &query, table, status);
    EB_TRY(eb_sql_done(&query));
    if (points == 0)
        eb_report_note(report, "the experiments have no point in common, that is, no table format at the same nprobe");
    return EB_OK;
}

static eb_code diff(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    EB_TRY(eb_need_recall(store, a, status));
    EB_TRY(eb_need_recall(store, b, status));
    EB_FIELDS(report, {EB_F(baseline), eb_int(a)}, {EB_F(experiment), eb_int(b)});
    EB_TRY(warn_of(store, a, b, report, status));
    return diff_points(store, a, b, report, status);
}

eb_code eb_store_diff_recall(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status)
{
    EB_TRY(eb_sql_begin_reading(store, status));
    return eb_sql_end(store, diff(store, a, b, report, status), status);
}
