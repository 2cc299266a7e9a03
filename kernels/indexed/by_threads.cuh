/* by_threads: the sums of differences.cuh, distributed over lanes as in MiSTIC's and GDS-Join's codes: `threads` lanes
 * share a query, each takes every `threads`-th candidate, and every lane reads its candidate by itself.
 */
#pragma once

#include "kernels/indexed/differences.cuh"

namespace eb {

/* True if the squared distance of a lane's query and candidate is within the threshold. Adds the number of dimensions
 * summed to `looked`. */
template <class real, class index_view>
__device__ __forceinline__ bool add_difference(const difference_arguments<index_view> &a, const real *query,
                                               const real *candidate, real &s, unsigned long long &looked)
{
    uint32_t until_test = a.test_every;
    s = 0;
    for (uint32_t k = 0; k < a.d_padded; k += difference_chunk) {
        real p[difference_chunk], c[difference_chunk];
        const uint32_t heads = heads_of(k, a.ilp);
        load_four(query + k, p);
        load_four(candidate + k, c);
        looked += min(difference_chunk, a.d - k);
#pragma unroll
        for (uint32_t x = 0; x < difference_chunk; x++)
            s = add_square(p[x], c[x], s, heads >> x & 1);
        if (a.test_every == 0 || (until_test -= difference_chunk) > 0)
            continue;
        until_test = a.test_every;
        if (!(static_cast<double>(s) <= a.threshold))
            return false;
    }
    return static_cast<double>(s) <= a.threshold;
}

template <class real, output writes, class index_view>
__global__ void __launch_bounds__(difference_threads, 4) join_by_threads(const difference_arguments<index_view> a)
{
    __shared__ neighbour_places all_neighbours[difference_warps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const uint64_t number = (a.first_tile + blockIdx.x) * difference_warps + warp;
    if (number >= a.groups)
        return;
    const query_group group = a.index.group[number];
    const real *image = static_cast<const real *>(a.image);
    neighbour_places &near = all_neighbours[warp];
    const uint32_t batches = batches_of(a.index, group.cell), from = a.whole && a.unidirectional ? group.first : 0;
    const uint32_t own = static_cast<uint32_t>(lane) % a.threads;
    unsigned long long looked = 0, all_candidates = 0;
    uint32_t counted = 0;
    for (uint32_t batch = 0; batch < batches; batch++) {
        const uint32_t candidates = find_neighbours(a.index, group.cell, batch, from, near, lane);
        all_candidates += candidates;
        for (uint32_t turn = 0; turn < group.queries; turn += 32 / a.threads) {
            const uint32_t q = turn + static_cast<uint32_t>(lane) / a.threads;
            const bool asks = q < group.queries;
            const uint32_t query = group.first + (asks ? q : 0), query_point = a.index.point[query];
            const bool wanted = asks && (a.whole || (query_point >= a.row_begin && query_point < a.row_end));
            neighbour_walk walk(near);
            if (!__any_sync(~0u, wanted))
                continue;
            for (uint32_t base = 0; base < candidates; base += a.threads) {
                real s = 0;
                bool hit = false;
                uint32_t place = 0;
                if (wanted && base + own < candidates) {
                    place = walk.place(base + own);
                    hit = (a.whole ? true : place != query) &&
                          add_difference(a, image + static_cast<size_t>(query) * a.d_padded,
                                         image + static_cast<size_t>(place) * a.d_padded, s, looked) &&
                          (!a.whole || place > query);
                }
                counted += hit;
                if (writes == output::count || !__any_sync(~0u, hit))
                    continue;
                const unsigned long long at = places_for(a.out, hit, lane);
                if (hit)
                    store_at(a.out, at, make_uint2(query_point, a.index.point[place]), static_cast<double>(s));
            }
        }
        __syncwarp();
    }
    if (writes == output::count)
        add_count(a.out.found, __reduce_add_sync(~0u, counted), lane);
    add_looks(a, all_candidates * group.queries, looked, lane);
}

} // namespace eb
