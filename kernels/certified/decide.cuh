/* decide: candidates to hits. What the bound is sure of stands, where nobody wants distances; the rest the truth
 * decides. */
#ifndef EB_KERNELS_CERTIFIED_DECIDE_CUH
#define EB_KERNELS_CERTIFIED_DECIDE_CUH

#include "kernels/certified/bound.h"
#include "kernels/fasted/shape.cuh"
#include "kernels/rows/pairs.cuh"

namespace eb {

/* FP16 points with what is known of them, and as they are stored. */
struct certified_panel : f16_panel {
    const eb_certified_point *known;
    const float *width;
    stored_points stored;
};

struct certified_question {
    eb_certified_bound bound;
    double threshold; /* fl(ε·ε) */
    double scale;     /* of the points: what q is in */
};

/* Adds the hits among the candidates held to `hits`. alone: their s are not looked at. Adds its time and how many pairs
 * it met to the context's figures. */
class certified_decider {
  public:
    eb_code decide(const pair_store<float> &candidates, const certified_panel &a, const certified_panel &b,
                   const certified_question &question, bool alone, pair_store<double> &hits, cudaStream_t stream,
                   const eb_context *context, eb_status *status);

  private:
    /* Of one call, on the device. */
    struct tally {
        unsigned long long here, band; /* unsure pairs: in the piece that is worked on; in all pieces */
        unsigned int share;            /* an FP32 number's bits */
    };

    eb_code reserve(uint64_t held, bool alone, eb_status *status);

    device_array<double> s_;
    device_array<uint2> pair_; /* of the band */
    device_array<float> q_;
    device_array<tally> tally_;
};

} // namespace eb

#endif
