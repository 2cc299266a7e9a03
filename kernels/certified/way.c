/* certified FP16 as a way of `exact` (core/engine/way.h): what it costs. */
#include <math.h>

#include "core/engine/way.h"
#include "kernels/certified/bound.h"
#include "kernels/filters/cost.h"

#ifdef EB_HAVE_CUDA

extern const eb_implementation eb_certified_cuda;
extern const eb_way eb_way_fp16_cuda;

/* FP16 moves a point by about 2^-12 of its length; the sums' bound is for lengths as they are. */
static double reach(const eb_estimate *estimate, double eps, double sign)
{
    const unsigned d = (unsigned)estimate->problem->left->d;
    const double moved = 2 * estimate->norm * 0x1p-12, loss = eb_certified_bound_of(eps, 1, d, 16).loss;
    const double near = fmax(0, eps + sign * moved);
    return sqrt(fmax(0, near * near + sign * 2 * loss * estimate->norm * estimate->norm));
}

/* tests/bench/gpu.md: products at 0.77 of the limit, of 64 coordinates at least, and at every pair what 55 take; FP64
 * reads two rows of each pair it decides at 3 TB/s. */
static double cost(const eb_estimate *estimate, const eb_context *context)
{
    const double d = (double)estimate->problem->left->d, eps = estimate->question->eps;
    const double *limit = context->device->limit, fastest = fmax(limit[EB_LIMIT_WGMMA_F16], limit[EB_LIMIT_MMA_F16]);
    const double all = estimate->pairs * 2 * (fmax(d, 64) + 55) / (0.77 * (fastest > 0 ? fastest : 8e14));
    const double products = eb_cost_of_products(estimate, context, 2 * fmax(d, 64), all);
    const double candidates = eb_estimate_pairs(estimate, reach(estimate, eps, 1));
    const double decided = estimate->question->pairs_alone
                               ? candidates - eb_estimate_pairs(estimate, reach(estimate, eps, -1))
                               : candidates;
    const double row_bytes = d * (double)eb_dtype_size(estimate->problem->left->dtype);
    return 3e-4 + products + (50 * candidates + 2 * row_bytes * decided) / 3e12;
}

/* It suits all: points that FP16 does not carry pass the filter, and cost; nothing is decided wrongly. */
const eb_way eb_way_fp16_cuda = {.name = "fp16", .run = &eb_certified_cuda, .cost = cost};

#endif
