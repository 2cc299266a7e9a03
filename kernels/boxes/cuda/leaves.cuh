/* leaves: orders points on the device and stores them in the layout that kernels read: leaf by leaf, dimension after
 * dimension, 32 points each. Also makes the boxes around leaves, and the levels of boxes above them (shape.h).
 */
#pragma once

#include "kernels/boxes/shape.h"
#include "kernels/device/gpu.cuh"

namespace eb {

/* ---- the order of the points ---- */

/* Orders n × d points into leaves: measures each dimension's spread, sorts Morton codes by radix, and bisects each
 * segment within a block. The order does not depend on ε. Writes point[k], the point at place k of leaves · 32;
 * no_point marks an empty place (order.cu). */
constexpr uint32_t no_point = ~0u;
eb_code order_in_leaves(const double *points, size_t n, size_t d, device_array<uint32_t> &point, cudaStream_t stream,
                        eb_status *status);

/* Device bytes for each point during order_in_leaves, `point` included. */
constexpr size_t ordering_bytes_a_point = 2 * (sizeof(uint64_t) + sizeof(uint32_t)) + sizeof(uint32_t);

/* ---- leaves ---- */

/* Device arrays, indexed by eb_at_dimension. A box is (low, high), the exact range of its points. */
struct leaf_view {
    const double *coordinate; /* NaN at a place without a point: nothing is near NaN */
    const uint32_t *point;    /* [leaves · 32] */
    const double2 *box[EB_BOX_LEVELS];
    uint32_t boxes[EB_BOX_LEVELS]; /* number of boxes of each level; level 0 are the leaves */
    uint32_t d;
};

class leaves {
  public:
    /* points: n × d, not needed afterwards. During the call the device has the points twice. */
    eb_code make(const double *points, size_t n, size_t d, cudaStream_t stream, eb_status *status);
    const leaf_view &view() const { return view_; }
    uint32_t count() const { return view_.boxes[0]; }

    /* Bytes of a leaf with its share of the boxes above. */
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

/* s + t·t for one dimension, rounded once. */
__device__ __forceinline__ double add_square(double s, double p, double q)
{
    const double t = __dsub_rn(p, q);
    return __fma_rn(t, t, s);
}

/* Enqueues the kernel that writes out[q · n + j], the squared distance of query q and point j of n, by the exact
 * engine's sums. queries: [count][d]. */
eb_code find_distances(const leaf_view &leaves, const double *queries, size_t count, size_t n, double *out,
                       cudaStream_t stream, eb_status *status);

} // namespace eb
