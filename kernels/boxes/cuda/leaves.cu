#include "kernels/boxes/cuda/leaves.cuh"

namespace eb {

namespace {

constexpr const char *packing = "making leaves of the points";
constexpr unsigned warps = 8;

/* The box around the warp's intervals, in lane 0. */
__device__ double2 around(double low, double high)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        low = fmin(low, __shfl_down_sync(~0u, low, step)); /* fmin and fmax ignore NaN */
        high = fmax(high, __shfl_down_sync(~0u, high, step));
    }
    return make_double2(low, high);
}

__device__ uint32_t warp_number() { return blockIdx.x * warps + threadIdx.x / 32; }

/* Each warp packs one leaf. */
__global__ void pack(const double *points, const uint32_t *point, uint32_t leaves, uint32_t d, double *coordinate,
                     double2 *box)
{
    const uint32_t leaf = warp_number(), lane = threadIdx.x % 32;
    if (leaf >= leaves)
        return;
    const uint32_t p = point[leaf * size_t{EB_LEAF} + lane];
    for (uint32_t k = 0; k < d; k++) {
        const double x = p == no_point ? NAN : points[static_cast<size_t>(p) * d + k];
        coordinate[eb_at_dimension(leaf * EB_LEAF + lane, k, d)] = x;
        const double2 all = around(x, x);
        if (lane == 0)
            box[eb_at_dimension(leaf, k, d)] = all;
    }
}

/* Each warp makes one box around the boxes of its lanes. */
__global__ void raise(const double2 *below, uint32_t boxes_below, uint32_t boxes, uint32_t d, double2 *box)
{
    const uint32_t above = warp_number(), lane = threadIdx.x % 32, child = above * 32 + lane;
    if (above >= boxes)
        return;
    for (uint32_t k = 0; k < d; k++) {
        const double2 one = child < boxes_below ? below[eb_at_dimension(child, k, d)] : make_double2(NAN, NAN);
        const double2 all = around(one.x, one.y);
        if (lane == 0)
            box[eb_at_dimension(above, k, d)] = all;
    }
}

} // namespace

eb_code leaves::make(const double *points, size_t n, size_t d, cudaStream_t stream, eb_status *status)
{
    view_.d = static_cast<uint32_t>(d);
    EB_TRY(order_in_leaves(points, n, d, point_, stream, status));
    for (uint64_t level = 0, below = n; level < EB_BOX_LEVELS; level++) {
        below = view_.boxes[level] = eb_groups_of_32(below);
        EB_TRY(box_[level].reserve(round_up(below, 32) * d, packing, status));
        view_.box[level] = box_[level].get();
    }
    EB_TRY(coordinate_.reserve(count() * EB_LEAF * d, packing, status));
    pack<<<(count() + warps - 1) / warps, warps * 32, 0, stream>>>(points, point_.get(), count(), view_.d,
                                                                   coordinate_.get(), box_[0].get());
    for (int level = 1; level < EB_BOX_LEVELS; level++) {
        const uint32_t below = view_.boxes[level - 1], boxes = view_.boxes[level];
        raise<<<(boxes + warps - 1) / warps, warps * 32, 0, stream>>>(box_[level - 1].get(), below, boxes, view_.d,
                                                                      box_[level].get());
    }
    EB_CUDA(cudaGetLastError(), packing);
    view_.coordinate = coordinate_.get();
    view_.point = point_.get();
    return EB_OK;
}

/* ---- distances from queries ---- */

namespace {

constexpr unsigned threads = 256, queries_a_thread = 8;

/* Each thread computes the distances of eight queries to the point at one place. */
__global__ void __launch_bounds__(threads)
    distances(leaf_view v, const double *queries, size_t count, size_t n, double *out)
{
    const uint32_t place = blockIdx.x * threads + threadIdx.x;
    const size_t first = blockIdx.y * size_t{queries_a_thread};
    const uint32_t point = place < v.boxes[0] * EB_LEAF ? v.point[place] : no_point;
    if (point == no_point)
        return;
    double s[queries_a_thread] = {};
    for (uint32_t k = 0; k < v.d; k++) {
        const double p = v.coordinate[eb_at_dimension(place, k, v.d)];
#pragma unroll
        for (unsigned q = 0; q < queries_a_thread; q++)
            s[q] = add_square(s[q], queries[min(first + q, count - 1) * v.d + k], p);
    }
#pragma unroll
    for (unsigned q = 0; q < queries_a_thread; q++)
        if (first + q < count)
            out[(first + q) * n + point] = s[q];
}

} // namespace

eb_code find_distances(const leaf_view &leaves, const double *queries, size_t count, size_t n, double *out,
                       cudaStream_t stream, eb_status *status)
{
    const dim3 grid(static_cast<unsigned>((leaves.boxes[0] * EB_LEAF + threads - 1) / threads),
                    static_cast<unsigned>((count + queries_a_thread - 1) / queries_a_thread));
    distances<<<grid, threads, 0, stream>>>(leaves, queries, count, n, out);
    EB_CUDA(cudaGetLastError(), "computing distances from queries");
    return EB_OK;
}

} // namespace eb
