/* grid: the command `grid`: rates over n × d. A repeated call takes known cells from the log and measures the rest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/argument.h"
#include "core/experiment/experiment.h"
#include "io/load.h"
#include "shell/commands/commands.h"
#include "shell/commands/engine_list.h"
#include "shell/defaults.h"
#include "shell/lab/rates_report.h"

enum { MOST_RATED = 6 }; /* engines */

/* Context of the experiment's callbacks. */
typedef struct grid {
    eb_session *session;
    const eb_experiment_request *request;
    eb_experiment e;
    bool fresh;
    eb_dataset *lent; /* the cell's points, which stand in for the session's dataset during the experiment */
} grid;

/* ---- points ---- */

/* Swaps the session's dataset with *dataset. Runs are logged under the session's dataset, so a cell's points take its
 * place while the grid is measured. */
static void swap_dataset(eb_session *session, eb_dataset **dataset, int64_t *row)
{
    eb_dataset *other = session->dataset;
    int64_t other_row = session->dataset_row;
    session->dataset = *dataset;
    session->dataset_row = *row;
    *dataset = other;
    *row = other_row;
}

static void drop_points(grid *g)
{
    eb_dataset_free(g->lent);
    g->lent = g->session->dataset = NULL;
    g->session->dataset_row = 0;
}

static eb_code make_points(void *context, size_t n, size_t d, eb_job *job, const eb_dataset **out, eb_status *status)
{
    grid *g = context;
    drop_points(g);
    EB_TRY(eb_synth(EB_SYNTH_UNIFORM, n, d, g->request->seed, job, &g->lent, status));
    *out = g->session->dataset = g->lent;
    return EB_OK;
}

/* ---- the log ---- */

static void log_sampled(void *context, const eb_experiment_cell *cell, double eps, double error)
{
    const grid *g = context;
    eb_session_log_sweep(g->session, g->request->truth->spec, 1, &eps, &cell->selectivity, &error, NULL);
}

/* True if the logged command line is a `grid` with this warm-up; the log keeps the line, not the warm-up. */
static bool warmed_up_so(const char *command, eb_warm_up warm_up)
{
    const char *rest;
    eb_call *call = NULL;
    eb_status status;
    bool known = eb_parse(command, &rest, &call, &status) == EB_OK && call && call->command->handler == eb_cmd_grid;
    bool same = known && eb_warm_up_of(eb_call_text(call, "warmup")) == warm_up;
    eb_call_free(call);
    return same;
}

static bool find_logged(void *context, eb_experiment_cell *cell)
{
    const grid *g = context;
    const eb_experiment_request *q = g->request;
    eb_run known = cell->run;
    char *command = NULL;
    eb_status failure;
    if (g->fresh || !g->session->store)
        return false;
    char *source = eb_synth_line(EB_F32, EB_SYNTH_UNIFORM, cell->n, cell->d, q->seed);
    if (source && eb_store_find_rate(g->session->store, g->session->session_row, source, cell->eps, cell->selectivity,
                                     q->trials, &known, &command, &failure))
        eb_session_log_failed(g->session, &failure);
    bool found = command && warmed_up_so(command, q->warm_up);
    if (found)
        cell->run = known;
    else
        eb_run_free(&known);
    free(command);
    free(source);
    return found;
}

/* ---- the live report ---- */

static void report_so_far(void *context, eb_report *report) { eb_report_rates(report, &((const grid *)context)->e); }

static void cell_changed(void *context, eb_experiment_cell *cell)
{
    const grid *g = context;
    if (cell && cell->state == EB_CELL_MEASURED)
        cell->run.row = eb_session_log_number(g->session, cell->run.row);
    eb_live_changed(g->session->live);
}

/* ---- the command ---- */

static eb_experiment_axis axis_of(const eb_call *call, const eb_column *field, double from, double to, double factor,
                                  double otherwise[EB_MOST_STEPS])
{
    eb_experiment_axis axis = {.field = field, .step = otherwise};
    const double *given;
    axis.steps = eb_call_numbers(call, field->key, &given);
    if (axis.steps > 0)
        axis.step = given;
    else
        axis.steps = eb_steps_by_factor(from, to, factor, otherwise);
    return axis;
}

/* ε is sampled on the first engine's device by EB_TRUTH, which is always available. */
static eb_code find_sampler(eb_session *session, const eb_setup *first, eb_setup *out, eb_status *status)
{
    char spec[EB_SPEC_TEXT];
    (void)snprintf(spec, sizeof spec, EB_TRUE "[device=%s]", first->device.name);
    return eb_session_setup(session, spec, out, status);
}

static eb_code check_radius(const eb_call *call, eb_status *status)
{
    if (eb_call_has(call, "eps") && eb_call_has(call, "S"))
        return eb_fail(status, EB_USAGE, "eps and S are both given; S would sample ε, so give one of them");
    return EB_OK;
}

static eb_code measure(grid *g, const eb_experiment_request *request, eb_report *report, eb_job *job, eb_status *status)
{
    eb_dataset *own = NULL;
    int64_t own_row = 0;
    g->request = request;
    swap_dataset(g->session, &own, &own_row);
    eb_live_tell(g->session->live, report_so_far, g);
    eb_code failed = eb_experiment_run(request, job, &g->e, status);
    eb_live_tell(g->session->live, NULL, NULL);
    if (failed != EB_UNREACHABLE && g->e.cells > 0) /* finished cells are reported even after an interruption */
        eb_report_rates(report, &g->e);
    drop_points(g);
    swap_dataset(g->session, &own, &own_row);
    eb_experiment_free(&g->e);
    return failed;
}

eb_code eb_cmd_grid(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *list = eb_call_text(call, "engines");
    const eb_run_observer observer = eb_session_observer(session);
    eb_setup setup[MOST_RATED], sampler;
    double n[EB_MOST_STEPS], d[EB_MOST_STEPS];
    grid g = {.session = session, .fresh = eb_call_flag(call, "fresh")};
    eb_experiment_request request = {.what = "cell",
                                     .setup = setup,
                                     .axis = {axis_of(call, EB_F(n), EB_GRID_N_FROM, EB_GRID_N_TO, EB_GRID_N_STEP, n),
                                              axis_of(call, EB_F(d), EB_GRID_D_FROM, EB_GRID_D_TO, EB_GRID_D_STEP, d)},
                                     .axes = 2,
                                     .eps = eb_call_number(call, "eps", NAN),
                                     .selectivity = eb_call_number(call, "S", EB_GRID_S),
                                     .truth = &sampler,
                                     .seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)session->settings.seed),
                                     .mode = EB_RUN_COUNT,
                                     .trials = (unsigned)eb_call_integer(call, "trials", session->settings.trials),
                                     .warm_up = eb_warm_up_of(eb_call_text(call, "warmup")),
                                     .goes_on = true,
                                     .limit_s = eb_call_number(call, "limit", EB_GRID_LIMIT_S),
                                     .host = {&g, make_points, find_logged, log_sampled, NULL, cell_changed,
                                              &observer}};
    EB_TRY(check_radius(call, status));
    EB_TRY(eb_engine_list(session, list ? list : EB_FAST, setup, MOST_RATED, &request.setups, job, status));
    EB_TRY(find_sampler(session, &setup[0], &sampler, status));
    return measure(&g, &request, report, job, status);
}
