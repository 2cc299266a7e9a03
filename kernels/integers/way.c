/* way: integer products as a way of `exact` (core/engine/way.h), and their cost. */
#include <math.h>

#include "core/engine/way.h"
#include "kernels/integers/bytes.h"
#include "kernels/parts/product_cost.h"

#ifdef EB_HAVE_CUDA

extern const eb_implementation eb_integers_cuda;
extern const eb_way eb_way_integers_cuda;

/* Seconds to read every value, unless the type is a byte's: 1.5 ns a value on a thread. */
static double look(const eb_problem *problem, const eb_context *context)
{
    const eb_dataset *left = problem->left;
    if (left->dtype == EB_U8 || left->dtype == EB_I8)
        return 0;
    const size_t n = left->n + (eb_is_self_join(problem) ? 0 : problem->right->n);
    return 1.5e-9 * (double)n * (double)left->d / eb_deciding_threads(context);
}

/* A hit is written and read again. */
static double cost(const eb_estimate *estimate, const eb_context *context)
{
    const double products =
        eb_byte_products_s(context->device->limit, estimate->pairs, (double)estimate->problem->left->d);
    return 2e-4 + look(estimate->problem, context) + products +
           40 * eb_estimate_pairs(estimate, estimate->question->eps) / 3e12;
}

const eb_way eb_way_integers_cuda = {.name = "integers",
                                     .run = &eb_integers_cuda,
                                     .suits = eb_bytes_suit,
                                     .cost = cost};

#endif
