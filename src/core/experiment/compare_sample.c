#include "core/experiment/compare_sample.h"

#include <math.h>

#include "core/experiment/warm_up.h"

#define LOOK_S 0.05
#define MOST_SHARE 0.25 /* of the points: a larger sample saves little, since a self-join looks at each pair once */

size_t eb_sample_for(size_t n, double whole_s)
{
    const double point_s = 2 * whole_s / (double)n; /* a drawn point's pairs with all points */
    double count = fmin(EB_COMPARED_SAMPLE, MOST_SHARE * (double)n);
    if (!(whole_s > EB_LONG_COMPARISON_S))
        return 0;
    count = fmax(fmin(count, EB_LONG_COMPARISON_S / point_s), EB_LEAST_SAMPLE);
    const double digit = pow(10, floor(log10(count)));
    return count < (double)n ? (size_t)(floor(count / digit) * digit) : 0;
}

static bool is_short(const eb_setup *setup, size_t count, const eb_problem *whole)
{
    bool differs = false;
    for (size_t k = 0; k < count; k++)
        differs |= setup[k].run->nearest != NULL;
    return differs || eb_warm_up_is_small(whole);
}

double eb_comparison_forecast(const eb_setup *setup, size_t count, const eb_dataset *points, double eps,
                              unsigned trials, eb_job *job)
{
    const eb_problem whole = eb_self_join(points);
    double all_s = 0;
    if (is_short(setup, count, &whole))
        return 0;
    eb_job_phase(job, "looking ahead", 0);
    for (size_t k = 0; k < count && !eb_job_cancelled(job); k++)
        if (setup[k].device.kind == EB_DEVICE_CPU) {
            const double pass_s = eb_warm_up_estimate(&setup[k], &whole, eps, LOOK_S, job);
            all_s += isnan(pass_s) ? 0 : trials * pass_s;
        }
    return all_s;
}
