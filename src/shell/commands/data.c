/* The current dataset, and what can run here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/data/dataset_stats.h"
#include "io/load.h"
#include "kernels/device/cuda.h"
#include "shell/commands/commands.h"
#include "shell/commands/device_limits.h"
#include "shell/commands/queries.h"
#include "shell/defaults.h"

enum { MOST_DEVICES = 1 + EB_MOST_CUDA_DEVICES };

/* ---- load, synth ---- */

static uint64_t points_bytes(const eb_dataset *ds) { return (uint64_t)ds->n * ds->d * eb_dtype_size(ds->dtype); }

static void describe_dataset(const eb_dataset *ds, eb_report *report)
{
    eb_report_field(report, "source", "dataset", EB_PLAIN, eb_text(ds->source));
    eb_report_field(report, "format", "format", EB_PLAIN, eb_text(ds->format));
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(ds->n));
    eb_report_field(report, "d", "dimensions d", EB_PLAIN, eb_uint(ds->d));
    eb_report_field(report, "dtype", "type", EB_PLAIN, eb_text(eb_dtype_name(ds->dtype)));
    eb_report_field(report, "bytes", "size", EB_BYTES, eb_uint(points_bytes(ds)));
    if (ds->labels) {
        eb_report_field(report, "label", "labels from column", EB_PLAIN, eb_text(ds->labels->column));
        eb_report_field(report, "labels", "different labels", EB_PLAIN, eb_uint(ds->labels->names));
    }
    if (ds->left_out)
        eb_report_field(report, "left_out", "rows left out", EB_PLAIN, eb_uint(ds->left_out));
    if (ds->filled)
        eb_report_field(report, "filled", "values filled in", EB_PLAIN, eb_uint(ds->filled));
}

static void identify_dataset(const eb_dataset *ds, eb_report *report)
{
    eb_report_field(report, "sha256", "sha256", EB_PLAIN, eb_text(ds->sha256));
}

/* What came is the session's from now on. */
static void take_dataset(eb_session *session, eb_dataset *ds, const eb_query_set *beside, double load_s,
                         eb_report *report)
{
    eb_session_set_dataset(session, ds);
    eb_session_set_queries(session, beside->points, beside->truth);
    (void)eb_session_log_dataset(session);
    describe_dataset(ds, report);
    identify_dataset(ds, report);
    eb_report_field(report, "load_s", "loaded in", EB_SECONDS, eb_real(load_s));
    eb_report_query_set(session, report);
}

/* The place of an argument's word among its choices, in the order of the type it stands for; 0: not given. */
static unsigned choice_of(const eb_call *call, const char *argument, const char *const *choices)
{
    const char *given = eb_call_text(call, argument);
    for (unsigned k = 0; given && choices[k]; k++)
        if (strcmp(choices[k], given) == 0)
            return k;
    return 0;
}

static eb_reading reading_of(const eb_session *session, const eb_call *call)
{
    static const char *const header[] = {"", "yes", "no", NULL}, *const missing[] = {"refuse", "drop", "mean", NULL},
                             *const scale[] = {"none", "standard", "minmax", NULL};
    return (eb_reading){.format = eb_call_text(call, "format"),
                        .input_taken = session->script_on_input,
                        .header = (eb_header)choice_of(call, "header", header),
                        .columns = eb_call_text(call, "columns"),
                        .label = eb_call_text(call, "label"),
                        .missing = (eb_missing)choice_of(call, "missing", missing),
                        .scale = (eb_scale)choice_of(call, "scale", scale)};
}

/* What was made of the file on the way. */
static void note_reading(const eb_dataset *ds, const eb_reading *how, eb_report *report)
{
    if (ds->header[0] && how->header == EB_HEADER_GUESSED)
        eb_report_note(report, "the first line is taken for a header: %s; header=no reads it as a point", ds->header);
    if (ds->remark[0])
        eb_report_note(report, "%s", ds->remark);
    if (ds->left_out)
        eb_report_note(report, "rows left out because a value is missing: %zu; points are counted without them",
                       ds->left_out);
    if (ds->filled)
        eb_report_note(report, "missing values that are now their column's mean: %zu", ds->filled);
}

eb_code eb_cmd_load(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_dataset *ds;
    eb_query_set beside;
    double start_s = eb_now_s();
    const eb_reading how = reading_of(session, call);
    eb_session_wake_device(session);
    EB_TRY(eb_load_as(eb_call_text(call, "what"), &how, job, &ds, status));
    eb_code failed = eb_load_query_set(session, call, ds, job, &beside, status);
    if (failed) {
        eb_dataset_free(ds);
        return failed;
    }
    take_dataset(session, ds, &beside, eb_now_s() - start_s, report);
    note_reading(ds, &how, report);
    return EB_OK;
}

eb_code eb_cmd_synth(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_query_set none = {NULL, NULL};
    eb_synth_kind kind;
    eb_dataset *ds;
    double start_s = eb_now_s();
    size_t n = (size_t)eb_call_integer(call, "n", 0), d = (size_t)eb_call_integer(call, "d", 0);
    uint64_t seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)session->settings.seed);
    eb_code failed = eb_synth_kind_parse(eb_call_text(call, "kind"), &kind, status);
    const char *type = eb_call_text(call, "type");
    eb_dtype dtype = type && strcmp(type, "f64") == 0 ? EB_F64 : EB_F32;
    eb_session_wake_device(session);
    if (!failed)
        failed = eb_synth_as(dtype, kind, n, d, seed, job, &ds, status);
    if (!failed)
        take_dataset(session, ds, &none, eb_now_s() - start_s, report);
    return failed;
}

/* ---- info ---- */

static double share_of(uint64_t part, double whole) { return (double)part / whole; }

static void describe_values(const eb_dataset *ds, const eb_dataset_stats *stats, eb_report *report)
{
    double values = (double)ds->n * (double)ds->d;
    eb_record *range = eb_report_record(report, "values", "Values");
    eb_record_field(range, "min", "least", EB_PLAIN, eb_real(stats->min));
    eb_record_field(range, "mean", "mean", EB_PLAIN, eb_real(stats->mean));
    eb_record_field(range, "max", "greatest", EB_PLAIN, eb_real(stats->max));
    eb_record_field(range, "zeros_share", "zeros", EB_PERCENT, eb_real(share_of(stats->zeros, values)));
    eb_record *norms = eb_report_record(report, "norms", "Points");
    eb_record_field(norms, "min", "least norm", EB_PLAIN, eb_real(stats->norm_min));
    eb_record_field(norms, "mean", "mean norm", EB_PLAIN, eb_real(stats->norm_mean));
    eb_record_field(norms, "max", "greatest norm", EB_PLAIN, eb_real(stats->norm_max));
    eb_record_field(norms, "duplicates", "duplicates of an earlier point", EB_PLAIN, eb_uint(stats->duplicate_rows));
}

static eb_code count_values(const eb_session *session, const eb_dataset_stats *stats, eb_report *report, eb_job *job,
                            eb_status *status)
{
    eb_value_histogram h;
    double count[EB_VALUE_BINS];
    EB_TRY(eb_value_histogram_compute(session->dataset, stats->min, stats->max, session->settings.threads, job, &h,
                                      status));
    for (size_t k = 0; k < h.bins; k++)
        count[k] = (double)h.count[k];
    eb_series *series =
        eb_report_series(report, "values", "Histogram of the values", EB_BARS, h.bins, h.centre, count, NULL, NULL);
    eb_series_axes(series, "value", "value", false, "count", "values", false);
    return EB_OK;
}

static void rounding_verdict(const eb_engine *engine, const eb_rounded *rounded, bool exact, char *buffer, size_t size)
{
    const char *sums = engine->rounding->sums;
    if (rounded->overflow > 0)
        (void)snprintf(buffer, size, "overflow: %s refuses these points, the first at row %zu, column %zu",
                       engine->name, rounded->overflow_row, rounded->overflow_column);
    else if (exact)
        (void)snprintf(buffer, size, "exact: nothing rounds, not even sums in %s; %s's result is the truth's", sums,
                       engine->name);
    else if (rounded->inexact == 0)
        (void)snprintf(buffer, size, "points are exact; sums in %s may round", sums);
    else
        (void)snprintf(buffer, size, "points round");
}

/* What the type that an engine rounds to makes of the points. */
static eb_code describe_rounding(const eb_session *session, const eb_engine *engine, const eb_dataset_stats *stats,
                                 eb_report *report, eb_job *job, eb_status *status)
{
    char verdict[160], title[32];
    const eb_dataset *ds = session->dataset;
    const eb_rounding *rounding = engine->rounding;
    eb_rounded rounded;
    double values = (double)ds->n * (double)ds->d;
    EB_TRY(eb_rounding_find(rounding, ds, 0, session->settings.threads, job, &rounded, status));
    bool overflow = rounded.overflow > 0, exact = eb_rounds_nothing(rounding, &rounded, stats);
    rounding_verdict(engine, &rounded, exact, verdict, sizeof verdict);
    (void)snprintf(title, sizeof title, "In %s", rounding->name);
    eb_record *record = eb_report_record(report, rounding->key, title);
    eb_record_field(record, "verdict", "verdict", EB_PLAIN, eb_text(verdict));
    eb_record_field(record, "exact", "nothing rounds", EB_PLAIN, eb_bool(exact));
    eb_record_field(record, "overflow", "values that overflow", EB_PLAIN, eb_uint(rounded.overflow));
    if (overflow) {
        eb_record_field(record, "overflow_row", "first one's row", EB_PLAIN, eb_uint(rounded.overflow_row));
        eb_record_field(record, "overflow_column", "first one's column", EB_PLAIN, eb_uint(rounded.overflow_column));
    }
    eb_record_field(record, "subnormal_share", "values that become subnormal or 0", EB_PERCENT,
                    eb_real(share_of(rounded.subnormal, values)));
    eb_record_field(record, "inexact_share", "values that round", EB_PERCENT,
                    eb_real(share_of(rounded.inexact, values)));
    eb_record_field(record, "residual_mean", "a point moves by, mean", EB_PLAIN, eb_real(rounded.moved_mean));
    eb_record_field(record, "residual_max", "at most", EB_PLAIN, eb_real(rounded.moved_most));
    return EB_OK;
}

static size_t list_devices(eb_device *devices, eb_status *why_no_cuda)
{
    size_t cuda = 0;
    eb_device_cpu(&devices[0]);
    if (eb_cuda_devices(devices + 1, MOST_DEVICES - 1, &cuda, why_no_cuda))
        return 1;
    why_no_cuda->message[0] = '\0';
    return 1 + (cuda < MOST_DEVICES - 1 ? cuda : MOST_DEVICES - 1);
}

static void describe_memory(const eb_dataset *ds, const eb_device *devices, size_t count, eb_report *report)
{
    eb_table *table = eb_report_table(report, "memory", "Memory the engines need, results apart");
    EB_COLUMNS(table, {"engine", "engine", EB_PLAIN}, {"device", "device", EB_PLAIN}, {"bytes", "needs", EB_BYTES},
               {"device_bytes", "device has", EB_BYTES}, {"fits", "fits", EB_PLAIN});
    for (size_t k = 0; k < eb_engine_count(); k++)
        for (size_t j = 0; j < count; j++) {
            const eb_engine *engine = eb_engine_at(k);
            const eb_implementation *run = engine->on[devices[j].kind].run;
            if (!run)
                continue;
            uint64_t needs = run->memory_needed(ds->n, ds->d, ds->dtype), has = devices[j].memory_bytes;
            EB_ROW(table, eb_text(engine->name), eb_text(devices[j].name), eb_uint(needs), has ? eb_uint(has) : eb_na(),
                   has ? eb_bool(needs <= has) : eb_na());
        }
}

eb_code eb_cmd_info(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)call;
    const eb_dataset *ds = session->dataset;
    eb_device devices[MOST_DEVICES];
    eb_status why_no_cuda = {0};
    eb_dataset_stats stats;
    describe_dataset(ds, report);
    EB_TRY(eb_dataset_stats_compute(ds, session->settings.threads, job, &stats, status));
    for (size_t k = 0; eb_rounding_engine(k); k++) /* first of all: it most decides which engine will do */
        EB_TRY(describe_rounding(session, eb_rounding_engine(k), &stats, report, job, status));
    describe_values(ds, &stats, report);
    identify_dataset(ds, report);
    eb_report_query_set(session, report);
    describe_memory(ds, devices, list_devices(devices, &why_no_cuda), report);
    return count_values(session, &stats, report, job, status);
}

/* ---- engines, devices ---- */

static void add_engine(eb_table *table, const eb_engine *engine, eb_device_kind kind, const char *device,
                       const char *why_not)
{
    EB_ROW(table, eb_text(engine->name), eb_text(device), eb_bool(why_not[0] == '\0'),
           eb_bool(engine->exactness == EB_TRUTH), eb_text(engine->on[kind].summary), eb_text(why_not));
}

/* On every device of a kind; where there is none, or this build has nothing for it, why. */
static void add_engines_of(eb_table *table, eb_device_kind kind, const eb_device *devices, size_t count,
                           const char *why_none)
{
    for (size_t k = 0; k < eb_engine_count(); k++) {
        const eb_engine *engine = eb_engine_at(k);
        const eb_implementation *run = engine->on[kind].run;
        eb_options options;
        eb_options_default(&engine->options, &options);
        for (size_t j = 0; j < count && run; j++) {
            eb_status why = {.message = ""};
            (void)run->probe(&devices[j], &options, &why);
            add_engine(table, engine, kind, devices[j].name, why.message);
        }
        if (engine->on[kind].summary && (!run || count == 0))
            add_engine(table, engine, kind, kind == EB_DEVICE_CUDA ? "cuda" : "cpu", why_none);
    }
}

eb_code eb_cmd_engines(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)session, (void)call, (void)job, (void)status;
    eb_device devices[MOST_DEVICES];
    eb_status why_no_cuda = {0};
    size_t count = list_devices(devices, &why_no_cuda);
    eb_table *table = eb_report_table(report, "engines", "");
    EB_COLUMNS(table, {"engine", "engine", EB_PLAIN}, {"device", "device", EB_PLAIN}, {"available", "runs", EB_PLAIN},
               {"truth", "exact", EB_PLAIN}, {"summary", "does", EB_PLAIN}, {"reason", "why not", EB_PLAIN});
    add_engines_of(table, EB_DEVICE_CPU, devices, 1, "");
    add_engines_of(table, EB_DEVICE_CUDA, devices + 1, count - 1, why_no_cuda.message);
    eb_report_note(report, "`help ENGINE` explains one and lists its options");
    return EB_OK;
}

eb_code eb_cmd_devices(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_device devices[MOST_DEVICES];
    eb_status why_no_cuda = {0};
    size_t count = list_devices(devices, &why_no_cuda);
    bool measure = eb_call_flag(call, "measure");
    if (measure && count == 1)
        return eb_fail(status, EB_NO_DEVICE, "there is no CUDA device to measure: %s", why_no_cuda.message);
    eb_table *table = eb_report_table(report, "devices", "");
    EB_COLUMNS(table, {"device", "device", EB_PLAIN}, {"model", "model", EB_PLAIN},
               {"architecture", "architecture", EB_PLAIN}, {"units", "CPUs or SMs", EB_PLAIN},
               {"memory_bytes", "memory", EB_BYTES}, {"clock_hz", "clock", EB_HERTZ}, {"driver", "driver", EB_PLAIN},
               {"current", "set", EB_PLAIN});
    for (size_t k = 0; k < count; k++) {
        const eb_device *device = &devices[k];
        EB_ROW(table, eb_text(device->name), eb_text(device->model), eb_text(device->architecture),
               eb_uint(device->units), device->memory_bytes ? eb_uint(device->memory_bytes) : eb_na(),
               device->clock_hz > 0 ? eb_real(device->clock_hz) : eb_na(),
               device->driver[0] ? eb_text(device->driver) : eb_na(),
               eb_bool(strcmp(device->name, session->settings.device) == 0));
    }
    if (count == 1)
        eb_report_note(report, "no CUDA device: %s", why_no_cuda.message);
    return eb_report_limits(session, devices + 1, count - 1, measure, report, job, status);
}
