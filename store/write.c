/* write: writes sessions, commands, datasets, notes and queued writes, and has the helpers of all writers. */
#include "store/sql.h"

#include <stdlib.h>

#include "store/kept.h"
#include "store/process.h"

/* ---- shared ---- */

eb_code eb_find_or_add(eb_store *store, const char *find, const char *add, const eb_value *values, size_t count,
                       int64_t *id, eb_status *status)
{
    if (store->pending.recording)
        return eb_pending_add(&store->pending, store->path, find, add, values, count, id, status);
    EB_TRY(eb_sql_integer(store, find, values, count, 0, id, status));
    return *id > 0 ? EB_OK : eb_sql_run(store, add, values, count, id, status);
}

eb_code eb_change_row(eb_store *store, const char *text, const eb_value *values, size_t count, const char *what,
                      int64_t id, eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    eb_code failed = eb_sql_run(store, text, values, count, NULL, status);
    if (!failed && !store->pending.recording && sqlite3_changes(store->db) == 0)
        failed = eb_fail(status, EB_NOT_FOUND, "%s: no %s %lld in the session log", store->path, what, (long long)id);
    return eb_sql_end(store, failed, status);
}

static eb_code need(eb_store *store, const char *find, const char *last, const char *what, int64_t id,
                    eb_status *status)
{
    int64_t found, newest;
    EB_TRY(eb_sql_integer(store, find, EB_VALUES(eb_int(id)), 0, &found, status));
    if (found > 0)
        return EB_OK;
    EB_TRY(eb_sql_integer(store, last, EB_NO_VALUES, 0, &newest, status));
    if (newest == 0)
        return eb_fail(status, EB_NOT_FOUND, "no %s %lld: the log has no %ss yet", what, (long long)id, what);
    return eb_fail(status, EB_NOT_FOUND, "no %s %lld: the log has %ss 1 to %lld", what, (long long)id, what,
                   (long long)newest);
}

eb_code eb_need_run(eb_store *store, int64_t run, eb_status *status)
{
    static const char find[] = "SELECT id FROM run WHERE id = ?", last[] = "SELECT max(id) FROM run";
    return need(store, find, last, "run", run, status);
}

eb_code eb_need_recall(eb_store *store, int64_t experiment, eb_status *status)
{
    static const char find[] = "SELECT id FROM recall WHERE id = ?", last[] = "SELECT max(id) FROM recall";
    return need(store, find, last, "experiment", experiment, status);
}

eb_code eb_need_session(eb_store *store, int64_t session, eb_status *status)
{
    static const char find[] = "SELECT id FROM session WHERE id = ?", last[] = "SELECT max(id) FROM session";
    return need(store, find, last, "session", session, status);
}

/* ---- sessions ---- */

static eb_code add_session(eb_store *store, const eb_build *build, int64_t *session, eb_status *status)
{
    static const char find_build[] =
        "SELECT id FROM build WHERE version = ? AND commit_hash = ? AND flags = ? AND compiler = ?";
    static const char add_build[] = "INSERT INTO build (version, commit_hash, flags, compiler) VALUES (?, ?, ?, ?)";
    static const char add[] = "INSERT INTO session (build_id, started, state, host, boot, pid, process_start) "
                              "VALUES (?, ?, 'running', ?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    eb_process self;
    int64_t build_id;
    EB_TRY(eb_find_or_add(store, find_build, add_build,
                          EB_VALUES(eb_text(build->version), eb_text(build->commit), eb_text(build->flags),
                                    eb_text(build->compiler)),
                          &build_id, status));
    eb_moment(now);
    eb_process_self(&self);
    return eb_sql_run(store, add,
                      EB_VALUES(eb_int(build_id), eb_text(now), eb_text(self.host), eb_text(self.boot),
                                eb_int(self.pid), eb_int(self.start)),
                      session, status);
}

eb_code eb_store_session_begin(eb_store *store, const eb_build *build, int64_t *session, eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store, add_session(store, build, session, status), status);
}

eb_code eb_store_session_end(eb_store *store, int64_t session, eb_status *status)
{
    static const char text[] = "UPDATE session SET state = 'ended', ended = ? WHERE id = ?";
    char now[EB_MOMENT_BYTES];
    eb_moment(now);
    return eb_change_row(store, text, EB_VALUES(eb_text(now), eb_int(session)), "session", session, status);
}

/* ---- commands ---- */

eb_code eb_add_row(eb_store *store, const char *text, const eb_value *values, size_t count, int64_t *id,
                   eb_status *status)
{
    EB_TRY(eb_sql_begin(store, status));
    return eb_sql_end(store, eb_sql_run(store, text, values, count, id, status), status);
}

eb_code eb_store_command_begin(eb_store *store, int64_t session, const char *text, int64_t *command, eb_status *status)
{
    static const char add[] = "INSERT INTO command (session_id, text, started, outcome) VALUES (?, ?, ?, 'running')";
    char now[EB_MOMENT_BYTES];
    eb_moment(now);
    return eb_add_row(store, add, EB_VALUES(eb_int(session), eb_text(text), eb_text(now)), command, status);
}

eb_code eb_store_command_end(eb_store *store, int64_t command, eb_code outcome, const char *message, double duration_s,
                             eb_status *status)
{
    static const char text[] =
        "UPDATE command SET outcome = ?, error_code = ?, message = ?, duration_s = ? WHERE id = ?";
    const char *name = outcome == EB_OK ? "ok" : outcome == EB_CANCELLED ? "cancelled" : "failed";
    return eb_change_row(store, text,
                         EB_VALUES(eb_text(name), outcome ? eb_text(eb_code_name(outcome)) : eb_na(),
                                   outcome ? eb_text(message) : eb_na(), eb_real(duration_s), eb_int(command)),
                         "command", command, status);
}

eb_code eb_store_report(eb_store *store, int64_t command, int64_t dataset, const eb_report *report, eb_status *status)
{
    static const char add[] = "INSERT INTO report (command_id, dataset_id, conclusion, items) VALUES (?, ?, ?, ?)";
    char *items;
    EB_TRY(eb_kept_write(report, &items, status));
    eb_code failed = eb_add_row(store, add,
                                EB_VALUES(eb_int(command), dataset > 0 ? eb_int(dataset) : eb_na(),
                                          eb_text(report->conclusion), eb_text(items)),
                                NULL, status);
    free(items);
    return failed;
}

/* ---- datasets and notes ---- */

eb_code eb_store_dataset(eb_store *store, const eb_dataset *ds, int64_t *dataset, eb_status *status)
{
    static const char find[] = "SELECT id FROM dataset WHERE sha256 = ? AND source = ? AND format = ? AND n = ? AND "
                               "d = ? AND dtype = ?";
    static const char add[] = "INSERT INTO dataset (sha256, source, format, n, d, dtype) VALUES (?, ?, ?, ?, ?, ?)";
    EB_TRY(eb_sql_begin(store, status));
    eb_code failed = eb_find_or_add(store, find, add,
                                    EB_VALUES(eb_text(ds->sha256), eb_text(ds->source), eb_text(ds->format),
                                              eb_uint(ds->n), eb_uint(ds->d), eb_text(eb_dtype_name(ds->dtype))),
                                    dataset, status);
    return eb_sql_end(store, failed, status);
}

eb_code eb_store_note(eb_store *store, int64_t session, int64_t run_or_0, const char *text, eb_status *status)
{
    static const char add[] = "INSERT INTO note (session_id, run_id, written, text) VALUES (?, ?, ?, ?)";
    char now[EB_MOMENT_BYTES];
    EB_TRY(run_or_0 ? eb_need_run(store, run_or_0, status) : EB_OK);
    eb_moment(now);
    return eb_add_row(store, add,
                      EB_VALUES(eb_int(session), run_or_0 ? eb_int(run_or_0) : eb_na(), eb_text(now), eb_text(text)),
                      NULL, status);
}

/* ---- queued writes ---- */

static eb_code make(eb_store *store, const eb_pending_write *one, eb_status *status)
{
    int64_t number = 0;
    eb_code failed = one->find ? eb_find_or_add(store, one->find, one->text, one->values, one->count, &number, status)
                               : eb_sql_run(store, one->text, one->values, one->count, &number, status);
    if (!failed && one->stand_in)
        store->pending.number[one->stand_in - EB_STAND_IN] = number;
    return failed;
}

/* Resets the numbers of rows whose transaction failed. */
static void forget_numbers(eb_pending *p)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->write[k].stand_in)
            p->number[p->write[k].stand_in - EB_STAND_IN] = 0;
}

eb_code eb_store_catch_up(eb_store *store, unsigned wait_ms, bool *written, eb_status *status)
{
    eb_pending *p = &store->pending;
    const unsigned usual_ms = store->wait_ms;
    *written = false;
    if (!p->waits)
        return EB_OK;
    store->wait_ms = wait_ms;
    p->waits = false; /* from here on statements are executed, not queued */
    eb_code failed = eb_sql_begin(store, status);
    if (!failed && !p->waits) {
        for (size_t k = 0; k < p->count && !failed; k++)
            failed = make(store, &p->write[k], status);
        failed = eb_sql_end(store, failed, status);
        if (failed)
            forget_numbers(p);
    }
    store->wait_ms = usual_ms;
    *written = !failed && !p->waits;
    p->waits = !*written;
    p->recording = false;
    if (*written) {
        eb_pending_cut(p, 0);
        p->runs = 0;
    }
    return failed;
}

bool eb_store_waits(const eb_store *store, size_t *runs, size_t *writes)
{
    *runs = store->pending.runs;
    *writes = store->pending.count;
    return store->pending.waits;
}

int64_t eb_store_number(const eb_store *store, int64_t id)
{
    int64_t number = eb_pending_number(&store->pending, id);
    return number >= EB_STAND_IN ? 0 : number;
}
