/* layers: kernels that cut the nodes of MiSTIC's tree (tree.cuh) by layers, and that sum what a layer leaves. A point's
 * bin becomes a key, which is sorted, or one more in a count, for many layers at once.
 */
#pragma once

#include "kernels/device/gpu.cuh"
#include "kernels/mistic/bins.h"

namespace eb {

constexpr uint64_t bin_mask = (uint64_t{1} << EB_BIN_BITS) - 1;

static __device__ __forceinline__ size_t thread_number()
{
    return blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
}

/* The points as a layer bins them. */
struct binned_points {
    const double *points;
    size_t n, d;
    double width;
    const uint32_t *node, *cut; /* [n] each point's node; [nodes] 1: the node is cut */
};

/* What becomes of a point's bin: a key, to be sorted, of its node and bin; or, where the bins of all cut nodes fit, one
 * more in a count. layer: counted from the kernel's first. */
struct keyed_bins {
    uint64_t *key;
    __device__ void take(const binned_points &of, size_t i, uint32_t, uint32_t bin) const
    {
        key[i] = static_cast<uint64_t>(of.node[i]) << EB_BIN_BITS | (of.cut[of.node[i]] ? bin : 0);
    }
};
struct counted_bins {
    const uint32_t *place; /* [nodes] the number of cut nodes before */
    uint32_t *count;       /* [layers × counts], counts = cut nodes × bins */
    uint64_t counts;
    uint32_t bins;
    __device__ void take(const binned_points &of, size_t i, uint32_t layer, uint32_t bin) const
    {
        if (of.cut[of.node[i]])
            atomicAdd(count + layer * counts + static_cast<uint64_t>(place[of.node[i]]) * bins + bin, 1u);
    }
};

/* `lanes` threads take a point and share its dimensions in an order that does not depend on their number; lanes is at
 * least d, or 32. */
template <int lanes, class bins_of>
static __global__ void cut_by_distance(binned_points of, const double *references, uint32_t layers, bins_of to)
{
    const size_t i = thread_number() / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const bool there = i < of.n;
    for (uint32_t r = 0; r < layers; r++) {
        const double *reference = references + r * of.d;
        double s = 0;
        for (size_t k = lane; there && k < of.d; k += lanes) {
            const double t = of.points[i * of.d + k] - reference[k];
            s = __fma_rn(t, t, s);
        }
#pragma unroll
        for (int step = lanes / 2; step > 0; step /= 2)
            s += __shfl_xor_sync(~0u, s, step);
        if (there && lane == static_cast<int>(r % lanes)) /* all lanes have the sum */
            to.take(of, i, r, eb_bin_of(sqrt(s), of.width));
    }
}

template <class bins_of>
static __global__ void cut_by_coordinate(binned_points of, uint32_t dimension, double low, bins_of to)
{
    const size_t i = thread_number();
    if (i < of.n)
        to.take(of, i, 0, eb_bin_of(of.points[i * of.d + dimension] - low, of.width));
}

/* Adds up over a warp; its first lane adds the sums to the device's. */
static __device__ __forceinline__ void add_sums(unsigned long long squares, unsigned long long pairs,
                                                unsigned long long runs, unsigned long long *sums)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        squares += __shfl_xor_sync(~0u, squares, step);
        pairs += __shfl_xor_sync(~0u, pairs, step);
        runs += __shfl_xor_sync(~0u, runs, step);
    }
    if (threadIdx.x % 32 == 0 && squares > 0) {
        atomicAdd(sums, squares);
        atomicAdd(sums + 1, pairs);
        atomicAdd(sums + 2, runs);
    }
}

/* The sums of add_runs, of counted bins: blockIdx.y is the layer. */
static __global__ void add_bins(const uint32_t *count, uint64_t all, uint32_t bins, unsigned long long *sums)
{
    unsigned long long squares = 0, pairs = 0, runs = 0;
    count += blockIdx.y * all;
    sums += 3 * blockIdx.y;
    for (uint64_t x = thread_number(); x < all; x += static_cast<uint64_t>(gridDim.x) * blockDim.x) {
        const unsigned long long mine = count[x], next = (x + 1) % bins != 0 ? count[x + 1] : 0;
        squares += mine * mine;
        pairs += mine * mine + 2 * mine * next;
        runs += mine > 0;
    }
    add_sums(squares, pairs, runs, sums);
}

/* The sums of nodes that are not cut: a run each. */
static __global__ void add_whole(const uint32_t *size, const uint32_t *cut, uint32_t nodes, unsigned long long *sums)
{
    const size_t v = thread_number();
    const bool whole = v < nodes && !cut[v];
    const unsigned long long mine = whole ? size[v] : 0;
    add_sums(mine * mine, mine * mine, whole, sums);
}

/* Sums size² of all runs of nodes that are cut, the pairs of points in the same or neighbouring bins of such a node,
 * and the runs. */
static __global__ void add_runs(const uint64_t *run, const uint32_t *size, uint32_t runs, const uint32_t *cut,
                                unsigned long long *sums)
{
    const size_t r = thread_number();
    const bool wanted = r < runs && cut[run[r] >> EB_BIN_BITS];
    unsigned long long squares = 0, pairs = 0;
    if (wanted) {
        const unsigned long long mine = size[r];
        squares = mine * mine;
        pairs = squares;
        if (r + 1 < runs && run[r + 1] == run[r] + 1 && (run[r] & bin_mask) != bin_mask)
            pairs += 2 * mine * size[r + 1];
    }
    add_sums(squares, pairs, wanted, sums);
}

} // namespace eb
