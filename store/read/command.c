/* command: what the log's tables have of a command whose report was not kept, as before schema 8. */
#include <math.h>
#include <string.h>

#include "store/read/read.h"

/* ---- S(ε) ---- */

eb_code eb_read_curve(eb_store *store, eb_report *report, const char *title, const char *text, const eb_value *values,
                      size_t value_count, eb_status *status)
{
    enum { MOST = 512 }; /* more points than a plot shows are thinned by the query */
    double eps[MOST], s[MOST], low[MOST], high[MOST];
    size_t count = 0;
    eb_query query = eb_sql_rows(store, text, values, value_count, status);
    for (; count < MOST && eb_sql_next(&query); count++) {
        const double error = eb_sql_real(&query, 2);
        eps[count] = eb_sql_real(&query, 0);
        s[count] = eb_sql_real(&query, 1);
        low[count] = isnan(error) ? NAN : s[count] - error;
        high[count] = isnan(error) ? NAN : s[count] + error;
    }
    EB_TRY(eb_sql_done(&query));
    if (count > 1) {
        eb_series *series = eb_report_series(report, EB_F(curve), title, EB_LINE, count, eps, s, low, high);
        eb_series_axes(series, EB_F(eps), true, EB_F(selectivity), true);
    }
    return EB_OK;
}

static eb_code read_curve(eb_store *store, int64_t command, eb_report *report, eb_status *status)
{
    static const char text[] =
        "SELECT eps, selectivity, selectivity_error FROM (SELECT *, row_number() OVER (ORDER BY eps) AS place, "
        "count(*) OVER () AS points FROM sweep_point WHERE command_id = ?) "
        "WHERE place % max(1, (points + 499) / 500) = 0 ORDER BY eps";
    return eb_read_curve(store, report, "S(ε)", text, EB_VALUES(eb_int(command)), status);
}

/* ---- tables ---- */

static const eb_read_part parts[] = {
    {EB_F(targets), "ε for each selectivity",
     EB_LISTED(EB_F(wanted), EB_F(eps_exact), EB_F(selectivity_brief), EB_F(pairs), EB_F(ties), EB_F(sampled_eps),
               EB_F(bracket_low), EB_F(bracket_high), EB_F(passes), EB_F(spec)),
     "SELECT wanted, eps, selectivity, pairs, ties, sampled_eps, bracket_low, bracket_high, passes, "
     "coalesce(spec, engine) FROM target WHERE command_id = ?1 ORDER BY id"},
    {EB_F(runs), "Runs",
     EB_LISTED(EB_F(run), EB_F(spec), EB_F(device), EB_F(eps_exact), EB_F(selectivity_brief), EB_F(pairs), EB_F(trials),
               EB_F(kernel_median_s), EB_F(kernel_min_s), EB_F(kernel_cov), EB_F(total_median_s), EB_F(total_min_s),
               EB_F(total_cov), EB_F(tflops_derived), EB_F(tflops_executed), EB_F(state)),
     "SELECT run, coalesce(spec, engine), device, eps, selectivity, pairs, trials, kernel_s, kernel_min_s, kernel_cov, "
     "total_s, total_min_s, total_cov, tflops_derived, tflops_executed, state FROM v_runs WHERE command = ?1 "
     "ORDER BY run"},
    {EB_F(rungs), "How much of the truth's result each number type keeps",
     EB_LISTED(EB_F(eps_exact), EB_F(selectivity_brief), EB_F(rung), EB_F(rung_bytes), EB_F(overlap_predicted),
               EB_F(overlap), EB_F(worst_overlap), EB_F(error_of_eps), EB_F(knn_recall), EB_F(prediction), EB_F(spec)),
     "SELECT eps, selectivity, title, coordinate_bytes, overlap_predicted, overlap, overlap_min, error_of_eps, "
     "knn_recall, prediction, spec FROM v_rungs WHERE command = ?1 ORDER BY rung"},
    {EB_F(accuracies), "Accuracy",
     EB_LISTED(EB_F(fast_run), EB_F(truth_run), EB_F(eps_exact), EB_F(overlap), EB_F(overlap_min), EB_F(common),
               EB_F(only_fast), EB_F(only_true), EB_F(error_mean), EB_F(error_std), EB_F(error_max)),
     "SELECT fast_run, truth_run, eps, overlap, overlap_min, common, only_fast, only_true, error_mean, error_std, "
     "error_max FROM v_accuracy WHERE command = ?1 ORDER BY accuracy"},
};

/* ---- what one command made several of ---- */

typedef eb_code read_one(eb_store *store, int64_t id, eb_report *report, eb_status *status);

static eb_code read_each(eb_store *store, const char *ids, int64_t command, read_one *read, eb_report *report,
                         eb_status *status)
{
    eb_query query = eb_sql_rows(store, ids, EB_VALUES(eb_int(command)), status);
    while (eb_sql_next(&query))
        query.failed = read(store, eb_sql_int(&query, 0), report, status);
    return eb_sql_done(&query);
}

static eb_code read_remarks(eb_store *store, int64_t command, eb_report *report, eb_status *status)
{
    static const char text[] = "SELECT coalesce(spec, engine), remark FROM run WHERE command_id = ? AND remark IS NOT "
                               "NULL ORDER BY id";
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(command)), status);
    while (eb_sql_next(&query))
        eb_report_note(report, "%s: %s", eb_sql_text(&query, 0), eb_sql_text(&query, 1));
    return eb_sql_done(&query);
}

eb_code eb_read_command(eb_store *store, int64_t command, eb_report *report, eb_status *status)
{
    static const char runs[] = "SELECT id FROM run WHERE command_id = ? ORDER BY id";
    static const char experiments[] = "SELECT id FROM recall WHERE command_id = ? ORDER BY id";
    EB_TRY(eb_read_parts(store, command, parts, sizeof parts / sizeof parts[0], report, status));
    EB_TRY(read_curve(store, command, report, status));
    EB_TRY(read_each(store, runs, command, eb_read_errors, report, status));
    EB_TRY(read_each(store, experiments, command, eb_read_recall, report, status));
    return read_remarks(store, command, report, status);
}
