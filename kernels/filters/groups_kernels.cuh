/* groups_kernels: the kernels of groups.cuh, in the order of its steps. */
#pragma once

#include "kernels/filters/filter.cuh"
#include "kernels/filters/grouping.h"

namespace eb {

constexpr uint32_t most_sampled = 2048, most_pivots = 512;

/* ---- products with pivots ---- */

/* A warp has 32 rows by 32 pivots, a block 64 by 128. A lane reads 16 bytes of a row at a time and uses them as the
 * words that the instruction expects from it, for rows and pivots alike. This changes only the order in which products
 * are added. */
constexpr int multiplying_warps = 8;
constexpr uint32_t rows_a_warp = 32, rows_a_block = 64, pivots_a_block = 128;

template <class products>
static __global__ void __launch_bounds__(32 * multiplying_warps)
    multiply_pivots(const typename products::point *points, size_t d_padded, const uint32_t *row, uint32_t rows,
                    const uint32_t *pivot, uint32_t pivots, uint32_t wide, typename products::value *out)
{
    using value = typename products::value;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const uint32_t first = blockIdx.x * rows_a_block + warp / 4 * rows_a_warp,
                   column = blockIdx.y * pivots_a_block + warp % 4 * rows_a_warp;
    const size_t chunks = d_padded * sizeof(typename products::point) / sizeof(uint4);
    const uint4 *of_row[4], *of_pivot[4];
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t r = min(first + 8 * k + g, rows - 1), p = min(column + 8 * k + g, pivots - 1);
        of_row[k] = reinterpret_cast<const uint4 *>(points + (row ? row[r] : r) * d_padded) + t;
        of_pivot[k] = reinterpret_cast<const uint4 *>(points + pivot[p] * d_padded) + t;
    }
    value sum[2][4][4] = {};
    for (size_t k = 0; k < chunks; k += 4) {
        uint4 a[4], b[4];
#pragma unroll
        for (int m = 0; m < 4; m++) {
            a[m] = of_row[m][k];
            b[m] = of_pivot[m][k];
        }
#pragma unroll
        for (int m = 0; m < 2; m++) {
            const uint4 upper = a[2 * m], lower = a[2 * m + 1];
            const uint32_t one[4] = {upper.x, lower.x, upper.y, lower.y}, two[4] = {upper.z, lower.z, upper.w, lower.w};
#pragma unroll
            for (int c = 0; c < 4; c++) {
                products::multiply(sum[m][c], one, b[c].x, b[c].y);
                products::multiply(sum[m][c], two, b[c].z, b[c].w);
            }
        }
    }
#pragma unroll
    for (uint32_t m = 0; m < 2; m++)
#pragma unroll
        for (uint32_t c = 0; c < 4; c++)
#pragma unroll
            for (uint32_t e = 0; e < 4; e++) {
                const uint32_t r = first + 16 * m + g + e / 2 * 8;
                if (r < rows)
                    out[static_cast<size_t>(r) * wide + column + 8 * c + 2 * t + e % 2] = sum[m][c][e];
            }
}

/* ---- pivots ---- */

struct spread_result {
    unsigned long long near, close; /* sampled pairs that may be near or close, in both orders, with self pairs */
    uint32_t pivots;                /* 0: groups would not help */
    float radius;                   /* greatest distance of a sampled point from its pivot */
};

static __global__ void take_sample(size_t count, uint32_t sampled, uint32_t *sample)
{
    const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < sampled)
        sample[k] = static_cast<uint32_t>(k * count / sampled);
}

/* Each block counts the near and close pairs of one sampled point. */
template <class filter>
static __global__ void count_near(const typename filter::numbers::value *product, uint32_t wide,
                                  const typename filter::known *known, const uint32_t *sample, uint32_t sampled,
                                  typename filter::bound bound, float eps, spread_result *result)
{
    const typename filter::known mine = known[sample[blockIdx.x]];
    uint32_t near = 0, close = 0;
    for (uint32_t m = threadIdx.x; m < sampled; m += blockDim.x) {
        const float d =
            filter::distance(product[static_cast<size_t>(blockIdx.x) * wide + m], mine, known[sample[m]], bound).x;
        near += d <= EB_GROUPING_NEAR * eps;
        close += d <= EB_GROUPING_CLOSE * eps;
    }
    near = __reduce_add_sync(~0u, near);
    close = __reduce_add_sync(~0u, close);
    if (threadIdx.x % 32 == 0 && near > 0) {
        atomicAdd(&result->near, static_cast<unsigned long long>(near));
        atomicAdd(&result->close, static_cast<unsigned long long>(close));
    }
}

constexpr uint32_t spreading_threads = 1024;

/* One block chooses the pivots; each of its threads has two sampled points. Ends when all points are within `enough` of
 * a pivot. always: choose pivots even if groups would not help. */
template <class filter>
static __global__ void __launch_bounds__(spreading_threads)
    spread(const typename filter::numbers::value *product, uint32_t wide, const typename filter::known *known,
           const uint32_t *sample, uint32_t sampled, typename filter::bound bound, float enough, bool always,
           uint32_t *pivot, spread_result *result)
{
    constexpr uint32_t each = most_sampled / spreading_threads, warps = spreading_threads / 32;
    __shared__ uint2 farthest[2][warps]; /* bits of the distance, number of the sampled point */
    if (!always && !eb_grouping_helps(static_cast<double>(sampled) * sampled, static_cast<double>(result->near),
                                      static_cast<double>(result->close)))
        return;
    typename filter::known mine[each];
    uint32_t away[each], next = 0; /* away: bits of the distance to the nearest pivot; 0 without a point */
    for (uint32_t e = 0; e < each; e++) {
        const uint32_t m = threadIdx.x + e * spreading_threads;
        mine[e] = known[sample[min(m, sampled - 1)]];
        away[e] = m < sampled ? __float_as_uint(3.4e38f) : 0;
    }
    for (uint32_t k = 0; k < most_pivots; k++) {
        const typename filter::known newest = known[sample[next]];
        uint2 best = make_uint2(0, 0);
        for (uint32_t e = 0; e < each; e++) {
            const uint32_t m = threadIdx.x + e * spreading_threads;
            if (m >= sampled)
                continue;
            const float d = filter::distance(product[static_cast<size_t>(next) * wide + m], mine[e], newest, bound).x;
            away[e] = m == next ? 0 : min(away[e], __float_as_uint(fmaxf(d, 0.0f)));
            best = away[e] > best.x ? make_uint2(away[e], m) : best;
        }
        const uint32_t of_warp = __reduce_max_sync(~0u, best.x);
        const uint32_t who = __reduce_min_sync(~0u, best.x == of_warp ? best.y : ~0u);
        if (threadIdx.x % 32 == 0)
            farthest[k % 2][threadIdx.x / 32] = make_uint2(of_warp, who);
        if (threadIdx.x == 0)
            pivot[k] = sample[next];
        __syncthreads();
        const uint2 theirs = farthest[k % 2][threadIdx.x % 32];
        const uint32_t all = __reduce_max_sync(~0u, theirs.x);
        next = __reduce_min_sync(~0u, theirs.x == all ? theirs.y : ~0u);
        if (threadIdx.x == 0) {
            result->pivots = k + 1;
            result->radius = __uint_as_float(all);
        }
        if (all <= __float_as_uint(enough))
            return;
    }
}

/* ---- groups ---- */

/* Each warp finds the nearest pivot of one point. */
template <class filter>
static __global__ void nearest_pivots(const typename filter::numbers::value *product, uint32_t wide,
                                      const typename filter::known *known, uint32_t count, const uint32_t *pivot,
                                      uint32_t pivots, typename filter::bound bound, float farthest, float *group)
{
    const uint32_t point = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (point >= count)
        return;
    const typename filter::known mine = known[point];
    uint2 best = make_uint2(__float_as_uint(3.4e38f), pivots);
    for (uint32_t p = lane; p < pivots; p += 32) {
        const float d =
            filter::distance(product[static_cast<size_t>(point) * wide + p], mine, known[pivot[p]], bound).y;
        const uint32_t away = __float_as_uint(d);
        best = away < best.x ? make_uint2(away, p) : best;
    }
    const uint32_t least = __reduce_min_sync(~0u, best.x);
    const uint32_t which = __reduce_min_sync(~0u, best.x == least ? best.y : ~0u);
    if (lane == 0)
        group[point] = static_cast<float>(least <= __float_as_uint(farthest) ? which : pivots);
}

/* The segments of tiles. */
struct tile_segments {
    uint2 *first;        /* [tiles] first segment, number of segments */
    uint32_t *own;       /* [segments] pivot of the segment's group; `pivots`: no pivot is near */
    float *most, *least; /* [segments] greatest distance to the own pivot; [pivots][segments] least distance to each */
    uint32_t pivots, segments;
};

constexpr uint32_t cutting_threads = 256;

/* Each block cuts one tile into segments; a thread has every 256th pivot. Only points have segments, not padding. */
template <class filter>
static __global__ void __launch_bounds__(cutting_threads)
    cut_segments(const typename filter::numbers::value *product, uint32_t wide, const typename filter::known *known,
                 uint32_t count, uint32_t side, const uint32_t *point, const float *group, const uint32_t *pivot,
                 typename filter::bound bound, tile_segments out, unsigned long long *taken)
{
    __shared__ uint32_t place;
    const uint32_t begin = blockIdx.x * side, end = min(begin + side, count);
    uint32_t segments = 0;
    for (uint32_t base = begin; base < end; base += cutting_threads) {
        const uint32_t k = base + threadIdx.x;
        segments += __syncthreads_count(k < end && (k == begin || group[point[k]] != group[point[k - 1]]));
    }
    if (threadIdx.x == 0) {
        place = static_cast<uint32_t>(atomicAdd(taken, static_cast<unsigned long long>(segments)));
        out.first[blockIdx.x] = make_uint2(place, segments);
    }
    __syncthreads();
    uint32_t at = place;
    for (uint32_t from = begin, to; from < end; from = to, at++) {
        const float of = group[point[from]];
        const uint32_t own = static_cast<uint32_t>(of);
        for (to = from + 1; to < end && group[point[to]] == of;)
            to++;
        for (uint32_t p = threadIdx.x; p < out.pivots; p += cutting_threads) {
            const typename filter::known centre = known[pivot[p]];
            float least = 3.4e38f, most = 0;
            for (uint32_t k = from; k < to; k++) {
                const uint32_t i = point[k];
                const float2 d = filter::distance(product[static_cast<size_t>(i) * wide + p], known[i], centre, bound);
                least = fminf(least, d.x);
                most = fmaxf(most, d.y);
            }
            out.least[static_cast<size_t>(p) * out.segments + at] = least;
            if (p == own)
                out.most[at] = most;
        }
        if (threadIdx.x == 0)
            out.own[at] = own;
    }
}

/* ---- tiles ---- */

/* True if the pivot of segment a proves that no pair of a and b is within eps. eps is rounded up. */
static __device__ __forceinline__ bool is_shown_far(const tile_segments &of, uint32_t a, uint32_t b, float eps)
{
    const uint32_t p = of.own[a];
    return p < of.pivots && __fsub_rd(of.least[static_cast<size_t>(p) * of.segments + b], of.most[a]) > eps;
}

/* Each block lists the near tiles of one row of tiles. */
static __global__ void list_near_tiles(tile_segments of, uint32_t tiles, float eps, uint2 *list,
                                       unsigned long long *listed)
{
    const uint32_t row = blockIdx.x, lane = threadIdx.x % 32;
    const uint2 mine = of.first[row];
    for (uint32_t base = row; base < tiles; base += blockDim.x) {
        const uint32_t column = base + threadIdx.x;
        bool near = false;
        if (column < tiles) {
            const uint2 theirs = of.first[column];
            for (uint32_t a = mine.x; a < mine.x + mine.y && !near; a++)
                for (uint32_t b = theirs.x; b < theirs.x + theirs.y && !near; b++)
                    near = !is_shown_far(of, a, b, eps) && !is_shown_far(of, b, a, eps);
        }
        const unsigned votes = __ballot_sync(~0u, near);
        unsigned long long at = 0;
        if (lane == 0 && votes != 0)
            at = atomicAdd(listed, static_cast<unsigned long long>(__popc(votes)));
        at = __shfl_sync(~0u, at, 0) + __popc(votes & ((1u << lane) - 1));
        if (near)
            list[at] = make_uint2(row, column);
    }
}

} // namespace eb
