/* read: lists of runs, recent datasets, sessions and targets, a session's commands, and the helpers of all readers. */
#include "store/read/read.h"

#include <stdlib.h>
#include <string.h>

#include "store/notes.h"

/* ---- shared ---- */

eb_code eb_read_table(eb_store *store, eb_report *report, const eb_column *key, const char *title,
                      const eb_column *const *columns, size_t count, const char *text, const eb_value *values,
                      size_t value_count, size_t *rows, eb_status *status)
{
    eb_value cells[EB_MOST_SHOWN];
    size_t found = 0;
    eb_query query = eb_sql_rows(store, text, values, value_count, status);
    eb_table *table = query.failed ? NULL : eb_table_of(report, key, title, columns, count);
    while (eb_sql_next(&query)) {
        for (size_t k = 0; k < count; k++)
            cells[k] = eb_sql_value(&query, (int)k);
        eb_table_row(table, cells, count);
        found++;
    }
    if (rows)
        *rows = found;
    return eb_sql_done(&query);
}

eb_code eb_read_record(eb_store *store, eb_report *report, const eb_column *key, const char *title,
                       const eb_column *const *columns, size_t count, const char *text, const eb_value *values,
                       size_t value_count, eb_status *status)
{
    eb_query query = eb_sql_rows(store, text, values, value_count, status);
    const bool row = eb_sql_next(&query);
    eb_record *record = row && key ? eb_report_record(report, key, title) : NULL;
    for (size_t k = 0; k < count && row; k++)
        if (key)
            eb_record_field(record, columns[k], eb_sql_value(&query, (int)k));
        else
            eb_report_field(report, columns[k], eb_sql_value(&query, (int)k));
    return eb_sql_done(&query);
}

void eb_note_cut(eb_report *report, const char *what, size_t shown, int64_t all)
{
    if ((uint64_t)all > shown)
        eb_report_note(report, "the newest %zu of %lld %s; limit=%lld shows all", shown, (long long)all, what,
                       (long long)all);
}

static eb_code read_part(eb_store *store, int64_t number, const eb_read_part *p, eb_report *report, eb_status *status)
{
    const eb_value values[] = {eb_int(number)};
    if (!p->key)
        return eb_read_record(store, report, NULL, NULL, p->columns, p->count, p->text, values, 1, status);
    eb_query query = eb_sql_rows(store, p->text, values, 1, status);
    const bool any = eb_sql_next(&query);
    EB_TRY(eb_sql_done(&query));
    return any ? eb_read_table(store, report, p->key, p->title, p->columns, p->count, p->text, values, 1, NULL, status)
               : EB_OK;
}

eb_code eb_read_parts(eb_store *store, int64_t number, const eb_read_part *parts, size_t count, eb_report *report,
                      eb_status *status)
{
    for (size_t k = 0; k < count; k++)
        EB_TRY(read_part(store, number, &parts[k], report, status));
    return EB_OK;
}

int64_t eb_list_limit(size_t limit) { return limit == 0 || limit > INT32_MAX ? 50 : (int64_t)limit; }

/* ---- runs ---- */

static const eb_column *const run_columns[] =
    {EB_F(run),     EB_F(session),     EB_F(started),           EB_F(dataset),
     EB_F(n_brief), EB_F(d_brief),     EB_HIDDEN(engine),       EB_F(spec),
     EB_F(device),  EB_F(eps),         EB_F(selectivity_brief), EB_F(pairs),
     EB_F(trials),  EB_F(kernel_s),    EB_F(total_s),           EB_F(tflops_derived_brief),
     EB_F(state),   EB_HIDDEN(sampled)};

const eb_column *const *eb_store_run_columns(size_t *count)
{
    *count = EB_SHOWN_COUNT(run_columns);
    return run_columns;
}

/* The text is searched for in dataset, spec, remark, command, and notes about the run or its session. */
#define RUNS_WANTED                                                                                                    \
    "FROM v_runs AS r WHERE (?1 = 0 OR session = ?1) AND (?2 IS NULL OR engine = ?2 OR spec = ?2) AND (?3 IS NULL "    \
    "OR instr(lower(dataset), lower(?3)) > 0 OR instr(lower(coalesce(spec, engine)), lower(?3)) > 0 "                  \
    "OR instr(lower(remark), lower(?3)) > 0 "                                                                          \
    "OR EXISTS (SELECT 1 FROM command WHERE command.id = r.command AND instr(lower(command.text), lower(?3)) > 0) "    \
    "OR EXISTS (SELECT 1 FROM note WHERE instr(lower(note.text), lower(?3)) > 0 AND (note.run_id = r.run "             \
    "OR (note.run_id IS NULL AND note.session_id = r.session))))"

static eb_code read_runs(eb_store *store, const eb_run_filter *filter, eb_report *report, eb_status *status)
{
    static const char list[] =
        "SELECT run, session, substr(started, 1, 19) || 'Z', dataset, n, d, engine, "
        "coalesce(spec, engine), device, "
        "eps, selectivity, pairs, trials, kernel_s, total_s, tflops_derived, state, sampled " RUNS_WANTED
        " ORDER BY run DESC LIMIT ?4";
    static const char count[] = "SELECT count(*) " RUNS_WANTED;
    const eb_value session = eb_int(filter->session), engine = eb_text(filter->engine), text = eb_text(filter->text);
    size_t shown;
    int64_t all;
    EB_TRY(eb_read_table(store, report, EB_F(runs), "Runs, newest first", EB_SHOWN(run_columns), list,
                         EB_VALUES(session, engine, text, eb_int(eb_list_limit(filter->limit))), &shown, status));
    EB_TRY(eb_sql_integer(store, count, EB_VALUES(session, engine, text), 0, &all, status));
    eb_note_cut(report, "runs", shown, all);
    if (all == 0)
        eb_report_note(report, filter->session || filter->engine || filter->text ? "no run matches" : EB_NO_RUNS);
    return EB_OK;
}

eb_code eb_store_runs(eb_store *store, const eb_run_filter *filter, eb_report *report, eb_status *status)
{
    EB_TRY(eb_sql_begin_reading(store, status));
    eb_code failed = filter->session > 0 ? eb_need_session(store, filter->session, status) : EB_OK;
    if (!failed)
        failed = read_runs(store, filter, report, status);
    return eb_sql_end(store, failed, status);
}

/* ---- datasets ---- */

eb_code eb_store_recent(eb_store *store, size_t limit, eb_table *table, eb_status *status)
{
    static const char text[] = "SELECT 'used lately', dataset, n, d, 'last on ' || substr(max(started), 1, 10) "
                               "FROM v_runs WHERE dataset NOT IN ('demo', 'demo:stars') "
                               "GROUP BY dataset ORDER BY max(run) DESC LIMIT ?";
    enum { CELLS = 5 };
    eb_value cells[CELLS];
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int((int64_t)limit)), status);
    while (eb_sql_next(&query)) {
        for (int k = 0; k < CELLS; k++)
            cells[k] = eb_sql_value(&query, k);
        eb_table_row(table, cells, CELLS);
    }
    return eb_sql_done(&query);
}

/* ---- sessions and their commands ---- */

static const eb_column *const session_columns[] =
    EB_LIST(EB_F(session), EB_F(started), EB_F(ended), EB_F(state), EB_F(commands), EB_F(failed), EB_F(runs),
            EB_F(version), EB_F(commit), EB_F(host));

eb_code eb_store_sessions(eb_store *store, size_t limit, eb_report *report, eb_status *status)
{
    static const char list[] = "SELECT session, substr(started, 1, 19) || 'Z', substr(ended, 1, 19) || 'Z', state, "
                               "commands, failed, runs, version, commit_hash, host FROM v_sessions "
                               "ORDER BY session DESC LIMIT ?";
    static const char count[] = "SELECT count(*) FROM session";
    size_t shown;
    int64_t all = 0;
    EB_TRY(eb_sql_begin_reading(store, status));
    eb_code failed = eb_read_table(store, report, EB_F(sessions), "Sessions, newest first", EB_SHOWN(session_columns),
                                   list, EB_VALUES(eb_int(eb_list_limit(limit))), &shown, status);
    if (!failed)
        failed = eb_sql_integer(store, count, EB_NO_VALUES, 0, &all, status);
    if (!failed)
        eb_note_cut(report, "sessions", shown, all);
    return eb_sql_end(store, failed, status);
}

/* ---- targets ---- */

static const eb_column *const target_columns[] =
    EB_LIST(EB_HIDDEN(target), EB_F(session), EB_F(dataset), EB_HIDDEN(sha256), EB_F(wanted), EB_F(eps),
            EB_F(selectivity_brief), EB_F(pairs), EB_F(ties), EB_F(sampled_eps), EB_F(passes), EB_F(spec));

#define TARGETS_WANTED                                                                                                 \
    "FROM v_targets WHERE (?1 IS NULL OR instr(lower(dataset), lower(?1)) > 0 OR instr(sha256, lower(?1)) = 1)"

static eb_code read_targets(eb_store *store, const char *text, size_t limit, eb_report *report, eb_status *status)
{
    static const char list[] = "SELECT target, session, dataset, sha256, wanted, eps, selectivity, pairs, ties, "
                               "sampled_eps, passes, spec " TARGETS_WANTED " ORDER BY target DESC LIMIT ?2";
    static const char count[] = "SELECT count(*) " TARGETS_WANTED;
    size_t shown;
    int64_t all = 0;
    EB_TRY(eb_read_table(store, report, EB_F(targets), "Tuned, newest first", EB_SHOWN(target_columns), list,
                         EB_VALUES(eb_text(text), eb_int(eb_list_limit(limit))), &shown, status));
    EB_TRY(eb_sql_integer(store, count, EB_VALUES(eb_text(text)), 0, &all, status));
    eb_note_cut(report, "targets", shown, all);
    if (all == 0)
        eb_report_note(report, text ? "no target matches" : "nothing was tuned yet; `tune S=64` finds an ε");
    return EB_OK;
}

eb_code eb_store_targets(eb_store *store, const char *text, size_t limit, eb_report *report, eb_status *status)
{
    EB_TRY(eb_sql_begin_reading(store, status));
    return eb_sql_end(store, read_targets(store, text, limit, report, status), status);
}

static eb_code read_commands(eb_store *store, int64_t session, char ***texts, size_t *count, eb_status *status)
{
    static const char how_many[] = "SELECT count(*) FROM command WHERE session_id = ? AND outcome = 'ok'";
    static const char list[] = "SELECT text FROM command WHERE session_id = ? AND outcome = 'ok' ORDER BY id";
    int64_t most;
    EB_TRY(eb_sql_integer(store, how_many, EB_VALUES(eb_int(session)), 0, &most, status));
    *texts = calloc((size_t)most + 1, sizeof **texts);
    if (!*texts)
        return eb_fail_memory(status, "a session's commands", ((size_t)most + 1) * sizeof **texts);
    eb_query query = eb_sql_rows(store, list, EB_VALUES(eb_int(session)), status);
    while (eb_sql_next(&query)) {
        char *copy = strdup(eb_sql_text(&query, 0));
        if (copy)
            (*texts)[(*count)++] = copy;
        else
            query.failed = eb_fail_memory(status, "a session's commands", strlen(eb_sql_text(&query, 0)) + 1);
    }
    return eb_sql_done(&query);
}

eb_code eb_store_commands(eb_store *store, int64_t session, char ***texts, size_t *count, eb_status *status)
{
    static const char newest[] = "SELECT max(id) FROM session";
    *texts = NULL;
    *count = 0;
    EB_TRY(eb_sql_begin_reading(store, status));
    eb_code failed = session == 0 ? eb_sql_integer(store, newest, EB_NO_VALUES, 1, &session, status) : EB_OK;
    if (!failed)
        failed = eb_need_session(store, session, status);
    if (!failed)
        failed = read_commands(store, session, texts, count, status);
    failed = eb_sql_end(store, failed, status);
    if (failed && *texts) {
        for (size_t k = 0; k < *count; k++)
            free((*texts)[k]);
        free(*texts);
        *texts = NULL;
        *count = 0;
    }
    return failed;
}
