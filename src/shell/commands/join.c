/* join: the commands `join` and `save`: runs one engine and writes its neighbour table to a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/clock.h"
#include "io/save/save.h"
#include "shell/commands/commands.h"
#include "shell/commands/run_report.h"
#include "shell/radius/resolve.h"

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

/* Writes a table that is not in memory: joins again and writes each batch as it is made. */
static eb_code write_join(writer *w, const eb_session *session, const eb_run *run, eb_job *job, eb_status *status)
{
    eb_opened opened;
    eb_join_result result = {.pairs = 0};
    const eb_problem problem = eb_self_join(session->dataset);
    const eb_budget budget = eb_budget_of(&run->setup, 1, session->dataset, session->settings.memory_limit);
    const eb_join_plan plan = {.question.eps = run->eps,
                               .distances = run->distances,
                               .memory_limit = budget.tables,
                               .expected_pairs = run->pairs,
                               .phase = "writing"};
    EB_TRY(eb_problem_open(&run->setup, &problem, job, &opened, status));
    eb_status why = {.message = ""};
    char words[120];
    eb_code failed = eb_join_run(&opened, &plan, write_batch, w, &result, &why);
    eb_problem_close(&opened);
    if (failed == EB_NO_MEMORY && budget.points)
        return eb_fail(status, failed, "%s; %s", why.message, eb_budget_words(&budget, words, sizeof words));
    return failed ? eb_fail(status, failed, "%s", why.message) : EB_OK;
}

/* Writes the run's table. Closes the saver, or abandons it after an error. */
static eb_code write_run(const eb_session *session, const eb_run *run, eb_saver *saver, writer *w, eb_job *job,
                         eb_status *status)
{
    eb_code failed;
    *w = (writer){.saver = saver};
    if (run->table) {
        eb_job_phase(job, "writing", run->table->rows);
        eb_saver_watch(saver, job);
        failed = eb_saver_rows(saver, run->table, status);
        w->entries = run->table->offsets[run->table->rows];
        w->batches = 1;
    } else {
        failed = write_join(w, session, run, job, status);
        if (!failed) /* the file appears only with the points that were joined */
            failed = eb_session_check_dataset(session, status);
        eb_saver_watch(saver, job); /* the join itself advances by rows until here */
    }
    if (!failed && w->entries != run->pairs)
        failed = eb_fail(status, EB_INTERNAL, "%s found %llu pairs and %llu were written", run->setup.engine->name,
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
    EB_FIELDS(report, {EB_F(file), eb_text(path)},
              {EB_F(file_bytes), known ? eb_uint((uint64_t)file.st_size) : eb_na()},
              {EB_F(file_pairs), eb_uint(w->entries)}, {EB_F(file_batches), eb_uint(w->batches)},
              {EB_F(save_s), eb_real(save_s)});
}

static eb_code tell_dataset(const eb_dataset *ds, eb_saver *saver, eb_status *status)
{
    EB_TRY(eb_saver_tell(saver, "dataset", ds->source, status));
    EB_TRY(eb_saver_tell(saver, "sha256", ds->sha256, status));
    EB_TRY(eb_saver_tell_number(saver, "n", (double)ds->n, status));
    EB_TRY(eb_saver_tell_number(saver, "d", (double)ds->d, status));
    EB_TRY(eb_saver_tell(saver, "dtype", eb_dtype_name(ds->dtype), status));
    return ds->labels ? eb_saver_tell(saver, "label", ds->labels->column, status) : EB_OK;
}

/* All options as "tensor=sm_80,norms=authors", defaults included, since another version may have other defaults. */
static const char *all_options(const eb_setup *setup, char *buffer, size_t size)
{
    const char *name;
    char value[64];
    size_t used = 0;
    buffer[0] = 0;
    for (size_t k = 0; eb_options_item(&setup->options, 1u << setup->device.kind, k, &name, value, sizeof value); k++)
        if (size - used > strlen(name) + strlen(value) + 3)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s=%s", k ? "," : "", name, value);
    return buffer;
}

/* Writes into the file where the table comes from: program, command, engine, options, device, dataset. */
static eb_code tell(const eb_session *session, const eb_run *run, eb_saver *saver, eb_status *status)
{
    char options[EB_OPTIONS_TEXT];
    EB_TRY(eb_saver_tell(saver, "program", session->program ? session->program : "epsbench", status));
    EB_TRY(eb_saver_tell(saver, "command", session->last_join_text ? session->last_join_text : "", status));
    EB_TRY(eb_saver_tell_number(saver, "eps", run->eps, status));
    EB_TRY(eb_saver_tell_number(saver, "pairs", (double)run->pairs, status));
    EB_TRY(eb_saver_tell(saver, "engine", run->setup.spec, status));
    EB_TRY(eb_saver_tell(saver, "options", all_options(&run->setup, options, sizeof options), status));
    EB_TRY(eb_saver_tell(saver, "exactness", eb_exactness_name(eb_setup_exactness(&run->setup)), status));
    EB_TRY(eb_saver_tell(saver, "device", run->setup.device.model, status));
    eb_saver_label(saver, session->dataset->labels);
    return tell_dataset(session->dataset, saver, status);
}

static eb_code save_run(const eb_session *session, const eb_run *run, const char *path, eb_saver *saver,
                        eb_report *report, eb_job *job, eb_status *status)
{
    writer w;
    double start_s = eb_now_s();
    bool tells = eb_saver_tells(saver);
    eb_code failed = tells ? tell(session, run, saver, status) : EB_OK;
    if (failed) {
        eb_saver_abandon(saver);
        return failed;
    }
    if (!tells && session->dataset->labels)
        eb_report_note(report, "this format has no room for labels; .npz, .h5 and .csv keep them");
    failed = write_run(session, run, saver, &w, job, status);
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
    EB_TRY(eb_saver_open(path, run->n, run->distances, &saver, status));
    EB_FIELDS(report, {EB_F(engine), eb_text(run->setup.engine->name)}, {EB_F(eps), eb_real(run->eps)},
              {EB_F(pairs), eb_uint(run->pairs)});
    return save_run(session, run, path, saver, report, job, status);
}

/* ---- join ---- */

static void keep_run(eb_session *session, const eb_call *call, eb_run *run)
{
    free(session->last_join_text);
    session->last_join_text = strdup(call->text);
    if (session->last_join) {
        eb_run_free(session->last_join);
        free(session->last_join);
    }
    session->last_join = run;
}

/* Measures, reports the finished trials even after an interruption, and keeps the run for `save`. */
static eb_code run_join(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    eb_run_observer observer = eb_session_observer(session);
    eb_measure_request request = {
        .setup = &setup,
        .problem = eb_self_join(session->dataset),
        .mode = eb_call_flag(call, "count") ? EB_RUN_COUNT : EB_RUN_TABLE,
        .trials = (unsigned)eb_call_integer(call, "trials", session->settings.trials),
        .warm_up = eb_warm_up_of(eb_call_text(call, "warmup")),
        .distances = eb_distances_find(eb_call_text(call, "distances")),
    };
    EB_TRY(eb_session_setup_rated(session, eb_call_text(call, "engine"), &setup, job, status));
    EB_TRY(eb_distances_check(request.distances, setup.engine, status));
    request.memory = eb_budget_of(&setup, 1, session->dataset, session->settings.memory_limit);
    EB_TRY(eb_resolve_eps(session, call, report, &request.eps, job, status));
    eb_run *run = calloc(1, sizeof *run);
    if (!run)
        return eb_fail_memory(status, "a run", sizeof *run);
    eb_session_drop_neighbours(session);
    eb_code failed = eb_measure(&request, &observer, job, run, status);
    if (run->trials_done > 0) {
        eb_report_run(report, run);
        keep_run(session, call, run);
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
    if (eb_call_has(call, "distances") && eb_call_flag(call, "count"))
        return eb_fail(status, EB_USAGE,
                       "count builds no table, so it keeps no distances; leave out count or distances");
    eb_distances kept = eb_distances_find(eb_call_text(call, "distances"));
    /* The file is opened before the work, so that a bad name is refused at once. */
    eb_code failed = path ? eb_saver_open(path, session->dataset->n, kept, &saver, status) : EB_OK;
    if (!failed)
        failed = run_join(session, call, report, job, status);
    if (failed) {
        eb_saver_abandon(saver);
        return failed;
    }
    return path ? save_run(session, session->last_join, path, saver, report, job, status) : EB_OK;
}
