/* curve: reads the sampled S(ε) curve. Below the first edge, S is the first edge's value (only pairs at distance 0 are
 * nearer); beyond the last edge, the last edge's value (no query saw a point farther away). */
#include "core/tune/curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/lookup.h"

void eb_curve_free(eb_curve *curve)
{
    free(curve->eps);
    free(curve->s);
    free(curve->s_error);
    free(curve->carriers);
    *curve = (eb_curve){.points = 0};
}

/* y at x between (x0, y0) and (x1, y1): linear in log x and log y; in y where y0 = 0; in both x and y where x0 = 0. */
static double interpolate(double x0, double y0, double x1, double y1, double x)
{
    double share = x0 > 0 ? log(x / x0) / log(x1 / x0) : (x - x0) / (x1 - x0);
    share = share > 0 ? fmin(share, 1) : 0; /* 0 also if x0 and x1 are too close to tell apart */
    double y = x0 > 0 && y0 > 0 ? y0 * pow(y1 / y0, share) : y0 + (y1 - y0) * share;
    return fmin(fmax(y, y0), y1);
}

static void band(double s, double error, double most, double *low, double *high)
{
    double half = EB_SIGMAS_95 * error;
    double shift = half < 2 * s ? half * half / (4 * s) : half / 2;
    *low = half < 2 * s ? s - half + shift : 0;
    *high = fmin(most, s + half + shift);
}

void eb_curve_band(const eb_curve *curve, size_t k, double *low, double *high)
{
    band(curve->s[k], curve->s_error[k], (double)curve->n - 1, low, high);
}

bool eb_curve_doubtful(const eb_curve *curve, double *low, double *high)
{
    bool any = false;
    for (size_t k = 0; k < curve->points && curve->carriers && curve->queries < curve->n; k++) {
        if (curve->s[k] < 1 || curve->carriers[k] >= EB_FEW_CARRIERS)
            continue;
        *low = any ? *low : curve->s[k];
        *high = curve->s[k];
        any = true;
    }
    return any;
}

double eb_curve_selectivity(const eb_curve *curve, double eps, double *low, double *high)
{
    double s = NAN, from = NAN, to = NAN;
    if (curve->points > 0 && eps >= 0) {
        size_t k = eps < curve->eps[0] ? 0 : eb_last_not_above(curve->eps, curve->points, eps), next = k + 1;
        s = curve->s[k];
        double error = curve->s_error[k];
        if (eps > curve->eps[k] && next < curve->points) {
            s = interpolate(curve->eps[k], s, curve->eps[next], curve->s[next], eps);
            error = fmax(error, curve->s_error[next]);
        }
        band(s, error, (double)curve->n - 1, &from, &to);
    }
    if (low)
        *low = from;
    if (high)
        *high = to;
    return s;
}

double eb_curve_eps(const eb_curve *curve, double selectivity)
{
    if (curve->points == 0 || !(selectivity >= 0) || selectivity > curve->s[curve->points - 1])
        return NAN;
    if (selectivity <= curve->s[0])
        return 0;                             /* pairs at distance 0 are enough */
    size_t low = 0, high = curve->points - 1; /* s[low] < S ≤ s[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (curve->s[middle] < selectivity)
            low = middle;
        else
            high = middle;
    }
    double from = curve->eps[low], to = curve->eps[high], s0 = curve->s[low], s1 = curve->s[high];
    double share = from > 0 && s0 > 0 ? log(selectivity / s0) / log(s1 / s0) : (selectivity - s0) / (s1 - s0);
    double eps = from > 0 ? from * pow(to / from, share) : to * share;
    return fmin(fmax(eps, from), to);
}

void eb_curve_eps_band(const eb_curve *curve, double selectivity, double *low, double *high)
{
    *low = 0;
    *high = NAN;
    for (size_t k = 0; k < curve->points && isnan(*high); k++) {
        double least, most;
        eb_curve_band(curve, k, &least, &most);
        *low = most < selectivity ? curve->eps[k] : *low;
        *high = least >= selectivity ? curve->eps[k] : NAN;
    }
}
