#include "shell/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/files/state_path.h"
#include "io/parts/stored.h"
#include "kernels/device/cuda.h"
#include "shell/defaults.h"

/* ---- creation, datasets, requests ---- */

eb_session *eb_session_new(void)
{
    eb_session *session = calloc(1, sizeof *session);
    if (!session)
        return NULL;
    eb_device cpu;
    eb_device_cpu(&cpu);
    session->eps = NAN;
    session->settings = (eb_settings){
        .device = "cpu",
        .threads = eb_cpu_count(),
        .trials = 3,
        .seed = 42,
        .memory_limit = cpu.memory_bytes ? cpu.memory_bytes / 2 : (uint64_t)1 << 30,
        .mode = EB_MODE_TEXT,
        .log_columns = EB_LOG_COLUMNS,
    };
    return session;
}

eb_session *eb_session_beside(const eb_session *outer)
{
    eb_session *session = eb_session_new();
    if (!session)
        return NULL;
    memcpy(session->settings.device, outer->settings.device, sizeof session->settings.device);
    session->settings.threads = outer->settings.threads;
    session->settings.memory_limit = outer->settings.memory_limit;
    session->settings.gpu_memory_limit = outer->settings.gpu_memory_limit;
    session->settings.holding = outer->settings.holding;
    memcpy(session->limit, outer->limit, sizeof session->limit);
    session->program = outer->program;
    session->ranks = outer->ranks;
    return session;
}

void eb_session_forget_table(eb_session *session)
{
    eb_stored_close(session->stored);
    session->stored = NULL;
    free(session->last_join_text);
    session->last_join_text = NULL;
    if (!session->last_join)
        return;
    eb_run_free(session->last_join);
    free(session->last_join);
    session->last_join = NULL;
}

/* Ends and frees all results that are or were computed from the dataset. */
static void forget_results(eb_session *session)
{
    if (session->behind)
        session->leave_behind(session->behind);
    session->behind = NULL;
    eb_curve_free(&session->curve);
    eb_session_forget_table(session);
    if (session->comparison) {
        eb_comparison_free(session->comparison);
        free(session->comparison);
        session->comparison = NULL;
    }
    session->eps = NAN;
}

void eb_session_free(eb_session *session)
{
    if (!session)
        return;
    forget_results(session);
    if (session->play)
        session->free_play(session->play);
    eb_session_set_queries(session, NULL, NULL);
    eb_dataset_free(session->dataset);
    eb_store_close(session->store);
    eb_session_clear_request(session);
    free(session->written);
    free(session);
}

void eb_session_set_dataset(eb_session *session, eb_dataset *ds)
{
    forget_results(session);
    eb_session_set_queries(session, NULL, NULL);
    eb_dataset_free(session->dataset);
    session->dataset = ds;
    session->dataset_row = 0;
}

void eb_session_set_queries(eb_session *session, eb_dataset *queries, eb_ground_truth *truth)
{
    eb_dataset_free(session->queries);
    eb_ground_truth_free(session->truth);
    session->queries = queries;
    session->truth = truth;
}

const char *eb_dataset_name(const eb_dataset *ds)
{
    const char *source = ds->source ? ds->source : "?", *slash = strrchr(source, '/');
    return slash && slash[1] != '\0' ? slash + 1 : source;
}

void eb_session_loaded_files(const eb_session *session, eb_file_id files[EB_LOADED_FILES])
{
    memcpy(files, session->loaded_file, sizeof session->loaded_file);
    if (session->dataset)
        files[0] = session->dataset->file;
    if (session->queries)
        files[1] = session->queries->file;
    if (session->truth)
        files[2] = session->truth->file;
}

eb_code eb_session_check_dataset(const eb_session *session, eb_status *status)
{
    if (!session->dataset)
        return eb_fail(status, EB_NO_DATASET, "no dataset is loaded; `load FILE`, `load demo` or `synth` gives one");
    EB_TRY(eb_dataset_check(session->dataset, status));
    if (session->queries)
        EB_TRY(eb_dataset_check(session->queries, status));
    return session->truth ? eb_ground_truth_check(session->truth, status) : EB_OK;
}

eb_code eb_session_need_log(const eb_session *session, eb_status *status)
{
    return session->store ? EB_OK
                          : eb_fail(status, EB_LOG, "there is no session log: it was turned off or could not be used");
}

void eb_session_drop_neighbours(eb_session *session)
{
    if (!session->last_join)
        return;
    eb_neighbours_free(session->last_join->table);
    session->last_join->table = NULL;
}

void eb_session_clear_request(eb_session *session)
{
    for (size_t k = 0; k < session->request.script_count; k++)
        free(session->request.script[k]);
    free(session->request.script);
    free(session->request.source);
    free(session->request.pause);
    free(session->request.edit);
    free(session->request.then);
    free(session->request.repeat);
    free(session->request.dump);
    eb_report_free(session->request.drawn.own);
    free(session->request.panel);
    session->request = (eb_request){0};
}

/* ---- devices and engines ---- */

eb_code eb_session_find_device(const eb_session *session, const char *name, eb_device *out, eb_status *status)
{
    eb_code failed = eb_device_find(name, out, status);
    if (!failed && out->kind == EB_DEVICE_CUDA)
        eb_limits_look_up(session, out, NULL);
    return failed;
}

eb_code eb_session_device(const eb_session *session, eb_device *out, eb_status *status)
{
    return eb_session_find_device(session, session->settings.device, out, status);
}

void eb_session_wake_device(const eb_session *session)
{
    eb_device_named named;
    if (eb_device_name_parse(session->settings.device, &named, NULL) || named.kind != EB_DEVICE_CUDA)
        return;
    for (unsigned k = 0; k < named.members; k++)
        eb_cuda_start(named.member[k]);
}

static eb_code find_device(void *context, const char *name, eb_device *out, eb_status *status)
{
    return eb_session_find_device(context, name, out, status);
}

static void lend(const eb_session *session, eb_setup *setup)
{
    const eb_settings *settings = &session->settings;
    setup->resources.threads = settings->threads;
    setup->resources.holding = settings->holding;
    setup->resources.memory_limit =
        setup->device.kind == EB_DEVICE_CPU ? settings->memory_limit : settings->gpu_memory_limit;
}

eb_code eb_session_setup(eb_session *session, const char *spec, eb_setup *out, eb_status *status)
{
    eb_spec parsed;
    EB_TRY(eb_spec_parse(spec, &session->settings.engines, &parsed, status));
    EB_TRY(eb_setup_make(&parsed, session->settings.device, find_device, session, out, status));
    lend(session, out);
    return EB_OK;
}

eb_code eb_session_setup_rated(eb_session *session, const char *spec, eb_setup *out, eb_job *job, eb_status *status)
{
    eb_code failed = eb_session_setup(session, spec, out, status);
    if (!failed)
        eb_limits_ensure(session, &out->device, job);
    return failed;
}

eb_code eb_session_truth(eb_session *session, eb_setup *out, eb_status *status)
{
    const eb_settings *settings = &session->settings;
    eb_code failed = eb_setup_truth(settings->device, &settings->engines, find_device, session, out, status);
    if (!failed)
        lend(session, out);
    return failed;
}

/* ---- the log ---- */

void eb_session_log_failed(eb_session *session, const eb_status *status)
{
    size_t runs = 0, writes = 0;
    char lost[64] = "";
    if (!session->store)
        return;
    if (eb_store_waits(session->store, &runs, &writes))
        (void)snprintf(lost, sizeof lost, "; %zu runs that waited for it are lost", runs);
    eb_store_close(session->store);
    session->store = NULL;
    session->session_row = session->command_row = session->dataset_row = 0;
    (void)snprintf(session->log_warning, sizeof session->log_warning, "%s%s; going on without the session log",
                   status->message, lost);
}

bool eb_session_log_waits(const eb_session *session)
{
    size_t runs, writes;
    return session->store && eb_store_waits(session->store, &runs, &writes);
}

int64_t eb_session_log_number(const eb_session *session, int64_t row)
{
    return session->store ? eb_store_number(session->store, row) : row;
}

static void say_written(eb_session *session, size_t runs)
{
    char waited[64] = "";
    if (runs > 0)
        (void)snprintf(waited, sizeof waited, ", with the %zu %s that waited", runs, runs == 1 ? "run" : "runs");
    (void)snprintf(session->log_warning, sizeof session->log_warning,
                   "the session log is no longer locked: all entries are written%s", waited);
}

void eb_session_log_catch_up(eb_session *session, unsigned wait_ms)
{
    eb_status failure;
    size_t runs, writes;
    bool written = false;
    if (!session->store || !eb_store_waits(session->store, &runs, &writes))
        return;
    if (wait_ms > 0 && eb_store_catch_up(session->store, wait_ms, &written, &failure))
        eb_session_log_failed(session, &failure);
    else if (written && session->log_waited)
        say_written(session, runs);
    else if (!written && !session->log_waited)
        (void)snprintf(session->log_warning, sizeof session->log_warning,
                       "another process keeps the session log locked: new entries wait in memory, and each command "
                       "tries to write them");
    session->log_waited = !written && session->store;
}

int64_t eb_session_log_dataset(eb_session *session)
{
    if (!session->store || !session->dataset || session->dataset_row > 0)
        return session->dataset_row;
    eb_status failure;
    int64_t row = 0;
    if (eb_store_dataset(session->store, session->dataset, &row, &failure))
        eb_session_log_failed(session, &failure);
    else
        session->dataset_row = row;
    return session->dataset_row;
}

/* True if the running command is logged; runs of other commands are not logged either. */
static bool logging(const eb_session *session) { return session->store && session->command_row > 0; }

bool eb_session_logs(const eb_session *session)
{
    return logging(session) && eb_session_check_dataset(session, NULL) == EB_OK;
}

void eb_session_log_target(eb_session *session, const char *spec, const eb_target *target)
{
    eb_status failure;
    if (!eb_session_logs(session))
        return;
    int64_t dataset = eb_session_log_dataset(session);
    if (session->store && eb_store_target(session->store, session->command_row, dataset, spec, target, &failure))
        eb_session_log_failed(session, &failure);
}

void eb_session_log_sweep(eb_session *session, const char *spec, size_t points, const double *eps,
                          const double *selectivity, const double *error, const uint64_t *pairs)
{
    eb_status failure;
    if (!eb_session_logs(session))
        return;
    int64_t dataset = eb_session_log_dataset(session);
    if (session->store && eb_store_sweep(session->store, session->command_row, dataset, spec, points, eps, selectivity,
                                         error, pairs, &failure))
        eb_session_log_failed(session, &failure);
}

/* ---- runs: logged and shown while they go on ---- */

static void log_started(void *context, eb_run *run)
{
    eb_session *session = context;
    eb_status failure;
    int64_t row = 0;
    eb_live_started(session->live, run);
    if (!logging(session))
        return;
    int64_t dataset = eb_session_log_dataset(session);
    if (!session->store)
        return;
    if (eb_store_run_begin(session->store, session->command_row, dataset, run, &row, &failure))
        eb_session_log_failed(session, &failure);
    else
        run->row = row;
}

static void log_trial(void *context, const eb_run *run, unsigned trial)
{
    eb_session *session = context;
    eb_status failure;
    eb_live_trial(session->live, run);
    if (logging(session) && run->row > 0 && eb_store_trial(session->store, run->row, run, trial, &failure))
        eb_session_log_failed(session, &failure);
}

static void log_ended(void *context, const eb_run *run)
{
    eb_session *session = context;
    eb_status failure;
    eb_live_ended(session->live, run);
    if (logging(session) && run->row > 0 && eb_store_run_end(session->store, run->row, run, &failure))
        eb_session_log_failed(session, &failure);
}

eb_run_observer eb_session_observer(eb_session *session)
{
    return (eb_run_observer){.context = session, .started = log_started, .trial = log_trial, .ended = log_ended};
}

/* ---- limits of a GPU ----
 *
 * Measured limits are kept in the session, in its log, and in a separate log among the caches, so that sessions without
 * a log, or with a new one, need not measure them again. */

/* True for CUDA devices that session->limit has room for. */
static bool has_place(const eb_device *device)
{
    return device->kind == EB_DEVICE_CUDA && device->index >= 0 && device->index < EB_MOST_CUDA_DEVICES;
}

/* NULL if the cache cannot be opened; limits are then measured again. */
static eb_store *open_cache(void)
{
    char path[4096];
    eb_store *cache = NULL;
    if (!eb_cache_path("limits.db", path, sizeof path) || eb_store_open(path, &cache, NULL))
        return NULL;
    return cache;
}

/* Reads the limits from a log, which may be NULL. A failure is ignored: the next write to the log reports it. */
static void read_limits(eb_store *store, eb_device *device, char measured_at[EB_MOMENT_BYTES])
{
    if (store && eb_store_limits_get(store, device, measured_at, NULL))
        memset(device->limit, 0, sizeof device->limit);
}

static void look_into_cache(eb_device *device, char measured_at[EB_MOMENT_BYTES])
{
    eb_store *cache = open_cache();
    read_limits(cache, device, measured_at);
    eb_store_close(cache);
}

static void keep_in_cache(const eb_device *device)
{
    eb_store *cache = open_cache();
    if (cache)
        (void)eb_store_limits_set(cache, device, NULL);
    eb_store_close(cache);
}

void eb_limits_look_up(const eb_session *session, eb_device *device, char measured_at[EB_MOMENT_BYTES])
{
    memset(device->limit, 0, sizeof device->limit);
    if (measured_at)
        measured_at[0] = '\0';
    if (!has_place(device))
        return;
    read_limits(session->store, device, measured_at);
    if (!eb_limits_known(device->limit) && eb_limits_known(session->limit[device->index]) && !measured_at)
        memcpy(device->limit, session->limit[device->index], sizeof device->limit);
    if (!eb_limits_known(device->limit))
        look_into_cache(device, measured_at);
    if (!eb_limits_known(device->limit)) /* measured in this session and stored nowhere */
        memcpy(device->limit, session->limit[device->index], sizeof device->limit);
}

eb_code eb_limits_measure(eb_session *session, eb_device *device, eb_job *job, eb_status *status)
{
    eb_status failure;
    if (!has_place(device))
        return eb_fail(status, EB_NO_DEVICE, "limits are measured on CUDA devices only, and %s is not one",
                       device->name);
    eb_job_phase(job, "measuring limits", 0);
    eb_code failed = eb_cuda_limits(device->index, job, device->limit, status);
    if (failed) {
        memset(device->limit, 0, sizeof device->limit);
        return failed;
    }
    memcpy(session->limit[device->index], device->limit, sizeof device->limit);
    keep_in_cache(device);
    if (session->store && eb_store_limits_set(session->store, device, &failure))
        eb_session_log_failed(session, &failure);
    return EB_OK;
}

void eb_limits_ensure(eb_session *session, eb_device *device, eb_job *job)
{
    eb_status ignored;
    if (has_place(device))
        eb_cuda_ready(device->index);
    if (has_place(device) && !eb_limits_known(device->limit))
        (void)eb_limits_measure(session, device, job, &ignored);
}
