#include "core/experiment/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/shared_pairs.h"
#include "core/tune/tune.h"

#define LOOK_S 0.05
#define SURELY_SHORT 2.0 /* a cell whose forecast is this many times below the limit is not probed */

const char *eb_cell_state_name(eb_cell_state state)
{
    static const char *const names[] = {[EB_CELL_WAITING] = "to come",
                                        [EB_CELL_MEASURED] = "measured",
                                        [EB_CELL_KNOWN] = "from the log",
                                        [EB_CELL_LONG] = "too long",
                                        [EB_CELL_REFUSED] = "refused"};
    return names[state];
}

/* State of a running experiment. */
typedef struct course {
    const eb_experiment_request *request;
    eb_experiment *e;
    eb_job *job;
    uint64_t tables;                   /* bytes of the limit that no table uses yet */
    double per_flop[EB_MOST_FORESEEN]; /* for each engine: seconds per trial / (2·n²·d), from the engine's last cell;
                                          NAN: no cell measured */
} course;

static double flops_of(const eb_experiment_cell *cell)
{
    return 2 * (double)cell->n * (double)cell->n * (double)cell->d;
}

static void settle(course *c, eb_experiment_cell *cell, eb_cell_state state)
{
    const eb_experiment_host *host = &c->request->host;
    cell->state = state;
    if (eb_cell_has(cell))
        c->per_flop[cell->setup - c->request->setup] =
            eb_run_summary(&cell->run, eb_figure_total.key).median / flops_of(cell);
    if (host->changed)
        host->changed(host->context, cell);
}

/* ---- forecasts of time ---- */

static unsigned passes_of(const eb_experiment_request *q) { return q->trials + (q->warm_up != EB_WARM_UP_NONE); }

/* Forecast by the engine's last measured cell; NAN if there is none. Rates grow with n and d, so this forecast is
 * rather too high. */
static double trial_s(const course *c, const eb_experiment_cell *cell)
{
    return c->per_flop[cell->setup - c->request->setup] * flops_of(cell);
}

static double foreseen_s(const course *c, const eb_experiment_cell *cell)
{
    return trial_s(c, cell) * passes_of(c->request);
}

/* Forecast for this cell and all later ones that are within the limit as far as known. */
static double rest_s(const course *c, const eb_experiment_cell *from)
{
    double sum_s = 0;
    for (const eb_experiment_cell *k = from; k < c->e->cell + c->e->cells; k++) {
        const double cell_s = foreseen_s(c, k);
        if (k->state == EB_CELL_WAITING && cell_s <= c->request->limit_s)
            sum_s += cell_s;
    }
    return sum_s;
}

static bool is_beyond(const course *c, const eb_experiment_cell *cell)
{
    for (const eb_experiment_cell *k = c->e->cell; k < cell; k++)
        if (k->state == EB_CELL_LONG && k->setup == cell->setup && k->n <= cell->n && k->d <= cell->d)
            return true;
    return false;
}

/* Probes a second time if the first result exceeds the limit: a probe is so short that another program's activity can
 * distort it. */
static double looked_s(const course *c, const eb_problem *problem, const eb_experiment_cell *cell)
{
    const eb_experiment_request *q = c->request;
    const double eps = isnan(cell->eps) ? 0 : cell->eps;
    double pass_s = eb_warm_up_estimate(cell->setup, problem, eps, LOOK_S, c->job);
    if (pass_s * passes_of(q) > q->limit_s)
        pass_s = fmin(pass_s, eb_warm_up_estimate(cell->setup, problem, eps, LOOK_S, c->job));
    return pass_s * passes_of(q);
}

/* Runs before ε is sampled, because sampling takes a few per cent of a pass. At ε = 0 all distances are still
 * computed. */
static void leave_out_long(course *c, const eb_problem *problem, eb_experiment_cell *cell)
{
    const double limit_s = c->request->limit_s;
    if (cell->state != EB_CELL_WAITING || isinf(limit_s) || foreseen_s(c, cell) * SURELY_SHORT <= limit_s)
        return;
    eb_job_phase(c->job, "looking ahead", 0);
    const double forecast_s = looked_s(c, problem, cell);
    if (forecast_s > limit_s && !eb_job_cancelled(c->job)) {
        cell->forecast_s = forecast_s;
        settle(c, cell, EB_CELL_LONG);
    }
}

/* Forecasts the engines that run on these points, and all later cells. Without a warm-up there are no probes: the first
 * trials must be cold. */
static void look_ahead(const course *c, const eb_problem *problem, double eps, const eb_experiment_cell *cell,
                       eb_forecast *forecast)
{
    const eb_experiment_request *q = c->request;
    size_t runs = 0;
    for (size_t k = 0; k < q->setups; k++)
        runs += cell[k].state == EB_CELL_WAITING;
    eb_forecast_begin(forecast, c->job, q->what, runs, q->trials);
    runs = 0;
    for (size_t k = 0; k < q->setups; k++)
        if (cell[k].state == EB_CELL_WAITING) {
            forecast->trial_s[runs] = trial_s(c, &cell[k]);
            if (runs < q->looks && q->warm_up != EB_WARM_UP_NONE)
                eb_forecast_look(forecast, runs, cell[k].setup, problem, eps);
            runs++;
        }
    forecast->beyond_s = rest_s(c, cell + q->setups);
    if (q->looks > 0)
        eb_forecast_announce(forecast);
}

/* ---- ε ---- */

static eb_code sample_eps(const course *c, const eb_experiment_cell *cell, const eb_dataset *ds, double *eps,
                          eb_status *status)
{
    const eb_experiment_request *q = c->request;
    const eb_tune_request ask = {.setup = q->truth, .dataset = ds, .seed = q->seed};
    eb_curve curve = {0};
    unsigned passes;
    eb_job_phase(c->job, "sampling", 0);
    eb_code failed = eb_tune_ask(&ask, &curve, &passes, c->job, status);
    *eps = failed ? NAN : eb_curve_eps(&curve, cell->selectivity);
    if (!failed && isnan(*eps)) /* beyond its end, all points are within ε */
        *eps = curve.eps[curve.points - 1];
    if (!failed && q->host.sampled) {
        double low, high;
        (void)eb_curve_selectivity(&curve, *eps, &low, &high);
        q->host.sampled(q->host.context, cell, *eps, (high - low) / (2 * EB_SIGMAS_95));
    }
    eb_curve_free(&curve);
    return failed;
}

/* ---- cells ---- */

/* Tables that must be in memory together each get an equal share of the memory left. */
static eb_budget share_of(const course *c)
{
    eb_budget share = c->request->memory;
    if (c->request->mode != EB_RUN_TABLE)
        return share;
    share.tables = c->tables / (c->e->cells - c->e->begun);
    if (share.limit && share.tables == 0)
        share.tables = 1; /* 0 would mean no limit */
    return share;
}

static void take_share(course *c, const eb_neighbours *table, uint64_t share)
{
    const uint64_t taken = table ? eb_neighbours_bytes(table->rows, table->offsets[table->rows], table->kept) : share;
    c->tables -= taken < c->tables ? taken : c->tables;
}

/* Errors that end the whole experiment. Any other error concerns one engine or one set of points. */
static bool ends_all(const course *c, eb_code failed)
{
    return failed == EB_CANCELLED || failed == EB_INTERNAL || failed == EB_CHANGED || failed == EB_NO_DEVICE ||
           (failed && !c->request->goes_on);
}

static void refuse(course *c, eb_experiment_cell *cell, const eb_status *why)
{
    (void)snprintf(cell->why, sizeof cell->why, "%s", why->message);
    settle(c, cell, EB_CELL_REFUSED);
}

static eb_code measure_cell(course *c, const eb_problem *problem, double eps, eb_forecast *forecast,
                            eb_experiment_cell *cell, eb_status *status)
{
    const eb_experiment_request *q = c->request;
    const eb_measure_request ask = {.setup = cell->setup,
                                    .problem = *problem,
                                    .eps = eps,
                                    .mode = q->mode,
                                    .distances = eb_distances_of(q->distances, cell->setup->engine),
                                    .trials = q->trials,
                                    .warm_up = q->warm_up,
                                    .memory = share_of(c),
                                    .forecast = forecast};
    eb_status why = {.message = ""};
    eb_job_step(c->job, 0, q->what, (unsigned)(cell - c->e->cell) + 1, (unsigned)c->e->cells);
    c->e->begun++;
    eb_code failed = eb_measure(&ask, q->host.observer, c->job, &cell->run, &why);
    take_share(c, cell->run.table, ask.memory.tables);
    if (!failed && q->host.check)
        failed = q->host.check(q->host.context, cell, &ask, c->job, &why);
    if (ends_all(c, failed))
        return eb_fail(status, failed, "%s", why.message);
    if (failed)
        refuse(c, cell, &why);
    else
        settle(c, cell, EB_CELL_MEASURED);
    return EB_OK;
}

/* ---- cells with the same points ---- */

static bool any_waiting(const course *c, const eb_experiment_cell *cell)
{
    bool any = false;
    for (size_t k = 0; k < c->request->setups; k++)
        any |= cell[k].state == EB_CELL_WAITING;
    return any;
}

/* Settles the cells that need no points: known from an earlier run, or too long because a smaller cell was. */
static void settle_known(course *c, eb_experiment_cell *cell)
{
    const eb_experiment_host *host = &c->request->host;
    for (size_t k = 0; k < c->request->setups; k++)
        if (host->find && host->find(host->context, &cell[k]))
            settle(c, &cell[k], EB_CELL_KNOWN);
        else if (is_beyond(c, &cell[k]))
            settle(c, &cell[k], EB_CELL_LONG);
}

/* Engines that look at near pairs only share these, in at most a quarter of the memory for tables. */
static eb_code plan_candidates(course *c, const eb_experiment_cell *cell, const eb_problem *problem, double eps,
                               eb_shared_pairs *out, eb_status *status)
{
    const eb_experiment_request *q = c->request;
    const eb_setup *waiting[EB_MOST_FORESEEN];
    size_t count = 0;
    for (size_t k = 0; k < q->setups; k++)
        if (cell[k].state == EB_CELL_WAITING)
            waiting[count++] = cell[k].setup;
    eb_job_phase(c->job, "looking ahead", 0);
    EB_TRY(eb_shared_plan(waiting, count, problem, eps, c->tables / 4, c->job, out, status));
    if (c->tables && eb_shared_are_planned(out))
        c->tables -= out->most * sizeof(eb_shared_pair);
    return EB_OK;
}

static eb_code measure_cells(course *c, const eb_problem *problem, double eps, eb_experiment_cell *cell,
                             eb_status *status)
{
    eb_forecast forecast;
    eb_code failed = EB_OK;
    size_t run = 0;
    look_ahead(c, problem, eps, cell, &forecast);
    for (size_t k = 0; k < c->request->setups && !failed; k++)
        if (cell[k].state == EB_CELL_WAITING) {
            eb_forecast_run(&forecast, run++);
            failed = measure_cell(c, problem, eps, &forecast, &cell[k], status);
        }
    eb_forecast_end(&forecast);
    return failed;
}

static eb_code measure_points(course *c, const eb_dataset *ds, eb_experiment_cell *cell, eb_status *status)
{
    eb_problem problem = {.left = c->request->left ? c->request->left : ds, .right = ds};
    double eps = cell->eps;
    eb_shared_pairs candidates;
    for (size_t k = 0; k < c->request->setups; k++)
        leave_out_long(c, &problem, &cell[k]);
    if (!any_waiting(c, cell))
        return EB_OK;
    if (isnan(eps))
        EB_TRY(sample_eps(c, cell, ds, &eps, status));
    EB_TRY(plan_candidates(c, cell, &problem, eps, &candidates, status));
    problem.shared = &candidates;
    const eb_code failed = measure_cells(c, &problem, eps, cell, status);
    eb_shared_free(&candidates);
    return failed;
}

static eb_code measure_place(course *c, eb_experiment_cell *cell, eb_status *status)
{
    const eb_experiment_request *q = c->request;
    const eb_dataset *ds = q->points;
    eb_status why = {.message = ""};
    eb_code failed = EB_OK;
    EB_TRY(eb_job_check(c->job, status));
    settle_known(c, cell);
    if (!any_waiting(c, cell))
        return EB_OK;
    if (!ds)
        failed = q->host.points(q->host.context, cell->n, cell->d, c->job, &ds, &why);
    if (!failed)
        failed = measure_points(c, ds, cell, &why);
    if (ends_all(c, failed))
        return eb_fail(status, failed, "%s", why.message);
    for (size_t k = 0; k < q->setups && failed; k++)
        if (cell[k].state == EB_CELL_WAITING)
            refuse(c, &cell[k], &why);
    return EB_OK;
}

/* ---- the experiment ---- */

eb_experiment_cell *eb_experiment_at(const eb_experiment *e, const size_t *at, size_t setup)
{
    size_t place = 0;
    for (size_t a = 0; a < e->request->axes; a++)
        place = place * e->request->axis[a].steps + at[a];
    return &e->cell[place * e->request->setups + setup];
}

static void stand_at(eb_experiment_cell *cell, const eb_column *field, double step)
{
    if (field == EB_F(n))
        cell->n = (size_t)step;
    else if (field == EB_F(d))
        cell->d = (size_t)step;
    else if (field == EB_F(eps))
        cell->eps = step;
    else
        cell->selectivity = step;
}

static eb_code make_cells(const eb_experiment_request *q, eb_experiment *out, eb_status *status)
{
    size_t cells = q->setups;
    for (size_t a = 0; a < q->axes; a++)
        cells *= q->axis[a].steps;
    *out = (eb_experiment){.request = q, .cell = calloc(cells, sizeof *out->cell)};
    if (!out->cell)
        return eb_fail_memory(status, "the cells", cells * sizeof *out->cell);
    out->cells = cells;
    for (size_t k = 0; k < out->cells; k++) {
        eb_experiment_cell *cell = &out->cell[k];
        *cell = (eb_experiment_cell){.setup = &q->setup[k % q->setups],
                                     .eps = q->eps,
                                     .selectivity = q->selectivity,
                                     .run.setup = q->setup[k % q->setups],
                                     .forecast_s = NAN};
        if (q->points)
            cell->n = q->points->n, cell->d = q->points->d;
        for (size_t a = q->axes, place = k / q->setups; a-- > 0; place /= q->axis[a].steps)
            stand_at(cell, q->axis[a].field, q->axis[a].step[place % q->axis[a].steps]);
    }
    return EB_OK;
}

static eb_code check_selectivity(const eb_experiment *e, eb_status *status)
{
    for (const eb_experiment_cell *k = e->cell; k < e->cell + e->cells; k++)
        if (isnan(k->eps) && k->selectivity > (double)(k->n - 1))
            return eb_fail(status, EB_UNREACHABLE, "S = %g needs more than %g points; the smallest n is %zu",
                           k->selectivity, k->selectivity, k->n);
    return EB_OK;
}

static bool are_alike(const eb_setup *a, const eb_setup *b)
{
    return a->run == b->run && strcmp(a->device.name, b->device.name) == 0;
}

/* Prepares setups together that share an engine and a device, so that several cores work at once. An experiment that
 * goes on past failures prepares each setup when it measures it. */
static eb_code prepare(const eb_experiment_request *q, eb_job *job, eb_status *status)
{
    const eb_setup *alike[EB_MOST_FORESEEN];
    for (size_t first = 0; first < q->setups && !q->goes_on; first++) {
        size_t count = 0, earlier = 0;
        for (size_t k = 0; k < q->setups; k++)
            if (are_alike(&q->setup[first], &q->setup[k])) {
                alike[count++] = &q->setup[k];
                earlier += k < first;
            }
        if (earlier == 0)
            EB_TRY(eb_setups_prepare(alike, count, job, status));
    }
    return EB_OK;
}

eb_code eb_experiment_run(const eb_experiment_request *q, eb_job *job, eb_experiment *out, eb_status *status)
{
    course c = {.request = q, .e = out, .job = job, .tables = q->memory.tables};
    EB_TRY(make_cells(q, out, status));
    EB_TRY(check_selectivity(out, status));
    EB_TRY(prepare(q, job, status));
    for (size_t k = 0; k < EB_MOST_FORESEEN; k++)
        c.per_flop[k] = NAN;
    if (q->host.changed)
        q->host.changed(q->host.context, NULL);
    for (size_t k = 0; k < out->cells; k += q->setups)
        EB_TRY(measure_place(&c, &out->cell[k], status));
    return EB_OK;
}

void eb_experiment_free(eb_experiment *e)
{
    for (size_t k = 0; k < e->cells; k++)
        eb_run_free(&e->cell[k].run);
    free(e->cell);
    *e = (eb_experiment){0};
}
