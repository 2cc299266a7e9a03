/* Finding what was measured already. */
#include <string.h>

#include "store/sql.h"

/* The setup's options are in its spec; of the device what a person would call another one, not the clock of the moment.
 */
static const char newest[] =
    "SELECT max(run.id) FROM run "
    "JOIN dataset ON dataset.id = run.dataset_id JOIN device ON device.id = run.device_id "
    "JOIN command ON command.id = run.command_id JOIN session ON session.id = command.session_id "
    "WHERE run.state = 'done' AND run.mode = 'count' AND run.spec = ?1 AND device.name = ?2 AND device.model = ?3 "
    "AND coalesce(device.driver, '') = ?4 AND run.threads = ?5 AND dataset.source = ?6 "
    "AND (SELECT count(*) FROM trial WHERE run_id = run.id) >= ?7 "
    "AND session.build_id = (SELECT build_id FROM session WHERE id = ?8) "
    "AND CASE WHEN ?9 IS NULL "
    "THEN EXISTS (SELECT 1 FROM sweep_point AS p WHERE p.dataset_id = run.dataset_id AND p.eps = run.eps "
    "AND p.selectivity = ?10 AND p.pairs IS NULL) "
    "ELSE run.eps = ?9 END";

static eb_code take_row(eb_store *store, int64_t run, eb_rate *rate, char **command, eb_status *status)
{
    static const char text[] = "SELECT eps, pairs, trials, kernel_s, kernel_cov, total_s, executed_flops, limit_flops, "
                               "text FROM v_runs JOIN v_commands USING (command) WHERE run = ?";
    eb_query query;
    bool row = false;
    eb_code failed = eb_sql_query(store, text, EB_VALUES(eb_int(run)), &query, status);
    if (failed)
        return failed;
    failed = eb_sql_step(&query, &row, status);
    if (!failed && row) {
        rate->run = run;
        rate->eps = eb_sql_real(&query, 0);
        rate->pairs = (uint64_t)eb_sql_int(&query, 1);
        rate->trials = (unsigned)eb_sql_int(&query, 2);
        rate->kernel_s = eb_sql_real(&query, 3);
        rate->kernel_cov = eb_sql_real(&query, 4);
        rate->total_s = eb_sql_real(&query, 5);
        rate->executed_flops = eb_sql_real(&query, 6);
        rate->limit_flops = eb_sql_real(&query, 7);
        *command = strdup(eb_sql_text(&query, 8));
    }
    eb_sql_finish(&query);
    return failed;
}

eb_code eb_store_find_rate(eb_store *store, int64_t session, const char *source, double eps, double selectivity,
                           unsigned trials, eb_rate *rate, char **command, eb_status *status)
{
    const eb_setup *setup = rate->setup;
    int64_t run = 0;
    *command = NULL;
    EB_TRY(eb_sql_integer(store, newest,
                          EB_VALUES(eb_text(setup->spec), eb_text(setup->device.name), eb_text(setup->device.model),
                                    eb_text(setup->device.driver), eb_uint(setup->resources.threads), eb_text(source),
                                    eb_uint(trials), eb_int(session), eb_real(eps), eb_real(selectivity)),
                          0, &run, status));
    return run > 0 ? take_row(store, run, rate, command, status) : EB_OK;
}
