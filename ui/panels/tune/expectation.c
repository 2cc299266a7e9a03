#include "ui/panels/tune/expectation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the curve ---- */

/* The share of the way from x0 to x1, even in log x where that can be. Differences of logarithms: quotients may
 * overflow. */
static double way(double x0, double x1, double x)
{
    double share = x0 > 0 ? (log(x) - log(x0)) / (log(x1) - log(x0)) : (x - x0) / (x1 - x0);
    return share > 0 ? fmin(share, 1) : 0; /* also where both are too close to tell */
}

static double between(double y0, double y1, double share)
{
    if (share == 0 || share == 1)
        return share == 0 ? y0 : y1;
    return y0 > 0 && y1 > 0 ? y0 * pow(y1 / y0, share) : y0 + (y1 - y0) * share;
}

static double value_at(const double *y, size_t k, size_t next, double share)
{
    return y ? between(y[k], y[next], share) : NAN;
}

eb_expectation eb_expect(const eb_series *curve, double eps)
{
    eb_expectation nothing = {.s = NAN, .low = NAN, .high = NAN};
    if (!curve || curve->points == 0 || !(eps >= curve->x[0] && eps <= curve->x[curve->points - 1]))
        return nothing;
    size_t k = 0; /* the last point that is not above ε */
    while (k + 1 < curve->points && curve->x[k + 1] <= eps)
        k++;
    size_t next = k + 1 < curve->points && curve->x[k] < eps ? k + 1 : k;
    double share = next > k ? way(curve->x[k], curve->x[next], eps) : 0;
    return (eb_expectation){.s = value_at(curve->y, k, next, share),
                            .low = value_at(curve->low, k, next, share),
                            .high = value_at(curve->high, k, next, share)};
}

/* ---- the dial ---- */

/* In natural logarithms. */
static double length_of(const eb_dial *dial) { return log(dial->high) - log(dial->low); }

double eb_dial_share(const eb_dial *dial, double eps)
{
    if (!(eps > dial->low))
        return 0;
    return eps < dial->high ? (log(eps) - log(dial->low)) / length_of(dial) : 1;
}

/* So many digits that rounding moves ε by less than a twentieth of a step. */
static int digits_of(const eb_dial *dial)
{
    double step = expm1(fmin(length_of(dial) / (double)dial->steps, 1));
    double digits = ceil(-log10(step)) + 2;
    return digits < 3 ? 3 : digits < 17 ? (int)digits : 17;
}

double eb_dial_at(const eb_dial *dial, double share)
{
    char text[40];
    if (!(share > 0))
        return dial->low;
    if (share >= 1)
        return dial->high;
    double eps = exp(log(dial->low) + length_of(dial) * share);
    (void)snprintf(text, sizeof text, "%.*g", digits_of(dial), eps);
    return fmin(fmax(strtod(text, NULL), dial->low), dial->high);
}

double eb_dial_turn(const eb_dial *dial, double eps, int steps)
{
    /* A tenth of a step: more than rounding moves ε, so that a step is found to be where it is. */
    double at = eb_dial_share(dial, eps) * (double)dial->steps, near = 0.1;
    double from = steps > 0 ? floor(at + near) : ceil(at - near);
    return eb_dial_at(dial, (from + steps) / (double)dial->steps);
}
