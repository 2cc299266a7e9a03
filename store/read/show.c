/* show: the report of `show`: all that the log has about one run. */
#include <stdio.h>

#include "core/experiment/statistics.h"
#include "store/read/read.h"

/* ---- parts that need more than a query ---- */

/* Energy, clock and throttling that a GPU's management library reported during the trials; nothing if not monitored. */
static eb_code show_watched(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const char text[] = "SELECT energy_j, sm_clock_hz, throttle_reasons FROM v_trials WHERE run = ? AND "
                               "coalesce(energy_j, sm_clock_hz, throttle_reasons) IS NOT NULL ORDER BY trial";
    double energy_j[EB_MAX_TRIALS], clock_hz[EB_MAX_TRIALS];
    uint64_t throttle = 0;
    size_t trials = 0;
    bool watched = false;
    char words[128];
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(run)), status);
    while (trials < EB_MAX_TRIALS && eb_sql_next(&query)) {
        energy_j[trials] = eb_sql_real(&query, 0);
        clock_hz[trials++] = eb_sql_real(&query, 1);
        throttle |= (uint64_t)eb_sql_int(&query, 2);
        watched |= eb_sql_value(&query, 2).kind != EB_NA;
    }
    EB_TRY(eb_sql_done(&query));
    if (trials == 0)
        return EB_OK;
    EB_FIELDS(report, {EB_F(energy_median_j), eb_real(eb_summarise(energy_j, trials).median)},
              {EB_F(sm_clock_median_hz), eb_real(eb_summarise(clock_hz, trials).median)},
              {EB_F(throttle), eb_text(watched ? eb_throttle_words(throttle, words, sizeof words) : NULL)});
    return EB_OK;
}

/* How many points were sampled as queries; nothing if all were. */
static eb_code show_sampled(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    int64_t sampled = 0;
    EB_TRY(eb_sql_integer(store, "SELECT coalesce(sampled, 0) FROM run WHERE id = ?", EB_VALUES(eb_int(run)), 0,
                          &sampled, status));
    if (sampled > 0)
        EB_FIELDS(report, {EB_F(sampled), eb_int(sampled)});
    return EB_OK;
}

/* The histogram of the newest comparison in which the run was the fast one. */
eb_code eb_read_errors(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const char text[] =
        "SELECT (low + high) / 2, count, errors_under, errors_over FROM histogram_bin JOIN accuracy AS a "
        "ON a.id = accuracy_id WHERE quantity = 'error' AND a.id = "
        "(SELECT max(id) FROM accuracy WHERE fast_run_id = ? AND common > 0) ORDER BY bin";
    eb_series *series = NULL;
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(run)), status);
    while (eb_sql_next(&query)) {
        if (!series) {
            series = eb_report_dots(report, EB_F(errors), "Distance error: fast - true", EB_BARS);
            eb_series_axes(series, EB_F(error), false, EB_F(pairs_in_bin), false);
        }
        eb_series_add(series, eb_sql_real(&query, 0), eb_sql_real(&query, 1), 0, 0);
        if (series) {
            series->under = (double)eb_sql_int(&query, 2);
            series->over = (double)eb_sql_int(&query, 3);
        }
    }
    return eb_sql_done(&query);
}

/* ---- remarks ---- */

static eb_code note_each(eb_store *store, int64_t run, const char *text, const char *prefix, eb_report *report,
                         eb_status *status)
{
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(run)), status);
    while (eb_sql_next(&query))
        eb_report_note(report, "%s%s: %s", prefix, eb_sql_text(&query, 0), eb_sql_text(&query, 1));
    return eb_sql_done(&query);
}

static eb_code show_notes(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const char remark[] = "SELECT engine, remark FROM run WHERE id = ? AND remark IS NOT NULL";
    static const char failure[] = "SELECT outcome, message FROM command WHERE id = (SELECT command_id FROM run "
                                  "WHERE id = ?) AND message IS NOT NULL";
    static const char written[] = "SELECT substr(written, 1, 19) || 'Z', text FROM note WHERE run_id = ?1 OR (run_id "
                                  "IS NULL AND session_id = (SELECT session_id FROM command JOIN run ON command.id = "
                                  "command_id WHERE run.id = ?1)) ORDER BY id";
    EB_TRY(note_each(store, run, remark, "", report, status));
    EB_TRY(note_each(store, run, failure, "the command ", report, status));
    return note_each(store, run, written, "noted ", report, status);
}

/* ---- the parts ---- */

typedef enum form { FIELDS, RECORD, TABLE, IF_ANY } form; /* IF_ANY: a table, unless it would have no rows */

typedef struct part {
    form form;
    const eb_column *key;
    const char *title;
    const eb_column *const *columns;
    size_t count;
    const char *text;                                                                    /* query about run ?1 */
    eb_code (*show)(eb_store *store, int64_t run, eb_report *report, eb_status *status); /* instead of a query */
} part;

static const part parts[] = {
    {FIELDS, NULL, NULL,
     EB_LISTED(EB_F(run), EB_F(session), EB_F(command), EB_F(started), EB_F(ended), EB_F(state), EB_F(engine),
               EB_F(device), EB_F(dataset), EB_F(n), EB_F(d), EB_F(eps_exact), EB_F(selectivity), EB_F(pairs),
               EB_F(mode), EB_F(distances), EB_F(threads), EB_F(tensor), EB_F(switches), EB_F(spec_typed),
               EB_F(memory_limit_bytes), EB_F(batches), EB_F(trials_wanted), EB_F(trials), EB_F(throttled_trials),
               EB_F(kernel_median_s), EB_F(kernel_min_s), EB_F(kernel_cov), EB_F(total_median_s), EB_F(total_min_s),
               EB_F(total_cov), EB_F(tflops_derived), EB_F(tflops_executed)),
     "SELECT r.run, r.session, c.text, r.started, r.ended, r.state, r.engine, r.device, r.dataset, r.n, r.d, r.eps, "
     "r.selectivity, r.pairs, r.mode, r.distances, r.threads, r.tensor, r.switches, r.spec, r.memory_limit_bytes, "
     "r.batches, r.trials_wanted, r.trials, r.throttled_trials, r.kernel_s, r.kernel_min_s, r.kernel_cov, r.total_s, "
     "r.total_min_s, r.total_cov, r.tflops_derived, r.tflops_executed "
     "FROM v_runs AS r JOIN command AS c ON c.id = r.command WHERE r.run = ?1",
     NULL},
    {.show = show_sampled},
    {.show = show_watched},
    {IF_ANY, EB_F(options), "Options", EB_LISTED(EB_F(option), EB_F(value)),
     "SELECT name, value FROM run_option WHERE run_id = ?1 ORDER BY place", NULL},
    {RECORD, EB_F(dataset_details), "Dataset", EB_LISTED(EB_F(source), EB_F(format), EB_F(dtype), EB_F(sha256)),
     "SELECT source, format, dtype, sha256 FROM dataset JOIN run ON run.dataset_id = dataset.id WHERE run.id = ?1",
     NULL},
    {RECORD, EB_F(device_details), "Device",
     EB_LISTED(EB_F(name), EB_F(model), EB_F(architecture), EB_F(units), EB_F(memory_bytes), EB_F(clock_hz),
               EB_F(driver)),
     "SELECT name, model, architecture, units, memory_bytes, clock_hz, driver FROM device "
     "JOIN run ON run.device_id = device.id WHERE run.id = ?1",
     NULL},
    {RECORD, EB_F(build), "Build", EB_LISTED(EB_F(version), EB_F(commit), EB_F(flags), EB_F(compiler), EB_F(host)),
     "SELECT version, commit_hash, flags, compiler, host FROM run JOIN command ON command.id = run.command_id "
     "JOIN session ON session.id = session_id JOIN build ON build.id = build_id WHERE run.id = ?1",
     NULL},
    {TABLE, EB_F(trial_times), "Trials",
     EB_LISTED(EB_F(trial), EB_F(upload_s), EB_F(convert_s), EB_F(norms_s), EB_F(kernel_s), EB_F(download_s),
               EB_F(table_s), EB_F(total_s), EB_F(energy_j), EB_F(sm_clock_hz), EB_F(throttle_reasons)),
     "SELECT trial, upload_s, convert_s, norms_s, kernel_s, download_s, table_s, total_s, energy_j, sm_clock_hz, "
     "throttle_reasons FROM v_trials WHERE run = ?1 ORDER BY trial",
     NULL},
    /* Figures without a column in the trials' table. */
    {IF_ANY, EB_F(figures), "Other figures", EB_LISTED(EB_F(figure), EB_F(mean), EB_F(least), EB_F(most), EB_F(unit)),
     "SELECT key, avg(value), min(value), max(value), unit FROM trial_figure WHERE run_id = ?1 AND key NOT IN "
     "('upload_s', 'convert_s', 'norms_s', 'kernel_s', 'download_s', 'table_s', 'total_s', 'energy_j', 'sm_clock_hz', "
     "'throttle_reasons') GROUP BY key, unit",
     NULL},
    {IF_ANY, EB_F(accuracy), "Accuracy",
     EB_LISTED(EB_F(fast_run), EB_F(truth_run), EB_F(overlap), EB_F(overlap_min), EB_F(error_mean), EB_F(error_std),
               EB_F(error_max), EB_F(error_nan), EB_F(common), EB_F(only_fast), EB_F(only_true), EB_F(self_pairs),
               EB_F(sampled)),
     "SELECT fast_run, truth_run, overlap, overlap_min, error_mean, error_std, error_max, error_nan, common, "
     "only_fast, only_true, iif(self_pairs, 'in', 'out'), sampled FROM v_accuracy WHERE fast_run = ?1 OR truth_run = "
     "?1 ORDER BY accuracy",
     NULL},
    {.show = eb_read_errors},
    {IF_ANY, EB_F(counters), "Counters", EB_LISTED(EB_F(metric), EB_F(value), EB_F(unit), EB_F(source)),
     "SELECT metric, value, unit, CASE source WHEN 'model' THEN 'time' ELSE source END FROM counter WHERE run_id = ?1 "
     "ORDER BY metric, source",
     NULL},
    {IF_ANY, EB_F(targets), "ε tuned by the run's command",
     EB_LISTED(EB_F(wanted), EB_F(eps_exact), EB_F(selectivity_brief), EB_F(pairs), EB_F(ties), EB_F(sampled_eps),
               EB_F(passes), EB_F(engine)),
     "SELECT wanted, eps, selectivity, pairs, ties, sampled_eps, passes, coalesce(spec, engine) FROM target "
     "WHERE command_id = (SELECT command_id FROM run WHERE id = ?1) ORDER BY id",
     NULL},
    {.show = show_notes},
};

static eb_code show(eb_store *store, int64_t run, const part *p, eb_report *report, eb_status *status)
{
    bool any = true;
    if (p->show)
        return p->show(store, run, report, status);
    if (p->form == FIELDS || p->form == RECORD)
        return eb_read_record(store, report, p->key, p->title, p->columns, p->count, p->text, EB_VALUES(eb_int(run)),
                              status);
    if (p->form == IF_ANY) {
        eb_query query = eb_sql_rows(store, p->text, EB_VALUES(eb_int(run)), status);
        any = eb_sql_next(&query);
        EB_TRY(eb_sql_done(&query));
    }
    return any ? eb_read_table(store, report, p->key, p->title, p->columns, p->count, p->text, EB_VALUES(eb_int(run)),
                               NULL, status)
               : EB_OK;
}

eb_code eb_store_last_run(eb_store *store, int64_t session, int64_t *run, eb_status *status)
{
    static const char text[] = "SELECT run FROM v_runs ORDER BY session = ? DESC, run DESC LIMIT 1";
    EB_TRY(eb_sql_integer(store, text, EB_VALUES(eb_int(session)), 0, run, status));
    return *run > 0 ? EB_OK : eb_fail(status, EB_NOT_FOUND, "the log has no run yet; `join` makes one");
}

eb_code eb_store_show(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    EB_TRY(eb_sql_begin_reading(store, status));
    eb_code failed = eb_need_run(store, run, status);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && !failed; k++)
        failed = show(store, run, &parts[k], report, status);
    return eb_sql_end(store, failed, status);
}
