/* data: the commands `load`, `synth` and `info` for the current dataset, and `engines` and `devices` for what this
 * machine can run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/data/dataset_stats.h"
#include "core/ranks/ranks.h"
#include "draw/format.h"
#include "io/load.h"
#include "kernels/device/cuda.h"
#include "shell/commands/commands.h"
#include "shell/conclude/held.h"
#include "shell/defaults.h"
#include "shell/saving/parts.h"

enum { MOST_DEVICES = 1 + EB_MOST_CUDA_DEVICES };

/* ---- load, synth ---- */

static void describe_dataset(const eb_dataset *ds, eb_report *report)
{
    EB_FIELDS(report, {EB_F(source_dataset), eb_text(ds->source)}, {EB_F(format), eb_text(ds->format)},
              {EB_F(n), eb_uint(ds->n)}, {EB_F(d), eb_uint(ds->d)}, {EB_F(dtype), eb_text(eb_dtype_name(ds->dtype))},
              {EB_F(bytes), eb_uint((uint64_t)ds->n * ds->d * eb_dtype_size(ds->dtype))});
    if (ds->labels) {
        EB_FIELDS(report, {EB_F(label_column), eb_text(ds->labels->column)},
                  {EB_F(labels), eb_uint(ds->labels->names)});
    }
    if (ds->left_out)
        eb_report_field(report, EB_F(left_out), eb_uint(ds->left_out));
    if (ds->filled)
        eb_report_field(report, EB_F(filled), eb_uint(ds->filled));
}

/* Passes the dataset and its query set to the session, which owns them from here on, and reports both. */
static void take_dataset(eb_session *session, eb_dataset *ds, const eb_query_set *beside, double load_s,
                         eb_report *report)
{
    eb_session_set_dataset(session, ds);
    eb_session_set_queries(session, beside->points, beside->truth);
    (void)eb_session_log_dataset(session);
    describe_dataset(ds, report);
    EB_FIELDS(report, {EB_F(sha256), eb_text(ds->sha256)}, {EB_F(load_s), eb_real(load_s)});
    eb_report_query_set(session, report);
}

/* A choice of `load` that is guessed, 0, unless the call makes it. */
static size_t guessed_or(const eb_call *call, const char *argument)
{
    return eb_call_has(call, argument) ? 1 + eb_call_choice(call, argument, 0) : 0;
}

/* Reads the arguments of `load`. A choice's index in the command row equals its enum value; for choices that are
 * otherwise guessed, the value less one. */
static eb_reading reading_of(const eb_session *session, const eb_call *call)
{
    return (eb_reading){.format = eb_call_text(call, "format"),
                        .input_taken = session->script_on_input,
                        .header = (eb_header)guessed_or(call, "header"),
                        .columns = eb_call_text(call, "columns"),
                        .label = eb_call_text(call, "label"),
                        .missing = (eb_missing)eb_call_choice(call, "missing", EB_MISSING_REFUSED),
                        .scale = (eb_scale)eb_call_choice(call, "scale", EB_SCALE_NONE),
                        .separator = (eb_separator)guessed_or(call, "separator"),
                        .decimal = (eb_decimal)guessed_or(call, "decimal"),
                        .bf16 = eb_call_has(call, "dtype")};
}

static void note_reading(const eb_dataset *ds, const eb_reading *how, eb_report *report)
{
    if (ds->header[0] && how->header == EB_HEADER_GUESSED)
        eb_report_note(report, "the first line is taken for a header: %s; header=no reads it as a point", ds->header);
    for (const char *line = ds->remark; *line; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        eb_report_note(report, "%.*s", (int)length, line);
        line += length;
    }
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
    if (eb_parts_at(eb_call_text(call, "what")))
        return eb_load_parts(session, eb_call_text(call, "what"), report, job, status);
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
    eb_dataset *ds;
    double start_s = eb_now_s();
    size_t n = (size_t)eb_call_integer(call, "n", 0), d = (size_t)eb_call_integer(call, "d", 0);
    uint64_t seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)session->settings.seed);
    const eb_synth_kind kind = (eb_synth_kind)eb_call_choice(call, "kind", 0);
    static const eb_dtype types[] = {EB_F32, EB_F64, EB_U8};
    const eb_dtype dtype = types[eb_call_choice(call, "type", 0)];
    const char *path = eb_call_text(call, "save");
    eb_session_wake_device(session);
    if (path) {
        EB_TRY(eb_synth_save(path, dtype, kind, n, d, seed, job, status));
        EB_TRY(eb_load(path, job, &ds, status));
    } else {
        EB_TRY(eb_synth_as(dtype, kind, n, d, seed, job, &ds, status));
    }
    take_dataset(session, ds, &none, eb_now_s() - start_s, report);
    return EB_OK;
}

/* ---- info ---- */

static double share_of(uint64_t part, double whole) { return (double)part / whole; }

static void describe_values(const eb_dataset *ds, const eb_dataset_stats *stats, eb_report *report)
{
    double values = (double)ds->n * (double)ds->d;
    eb_record *range = eb_report_record(report, EB_F(values), "Values");
    EB_RECORD_FIELDS(range, {EB_F(min), eb_real(stats->min)}, {EB_F(mean), eb_real(stats->mean)},
                     {EB_F(max), eb_real(stats->max)}, {EB_F(zeros_share), eb_real(share_of(stats->zeros, values))});
    eb_record *norms = eb_report_record(report, EB_F(norms), "Points");
    EB_RECORD_FIELDS(norms, {EB_F(norm_min), eb_real(stats->norm_min)}, {EB_F(norm_mean), eb_real(stats->norm_mean)},
                     {EB_F(norm_max), eb_real(stats->norm_max)}, {EB_F(duplicates), eb_uint(stats->duplicate_rows)});
}

static eb_code count_values(const eb_session *session, const eb_dataset_stats *stats, eb_report *report, eb_job *job,
                            eb_status *status)
{
    eb_value_histogram h;
    EB_TRY(eb_value_histogram_compute(session->dataset, stats->min, stats->max, session->settings.threads, job, &h,
                                      status));
    eb_series *series = eb_report_dots(report, EB_F(values), "Histogram of the values", EB_BARS);
    eb_series_axes(series, EB_F(value), false, EB_F(value_count), false);
    for (size_t k = 0; k < h.bins; k++)
        eb_series_add(series, h.centre[k], (double)h.count[k], 0, 0);
    return EB_OK;
}

static void rounding_verdict(const eb_engine *engine, const eb_rounded *rounded, double values, bool exact,
                             char *buffer, size_t size)
{
    char share[32], moved[32], scaled[80] = "";
    const char *sums = engine->rounding->sums;
    if (engine->fits)
        (void)snprintf(scaled, sizeof scaled, "; %s[%s] scales them", engine->name, engine->fits);
    if (rounded->overflow > 0)
        (void)snprintf(buffer, size, "overflow: %s refuses these points, the first at row %zu, column %zu%s",
                       engine->name, rounded->overflow_row, rounded->overflow_column, scaled);
    else if (exact)
        (void)snprintf(buffer, size, "exact: nothing rounds, not even sums in %s; %s's result is the truth's", sums,
                       engine->name);
    else if (rounded->inexact == 0)
        (void)snprintf(buffer, size, "points are exact; sums in %s may round", sums);
    else
        (void)snprintf(buffer, size, "%s changes %s of the values and moves a point by at most %s",
                       engine->rounding->name,
                       eb_format_value(share, sizeof share, eb_real(share_of(rounded->inexact, values)), EB_PERCENT),
                       eb_format_value(moved, sizeof moved, eb_real(rounded->moved_most), EB_PLAIN));
}

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
    rounding_verdict(engine, &rounded, values, exact, verdict, sizeof verdict);
    (void)snprintf(title, sizeof title, "In %s", rounding->name);
    eb_record *record = eb_report_record(report, rounding->field, title);
    EB_RECORD_FIELDS(record, {EB_F(verdict), eb_text(verdict)}, {EB_F(exact), eb_bool(exact)},
                     {EB_F(overflow), eb_uint(rounded.overflow)});
    if (overflow) {
        EB_RECORD_FIELDS(record, {EB_F(overflow_row), eb_uint(rounded.overflow_row)},
                         {EB_F(overflow_column), eb_uint(rounded.overflow_column)});
    }
    EB_RECORD_FIELDS(record, {EB_F(subnormal_share), eb_real(share_of(rounded.subnormal, values))},
                     {EB_F(inexact_share), eb_real(share_of(rounded.inexact, values))},
                     {EB_F(residual_mean), eb_real(rounded.moved_mean)},
                     {EB_F(residual_max), eb_real(rounded.moved_most)});
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
    eb_table *table = EB_TABLE(report, EB_F(memory), "Memory the engines need, results apart", EB_F(engine),
                               EB_F(device), EB_F(bytes_needed), EB_F(device_bytes), EB_F(fits));
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

static eb_code describe_held(const eb_session *session, eb_report *report, eb_job *job, eb_status *status)
{
    char sentence[EB_HELD_BYTES];
    eb_held held[EB_NUMBERS];
    EB_TRY(eb_numbers_held(session->dataset, session->settings.threads, job, held, status));
    if (eb_held_sentence(held, session->dataset->dtype, sentence)[0])
        eb_report_field(report, EB_F(held), eb_text(sentence));
    return EB_OK;
}

eb_code eb_cmd_info(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)call;
    const eb_dataset *ds = session->dataset;
    eb_device devices[MOST_DEVICES];
    eb_status why_no_cuda = {0};
    eb_dataset_stats stats;
    describe_dataset(ds, report);
    EB_TRY(describe_held(session, report, job, status));
    EB_TRY(eb_dataset_stats_compute(ds, session->settings.memory_limit / 4, session->settings.threads, job, &stats,
                                    status));
    for (size_t k = 0; eb_rounding_engine(k); k++) /* first, since rounding decides which engines are usable */
        EB_TRY(describe_rounding(session, eb_rounding_engine(k), &stats, report, job, status));
    describe_values(ds, &stats, report);
    eb_report_field(report, EB_F(sha256), eb_text(ds->sha256));
    eb_report_query_set(session, report);
    describe_memory(ds, devices, list_devices(devices, &why_no_cuda), report);
    return count_values(session, &stats, report, job, status);
}

/* ---- engines ---- */

static void add_engine(eb_table *table, const eb_engine *engine, eb_device_kind kind, const char *device,
                       const char *why_not)
{
    EB_ROW(table, eb_text(engine->name), eb_text(device), eb_bool(why_not[0] == '\0'),
           eb_bool(engine->exactness == EB_TRUTH), eb_text(engine->on[kind].summary), eb_text(why_not));
}

/* A row for each engine on each device of a kind. An engine that cannot run there has one row with the reason. */
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
    eb_table *table = EB_TABLE(report, EB_F(engines), "", EB_F(engine), EB_F(device), EB_F(available), EB_F(is_truth),
                               EB_F(summary), EB_F(why_not));
    add_engines_of(table, EB_DEVICE_CPU, devices, 1, "");
    add_engines_of(table, EB_DEVICE_CUDA, devices + 1, count - 1, why_no_cuda.message);
    eb_report_note(report, "`help ENGINE` explains one and lists its options");
    return EB_OK;
}

/* ---- devices ---- */

static eb_table *begin_table(eb_report *report)
{
    eb_table *table = eb_report_table(report, EB_F(limits), "Limits, measured");
    eb_table_turn(table);
    eb_table_column(table, EB_F(device));
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        eb_table_column(table, eb_limit_name_of(k)->field);
    eb_table_column(table, EB_F(measured_at));
    return table;
}

static void add_limits(eb_table *table, const eb_device *device, const char *measured_at)
{
    eb_value cells[EB_LIMITS + 2] = {eb_text(device->name)};
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        cells[k + 1] = device->limit[k] > 0 ? eb_real(device->limit[k] / eb_limit_name_of(k)->scale) : eb_na();
    cells[EB_LIMITS + 1] = measured_at[0] ? eb_text(measured_at) : eb_na();
    eb_table_row(table, cells, EB_LIMITS + 2);
}

eb_code eb_report_limits(eb_session *session, eb_device *devices, size_t count, bool measure, eb_report *report,
                         eb_job *job, eb_status *status)
{
    eb_table *table = count > 0 ? begin_table(report) : NULL;
    bool unknown = false;
    for (size_t k = 0; k < count; k++) {
        eb_device *device = &devices[k];
        char measured_at[EB_MOMENT_BYTES];
        eb_limits_look_up(session, device, measured_at);
        bool first_use = !eb_limits_known(device->limit) && strcmp(device->name, session->settings.device) == 0;
        if (measure || first_use) {
            eb_status why = {.message = ""};
            eb_code failed = eb_limits_measure(session, device, job, &why);
            if (failed && (measure || failed == EB_CANCELLED))
                return eb_fail(status, failed, "%s", why.message);
            if (failed)
                eb_report_note(report, "the limits of %s were not measured: %s", device->name, why.message);
            else
                eb_limits_look_up(session, device, measured_at);
        }
        add_limits(table, device, measured_at);
        unknown |= !eb_limits_known(device->limit) && !first_use;
    }
    if (unknown)
        eb_report_note(report, "`devices measure` measures the limits that are n/a: a second for each device");
    return EB_OK;
}

/* The processes that share the work, if there are several. */
static void report_ranks(const eb_ranks *ranks, eb_report *report)
{
    if (eb_ranks_count(ranks) < 2)
        return;
    eb_table *table = EB_TABLE(report, EB_F(ranks), "Ranks: processes that share each question", EB_F(process_rank),
                               EB_F(host), EB_F(process), EB_F(rank_cores), EB_F(model));
    for (unsigned r = 0; r < eb_ranks_count(ranks); r++) {
        const eb_rank_info *info = eb_ranks_at(ranks, r);
        EB_ROW(table, eb_uint(r), eb_text(info->place.host), eb_uint((uint64_t)info->place.process),
               eb_uint(info->place.cores), eb_text(info->model));
    }
}

eb_code eb_cmd_devices(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_device devices[MOST_DEVICES];
    eb_status why_no_cuda = {0};
    size_t count = list_devices(devices, &why_no_cuda);
    bool measure = eb_call_flag(call, "measure");
    if (measure && count == 1)
        return eb_fail(status, EB_NO_DEVICE, "there is no CUDA device to measure: %s", why_no_cuda.message);
    eb_table *table = EB_TABLE(report, EB_F(devices), "", EB_F(device), EB_F(model), EB_F(architecture), EB_F(units),
                               EB_F(memory_bytes), EB_F(clock_hz), EB_F(driver), EB_F(current));
    for (size_t k = 0; k < count; k++) {
        const eb_device *device = &devices[k];
        EB_ROW(table, eb_text(device->name), eb_text(device->model), eb_text(device->architecture),
               eb_uint(device->units), device->memory_bytes ? eb_uint(device->memory_bytes) : eb_na(),
               device->clock_hz > 0 ? eb_real(device->clock_hz) : eb_na(),
               device->driver[0] ? eb_text(device->driver) : eb_na(),
               eb_bool(strcmp(device->name, session->settings.device) == 0));
    }
    report_ranks(session->ranks, report);
    if (count == 1)
        eb_report_note(report, "no CUDA device: %s", why_no_cuda.message);
    if (count > 2)
        eb_report_note(report, "`set device=cuda:all` makes the %zu GPUs one device", count - 1);
    return eb_report_limits(session, devices + 1, count - 1, measure, report, job, status);
}
