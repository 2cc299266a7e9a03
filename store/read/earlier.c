/* earlier: finds earlier measurements in the log: a kernel's, which the machine model is compared with, a run from
 * which others are scaled, and a rate that `grid` need not measure again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

/* ---- kernels ---- */

#define COUNTED(metric)                                                                                                \
    ", (SELECT value FROM v_counters AS c WHERE c.run = r.run AND metric = '" #metric "' AND source = 'cupti')"

#define COUNTERS                                                                                                       \
    COUNTED(bank_conflicts)                                                                                            \
    COUNTED(ldmatrix_conflicts)                                                                                        \
    COUNTED(occupancy)                                                                                                 \
    COUNTED(l2_hit_rate)                                                                                               \
    " AS l2 " COUNTED(dram_throughput) COUNTED(shared_throughput) COUNTED(tensor_f16_active) COUNTED(tensor_s8_active) \
        COUNTED(tensor_f64_active)

/* Runs of one device in one process: a team's name has a +, and ranks that share the work have a figure of it. */
#define ALONE " AND instr(device, '+') = 0 AND run NOT IN (SELECT f.run FROM v_figures AS f WHERE f.key = 'ranks_s')"

/* The newest run of the spec on points of this shape, on a GPU of this model. Runs with an L2 counter go first. */
static const char newest_measured[] =
    "SELECT run, kernel_s, (SELECT avg(value) FROM v_figures AS f WHERE f.run = r.run AND key = 'sm_clock_hz'), "
    "selectivity" COUNTERS
    " FROM v_runs AS r WHERE state = 'done' AND sampled IS NULL AND kernel_s IS NOT NULL AND spec = ?1 "
    "AND device_model = ?2 AND n = ?3 AND d = ?4" ALONE " ORDER BY l2 IS NULL, run DESC LIMIT 1";

eb_code eb_store_find_measured(eb_store *store, const char *spec, const char *device_model, size_t n, size_t d,
                               eb_measured *out, eb_status *status)
{
    *out = (eb_measured){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!store)
        return EB_OK;
    eb_query query = eb_sql_rows(store, newest_measured,
                                 EB_VALUES(eb_text(spec), eb_text(device_model), eb_uint(n), eb_uint(d)), status);
    if (eb_sql_next(&query))
        *out = (eb_measured){.run = eb_sql_int(&query, 0),
                             .kernel_s = eb_sql_real(&query, 1),
                             .sm_clock_hz = eb_sql_real(&query, 2),
                             .selectivity = eb_sql_real(&query, 3),
                             .bank_conflicts = eb_sql_real(&query, 4),
                             .ldmatrix_conflicts = eb_sql_real(&query, 5),
                             .occupancy = eb_sql_real(&query, 6),
                             .l2_hit_rate = eb_sql_real(&query, 7),
                             .dram_throughput = eb_sql_real(&query, 8),
                             .shared_throughput = eb_sql_real(&query, 9),
                             .tensor_f16_active = eb_sql_real(&query, 10),
                             .tensor_s8_active = eb_sql_real(&query, 11),
                             .tensor_f64_active = eb_sql_real(&query, 12)};
    return eb_sql_done(&query);
}

static const char nearest_earlier[] =
    "SELECT run, n, threads, kernel_s, total_s, selectivity, mode = 'count' FROM v_runs WHERE state = 'done' "
    "AND sampled IS NULL AND kernel_s IS NOT NULL AND spec = ?1 AND device_model = ?2 AND d = ?4" ALONE
    " ORDER BY abs(n - ?3), run DESC LIMIT 1";

eb_code eb_store_find_earlier(eb_store *store, const char *spec, const char *device_model, size_t n, size_t d,
                              eb_earlier *out, eb_status *status)
{
    *out = (eb_earlier){0};
    if (!store)
        return EB_OK;
    eb_query query = eb_sql_rows(store, nearest_earlier,
                                 EB_VALUES(eb_text(spec), eb_text(device_model), eb_uint(n), eb_uint(d)), status);
    if (eb_sql_next(&query))
        *out = (eb_earlier){.run = eb_sql_int(&query, 0),
                            .n = (size_t)eb_sql_int(&query, 1),
                            .threads = (unsigned)eb_sql_int(&query, 2),
                            .kernel_s = eb_sql_real(&query, 3),
                            .total_s = eb_sql_real(&query, 4),
                            .selectivity = eb_sql_real(&query, 5),
                            .counts = eb_sql_int(&query, 6) != 0};
    return eb_sql_done(&query);
}

/* ---- rates ---- */

/* The spec has the setup's options. The device is compared by name, model and driver, not by its current clock. */
static const char newest_rate[] =
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

/* Reads the figures of the run's trials that rates are computed from. */
static eb_code take_trials(eb_store *store, eb_run *run, eb_status *status)
{
    static const char text[] = "SELECT key, trial, value FROM v_figures WHERE run = ? AND value IS NOT NULL";
    const eb_figure limit = {.key = EB_F(limit_flops)->key};
    const eb_figure *const figures[] = {&eb_figure_kernel, &eb_figure_total, &eb_figure_executed_flops, &limit};
    run->trials = calloc(run->trials_done ? run->trials_done : 1, sizeof *run->trials);
    if (!run->trials)
        return eb_fail_memory(status, "trials", run->trials_done * sizeof *run->trials);
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(run->row)), status);
    while (eb_sql_next(&query))
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
            if (strcmp(figures[k]->key, eb_sql_text(&query, 0)) == 0 && eb_sql_int(&query, 1) < run->trials_done)
                eb_figures_set(&run->trials[eb_sql_int(&query, 1)], figures[k], eb_sql_real(&query, 2));
    return eb_sql_done(&query);
}

static eb_code take_run(eb_store *store, eb_run *run, char **command, eb_status *status)
{
    static const char text[] = "SELECT n, d, eps, pairs, trials, text FROM v_runs JOIN v_commands USING (command) "
                               "WHERE run = ?";
    eb_query query = eb_sql_rows(store, text, EB_VALUES(eb_int(run->row)), status);
    if (eb_sql_next(&query)) {
        run->n = (size_t)eb_sql_int(&query, 0);
        run->d = (size_t)eb_sql_int(&query, 1);
        run->eps = eb_sql_real(&query, 2);
        run->pairs = (uint64_t)eb_sql_int(&query, 3);
        run->trials_done = (unsigned)eb_sql_int(&query, 4);
        *command = strdup(eb_sql_text(&query, 5));
    }
    EB_TRY(eb_sql_done(&query));
    return take_trials(store, run, status);
}

eb_code eb_store_find_rate(eb_store *store, int64_t session, const char *source, double eps, double selectivity,
                           unsigned trials, eb_run *run, char **command, eb_status *status)
{
    const eb_setup *setup = &run->setup;
    *command = NULL;
    EB_TRY(eb_sql_integer(store, newest_rate,
                          EB_VALUES(eb_text(setup->spec), eb_text(setup->device.name), eb_text(setup->device.model),
                                    eb_text(setup->device.driver), eb_uint(setup->resources.threads), eb_text(source),
                                    eb_uint(trials), eb_int(session), eb_real(eps), eb_real(selectivity)),
                          0, &run->row, status));
    return run->row > 0 ? take_run(store, run, command, status) : EB_OK;
}
