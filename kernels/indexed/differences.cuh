/* differences: squared distances on CUDA cores between queries and the candidates that an index gives for them. A warp
 * takes up to eight queries with the same candidates; each lane takes one candidate at a time and reads its coordinates
 * once for all eight queries. A pair's sum runs over the dimensions in the image's order and is formed as in GDS-Join's
 * and MiSTIC's codes, in groups of `ilp` dimensions: the first square of a group is added by an FMA, the others are
 * rounded and then added one by one. A warp stops as soon as all its sums exceed the threshold.
 */
#pragma once

#include "kernels/indexed/append.cuh"
#include "kernels/indexed/neighbours.cuh"

namespace eb {

/* index_view: the part of an index that kernels read (grid/cells.cuh, mistic/cuda/tree.cuh). */
template <class index_view> struct difference_arguments : indexed_arguments {
    index_view index;
    uint64_t groups;
    const void *image; /* coordinates in the order of places, rows of d_padded */
    uint32_t d, d_padded;
    uint32_t ilp;        /* 1, 2 or a multiple of 4 */
    uint32_t test_every; /* dimensions between two tests for an early stop; 0: no early stop */
    bool unidirectional;
    uint32_t threads;            /* lanes per query (by_threads.cuh) */
    unsigned long long *counted; /* [2] as in candidate_counter.cuh */
};

constexpr int difference_warps = 8, difference_threads = 32 * difference_warps;
constexpr uint32_t difference_chunk = 4; /* dimensions loaded at a time; rows are padded to a multiple of it */

__device__ __forceinline__ void load_four(const float *from, float (&to)[4])
{
    const float4 v = *reinterpret_cast<const float4 *>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

__device__ __forceinline__ void load_four(const double *from, double (&to)[4])
{
    const double2 v = reinterpret_cast<const double2 *>(from)[0], w = reinterpret_cast<const double2 *>(from)[1];
    to[0] = v.x, to[1] = v.y, to[2] = w.x, to[3] = w.y;
}

/* head: the dimension is the first of its group. */
__device__ __forceinline__ float add_square(float p, float q, float s, bool head)
{
    const float t = __fsub_rn(p, q);
    return head ? __fmaf_rn(t, t, s) : __fadd_rn(s, __fmul_rn(t, t));
}

__device__ __forceinline__ double add_square(double p, double q, double s, bool head)
{
    const double t = __dsub_rn(p, q);
    return head ? __fma_rn(t, t, s) : __dadd_rn(s, __dmul_rn(t, t));
}

/* A bit for each of the four dimensions from k on: set if it is the first of its group. */
__device__ __forceinline__ uint32_t heads_of(uint32_t k, uint32_t ilp)
{
    return ilp == 1 ? 15u : ilp == 2 ? 5u : k % ilp == 0 ? 1u : 0u;
}

/* A warp's queries. */
struct query_work {
    uint32_t first, queries; /* places of the queries */
    int lane;
};

/* Squared distances of a lane's candidate to all queries. Returns a bit for each query within ε; adds the dimensions
 * summed to `looked`. */
template <class real, class index_view>
__device__ __forceinline__ uint32_t add_differences(const difference_arguments<index_view> &a, const query_work &w,
                                                    const real *candidate, bool valid, real (&s)[queries_a_group],
                                                    unsigned long long &looked)
{
    const real *queries = static_cast<const real *>(a.image) + static_cast<size_t>(w.first) * a.d_padded;
    uint32_t alive = valid ? (1u << w.queries) - 1 : 0;
    uint32_t until_test = a.test_every;
#pragma unroll
    for (uint32_t q = 0; q < queries_a_group; q++)
        s[q] = 0;
    for (uint32_t k = 0; k < a.d_padded; k += difference_chunk) {
        real c[difference_chunk];
        const uint32_t heads = heads_of(k, a.ilp);
        load_four(candidate + k, c);
        looked += __popc(alive) * min(difference_chunk, a.d - k);
#pragma unroll
        for (uint32_t q = 0; q < queries_a_group; q++) {
            real p[difference_chunk];
            load_four(queries + (q < w.queries ? q : 0) * a.d_padded + k, p);
#pragma unroll
            for (uint32_t x = 0; x < difference_chunk; x++)
                s[q] = add_square(p[x], c[x], s[q], heads >> x & 1);
        }
        if (a.test_every == 0 || k + difference_chunk >= a.d_padded || (until_test -= difference_chunk) > 0)
            continue;
        until_test = a.test_every;
#pragma unroll
        for (uint32_t q = 0; q < queries_a_group; q++)
            alive &= static_cast<double>(s[q]) <= a.threshold ? ~0u : ~(1u << q);
        if (!__any_sync(~0u, alive != 0))
            return 0;
    }
#pragma unroll
    for (uint32_t q = 0; q < queries_a_group; q++)
        alive &= static_cast<double>(s[q]) <= a.threshold ? ~0u : ~(1u << q);
    return alive;
}

/* Keeps, of the pairs within ε, those that the question asks for: each pair once, or all entries of the rows asked for.
 * rows: a bit for each query whose row is asked for. */
__device__ __forceinline__ uint32_t wanted_of(const indexed_arguments &a, uint32_t first, uint32_t place, uint32_t rows,
                                              uint32_t within)
{
    if (!a.whole)
        return within & rows & ~(place >= first && place < first + 32 ? 1u << (place - first) : 0u);
    const uint32_t before = place > first ? place - first : 0; /* queries at places before the candidate's */
    return before >= 32 ? within : within & ((1u << before) - 1);
}

/* Appends a warp's hits of one round with one atomic. hits: the lane's queries, a bit each. */
template <class real>
__device__ __forceinline__ void append_round(const hit_buffer<double> &out, uint32_t hits, uint32_t query_point,
                                             uint32_t candidate_point, const real (&s)[queries_a_group], int lane)
{
    if (!__any_sync(~0u, hits != 0))
        return;
    unsigned long long at = places_for(out, __popc(hits), lane);
#pragma unroll
    for (uint32_t q = 0; q < queries_a_group; q++) {
        const uint32_t i = __shfl_sync(~0u, query_point, static_cast<int>(q));
        if (hits >> q & 1)
            store_at(out, at++, make_uint2(i, candidate_point), static_cast<double>(s[q]));
    }
}

/* Adds to the counters. candidates: their number in the warp; looked: dimensions summed by the lane. */
template <class index_view>
__device__ __forceinline__ void add_looks(const difference_arguments<index_view> &a, unsigned long long candidates,
                                          unsigned long long looked, int lane)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        looked += __shfl_xor_sync(~0u, looked, step);
    if (lane == 0) {
        atomicAdd(a.counted, candidates);
        atomicAdd(a.counted + 1, looked);
    }
}

template <class real, output writes, class index_view>
__global__ void __launch_bounds__(difference_threads,
                                  sizeof(real) == 4 ? index_view::blocks_single : index_view::blocks_double)
    join_by_differences(const difference_arguments<index_view> a)
{
    __shared__ neighbour_places all_neighbours[difference_warps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const uint64_t number = (a.first_tile + blockIdx.x) * difference_warps + warp;
    if (number >= a.groups)
        return;
    const query_group group = a.index.group[number];
    const query_work w = {group.first, group.queries, lane};
    const uint32_t query_point = a.index.point[group.first + min(static_cast<uint32_t>(lane), w.queries - 1)];
    const uint32_t rows = __ballot_sync(~0u, query_point >= a.row_begin && query_point < a.row_end);
    if (!a.whole && (rows & ((1u << w.queries) - 1)) == 0)
        return;
    neighbour_places &near = all_neighbours[warp];
    const uint32_t batches = batches_of(a.index, group.cell), from = a.whole && a.unidirectional ? group.first : 0;
    unsigned long long looked = 0, all_candidates = 0;
    uint32_t counted = 0;
    for (uint32_t batch = 0; batch < batches; batch++) {
        const uint32_t candidates = find_neighbours(a.index, group.cell, batch, from, near, lane);
        all_candidates += candidates;
        neighbour_walk walk(near);
        for (uint32_t base = 0; base < candidates; base += 32) {
            const bool valid = base + lane < candidates;
            const uint32_t place = valid ? walk.place(base + lane) : group.first;
            const real *candidate = static_cast<const real *>(a.image) + static_cast<size_t>(place) * a.d_padded;
            real s[queries_a_group];
            const uint32_t within = add_differences(a, w, candidate, valid, s, looked);
            if (!__any_sync(~0u, within != 0))
                continue;
            const uint32_t hits = wanted_of(a, group.first, place, rows, within);
            if (writes == output::count)
                counted += __popc(hits);
            else
                append_round(a.out, hits, query_point, a.index.point[place], s, lane);
        }
        __syncwarp();
    }
    if (writes == output::count)
        add_count(a.out.found, __reduce_add_sync(~0u, counted), lane);
    add_looks(a, all_candidates * w.queries, looked, lane);
}

/* Squared distances of queries to all points, by the same sums: a thread for each point, eight queries at a time. */
template <class real>
__global__ void __launch_bounds__(256) dense_differences(const real *image, uint32_t n, uint32_t d_padded, uint32_t ilp,
                                                         const uint32_t *rows, uint32_t m, double *out)
{
    const uint32_t j = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * queries_a_group;
    if (j >= n)
        return;
    real s[queries_a_group] = {0};
    const real *query[queries_a_group];
#pragma unroll
    for (uint32_t q = 0; q < queries_a_group; q++)
        query[q] = image + static_cast<size_t>(rows[min(first + q, m - 1)]) * d_padded;
    for (uint32_t k = 0; k < d_padded; k += difference_chunk) {
        real c[difference_chunk];
        const uint32_t heads = heads_of(k, ilp);
        load_four(image + static_cast<size_t>(j) * d_padded + k, c);
#pragma unroll
        for (uint32_t q = 0; q < queries_a_group; q++) {
            real p[difference_chunk];
            load_four(query[q] + k, p);
#pragma unroll
            for (uint32_t x = 0; x < difference_chunk; x++)
                s[q] = add_square(p[x], c[x], s[q], heads >> x & 1);
        }
    }
#pragma unroll
    for (uint32_t q = 0; q < queries_a_group; q++)
        if (first + q < m)
            out[static_cast<size_t>(first + q) * n + j] = static_cast<double>(s[q]);
}

} // namespace eb
