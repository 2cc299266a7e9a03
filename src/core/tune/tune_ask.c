/* tune_ask: tunes a dataset from opening to closing: the sampled curve, a forecast of an exact pass, the targets by the
 * curve, and then exact passes unless the curve is enough or the passes would take too long.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/data/scaling.h"
#include "core/experiment/warm_up.h"
#include "core/sample/rows.h"
#include "core/tune/tune.h"
#include "core/tune/tune_sampled.h"
#include "core/tune/tune_thin.h"

/* ---- forecast of an exact pass ---- */

#define ENOUGH_S 0.05

/* A shorter pass needs no better forecast. Passes over fewer points give a forecast that is rather too long. */
#define SOON_S 0.1

enum { FIRST_POINTS = 2048 };

/* An edge near point 0's nearest distance, where searches usually end. */
static double near_eps(const eb_opened *opened)
{
    const uint32_t row = 0;
    size_t n = opened->problem.left->n;
    double *s = calloc(n, sizeof *s), nearest = INFINITY;
    if (s && eb_ask_distances(opened, &row, 1, s, NULL) == EB_OK)
        for (size_t j = 1; j < n; j++)
            nearest = fmin(nearest, s[j]);
    free(s);
    return isfinite(nearest) ? eb_smallest_eps_scaled(nearest, opened->scaling.exponent) : 0;
}

static double pass_over(const eb_setup *setup, const eb_dataset *points, size_t n, eb_job *job)
{
    eb_dataset few = *points;
    eb_problem problem = eb_self_join(&few);
    eb_opened opened;
    bool keep = false;
    uint64_t pairs = 0;
    double *kept = NULL;
    few.n = n;
    if (eb_problem_open(setup, &problem, job, &opened, NULL))
        return NAN;
    double eps = near_eps(&opened), start_s = eb_now_s();
    eb_distance_pass pass = {.edges = 1, .eps = &eps, .keep = &keep, .pairs = &pairs, .kept = &kept};
    eb_code failed = eb_ask_histogram(&opened, &pass, NULL);
    double pass_s = eb_now_s() - start_s;
    eb_problem_close(&opened);
    return failed ? NAN : pass_s;
}

/* Forecast in seconds by passes over some of the points at a small ε. Takes a twentieth of a second and the time to
 * open so few points. 0 if the pass is short, NAN on failure. */
static double pass_forecast(const eb_setup *setup, const eb_dataset *points, eb_job *job)
{
    const eb_problem problem = eb_self_join(points);
    double pass_s = 0;
    if (!job || eb_warm_up_is_small(&problem))
        return 0;
    eb_job_phase(job, "looking ahead", 0);
    for (size_t few = FIRST_POINTS; few < points->n; few *= 2) {
        double scale = (double)points->n / (double)few, taken = pass_over(setup, points, few, job);
        if (few == FIRST_POINTS && taken >= ENOUGH_S) /* a GPU's first pass loads code */
            taken = fmin(taken, pass_over(setup, points, few, job));
        pass_s = taken * scale * scale;
        if (isnan(pass_s) || pass_s <= SOON_S || taken >= ENOUGH_S)
            break;
    }
    return pass_s;
}

/* The number of distances that cost less to keep and to search than another pass, which would keep only the piece with
 * the answer. */
static uint64_t keep_limit(double pass_s)
{
    const double a_distance_s = 3e-8, least = 1 << 20;
    return pass_s > 0 ? (uint64_t)fmin(fmax(pass_s / a_distance_s, least), (double)EB_TUNE_KEEP) : EB_TUNE_KEEP;
}

typedef struct asking {
    const eb_tune_request *q;
    eb_job *job;
    double pass_s; /* the forecast; NAN: not made yet */
    bool sampling; /* false: the curve given is used */
    bool is_open, passes_are_open;
    eb_opened opened, passes; /* the points of the curve; all points, if those are fewer */
    eb_sampled_rows few;
    const eb_dataset *drawn; /* the points of the curve */
    eb_strata_order order;
    eb_target *sampled; /* [count] the targets by the curve */
} asking;

static void look_ahead(asking *a)
{
    if (!isnan(a->pass_s) || a->q->count == 0)
        return;
    a->pass_s = pass_forecast(a->q->setup, a->q->dataset, a->job);
    eb_job_announce(a->job, a->pass_s);
    eb_job_foresee(a->job, NAN, a->pass_s);
}

/* Shows the curve first, since the watcher waits for it. */
static void show_and_look(void *context, const eb_curve *curve)
{
    asking *a = context;
    a->q->watcher->curve(a->q->watcher->context, curve);
    look_ahead(a);
}

/* ---- before the first query ----
 *
 * Making the order that strata are cut from takes as long as opening and forecasting together and depends on neither,
 * so they run at the same time. */

/* A GPU makes the forecast while the host makes the order. On a CPU the forecast would get only half of the threads, so
 * it does not run beside the order: it comes before the order or, if a watcher waits for the first curve, after that
 * curve. */
static bool looks_background(const asking *a) { return a->q->setup->device.kind == EB_DEVICE_CUDA; }

static eb_code open_and_look(asking *a, eb_status *status)
{
    const eb_problem problem = eb_self_join(a->drawn);
    EB_TRY(eb_problem_open(a->q->setup, &problem, a->job, &a->opened, status));
    a->is_open = true;
    if (looks_background(a))
        look_ahead(a);
    return EB_OK;
}

static eb_code prepare_one(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    asking *a = context;
    if (task == 0)
        return open_and_look(a, status);
    return a->sampling ? eb_curve_order_make(a->drawn, a->q->queries, a->q->seed, a->job, &a->order, status) : EB_OK;
}

static bool is_thinned(const asking *a) { return a->drawn != a->q->dataset; }

static eb_code draw_points(asking *a, eb_status *status)
{
    const eb_dataset *all = a->q->dataset;
    const size_t count = eb_thin_count(a->q->setup, all);
    a->drawn = all;
    if (count == all->n)
        return EB_OK;
    EB_TRY(eb_rows_scatter(all, count, a->q->seed, &a->few, status));
    a->drawn = &a->few.points;
    return EB_OK;
}

static eb_code prepare(asking *a, eb_status *status)
{
    EB_TRY(draw_points(a, status));
    if (!a->q->watcher && !looks_background(a))
        look_ahead(a);
    return eb_parallel(2, 2, prepare_one, a, a->job, status);
}

/* ---- sampling ---- */

static eb_code sample_queries(asking *a, size_t queries, const eb_curve_watcher *watcher, eb_curve *curve,
                              eb_status *status)
{
    eb_curve sampled;
    EB_TRY(eb_curve_sample_ordered(&a->opened, queries, a->q->seed, &a->order, watcher, &sampled, status));
    if (is_thinned(a))
        eb_thin_curve(&sampled, a->q->dataset->n);
    eb_curve_free(curve);
    *curve = sampled;
    return EB_OK;
}

static eb_code sample_curve(asking *a, eb_curve *curve, eb_status *status)
{
    const eb_curve_watcher watcher = {a, show_and_look};
    const bool watches = a->q->watcher && !is_thinned(a); /* an early curve would be of the few points */
    return a->sampling ? sample_queries(a, a->q->queries, watches ? &watcher : NULL, curve, status) : EB_OK;
}

/* Samples more queries until the bands are narrow or would take too many. */
static eb_code narrow_the_bands(asking *a, eb_curve *curve, eb_status *status)
{
    const eb_tune_request *q = a->q;
    size_t queries;
    while (q->within > 0 && (queries = eb_queries_for(curve, q->targets, q->count, q->within, a->drawn->n)) > 0) {
        if (!eb_strata_order_serves(&a->order, queries)) {
            eb_strata_order_free(&a->order);
            EB_TRY(eb_curve_order_make(a->drawn, queries, q->seed, a->job, &a->order, status));
        }
        EB_TRY(sample_queries(a, queries, NULL, curve, status));
    }
    return EB_OK;
}

/* ---- targets by the curve ---- */

/* A person waits for longer passes, and may cancel them. */
#define A_WHILE_S 2.0

static bool may_stay_sampled(const asking *a)
{
    return a->q->within > 0 || a->q->patience_s > 0 || a->pass_s > A_WHILE_S;
}

static void read_targets(asking *a, const eb_curve *curve)
{
    for (size_t k = 0; k < a->q->count; k++) {
        const double wanted = a->q->targets[k].wanted;
        a->sampled[k].wanted = wanted;
        const bool ties = !may_stay_sampled(a) || eb_target_ties(&a->opened, curve, wanted, ~a->q->seed);
        eb_target_by_curve(curve, ties, &a->sampled[k]);
    }
}

/* After a cancel; ties were not looked for if that came early. */
static void read_what_is_sampled(asking *a, const eb_curve *curve)
{
    for (size_t k = 0; k < a->q->count; k++) {
        eb_target *t = &a->sampled[k];
        t->wanted = a->q->targets[k].wanted;
        if (!t->sampled)
            eb_target_by_curve(curve, true, t);
    }
}

/* True if the sampled targets are the answer, and no pass is needed. If every point was a query, a pass is cheap. */
static bool are_enough(const asking *a, const eb_curve *curve)
{
    bool narrow = a->q->within > 0 && curve->queries < curve->n, found = true;
    for (size_t k = 0; k < a->q->count; k++) {
        narrow = narrow && eb_target_is_narrow(&a->sampled[k], a->q->within);
        found = found && a->sampled[k].sampled;
    }
    return found && (narrow || (a->q->patience_s > 0 && a->pass_s > a->q->patience_s));
}

static void take_sampled(const asking *a)
{
    for (size_t k = 0; k < a->q->count; k++)
        if (isnan(a->q->targets[k].eps))
            a->q->targets[k] = a->sampled[k];
}

/* ---- from opening to closing ---- */

static void close_drawn(asking *a)
{
    if (a->is_open)
        eb_problem_close(&a->opened);
    a->is_open = false;
    eb_rows_free(&a->few);
}

/* All points take the place of those that were drawn. */
static eb_code open_passes(asking *a, eb_status *status)
{
    close_drawn(a);
    EB_TRY(eb_sweep_open(a->q->setup, a->q->dataset, a->job, &a->passes, status));
    a->passes_are_open = true;
    return EB_OK;
}

static eb_code count_exactly(asking *a, const eb_curve *curve, unsigned *passes, eb_status *status)
{
    const eb_tune_request *q = a->q;
    if (q->sampled && a->pass_s > A_WHILE_S)
        q->sampled(q->context, a->sampled, q->count);
    eb_job_foresee(a->job, a->pass_s > 0 ? a->pass_s : NAN, 0);
    eb_opened *opened = is_thinned(a) ? &a->passes : &a->opened;
    const uint64_t keep = eb_thin_keep(q->setup, q->dataset, keep_limit(a->pass_s));
    if (is_thinned(a))
        EB_TRY(open_passes(a, status));
    EB_TRY(eb_tune(opened, curve, q->targets, q->count, keep, passes, status));
    for (size_t k = 0; k < q->count; k++)
        EB_TRY(eb_tune_gap(opened, &q->targets[k], status));
    return EB_OK;
}

static eb_code ask(asking *a, eb_curve *curve, unsigned *passes, eb_status *status)
{
    const eb_tune_request *q = a->q;
    EB_TRY(prepare(a, status));
    EB_TRY(sample_curve(a, curve, status));
    EB_TRY(narrow_the_bands(a, curve, status));
    if (q->watcher && q->count > 0)
        show_and_look(a, curve);
    read_targets(a, curve);
    if (q->count == 0 || are_enough(a, curve))
        return EB_OK;
    return count_exactly(a, curve, passes, status);
}

static void forget_answers(const eb_tune_request *q)
{
    for (size_t k = 0; k < q->count; k++)
        q->targets[k].eps = NAN;
}

eb_code eb_tune_ask(const eb_tune_request *q, eb_curve *curve, unsigned *passes, eb_job *job, eb_status *status)
{
    asking a = {.q = q, .job = job, .pass_s = NAN, .sampling = curve->points == 0 || q->queries > 0};
    *passes = 0;
    a.sampled = calloc(q->count ? q->count : 1, sizeof *a.sampled);
    if (!a.sampled)
        return eb_fail_memory(status, "the targets", q->count * sizeof *a.sampled);
    forget_answers(q);
    const eb_code failed = ask(&a, curve, passes, status);
    if (failed == EB_CANCELLED && curve->points > 0)
        read_what_is_sampled(&a, curve);
    if (!failed || failed == EB_CANCELLED)
        take_sampled(&a);
    eb_job_foresee(job, NAN, NAN);
    close_drawn(&a);
    if (a.passes_are_open)
        eb_problem_close(&a.passes);
    eb_strata_order_free(&a.order);
    free(a.sampled);
    return failed;
}

eb_code eb_tune_dataset(const eb_setup *setup, const eb_dataset *ds, size_t queries, uint64_t seed, eb_curve *curve,
                        eb_target *targets, size_t count, unsigned *passes, eb_job *job, eb_status *status)
{
    const eb_tune_request request =
        {.setup = setup, .dataset = ds, .queries = queries, .seed = seed, .targets = targets, .count = count};
    return eb_tune_ask(&request, curve, passes, job, status);
}
