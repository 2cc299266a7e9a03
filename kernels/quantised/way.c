/* way: the 8-bit filter as a way of `exact` (core/engine/way.h), and its cost. */
#include <math.h>

#include "core/engine/way.h"
#include "kernels/filters/cost.h"
#include "kernels/quantised/bound.h"
#include "kernels/quantised/cost.h"
#include "kernels/quantised/frame.h"

#ifdef EB_HAVE_CUDA

extern const eb_implementation eb_quantised_cuda;
extern const eb_way eb_way_int8_cuda;

static eb_code suits_numbers(const eb_problem *problem, const eb_context *context, eb_status *status)
{
    (void)context;
    if (problem->left->d <= EB_QUANTISED_MOST_D)
        return EB_OK;
    return eb_fail(status, EB_NO_ENGINE, "int8: %zu dimensions; its numbers fit 32 bits up to %u of them",
                   problem->left->d, EB_QUANTISED_MOST_D);
}

typedef struct unsure {
    double candidates, sure; /* pairs */
} unsure;

/* The estimated pairs plus their standard error, because a filter with more bits is the better choice in doubt. */
static double pairs_at_most(const eb_estimate *estimate, double eps)
{
    const double pairs = eb_estimate_pairs(estimate, eps), seen = pairs * (double)estimate->count / estimate->pairs;
    return fmin(estimate->pairs, pairs * (1 + 1 / sqrt(fmax(seen, 1))));
}

/* Uses each sampled point's own distance, because a few points that are moved far have most of the candidates. */
static unsure by_frame(const eb_estimate *estimate, const eb_quantised_frame *frame)
{
    const double eps = estimate->question->eps, rows = (double)frame->rows;
    unsure all = {0, 0};
    for (size_t i = 0; i < frame->rows; i++) {
        all.candidates += pairs_at_most(estimate, eps + 2 * frame->row_moved[i]) / rows;
        all.sure += eb_estimate_pairs(estimate, fmax(0, eps - 2 * frame->row_moved[i])) / rows;
    }
    return all;
}

/* The expected pairs, by the rounding errors of a sampled frame. */
static unsure expected(const eb_estimate *estimate)
{
    eb_quantised_frame frame;
    eb_status status;
    if (eb_quantised_frame_make(estimate->problem->left, true, &frame, &status))
        return (unsure){estimate->pairs, 0};
    const unsure all = by_frame(estimate, &frame);
    eb_quantised_frame_free(&frame);
    return all;
}

/* Products that take fewer seconds were never seen to repay their candidates and the frame (100,000 points). */
static const double shortest_products = 8e-3;

/* Adds a millisecond, because a smaller gain is not certain. */
static double cost(const eb_estimate *estimate, const eb_context *context)
{
    const double d = (double)estimate->problem->left->d,
                 row_bytes = d * (double)eb_dtype_size(estimate->problem->left->dtype);
    const double all = eb_byte_products_s(context->device->limit, estimate->pairs, d),
                 multiplied = eb_cost_of_products(estimate, context, ceil(d / 128) * 128, all);
    if (multiplied < shortest_products)
        return INFINITY;
    const unsure pairs = expected(estimate);
    const bool alone = estimate->question->pairs_alone;
    const double decided = pairs.candidates - (alone ? pairs.sure : 0),
                 kept = alone ? 0 : eb_estimate_pairs(estimate, estimate->question->eps);
    return 1e-3 + multiplied + eb_quantised_candidates_s(pairs.candidates, decided, d, row_bytes) +
           eb_quantised_distances_s(kept, d, row_bytes);
}

const eb_way eb_way_int8_cuda = {.name = "int8", .run = &eb_quantised_cuda, .suits = suits_numbers, .cost = cost};

#endif
