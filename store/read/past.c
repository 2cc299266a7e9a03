/* past: reads a session as a whole, for its report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "store/kept.h"
#include "store/read/read.h"

void eb_past_session_free(eb_past_session *past)
{
    for (size_t k = 0; k < past->commands; k++) {
        eb_past_command *command = &past->command[k];
        free(command->text);
        free(command->started);
        free(command->outcome);
        free(command->message);
        eb_report_free(command->report);
    }
    free(past->command);
    eb_report_free(past->facts);
    *past = (eb_past_session){0};
}

/* ---- the facts ---- */

#define COMMANDS "(SELECT id FROM command WHERE session_id = ?1)"
#define DATASETS                                                                                                       \
    "(SELECT dataset_id, command_id FROM report UNION ALL SELECT dataset_id, command_id FROM run UNION ALL "           \
    "SELECT dataset_id, command_id FROM target UNION ALL SELECT dataset_id, command_id FROM sweep_point UNION ALL "    \
    "SELECT dataset_id, command_id FROM recall)"
#define DEVICES                                                                                                        \
    "(SELECT device_id FROM session_device WHERE session_id = ?1 UNION SELECT device_id FROM run WHERE command_id "    \
    "IN " COMMANDS " UNION SELECT device_id FROM recall WHERE command_id IN " COMMANDS ")"

static const eb_read_part parts[] = {
    {NULL, NULL,
     EB_LISTED(EB_F(session), EB_F(started), EB_F(ended), EB_F(state), EB_F(commands), EB_F(failed), EB_F(runs),
               EB_F(version), EB_F(commit), EB_F(compiler), EB_F(flags), EB_F(host)),
     "SELECT session, substr(started, 1, 19) || 'Z', substr(ended, 1, 19) || 'Z', state, commands, failed, runs, "
     "version, commit_hash, compiler, flags, host FROM v_sessions WHERE session = ?1"},
    {EB_F(devices), "Devices",
     EB_LISTED(EB_F(device), EB_F(model), EB_F(architecture), EB_F(units), EB_F(memory_bytes), EB_F(clock_hz),
               EB_F(driver)),
     "SELECT name, model, architecture, units, memory_bytes, clock_hz, driver FROM device WHERE id IN " DEVICES
     " GROUP BY name, model, driver ORDER BY kind, name, id"},
    {EB_F(datasets), "", EB_LISTED(EB_F(dataset), EB_F(n), EB_F(d), EB_F(dtype), EB_F(format), EB_F(sha256)),
     "SELECT source, n, d, dtype, format, sha256 FROM dataset JOIN (SELECT dataset_id, min(command_id) AS first "
     "FROM " DATASETS " WHERE command_id IN " COMMANDS " GROUP BY dataset_id) ON dataset_id = id ORDER BY first, id"},
    {EB_F(targets), "ε for each selectivity",
     EB_LISTED(EB_F(dataset), EB_F(wanted), EB_F(eps_exact), EB_F(selectivity_brief), EB_F(pairs), EB_F(ties),
               EB_F(spec), EB_HIDDEN(sha256)),
     "SELECT dataset, wanted, eps, selectivity, pairs, ties, spec, sha256 FROM v_targets WHERE session = ?1 "
     "GROUP BY sha256, wanted, eps, spec ORDER BY min(target)"},
    {EB_F(runs), "",
     EB_LISTED(EB_F(run), EB_F(dataset), EB_F(spec), EB_F(device), EB_F(eps), EB_F(selectivity_brief), EB_F(pairs),
               EB_F(trials), EB_F(kernel_median_s), EB_F(total_median_s), EB_F(tflops_derived_brief), EB_F(state),
               EB_HIDDEN(sha256), EB_HIDDEN(mode), EB_HIDDEN(exactness), EB_HIDDEN(n)),
     "SELECT run, dataset, coalesce(spec, engine), device, eps, selectivity, pairs, trials, kernel_s, total_s, "
     "tflops_derived, state, sha256, mode, exactness, n FROM v_runs WHERE session = ?1 ORDER BY run"},
    {EB_F(accuracies), "Accuracy",
     EB_LISTED(EB_F(fast_run), EB_F(fast), EB_F(truth_run), EB_F(truth), EB_F(eps), EB_F(overlap), EB_F(overlap_min),
               EB_F(only_fast), EB_F(only_true), EB_F(error_mean), EB_F(error_max), EB_HIDDEN(sha256),
               EB_HIDDEN(exactness)),
     "SELECT a.fast_run, coalesce(f.spec, f.engine), a.truth_run, coalesce(t.spec, t.engine), a.eps, overlap, "
     "overlap_min, only_fast, only_true, error_mean, error_max, f.sha256, f.exactness FROM v_accuracy AS a "
     "LEFT JOIN v_runs AS f ON f.run = a.fast_run LEFT JOIN v_runs AS t ON t.run = a.truth_run "
     "WHERE a.session = ?1 ORDER BY accuracy"},
    {EB_F(notes), "", EB_LISTED(EB_F(written), EB_F(run), EB_F(note)),
     "SELECT substr(written, 1, 19) || 'Z', run, text FROM v_notes WHERE session = ?1 ORDER BY note"},
};

/* S(ε) of a dataset: what was counted, and of samples the newest. A sample is thinned to some 400 points. */
static eb_code read_curve_of(eb_store *store, int64_t session, int64_t dataset, const char *source, eb_report *report,
                             eb_status *status)
{
    static const char text[] =
        "WITH of_session AS (SELECT p.* FROM sweep_point AS p JOIN command AS c ON c.id = command_id "
        "WHERE session_id = ?1 AND dataset_id = ?2), "
        "sample AS (SELECT *, row_number() OVER (ORDER BY eps) AS place, count(*) OVER () AS points FROM of_session "
        "WHERE command_id = (SELECT max(command_id) FROM of_session WHERE pairs IS NULL) AND pairs IS NULL), "
        "counted AS (SELECT eps, selectivity FROM of_session WHERE pairs IS NOT NULL UNION SELECT eps, selectivity "
        "FROM target JOIN command AS c ON c.id = command_id WHERE session_id = ?1 AND dataset_id = ?2) "
        "SELECT eps, selectivity, selectivity_error FROM sample WHERE place % max(1, (points + 399) / 400) = 0 "
        "UNION ALL SELECT eps, max(selectivity), NULL FROM counted GROUP BY eps ORDER BY eps";
    char title[256];
    (void)snprintf(title, sizeof title, "S(ε) of %.200s", source);
    return eb_read_curve(store, report, title, text, EB_VALUES(eb_int(session), eb_int(dataset)), status);
}

/* Reads the curves of the first datasets only, because `grid` makes a dataset for each cell. */
static eb_code read_curves(eb_store *store, int64_t session, eb_report *report, eb_status *status)
{
    static const char text[] =
        "SELECT id, source FROM dataset WHERE id IN (SELECT dataset_id FROM sweep_point WHERE command_id IN " COMMANDS
        ") ORDER BY id LIMIT 8";
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(session)), status);
    while (eb_sql_next(&query))
        query.failed = read_curve_of(store, session, eb_sql_int(&query, 0), eb_sql_text(&query, 1), report, status);
    return eb_sql_done(&query);
}

static eb_code read_facts(eb_store *store, int64_t session, eb_report *report, eb_status *status)
{
    if (!report)
        return eb_fail_memory(status, "a session's facts", 1);
    EB_TRY(eb_read_parts(store, session, parts, sizeof parts / sizeof parts[0], report, status));
    return read_curves(store, session, report, status);
}

/* ---- the commands ---- */

static char *copy_of(const eb_query *query, int column)
{
    return eb_sql_value(query, column).kind == EB_TEXT ? strdup(eb_sql_text(query, column)) : NULL;
}

/* The report that the log's tables give, under the command's name as it was typed. */
static eb_code remake_report(eb_store *store, int64_t id, eb_past_command *command, eb_status *status)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(command->text, " ;\t"), command->text);
    command->report = eb_report_new(name);
    return command->report ? eb_read_command(store, id, command->report, status) : EB_OK;
}

static eb_code read_report(eb_store *store, const eb_query *query, eb_past_command *command, eb_status *status)
{
    const eb_value items = eb_sql_value(query, 7);
    command->kept = items.kind == EB_TEXT;
    if (command->kept)
        command->report = eb_kept_read(items.as.text);
    else
        EB_TRY(remake_report(store, eb_sql_int(query, 0), command, status));
    eb_report_conclude(command->report, "%s", eb_sql_text(query, 6));
    return eb_report_ok(command->report) ? EB_OK : eb_fail_memory(status, "a command's report", 1);
}

static eb_code read_command(eb_store *store, const eb_query *query, eb_past_session *past, eb_status *status)
{
    eb_past_command *command = &past->command[past->commands++];
    *command = (eb_past_command){.text = copy_of(query, 1),
                                 .started = copy_of(query, 2),
                                 .duration_s = eb_sql_real(query, 3),
                                 .outcome = copy_of(query, 4),
                                 .message = copy_of(query, 5)};
    return command->text && command->started && command->outcome ? read_report(store, query, command, status)
                                                                 : eb_fail_memory(status, "a session's command", 1);
}

static eb_code read_commands(eb_store *store, int64_t session, eb_past_session *past, eb_status *status)
{
    static const char text[] =
        "SELECT id, text, substr(started, 1, 19) || 'Z', duration_s, outcome, message, conclusion, items FROM command "
        "LEFT JOIN report ON command_id = id WHERE session_id = ? ORDER BY id";
    size_t room = 0;
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(session)), status);
    while (eb_sql_next(&query))
        query.failed = eb_array_grow(&past->command, past->commands, &room, sizeof *past->command, 16)
                           ? read_command(store, &query, past, status)
                           : eb_fail_memory(status, "a session's commands", room * sizeof *past->command);
    return eb_sql_done(&query);
}

eb_code eb_store_past_session(eb_store *store, int64_t session, eb_past_session *out, eb_status *status)
{
    *out = (eb_past_session){.facts = eb_report_new("session")};
    EB_TRY(eb_sql_begin_reading(store, status));
    eb_code failed = eb_need_session(store, session, status);
    if (!failed)
        failed = read_facts(store, session, out->facts, status);
    if (!failed)
        failed = read_commands(store, session, out, status);
    return eb_sql_end(store, failed, status);
}
