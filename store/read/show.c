/* All that the log knows of one run. */
#include <stdlib.h>

#include "core/experiment/statistics.h"
#include "store/read/read.h"

/* ---- what was run, on what, by whom ---- */

static const eb_column run_fields[] = {
    {"run", "run", EB_IDENTITY},
    {"session", "session", EB_IDENTITY},
    {"command", "command", EB_PLAIN},
    {"started", "started (UTC)", EB_PLAIN},
    {"ended", "ended (UTC)", EB_PLAIN},
    {"state", "state", EB_PLAIN},
    {"engine", "engine", EB_PLAIN},
    {"device", "device", EB_PLAIN},
    {"dataset", "dataset", EB_PLAIN},
    {"n", "points n", EB_PLAIN},
    {"d", "dimensions d", EB_PLAIN},
    {"eps", "ε", EB_IDENTITY},
    {"selectivity", "selectivity S", EB_PLAIN},
    {"pairs", "pairs |R|", EB_PLAIN},
    {"mode", "mode", EB_PLAIN},
    {"distances", "distances kept", EB_PLAIN},
    {"threads", "threads", EB_PLAIN},
    {"tensor", "tensor core emulated", EB_PLAIN},
    {"switches", "optimisations", EB_PLAIN},
    {"spec", "as typed", EB_PLAIN},
    {"memory_limit_bytes", "memory limit", EB_BYTES},
    {"batches", "in batches", EB_PLAIN},
    {"trials_wanted", "trials wanted", EB_PLAIN},
    {"trials", "trials", EB_PLAIN},
    {"throttled_trials", "throttled trials", EB_PLAIN},
    {"kernel_s", "kernels, median", EB_SECONDS},
    {"kernel_min_s", "kernels, least", EB_SECONDS},
    {"kernel_cov", "kernels, CoV", EB_PERCENT},
    {"total_s", "end to end, median", EB_SECONDS},
    {"total_min_s", "end to end, least", EB_SECONDS},
    {"total_cov", "end to end, CoV", EB_PERCENT},
    {"tflops_derived", "derived rate, 2·n²·d", EB_TERAFLOPS},
    {"tflops_executed", "executed rate", EB_TERAFLOPS},
};

static eb_code show_run(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const char text[] =
        "SELECT r.run, r.session, c.text, r.started, r.ended, r.state, r.engine, r.device, r.dataset, r.n, r.d, r.eps, "
        "r.selectivity, r.pairs, r.mode, r.distances, r.threads, r.tensor, r.switches, r.spec, r.memory_limit_bytes, "
        "r.batches, "
        "r.trials_wanted, r.trials, r.throttled_trials, r.kernel_s, r.kernel_min_s, r.kernel_cov, r.total_s, "
        "r.total_min_s, r.total_cov, r.tflops_derived, r.tflops_executed "
        "FROM v_runs AS r JOIN command AS c ON c.id = r.command WHERE r.run = ?";
    return eb_read_record(store, report, NULL, NULL, run_fields, EB_SHOWN_COUNT(run_fields), text,
                          EB_VALUES(eb_int(run)), status);
}

/* What a GPU's management library said while the trials ran; nothing when nobody watched. */
static eb_code show_watched(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const char text[] = "SELECT energy_j, sm_clock_hz, throttle_reasons FROM v_trials WHERE run = ? AND "
                               "coalesce(energy_j, sm_clock_hz, throttle_reasons) IS NOT NULL ORDER BY trial";
    double energy_j[EB_MAX_TRIALS], clock_hz[EB_MAX_TRIALS];
    uint64_t throttle = 0;
    size_t trials = 0;
    eb_query query;
    bool row, watched = false;
    char words[128];
    eb_code failed = eb_sql_query(store, text, EB_VALUES(eb_int(run)), &query, status);
    while (!failed && trials < EB_MAX_TRIALS && !(failed = eb_sql_step(&query, &row, status)) && row) {
        energy_j[trials] = eb_sql_real(&query, 0);
        clock_hz[trials++] = eb_sql_real(&query, 1);
        throttle |= (uint64_t)eb_sql_int(&query, 2);
        watched |= eb_sql_value(&query, 2).kind != EB_NA;
    }
    eb_sql_finish(&query);
    if (failed || trials == 0)
        return failed;
    eb_report_field(report, "energy_j", "energy, median", EB_JOULES, eb_real(eb_summarise(energy_j, trials).median));
    eb_report_field(report, "sm_clock_hz", "SM clock, median", EB_HERTZ,
                    eb_real(eb_summarise(clock_hz, trials).median));
    eb_report_field(report, "throttle", "clock held down by", EB_PLAIN,
                    eb_text(watched ? eb_throttle_words(throttle, words, sizeof words) : NULL));
    return EB_OK;
}

static eb_code show_dataset(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const eb_column fields[] = {{"source", "source", EB_PLAIN},
                                       {"format", "format", EB_PLAIN},
                                       {"dtype", "stored as", EB_PLAIN},
                                       {"sha256", "sha256", EB_PLAIN}};
    static const char text[] = "SELECT source, format, dtype, sha256 FROM dataset "
                               "JOIN run ON run.dataset_id = dataset.id WHERE run.id = ?";
    return eb_read_record(store, report, "dataset_details", "Dataset", fields, EB_SHOWN_COUNT(fields), text,
                          EB_VALUES(eb_int(run)), status);
}

static eb_code show_device(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const eb_column fields[] = {{"name", "name", EB_PLAIN},
                                       {"model", "model", EB_PLAIN},
                                       {"architecture", "architecture", EB_PLAIN},
                                       {"units", "CPUs or SMs", EB_PLAIN},
                                       {"memory_bytes", "memory", EB_BYTES},
                                       {"clock_hz", "clock", EB_HERTZ},
                                       {"driver", "driver", EB_PLAIN}};
    static const char text[] = "SELECT name, model, architecture, units, memory_bytes, clock_hz, driver FROM device "
                               "JOIN run ON run.device_id = device.id WHERE run.id = ?";
    return eb_read_record(store, report, "device_details", "Device", fields, EB_SHOWN_COUNT(fields), text,
                          EB_VALUES(eb_int(run)), status);
}

static eb_code show_build(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const eb_column fields[] = {{"version", "version", EB_PLAIN},
                                       {"commit", "commit", EB_PLAIN},
                                       {"flags", "flags", EB_PLAIN},
                                       {"compiler", "compiler", EB_PLAIN},
                                       {"host", "host", EB_PLAIN}};
    static const char text[] = "SELECT version, commit_hash, flags, compiler, host FROM run "
                               "JOIN command ON command.id = run.command_id JOIN session ON session.id = session_id "
                               "JOIN build ON build.id = build_id WHERE run.id = ?";
    return eb_read_record(store, report, "build", "Build", fields, EB_SHOWN_COUNT(fields), text, EB_VALUES(eb_int(run)),
                          status);
}

/* ---- what came out ---- */

static eb_code show_trials(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const eb_column columns[] = {{"trial", "trial", EB_IDENTITY},
                                        {"upload_s", "upload", EB_SECONDS},
                                        {"convert_s", "convert", EB_SECONDS},
                                        {"norms_s", "norms", EB_SECONDS},
                                        {"kernel_s", "kernels", EB_SECONDS},
                                        {"download_s", "download", EB_SECONDS},
                                        {"table_s", "table", EB_SECONDS},
                                        {"total_s", "total", EB_SECONDS},
                                        {"energy_j", "energy", EB_JOULES},
                                        {"sm_clock_hz", "SM clock", EB_HERTZ},
                                        {"throttle_reasons", "throttle", EB_IDENTITY}};
    static const char text[] = "SELECT trial, upload_s, convert_s, norms_s, kernel_s, download_s, table_s, total_s, "
                               "energy_j, sm_clock_hz, throttle_reasons FROM v_trials WHERE run = ? ORDER BY trial";
    return eb_read_table(store, report, "trial_times", "Trials", columns, EB_SHOWN_COUNT(columns), text,
                         EB_VALUES(eb_int(run)), NULL, status);
}

/* A table of what may be there: none when there is nothing. */
static eb_code show_any(eb_store *store, int64_t run, const char *any, eb_report *report, const char *key,
                        const char *title, const eb_column *columns, size_t count, const char *text, eb_status *status)
{
    int64_t rows;
    eb_code failed = eb_sql_integer(store, any, EB_VALUES(eb_int(run)), 0, &rows, status);
    return failed || rows == 0
               ? failed
               : eb_read_table(store, report, key, title, columns, count, text, EB_VALUES(eb_int(run)), NULL, status);
}

static eb_code show_options(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const eb_column columns[] = {{"option", "option", EB_PLAIN}, {"value", "value", EB_PLAIN}};
    static const char any[] = "SELECT count(*) FROM run_option WHERE run_id = ?";
    static const char text[] = "SELECT name, value FROM run_option WHERE run_id = ? ORDER BY place";
    return show_any(store, run, any, report, "options", "Options", columns, EB_SHOWN_COUNT(columns), text, status);
}

/* Figures beside those that trials have columns for. */
static eb_code show_figures(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
#define OTHERS                                                                                                         \
    "trial_figure WHERE run_id = ? AND key NOT IN ('upload_s', 'convert_s', 'norms_s', 'kernel_s', 'download_s', "     \
    "'table_s', 'total_s', 'energy_j', 'sm_clock_hz', 'throttle_reasons')"
    static const eb_column columns[] = {{"figure", "figure", EB_PLAIN},
                                        {"mean", "mean", EB_PLAIN},
                                        {"least", "least", EB_PLAIN},
                                        {"most", "most", EB_PLAIN},
                                        {"unit", "unit", EB_PLAIN}};
    static const char any[] = "SELECT count(*) FROM " OTHERS;
    static const char text[] =
        "SELECT key, avg(value), min(value), max(value), unit FROM " OTHERS " GROUP BY key, unit";
    return show_any(store, run, any, report, "figures", "Other figures", columns, EB_SHOWN_COUNT(columns), text,
                    status);
#undef OTHERS
}

static eb_code show_accuracy(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const eb_column columns[] = {{"fast_run", "run", EB_IDENTITY},       {"truth_run", "against", EB_IDENTITY},
                                        {"overlap", "overlap", EB_PERCENT},     {"overlap_min", "least", EB_PERCENT},
                                        {"error_mean", "error mean", EB_PLAIN}, {"error_std", "deviation", EB_PLAIN},
                                        {"error_max", "greatest", EB_PLAIN},    {"error_nan", "NaN", EB_PLAIN},
                                        {"common", "in both", EB_PLAIN},        {"only_fast", "only fast", EB_PLAIN},
                                        {"only_true", "only true", EB_PLAIN},   {"self_pairs", "self pairs", EB_PLAIN}};
    static const char any[] = "SELECT count(*) FROM accuracy WHERE fast_run_id = ?1 OR truth_run_id = ?1";
    static const char text[] =
        "SELECT fast_run, truth_run, overlap, overlap_min, error_mean, error_std, error_max, error_nan, common, "
        "only_fast, only_true, iif(self_pairs, 'in', 'out') FROM v_accuracy WHERE fast_run = ?1 OR truth_run = ?1 "
        "ORDER BY accuracy";
    return show_any(store, run, any, report, "accuracy", "Accuracy", columns, EB_SHOWN_COUNT(columns), text, status);
}

typedef struct bars {
    double *x, *y; /* [capacity] */
    size_t count, capacity;
} bars;

static eb_code read_bars(eb_store *store, int64_t accuracy, bars *out, eb_status *status)
{
    static const char text[] = "SELECT (low + high) / 2, count FROM histogram_bin WHERE accuracy_id = ? AND "
                               "quantity = 'error' ORDER BY bin LIMIT ?";
    eb_query query;
    bool row;
    eb_code failed = eb_sql_query(store, text, EB_VALUES(eb_int(accuracy), eb_uint(out->capacity)), &query, status);
    while (!failed && !(failed = eb_sql_step(&query, &row, status)) && row) {
        out->x[out->count] = eb_sql_real(&query, 0);
        out->y[out->count++] = eb_sql_real(&query, 1);
    }
    eb_sql_finish(&query);
    return failed;
}

static void report_bars(eb_report *report, const bars *b, int64_t under, int64_t over)
{
    eb_series *series =
        eb_report_series(report, "errors", "Distance error: fast - true", EB_BARS, b->count, b->x, b->y, NULL, NULL);
    eb_series_axes(series, "error", "distance error", false, "pairs", "pairs", false);
    if (series) {
        series->under = (double)under;
        series->over = (double)over;
    }
}

/* The histogram of the newest comparison in which the run was the fast one. */
static eb_code show_errors(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const char newest[] = "SELECT max(id) FROM accuracy WHERE fast_run_id = ? AND common > 0";
    static const char bins[] = "SELECT count(*) FROM histogram_bin WHERE accuracy_id = ? AND quantity = 'error'";
    static const char under[] = "SELECT errors_under FROM accuracy WHERE id = ?";
    static const char over[] = "SELECT errors_over FROM accuracy WHERE id = ?";
    int64_t accuracy, count = 0, below = 0, above = 0;
    eb_code failed = eb_sql_integer(store, newest, EB_VALUES(eb_int(run)), 0, &accuracy, status);
    if (failed || accuracy == 0)
        return failed;
    failed = eb_sql_integer(store, bins, EB_VALUES(eb_int(accuracy)), 0, &count, status);
    if (!failed)
        failed = eb_sql_integer(store, under, EB_VALUES(eb_int(accuracy)), 0, &below, status);
    if (!failed)
        failed = eb_sql_integer(store, over, EB_VALUES(eb_int(accuracy)), 0, &above, status);
    if (failed || count == 0)
        return failed;
    double *axes = calloc(2 * (size_t)count, sizeof *axes);
    if (!axes)
        return eb_fail_memory(status, "a histogram's axes", 2 * (size_t)count * sizeof *axes);
    bars b = {.x = axes, .y = axes + count, .capacity = (size_t)count};
    failed = read_bars(store, accuracy, &b, status);
    if (!failed)
        report_bars(report, &b, below, above);
    free(axes);
    return failed;
}

static eb_code show_counters(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const eb_column columns[] = {{"metric", "metric", EB_PLAIN},
                                        {"value", "value", EB_PLAIN},
                                        {"unit", "unit", EB_PLAIN},
                                        {"source", "source", EB_PLAIN}};
    static const char any[] = "SELECT count(*) FROM counter WHERE run_id = ?";
    static const char text[] = "SELECT metric, value, unit, source FROM counter WHERE run_id = ? "
                               "ORDER BY metric, source";
    return show_any(store, run, any, report, "counters", "Counters", columns, EB_SHOWN_COUNT(columns), text, status);
}

static eb_code show_targets(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const eb_column columns[] = {{"wanted", "S wanted", EB_PLAIN}, {"eps", "ε", EB_IDENTITY},
                                        {"selectivity", "S", EB_PLAIN},   {"pairs", "pairs |R|", EB_PLAIN},
                                        {"ties", "ties", EB_PLAIN},       {"sampled_eps", "ε sampled", EB_PLAIN},
                                        {"passes", "passes", EB_PLAIN},   {"engine", "engine", EB_PLAIN}};
    static const char any[] =
        "SELECT count(*) FROM target WHERE command_id = (SELECT command_id FROM run WHERE id = ?)";
    static const char text[] =
        "SELECT wanted, eps, selectivity, pairs, ties, sampled_eps, passes, coalesce(spec, engine) FROM target "
        "WHERE command_id = (SELECT command_id FROM run WHERE id = ?) ORDER BY id";
    return show_any(store, run, any, report, "targets", "ε tuned by the run's command", columns,
                    EB_SHOWN_COUNT(columns), text, status);
}

/* ---- remarks ---- */

static eb_code note_each(eb_store *store, int64_t run, const char *text, const char *prefix, eb_report *report,
                         eb_status *status)
{
    eb_query query;
    bool row;
    eb_code failed = eb_sql_query(store, text, EB_VALUES(eb_int(run)), &query, status);
    while (!failed && !(failed = eb_sql_step(&query, &row, status)) && row)
        eb_report_note(report, "%s%s: %s", prefix, eb_sql_text(&query, 0), eb_sql_text(&query, 1));
    eb_sql_finish(&query);
    return failed;
}

static eb_code show_notes(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static const char remark[] = "SELECT engine, remark FROM run WHERE id = ? AND remark IS NOT NULL";
    static const char failure[] = "SELECT outcome, message FROM command WHERE id = (SELECT command_id FROM run "
                                  "WHERE id = ?) AND message IS NOT NULL";
    static const char written[] = "SELECT substr(written, 1, 19) || 'Z', text FROM note WHERE run_id = ?1 OR (run_id "
                                  "IS NULL AND session_id = (SELECT session_id FROM command JOIN run ON command.id = "
                                  "command_id WHERE run.id = ?1)) ORDER BY id";
    eb_code failed = note_each(store, run, remark, "", report, status);
    if (!failed)
        failed = note_each(store, run, failure, "the command ", report, status);
    return failed ? failed : note_each(store, run, written, "noted ", report, status);
}

eb_code eb_store_last_run(eb_store *store, int64_t session, int64_t *run, eb_status *status)
{
    static const char text[] = "SELECT run FROM v_runs ORDER BY session = ? DESC, run DESC LIMIT 1";
    EB_TRY(eb_sql_integer(store, text, EB_VALUES(eb_int(session)), 0, run, status));
    return *run > 0 ? EB_OK : eb_fail(status, EB_NOT_FOUND, "the log has no run yet; `join` makes one");
}

eb_code eb_store_show(eb_store *store, int64_t run, eb_report *report, eb_status *status)
{
    static eb_code (*const parts[])(eb_store *, int64_t, eb_report *,
                                    eb_status *) = {show_run,      show_watched, show_options,  show_dataset,
                                                    show_device,   show_build,   show_trials,   show_figures,
                                                    show_accuracy, show_errors,  show_counters, show_targets,
                                                    show_notes};
    EB_TRY(eb_sql_begin_reading(store, status));
    eb_code failed = eb_need_run(store, run, status);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && !failed; k++)
        failed = parts[k](store, run, report, status);
    return eb_sql_end(store, failed, status);
}
