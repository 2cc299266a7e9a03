/* append: a warp's hits of one round, of which lanes have different numbers, with one atomic. */
#pragma once

#include "kernels/indexed/engine.cuh"

namespace eb {

constexpr uint32_t no_place = ~0u;

/* All 32 lanes: where the lane's `mine` hits go, one behind the other. */
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
