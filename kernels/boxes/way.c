/* way: boxes on a GPU as a way of `exact` (core/engine/way.h). */
#include "kernels/boxes/cost.h"

#ifdef EB_HAVE_CUDA

extern const eb_implementation eb_boxes_cuda;
extern const eb_way eb_way_boxes_cuda;
eb_code eb_boxes_cuda_look(void *state, const eb_question *question, double *seconds, eb_status *status);

/* The larger of a lower bound and half a guess. eb_boxes_cuda_look uploads, orders and lists the points, which takes
 * long at many dimensions, and is not called if another way takes less than this. */
static double least(const eb_estimate *estimate, const eb_context *context)
{
    return fmax(eb_boxes_least(estimate, context->device), eb_boxes_guess(estimate, context->device) / 2);
}

const eb_way eb_way_boxes_cuda = {.name = "boxes",
                                  .run = &eb_boxes_cuda,
                                  .suits = eb_boxes_suit,
                                  .cost = least,
                                  .look = eb_boxes_cuda_look};

#endif
