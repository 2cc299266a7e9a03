/* way: the FP16 filter as a way of `exact` (core/engine/way.h), and its cost. */
#include <math.h>

#include "core/engine/way.h"
#include "kernels/certified/bound.h"
#include "kernels/filters/cost.h"
#include "kernels/parts/product_cost.h"

#ifdef EB_HAVE_CUDA

extern const eb_implementation eb_certified_cuda;
extern const eb_way eb_way_fp16_cuda;

/* The distance at which pairs become candidates (sign 1) or sure (sign −1). FP16 moves a point by about 2^-12 of its
 * norm, and the sums' error is proportional to the squared norm. */
static double reach(const eb_estimate *estimate, double eps, double sign)
{
    const unsigned d = (unsigned)estimate->problem->left->d;
    const double moved = 2 * estimate->norm * 0x1p-12, loss = eb_certified_bound_of(eps, 1, d, 16).loss;
    const double near = fmax(0, eps + sign * moved);
    return sqrt(fmax(0, near * near + sign * 2 * loss * estimate->norm * estimate->norm));
}

/* FP64 reads two rows of each pair that it decides, at 3 TB/s. */
static double cost(const eb_estimate *estimate, const eb_context *context)
{
    const double d = (double)estimate->problem->left->d, eps = estimate->question->eps;
    const double all = eb_f16_products_s(context->device->limit, estimate->pairs, d);
    const double products = eb_cost_of_products(estimate, context, 2 * fmax(d, 64), all);
    const double candidates = eb_estimate_pairs(estimate, reach(estimate, eps, 1));
    const double decided = estimate->question->pairs_alone
                               ? candidates - eb_estimate_pairs(estimate, reach(estimate, eps, -1))
                               : candidates;
    const double row_bytes = d * (double)eb_dtype_size(estimate->problem->left->dtype);
    return 3e-4 + products + (50 * candidates + 2 * row_bytes * decided) / 3e12;
}

/* The way suits all points: those that FP16 cannot hold pass the filter, which only costs time. */
const eb_way eb_way_fp16_cuda = {.name = "fp16", .run = &eb_certified_cuda, .cost = cost};

#endif
