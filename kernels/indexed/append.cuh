/* append: writes a warp's hits of one round with one atomic, where lanes have different numbers of hits. */
#pragma once

#include "kernels/indexed/engine.cuh"

namespace eb {

constexpr uint32_t no_place = ~0u;

/* Called by all 32 lanes: reserves places for the lane's `mine` hits and returns the first of them. */
__device__ __forceinline__ unsigned long long places_for(const hit_buffer<double> &out, uint32_t mine, int lane)
{
    uint32_t through = mine;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const uint32_t before = __shfl_up_sync(~0u, through, step);
        through += lane >= step ? before : 0;
    }
    const uint32_t all = __shfl_sync(~0u, through, 31);
    unsigned long long at = 0;
    if (all > 0 && lane == 0)
        at = atomicAdd(out.found, static_cast<unsigned long long>(all));
    return __shfl_sync(~0u, at, 0) + through - mine;
}

} // namespace eb
