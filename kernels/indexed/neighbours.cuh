/* neighbours: the candidates of a group of queries, for a warp. An index gives them as ranges of places, in batches of
 * at most ranges_a_batch. The ranges are numbered through, so that lanes take 32 candidates at a time whatever their
 * lengths.
 */
#pragma once

#include <cstdint>

namespace eb {

constexpr uint32_t queries_a_group = 8; /* at most */

/* Queries with the same candidates, which one warp takes. */
struct query_group {
    uint32_t cell, first, queries; /* first: the place of its first query; the others follow */
};

constexpr uint32_t ranges_a_batch = 243; /* 3^5: a grid's rows of neighbouring cells */

/* The candidates of a warp, in shared memory. */
struct neighbour_places {
    uint32_t first[ranges_a_batch];      /* the first place of each non-empty range */
    uint32_t before[ranges_a_batch + 1]; /* the number of points in earlier ranges */
};

/* Called by all lanes: collects `ranges` ranges; range(r) gives places x to y. Places before `from` are left out.
 * Returns the number of points. */
template <class range_of>
__device__ __forceinline__ uint32_t gather_ranges(uint32_t ranges, uint32_t from, neighbour_places &out, int lane,
                                                  range_of range)
{
    uint32_t kept = 0, points = 0;
    for (uint32_t base = 0; base < ranges; base += 32) {
        const uint32_t r = base + static_cast<uint32_t>(lane);
        uint2 places = r < ranges ? range(r) : make_uint2(0, 0);
        places.x = max(places.x, from);
        const uint32_t length = places.y > places.x ? places.y - places.x : 0;
        const unsigned some = __ballot_sync(~0u, length > 0);
        uint32_t through = length;
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const uint32_t before = __shfl_up_sync(~0u, through, step);
            through += lane >= step ? before : 0;
        }
        if (length > 0) {
            const uint32_t at = kept + __popc(some & ((1u << lane) - 1));
            out.first[at] = places.x;
            out.before[at] = points + through - length;
        }
        kept += __popc(some);
        points += __shfl_sync(~0u, through, 31);
    }
    if (lane == 0)
        out.before[kept] = points;
    __syncwarp();
    return points;
}

/* Finds the place of a candidate by its number. A lane asks for ascending numbers. */
class neighbour_walk {
  public:
    __device__ __forceinline__ explicit neighbour_walk(const neighbour_places &near) : near_(near) {}
    __device__ __forceinline__ uint32_t place(uint32_t number)
    {
        while (number >= near_.before[range_ + 1])
            range_++;
        return near_.first[range_] + (number - near_.before[range_]);
    }

  private:
    const neighbour_places &near_;
    uint32_t range_ = 0;
};

} // namespace eb
