#include "core/tune/tune_thin.h"

#include <math.h>

#include "core/slabs/passes.h"
#include "core/tune/tune.h"

/* The order that queries are drawn from takes so many bytes a point while it is made. */
#define ORDER_BYTES 72u

/* The parts of the limit: for the points of the curve, then for those of a slab, and beside these for the distances
 * that a pass keeps. The allocator keeps a part of what was freed. */
enum { CURVE_SHARE = 8, SLAB_SHARE = 4, KEEP_SHARE = 8 };

/* With fewer a curve is not worth drawing. */
#define LEAST_POINTS ((size_t)1 << 14)

/* More only make queries slower. */
#define ENOUGH_POINTS ((size_t)1 << 21)

static uint64_t needed(const eb_setup *setup, const eb_dataset *points, size_t n)
{
    const uint64_t row = points->d * eb_dtype_size(points->dtype) + sizeof(uint32_t);
    const size_t ordered = n < EB_MOST_ORDERED ? n : EB_MOST_ORDERED;
    return ordered * ORDER_BYTES + n * row + setup->run->memory_needed(n, points->d, points->dtype);
}

static bool suits(const eb_setup *setup)
{
    return setup->device.kind == EB_DEVICE_CPU && setup->run->memory_needed && eb_setup_exactness(setup) == EB_TRUTH &&
           eb_problem_answered_whole(setup);
}

/* True if the points do not fit the limit. */
static bool are_cut(const eb_setup *setup, const eb_dataset *points)
{
    const uint64_t limit = setup->resources.memory_limit;
    return limit > 0 && suits(setup) && points->n > LEAST_POINTS && needed(setup, points, points->n) > limit / 2;
}

/* The points of the curve, so that they fit their part of the limit. */
static size_t most_that_fit(const eb_setup *setup, const eb_dataset *points, size_t most)
{
    size_t low = LEAST_POINTS, high = most;
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (needed(setup, points, middle) <= setup->resources.memory_limit / CURVE_SHARE)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

size_t eb_thin_count(const eb_setup *setup, const eb_dataset *points)
{
    const size_t enough = suits(setup) && points->n > 2 * ENOUGH_POINTS ? ENOUGH_POINTS : points->n;
    return are_cut(setup, points) ? most_that_fit(setup, points, enough) : enough;
}

/* The squared error of S, relative to S, that comes from the points drawn, beside what the curve knows of its queries:
 * of the number u of their pairs, 1/u, and of how uneven the points' numbers of neighbours are, 4·(variance/mean²)/n.
 * The carriers tell: of q queries, q / (1 + variance/mean²) carry S. */
static double drawn_error(const eb_curve *curve, size_t k)
{
    const double few = (double)curve->n, pairs = curve->s[k] * few / 2;
    const double carriers = curve->carriers ? curve->carriers[k] : 0;
    const double uneven = carriers > 0 ? fmax((double)curve->queries / carriers - 1, 0) : 0;
    return 1 / (pairs + 1) + 4 * uneven / few;
}

void eb_thin_curve(eb_curve *curve, size_t n)
{
    const double few = (double)curve->n, factor = ((double)n - 1) / (few - 1);
    for (size_t k = 0; k < curve->points; k++) {
        const double drawn = fmax(curve->s[k], 2 / few) * sqrt(drawn_error(curve, k));
        curve->s_error[k] = factor * hypot(curve->s_error[k], drawn);
        curve->s[k] *= factor;
    }
    curve->n = n;
}

uint64_t eb_thin_keep(const eb_setup *setup, const eb_dataset *points, uint64_t most)
{
    const uint64_t room = setup->resources.memory_limit / KEEP_SHARE / sizeof(double);
    return are_cut(setup, points) && room < most ? room : most;
}

eb_code eb_sweep_open(const eb_setup *setup, const eb_dataset *points, eb_job *job, eb_opened *out, eb_status *status)
{
    const eb_problem problem = eb_self_join(points);
    return are_cut(setup, points)
               ? eb_slabs_open(setup, &problem, setup->resources.memory_limit / SLAB_SHARE, job, out, status)
               : eb_problem_open(setup, &problem, job, out, status);
}
