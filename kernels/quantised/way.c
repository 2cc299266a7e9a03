/* the 8-bit filter as a way of `exact` (core/engine/way.h): what it costs. */
#include <math.h>

#include "core/engine/way.h"
#include "kernels/quantised/bound.h"
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

/* tests/bench/gpu.md: products at 0.8 of the limit, and at every pair what 40 coordinates take. */
static double products(const eb_outlook *outlook, const eb_context *context)
{
    const double *limit = context->device->limit, fastest = fmax(limit[EB_LIMIT_WGMMA_I8], limit[EB_LIMIT_MMA_I8]);
    const double slices = ceil((double)outlook->problem->left->d / 128);
    return outlook->pairs * 2 * (128 * slices + 40) / (0.8 * (fastest > 0 ? fastest : 1.8e15));
}

/* By the steps that a sampled frame takes, which is looked for where that is little beside the products: else by the
 * step that all sampled values fit. */
static double moved_by(const eb_outlook *outlook, double seconds)
{
    const eb_dataset *left = outlook->problem->left;
    eb_quantised_frame frame;
    eb_status status;
    if (seconds < 2e-3 || eb_quantised_frame_make(left, true, &frame, &status))
        return outlook->widest / EB_QUANTISED_LEVELS * sqrt((double)left->d / 12);
    eb_quantised_frame_free(&frame);
    return frame.moved;
}

/* A candidate takes 0.35 ns to be found, and FP64 reads two rows of each pair it decides at 4.5 TB/s. */
static double cost(const eb_outlook *outlook, const eb_context *context)
{
    const eb_dataset *left = outlook->problem->left;
    const double multiplied = products(outlook, context), moved = moved_by(outlook, multiplied);
    const double eps = outlook->question->eps, row_bytes = (double)left->d * (double)eb_dtype_size(left->dtype);
    const double candidates = eb_outlook_pairs(outlook, eps + 2 * moved);
    const double sure = outlook->question->pairs_alone ? eb_outlook_pairs(outlook, fmax(0, eps - 2 * moved)) : 0;
    return 5e-4 + multiplied + 3.5e-10 * candidates + 2 * row_bytes * (candidates - sure) / 4.5e12;
}

const eb_way eb_way_int8_cuda = {.name = "int8", .run = &eb_quantised_cuda, .suits = suits_numbers, .cost = cost};

#endif
