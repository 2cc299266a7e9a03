#include "core/experiment/rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/experiment/statistics.h"
#include "core/report/fields.h"

#define LOOK_S 0.05
#define SURELY_SHORT 2.0 /* times shorter than the limit, by the rate of the cells before: nobody has to look */

size_t eb_rate_steps(double from, double to, double factor, double out[EB_MOST_STEPS])
{
    if (!(from < to && factor > 1))
        return 0;
    for (size_t k = 0; k < EB_MOST_STEPS; k++) {
        double x = round(from * pow(factor, (double)k));
        if (k > 0 && x <= out[k - 1])
            return 0;
        out[k] = fmin(x, to);
        if (x >= to)
            return k + 1;
    }
    return 0;
}

const char *eb_rate_state_name(eb_rate_state state)
{
    static const char *const names[] = {[EB_RATE_WAITING] = "to come",
                                        [EB_RATE_MEASURED] = "measured",
                                        [EB_RATE_KNOWN] = "from the log",
                                        [EB_RATE_LONG] = "too long",
                                        [EB_RATE_REFUSED] = "refused"};
    return names[state];
}

double eb_rate_derived(const eb_rate *rate) { return eb_derived_flops(rate->n, rate->d, rate->kernel_s); }

double eb_rate_executed(const eb_rate *rate)
{
    return rate->kernel_s > 0 ? rate->executed_flops / rate->kernel_s : NAN;
}

/* One experiment. */
typedef struct study {
    const eb_rates_request *request;
    eb_rates *rates;
    eb_job *job;
    double per_flop[EB_MOST_RATED]; /* seconds of a trial over its 2·n²·d, of each engine's last cell; NAN: none yet */
} study;

static double flops_of(const eb_rate *rate) { return 2 * (double)rate->n * (double)rate->n * (double)rate->d; }

static void settle(study *s, eb_rate *rate, eb_rate_state state)
{
    const eb_rates_host *host = &s->request->host;
    rate->state = state;
    if (eb_rate_has(rate))
        s->per_flop[rate->setup - s->request->setup] = rate->total_s / flops_of(rate);
    host->changed(host->context, s->rates, rate);
}

/* ---- the time it takes ---- */

static unsigned passes_of(const eb_rates_request *q) { return q->trials + (q->warm_up != EB_WARM_UP_NONE); }

/* By the engine's last cell; rates grow with the shape, so this is rather too much. NAN: there was none. */
static double foreseen_s(const study *s, const eb_rate *rate)
{
    return s->per_flop[rate->setup - s->request->setup] * flops_of(rate) * passes_of(s->request);
}

/* All cells after this shape, as far as they are known to be within the limit. */
static double after_s(const study *s, const eb_rate *rate)
{
    const eb_rate *end = s->rates->cell + s->rates->cells;
    double sum_s = 0;
    for (const eb_rate *k = rate + 1; k < end; k++) {
        double cell_s = foreseen_s(s, k);
        if (k->state == EB_RATE_WAITING && cell_s <= s->request->limit_s)
            sum_s += cell_s;
    }
    return sum_s;
}

static bool covers(const eb_rate *small, const eb_rate *large)
{
    return small->setup == large->setup && small->n <= large->n && small->d <= large->d;
}

static bool is_beyond(const study *s, const eb_rate *rate)
{
    for (const eb_rate *k = s->rates->cell; k < rate; k++)
        if (k->state == EB_RATE_LONG && covers(k, rate))
            return true;
    return false;
}

/* Twice where it seems too long: a look is so short that another program's moment can make it so. */
static double looked_s(const study *s, const eb_problem *problem, const eb_rate *rate)
{
    const eb_rates_request *q = s->request;
    const double eps = isnan(q->eps) ? 0 : q->eps;
    double pass_s = eb_warm_up_estimate(rate->setup, problem, eps, LOOK_S, s->job);
    if (pass_s * passes_of(q) > q->limit_s)
        pass_s = fmin(pass_s, eb_warm_up_estimate(rate->setup, problem, eps, LOOK_S, s->job));
    return pass_s * passes_of(q);
}

/* Before ε is sampled, which itself takes a few per cent of a pass: at ε = 0 all distances are computed, too. */
static void leave_out_long(study *s, const eb_problem *problem, eb_rate *rate)
{
    const eb_rates_request *q = s->request;
    if (isinf(q->limit_s) || foreseen_s(s, rate) * SURELY_SHORT <= q->limit_s)
        return;
    eb_job_phase(s->job, "looking ahead", 0);
    const double forecast_s = looked_s(s, problem, rate);
    if (forecast_s > q->limit_s && !eb_job_cancelled(s->job)) {
        rate->forecast_s = forecast_s;
        settle(s, rate, EB_RATE_LONG);
    }
}

/* ---- ε ---- */

static eb_code sample_eps(const study *s, const eb_dataset *ds, double *eps, eb_status *status)
{
    const eb_rates_request *q = s->request;
    const eb_tune_request ask = {.setup = q->truth, .dataset = ds, .seed = q->seed};
    eb_curve curve = {0};
    unsigned passes;
    eb_job_phase(s->job, "sampling", 0);
    eb_code failed = eb_tune_ask(&ask, &curve, &passes, s->job, status);
    *eps = failed ? NAN : eb_curve_eps(&curve, q->selectivity);
    if (!failed && isnan(*eps)) /* where the curve ends, all points are within ε */
        *eps = curve.eps[curve.points - 1];
    if (!failed && q->host.sampled) {
        double low, high;
        (void)eb_curve_selectivity(&curve, *eps, &low, &high);
        q->host.sampled(q->host.context, *eps, (high - low) / (2 * EB_SIGMAS_95));
    }
    eb_curve_free(&curve);
    return failed;
}

/* ---- cells ---- */

static eb_summary summary_of(const eb_run *run, const char *key)
{
    double *samples = eb_run_samples(run, key);
    eb_summary summary = eb_summarise(samples, samples ? run->trials_done : 0);
    free(samples);
    return summary;
}

static void take(const eb_run *run, eb_rate *rate)
{
    eb_summary kernel = summary_of(run, eb_figure_kernel.key);
    rate->trials = run->trials_done;
    rate->pairs = run->pairs;
    rate->eps = run->eps;
    rate->kernel_s = kernel.median;
    rate->kernel_cov = kernel.cov;
    rate->total_s = summary_of(run, eb_figure_total.key).median;
    rate->executed_flops = summary_of(run, eb_figure_executed_flops.key).median;
    rate->limit_flops = summary_of(run, EB_F(limit_flops)->key).median;
}

/* What ends the whole experiment; all else is this engine's and this shape's matter. */
static bool ends_all(eb_code failed)
{
    return failed == EB_CANCELLED || failed == EB_INTERNAL || failed == EB_CHANGED || failed == EB_NO_DEVICE;
}

static void refuse(study *s, eb_rate *rate, const eb_status *why)
{
    (void)snprintf(rate->why, sizeof rate->why, "%s", why->message);
    settle(s, rate, EB_RATE_REFUSED);
}

static eb_code measure_cell(study *s, const eb_problem *problem, double eps, eb_rate *rate, eb_status *status)
{
    const eb_rates_request *q = s->request;
    eb_forecast forecast;
    eb_status why = {.message = ""};
    eb_run run;
    eb_forecast_begin(&forecast, s->job, "cell", 1, q->trials);
    forecast.trial_s[0] = foreseen_s(s, rate) / passes_of(q);
    forecast.beyond_s = after_s(s, rate);
    eb_forecast_run(&forecast, 0);
    eb_job_step(s->job, 0, "cell", (unsigned)(rate - s->rates->cell) + 1, (unsigned)s->rates->cells);
    const eb_measure_request ask = {.setup = rate->setup,
                                    .problem = *problem,
                                    .eps = eps,
                                    .mode = EB_RUN_COUNT,
                                    .trials = q->trials,
                                    .warm_up = q->warm_up,
                                    .forecast = &forecast};
    eb_code failed = eb_measure(&ask, &q->host.observer, s->job, &run, &why);
    if (!failed) {
        take(&run, rate);
        settle(s, rate, EB_RATE_MEASURED);
    } else if (!ends_all(failed)) {
        refuse(s, rate, &why);
    }
    eb_run_free(&run);
    eb_forecast_end(&forecast);
    return ends_all(failed) ? eb_fail(status, failed, "%s", why.message) : EB_OK;
}

/* ---- a shape ---- */

static bool any_waiting(const eb_rate *cell, size_t count)
{
    bool any = false;
    for (size_t k = 0; k < count; k++)
        any |= cell[k].state == EB_RATE_WAITING;
    return any;
}

/* What needs no points. */
static void settle_known(study *s, eb_rate *cell)
{
    const eb_rates_host *host = &s->request->host;
    for (size_t k = 0; k < s->request->setups; k++)
        if (host->find && host->find(host->context, &cell[k]))
            settle(s, &cell[k], EB_RATE_KNOWN);
        else if (is_beyond(s, &cell[k]))
            settle(s, &cell[k], EB_RATE_LONG);
}

static eb_code measure_points(study *s, const eb_dataset *ds, eb_rate *cell, eb_status *status)
{
    const eb_rates_request *q = s->request;
    const eb_problem problem = eb_self_join(ds);
    double eps = q->eps;
    for (size_t k = 0; k < q->setups; k++)
        if (cell[k].state == EB_RATE_WAITING)
            leave_out_long(s, &problem, &cell[k]);
    if (!any_waiting(cell, q->setups))
        return EB_OK;
    if (isnan(eps)) {
        EB_TRY(sample_eps(s, ds, &eps, status));
    }
    for (size_t k = 0; k < q->setups; k++)
        if (cell[k].state == EB_RATE_WAITING)
            EB_TRY(measure_cell(s, &problem, eps, &cell[k], status));
    return EB_OK;
}

static eb_code measure_shape(study *s, eb_rate *cell, eb_status *status)
{
    const eb_rates_request *q = s->request;
    const eb_dataset *ds;
    eb_status why = {.message = ""};
    EB_TRY(eb_job_check(s->job, status));
    settle_known(s, cell);
    if (!any_waiting(cell, q->setups))
        return EB_OK;
    eb_code failed = q->host.points(q->host.context, cell->n, cell->d, s->job, &ds, &why);
    if (!failed)
        failed = measure_points(s, ds, cell, &why);
    if (failed && ends_all(failed))
        return eb_fail(status, failed, "%s", why.message);
    for (size_t k = 0; k < q->setups && failed; k++)
        if (cell[k].state == EB_RATE_WAITING)
            refuse(s, &cell[k], &why);
    return EB_OK;
}

/* ---- the experiment ---- */

static eb_code make_cells(const eb_rates_request *q, eb_rates *out, eb_status *status)
{
    size_t cells = q->ns * q->ds * q->setups;
    *out = (eb_rates){.request = q, .cell = calloc(cells, sizeof *out->cell), .cells = cells};
    if (!out->cell)
        return eb_fail_memory(status, "the cells", cells * sizeof *out->cell);
    for (size_t i = 0; i < q->ns; i++)
        for (size_t j = 0; j < q->ds; j++)
            for (size_t k = 0; k < q->setups; k++)
                *eb_rates_at(out, i, j, k) = (eb_rate){.setup = &q->setup[k],
                                                       .n = q->n[i],
                                                       .d = q->d[j],
                                                       .eps = NAN,
                                                       .kernel_s = NAN,
                                                       .kernel_cov = NAN,
                                                       .total_s = NAN,
                                                       .executed_flops = NAN,
                                                       .limit_flops = NAN,
                                                       .forecast_s = NAN};
    return EB_OK;
}

eb_code eb_rates_measure(const eb_rates_request *q, eb_job *job, eb_rates *out, eb_status *status)
{
    study s = {.request = q, .rates = out, .job = job};
    EB_TRY(make_cells(q, out, status));
    if (isnan(q->eps) && q->selectivity > (double)(q->n[0] - 1))
        return eb_fail(status, EB_UNREACHABLE, "S = %g needs more than %g points; the smallest n is %zu",
                       q->selectivity, q->selectivity, q->n[0]);
    for (size_t k = 0; k < EB_MOST_RATED; k++)
        s.per_flop[k] = NAN;
    q->host.changed(q->host.context, out, NULL);
    for (size_t k = 0; k < out->cells; k += q->setups)
        EB_TRY(measure_shape(&s, &out->cell[k], status));
    return EB_OK;
}

void eb_rates_free(eb_rates *rates)
{
    free(rates->cell);
    *rates = (eb_rates){0};
}
