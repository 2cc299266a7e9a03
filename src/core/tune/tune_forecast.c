#include "core/tune/tune_forecast.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/clock.h"

#define SOON_DONE 1e11 /* coordinates to compare */
#define ENOUGH_S 0.05

/* A pass that does not take longer needs no better forecast: passes over fewer points say too much rather than too
 * little. */
#define SOON_S 0.1

enum { FIRST_POINTS = 2048 };

/* One edge, near the distance of point 0 to its nearest, where searches end. */
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

double eb_pass_forecast(const eb_setup *setup, const eb_dataset *points, eb_job *job)
{
    double n = (double)points->n, pass_s = 0;
    if (!job || n * n * (double)points->d <= SOON_DONE)
        return 0;
    eb_job_phase(job, "looking ahead", 0);
    for (size_t few = FIRST_POINTS; few < points->n; few *= 2) {
        double scale = n / (double)few, taken = pass_over(setup, points, few, job);
        if (few == FIRST_POINTS && taken >= ENOUGH_S) /* a GPU's first one loads what the next ones find there */
            taken = fmin(taken, pass_over(setup, points, few, job));
        pass_s = taken * scale * scale;
        if (isnan(pass_s) || pass_s <= SOON_S || taken >= ENOUGH_S)
            break;
    }
    return pass_s;
}
