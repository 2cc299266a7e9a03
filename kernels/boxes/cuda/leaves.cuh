/* leaves: the points of an order as kernels read them: leaf by leaf, one dimension behind the other, a lane a point;
 * the boxes around leaves, and the levels of boxes above them (shape.h).
 */
#pragma once

#include "kernels/boxes/shape.h"
#include "kernels/device/gpu.cuh"

namespace eb {

/* On the device. Boxes are (low, high), exactly those of their points; eb_at_dimension tells where. */
struct leaf_view {
    const double *coordinate; /* NaN where a place has no point: nothing is near that */
    const uint32_t *point;    /* [leaves · 32] */
    const double2 *box[EB_BOX_LEVELS];
    uint32_t boxes[EB_BOX_LEVELS]; /* of each level, the leaves first */
    uint32_t d;
};

class leaves {
  public:
    /* points: n × d, not needed afterwards. Until then everything lies on the device twice. */
    eb_code make(const double *points, size_t n, size_t d, cudaStream_t stream, eb_status *status);
    const leaf_view &view() const { return view_; }
    uint32_t count() const { return view_.boxes[0]; }

    /* Bytes a leaf takes, and the boxes above it. */
    static size_t bytes_a_leaf(size_t d)
    {
        return EB_LEAF * (d * sizeof(double) + sizeof(uint32_t)) + 2 * d * sizeof(double2);
    }

  private:
    device_array<double> coordinate_;
    device_array<uint32_t> point_;
    device_array<double2> box_[EB_BOX_LEVELS];
    leaf_view view_{};
};

} // namespace eb
