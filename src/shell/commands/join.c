/* join: the commands `join` and `save`: runs one engine and writes its neighbour table to a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/clock.h"
#include "io/save/save.h"
#include "shell/commands/commands.h"
#include "shell/commands/run_report.h"
#include "shell/defaults.h"
#include "shell/radius/resolve.h"
#include "shell/saving/counts.h"
#include "shell/saving/parts.h"
#include "shell/saving/provenance.h"

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

static eb_code save_run(const eb_session *session, const eb_run *run, const char *path, eb_saver *saver,
                        eb_report *report, eb_job *job, eb_status *status)
{
    writer w;
    double start_s = eb_now_s();
    bool tells = eb_saver_tells(saver);
    const eb_origin origin = {&run->setup, run->eps, run->pairs, session->last_join_text};
    eb_code failed = tells ? eb_tell_origin(session, &origin, eb_saver_facts(saver), status) : EB_OK;
    eb_saver_label(saver, tells ? session->dataset->labels : NULL);
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

/* ---- writing a table that is in a folder of parts ---- */

enum { BATCH_BYTES = 64 << 20 };

static eb_code write_stored(const eb_session *session, eb_saver *saver, writer *w, eb_job *job, eb_status *status)
{
    const eb_stored *stored = session->stored;
    EB_TRY(eb_stored_tell(stored, eb_saver_facts(saver), status));
    eb_saver_label(saver, eb_saver_tells(saver) ? session->dataset->labels : NULL);
    eb_job_phase(job, "writing", eb_stored_table(stored)->n);
    eb_saver_watch(saver, job);
    return eb_stored_rows(stored, BATCH_BYTES, write_batch, w, job, status);
}

static eb_code save_stored(const eb_session *session, const char *path, eb_report *report, eb_job *job,
                           eb_status *status)
{
    const eb_parts_table *table = eb_stored_table(session->stored);
    writer w = {.saver = NULL};
    const double start_s = eb_now_s();
    if (eb_parts_named(path))
        return eb_fail(status, EB_USAGE, "%s: the table is in parts already, in %s; copy that folder", path,
                       eb_stored_path(session->stored));
    EB_TRY(eb_saver_open(path, table->n, table->kept, &w.saver, status));
    EB_FIELDS(report, {EB_F(engine), eb_text(table->engine)}, {EB_F(eps), eb_real(table->eps)},
              {EB_F(pairs), eb_uint(eb_stored_entries(session->stored))});
    eb_code failed = write_stored(session, w.saver, &w, job, status);
    if (failed) {
        eb_saver_abandon(w.saver);
        return failed;
    }
    EB_TRY(eb_saver_close(w.saver, status));
    report_file(report, path, &w, eb_now_s() - start_s);
    return EB_OK;
}

/* ---- writing into a folder of parts ---- */

static size_t parts_wanted(const eb_call *call) { return (size_t)eb_call_integer(call, "parts", 0); }

static eb_code save_run_in_parts(const eb_session *session, const eb_call *call, const eb_run *run, const char *path,
                                 eb_report *report, eb_job *job, eb_status *status)
{
    const eb_parts_request request = {.path = path,
                                      .setup = &run->setup,
                                      .eps = run->eps,
                                      .distances = run->distances,
                                      .command = session->last_join_text,
                                      .table = run->table,
                                      .pairs = run->pairs,
                                      .parts = parts_wanted(call),
                                      .replace = eb_call_flag(call, "force")};
    return eb_save_parts(session, &request, report, job, status);
}

/* Finds ε and reports what is done. */
static eb_code begin_parts(eb_session *session, const eb_call *call, eb_parts_request *request, eb_report *report,
                           eb_job *job, eb_status *status)
{
    const eb_setup *setup = request->setup;
    EB_TRY(eb_resolve_eps(session, call, report, &request->eps, job, status));
    eb_session_drop_neighbours(session);
    EB_FIELDS(report, {EB_F(engine), eb_text(setup->engine->name)}, {EB_F(spec_typed), eb_text(setup->spec)},
              {EB_F(device), eb_text(setup->device.name)}, {EB_F(n), eb_uint(session->dataset->n)},
              {EB_F(d), eb_uint(session->dataset->d)}, {EB_F(eps), eb_real(request->eps)});
    return EB_OK;
}

/* A count into a folder runs once too. */
static eb_code count_in_parts(eb_session *session, const eb_call *call, const char *path, eb_report *report,
                              eb_job *job, eb_status *status)
{
    eb_setup setup;
    eb_parts_request request = {.path = path,
                                .setup = &setup,
                                .command = call->text,
                                .parts = parts_wanted(call),
                                .most = (size_t)eb_call_integer(call, "most", 0),
                                .replace = eb_call_flag(call, "force")};
    if (!eb_parts_named(path))
        return eb_fail(status, EB_USAGE, "%s: count builds no table; a count is saved in a folder, as `save=counted/`",
                       path);
    if (eb_call_has(call, "trials") || eb_call_has(call, "warmup") || eb_call_has(call, "cut"))
        return eb_fail(status, EB_USAGE,
                       "a count into a folder runs once, in equal parts; leave out trials, warmup and cut");
    EB_TRY(eb_session_setup(session, eb_call_text(call, "engine"), &setup, status));
    EB_TRY(begin_parts(session, call, &request, report, job, status));
    return eb_save_count(session, &request, report, job, status);
}

/* A join into parts runs once, so that no part is ever joined again. */
static eb_code join_into_parts(eb_session *session, const eb_call *call, const char *path, eb_report *report,
                               eb_job *job, eb_status *status)
{
    eb_setup setup;
    eb_parts_request request = {.path = path,
                                .setup = &setup,
                                .distances = eb_distances_find(eb_call_text(call, "distances")),
                                .command = call->text,
                                .parts = parts_wanted(call),
                                .cut = eb_call_has(call, "cut") ? (eb_parts_cut)(1 + eb_call_choice(call, "cut", 0))
                                                                : EB_CUT_AUTO,
                                .replace = eb_call_flag(call, "force")};
    if (eb_call_has(call, "trials") || eb_call_has(call, "warmup"))
        return eb_fail(status, EB_USAGE,
                       "a join into a folder of parts runs once, untimed; leave out trials and warmup, or `save %s` "
                       "after a join without save",
                       path);
    EB_TRY(eb_session_setup(session, eb_call_text(call, "engine"), &setup, status));
    EB_TRY(eb_distances_check(request.distances, setup.engine, status));
    EB_TRY(begin_parts(session, call, &request, report, job, status));
    EB_TRY(eb_save_parts(session, &request, report, job, status));
    EB_TRY(eb_keep_parts(session, path, status));
    const uint64_t pairs = eb_stored_entries(session->stored);
    EB_FIELDS(report, {EB_F(pairs), eb_uint(pairs)},
              {EB_F(selectivity), eb_real(eb_selectivity(pairs, session->dataset->n))});
    return EB_OK;
}

eb_code eb_cmd_save(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_run *run = session->last_join;
    const char *path = eb_call_text(call, "file");
    eb_saver *saver;
    if (session->stored)
        return save_stored(session, path, report, job, status);
    if (!run)
        return eb_fail(status, EB_NOT_FOUND, "nothing to save: no join has run on this dataset yet");
    if (eb_parts_named(path))
        return save_run_in_parts(session, call, run, path, report, job, status);
    EB_TRY(eb_saver_open(path, run->n, run->distances, &saver, status));
    EB_FIELDS(report, {EB_F(engine), eb_text(run->setup.engine->name)}, {EB_F(eps), eb_real(run->eps)},
              {EB_F(pairs), eb_uint(run->pairs)});
    return save_run(session, run, path, saver, report, job, status);
}

/* ---- join ---- */

static void keep_run(eb_session *session, const eb_call *call, eb_run *run)
{
    eb_session_forget_table(session);
    session->last_join_text = strdup(call->text);
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
    if (eb_call_has(call, "distances") && eb_call_flag(call, "count"))
        return eb_fail(status, EB_USAGE,
                       "count builds no table, so it keeps no distances; leave out count or distances");
    if (path && eb_call_flag(call, "count"))
        return count_in_parts(session, call, path, report, job, status);
    if (eb_call_has(call, "most"))
        return eb_fail(status, EB_USAGE,
                       "most= is for counts in parts, such as `join " EB_SURE " S=64 count save=counted/ most=1`");
    eb_distances kept = eb_distances_find(eb_call_text(call, "distances"));
    if (path && eb_parts_named(path))
        return join_into_parts(session, call, path, report, job, status);
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
