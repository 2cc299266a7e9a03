/* Running one engine, and writing what it found. */
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/clock.h"
#include "io/save.h"
#include "shell/commands/commands.h"
#include "shell/commands/device_limits.h"
#include "shell/commands/run_report.h"

/* Entries written between two looks at the cancel flag: some ten milliseconds. */
#define ENTRIES_A_PIECE ((uint64_t)1 << 20)

/* ---- writing a table ---- */

typedef struct writer {
    eb_saver *saver;
    uint64_t entries;
    size_t batches;
} writer;

static eb_code write_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    writer *w = context;
    eb_code failed = eb_saver_rows(w->saver, batch, status);
    w->entries += batch->offsets[batch->rows];
    w->batches++;
    eb_neighbours_free(batch);
    return failed;
}

/* Rows [first, end) of a whole table, seen as a batch of their own: offsets begin at 0. */
static eb_code write_piece(writer *w, const eb_neighbours *table, size_t first, size_t end, uint64_t *offsets,
                           eb_status *status)
{
    uint64_t before = table->offsets[first];
    for (size_t r = first; r <= end; r++)
        offsets[r - first] = table->offsets[r] - before;
    const eb_neighbours piece = {.n = table->n,
                                 .first_row = first,
                                 .rows = end - first,
                                 .offsets = offsets,
                                 .columns = table->columns + before,
                                 .distances = table->distances ? table->distances + before : NULL};
    w->entries += offsets[end - first];
    return eb_saver_rows(w->saver, &piece, status);
}

static eb_code write_table(writer *w, const eb_neighbours *table, eb_job *job, eb_status *status)
{
    uint64_t *offsets = calloc(table->rows + 1, sizeof *offsets);
    if (!offsets)
        return eb_fail_memory(status, "offsets to write", (table->rows + 1) * sizeof *offsets);
    eb_code failed = EB_OK;
    eb_job_phase(job, "writing", table->rows);
    w->batches = 1;
    for (size_t first = 0, end; first < table->rows && !failed; first = end) {
        for (end = first + 1; end < table->rows && table->offsets[end + 1] - table->offsets[first] <= ENTRIES_A_PIECE;)
            end++;
        failed = eb_job_check(job, status);
        if (!failed)
            failed = write_piece(w, table, first, end, offsets, status);
        eb_job_advance(job, end - first);
    }
    free(offsets);
    return failed;
}

/* A table that is not in memory: computed again, each batch written as it comes. */
static eb_code write_join(writer *w, const eb_session *session, const eb_run *run, eb_job *job, eb_status *status)
{
    eb_timing timing = eb_timing_none();
    eb_join_result result = {0};
    void *state = NULL;
    const eb_join_plan plan = {.eps = run->eps,
                               .distances = true,
                               .memory_limit = session->settings.memory_limit,
                               .expected_pairs = run->pairs,
                               .phase = "writing"};
    eb_code failed = run->engine->open(&run->device, session->dataset, &run->options, job, &timing, &state, status);
    if (failed)
        return failed;
    failed = eb_join_run(run->engine, state, session->dataset->n, &run->options, &plan, write_batch, w, job, &timing,
                         &result, status);
    run->engine->close(state);
    return failed;
}

/* Writes the run's table; the saver is closed or abandoned in any case. */
static eb_code write_run(const eb_session *session, const eb_run *run, eb_saver *saver, writer *w, eb_job *job,
                         eb_status *status)
{
    *w = (writer){.saver = saver};
    eb_code failed = run->table ? write_table(w, run->table, job, status) : write_join(w, session, run, job, status);
    if (!failed && w->entries != run->pairs)
        failed = eb_fail(status, EB_INTERNAL, "%s found %llu pairs and %llu were written", run->engine->name,
                         (unsigned long long)run->pairs, (unsigned long long)w->entries);
    if (failed) {
        eb_saver_abandon(saver);
        return failed;
    }
    return eb_saver_close(saver, status);
}

static void report_file(eb_report *report, const char *path, const writer *w, double save_s)
{
    struct stat file;
    bool known = stat(path, &file) == 0 && file.st_size >= 0;
    eb_report_field(report, "file", "written", EB_PLAIN, eb_text(path));
    eb_report_field(report, "file_bytes", "file's size", EB_BYTES, known ? eb_uint((uint64_t)file.st_size) : eb_na());
    eb_report_field(report, "file_pairs", "pairs written", EB_PLAIN, eb_uint(w->entries));
    eb_report_field(report, "file_batches", "written in batches", EB_PLAIN, eb_uint(w->batches));
    eb_report_field(report, "save_s", "writing took", EB_SECONDS, eb_real(save_s));
}

static eb_code save_run(const eb_session *session, const eb_run *run, const char *path, eb_saver *saver,
                        eb_report *report, eb_job *job, eb_status *status)
{
    writer w;
    double start_s = eb_now_s();
    eb_code failed = write_run(session, run, saver, &w, job, status);
    if (!failed)
        report_file(report, path, &w, eb_now_s() - start_s);
    return failed;
}

eb_code eb_cmd_save(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_run *run = session->last_join;
    const char *path = eb_call_text(call, "file");
    eb_saver *saver;
    if (!run)
        return eb_fail(status, EB_NOT_FOUND, "nothing to save: no join has run on this dataset yet");
    eb_code failed = eb_saver_open(path, run->n, &saver, status);
    if (failed)
        return failed;
    eb_report_field(report, "engine", "engine", EB_PLAIN, eb_text(run->engine->name));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(run->eps));
    eb_report_field(report, "pairs", "pairs |R| found", EB_PLAIN, eb_uint(run->pairs));
    return save_run(session, run, path, saver, report, job, status);
}

/* ---- join ---- */

static void keep_run(eb_session *session, eb_run *run)
{
    if (session->last_join) {
        eb_run_free(session->last_join);
        free(session->last_join);
    }
    session->last_join = run;
}

static eb_code measure_join(eb_session *session, const eb_call *call, const eb_engine *engine, const eb_device *device,
                            double eps, eb_run *run, eb_job *job, eb_status *status)
{
    eb_run_observer observer = eb_session_observer(session);
    eb_measure_request request = {
        .engine = engine,
        .device = device,
        .dataset = session->dataset,
        .options = eb_session_engine_options(session),
        .eps = eps,
        .mode = eb_call_flag(call, "count") ? EB_RUN_COUNT : EB_RUN_TABLE,
        .trials = (unsigned)eb_call_integer(call, "trials", session->settings.trials),
        .warm_up = true,
        .table_limit = session->settings.memory_limit,
    };
    eb_session_drop_table(session);
    return eb_measure(&request, &observer, job, run, status);
}

/* Measures, reports also what was finished before an interruption, and keeps the run for `save`. */
static eb_code run_join(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_device device;
    const eb_engine *engine;
    double eps;
    eb_code failed = eb_session_device(session, &device, status);
    if (!failed)
        eb_limits_ensure(session, &device, job);
    if (!failed)
        failed = eb_session_engine(session, eb_call_text(call, "engine"), &device, &engine, status);
    if (!failed)
        failed = eb_session_resolve_eps(session, call, report, &eps, job, status);
    if (failed)
        return failed;
    eb_run *run = calloc(1, sizeof *run);
    if (!run)
        return eb_fail_memory(status, "a run", sizeof *run);
    failed = measure_join(session, call, engine, &device, eps, run, job, status);
    if (run->trials_done > 0) {
        eb_report_run(report, run);
        keep_run(session, run);
    } else {
        eb_run_free(run);
        free(run);
    }
    return failed;
}

eb_code eb_cmd_join(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_saver *saver = NULL;
    const char *path = eb_call_text(call, "save");
    if (path && eb_call_flag(call, "count"))
        return eb_fail(status, EB_USAGE, "count builds no table, so there is nothing to save; leave out count or save");
    /* A name that cannot be written is said before the work, not after it. */
    eb_code failed = path ? eb_saver_open(path, session->dataset->n, &saver, status) : EB_OK;
    if (!failed)
        failed = run_join(session, call, report, job, status);
    if (failed) {
        eb_saver_abandon(saver);
        return failed;
    }
    return path ? save_run(session, session->last_join, path, saver, report, job, status) : EB_OK;
}
