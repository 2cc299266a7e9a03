/* hits: the buffer to which kernels append the pairs they find: a counter and two arrays in device memory.
 *
 * The counter also counts pairs beyond the capacity, so that the host sees an overflow and repeats the launch: no pair
 * is lost unseen. A warp adds all its hits with one 64-bit atomic, or one atomic per hit, as FASTED was published. A
 * warp's hits may wait in shared memory until there are enough for one atomic; neighbouring lanes then write
 * neighbouring places.
 */
#pragma once

#include <cstdint>
#include <type_traits>

namespace eb {

/* A kernel's output for a tile: it appends the hits, counts them, or writes all squared distances. */
enum class output { hits, count, dense };

template <class squared_type> struct hit_buffer {
    unsigned long long *found;
    uint64_t capacity;
    uint2 *pair;           /* [capacity] (i, j) */
    squared_type *squared; /* [capacity] squared distance as the engine computes it */
};

/* Stores a hit at a place that the counter returned. */
template <class squared_type>
__device__ __forceinline__ void store_at(const hit_buffer<squared_type> &out, unsigned long long at, uint2 pair,
                                         squared_type squared)
{
    if (at < out.capacity) {
        out.pair[at] = pair;
        out.squared[at] = squared;
    }
}

/* Appends one hit with one atomic. */
template <class squared_type>
__device__ __forceinline__ void append_alone(const hit_buffer<squared_type> &out, uint32_t i, uint32_t j,
                                             squared_type squared)
{
    store_at(out, atomicAdd(out.found, 1ull), make_uint2(i, j), squared);
}

/* All 32 lanes call this together. Returns the number of lanes with a hit. */
template <bool count_only, class squared_type>
__device__ __forceinline__ uint32_t append(const hit_buffer<squared_type> &out, bool hit, uint32_t i, uint32_t j,
                                           squared_type squared, int lane)
{
    const unsigned hits = __ballot_sync(~0u, hit);
    if (count_only || hits == 0)
        return __popc(hits);
    unsigned long long at = 0;
    if (lane == 0)
        at = atomicAdd(out.found, static_cast<unsigned long long>(__popc(hits)));
    at = __shfl_sync(~0u, at, 0) + __popc(hits & ((1u << lane) - 1));
    if (hit)
        store_at(out, at, make_uint2(i, j), squared);
    return __popc(hits);
}

/* A warp's hits that are not yet written, in shared memory. */
template <class squared_type> struct waiting_hits {
    static constexpr uint32_t room = 64;
    uint2 pair[room];
    squared_type squared[room];
};

/* Hits with squared distances of 8 bytes do not wait where shared memory is full (fasted/cuda/plan.h). */
template <class squared_type> constexpr bool hits_wait = sizeof(squared_type) == 4;
template <class squared_type>
using waiting_if_small = waiting_hits<std::conditional_t<hits_wait<squared_type>, squared_type, float>>;

/* Writes the `waiting` hits. Returns the first of `more` places after them, reserved for the caller. */
template <class squared_type>
__device__ __forceinline__ unsigned long long write_waiting(const hit_buffer<squared_type> &out,
                                                            const waiting_hits<squared_type> &hits, uint32_t waiting,
                                                            uint32_t more, int lane)
{
    unsigned long long at = 0;
    __syncwarp();
    if (lane == 0)
        at = atomicAdd(out.found, static_cast<unsigned long long>(waiting + more));
    at = __shfl_sync(~0u, at, 0);
#pragma unroll 1
    for (uint32_t k = static_cast<uint32_t>(lane); k < waiting; k += 32)
        store_at(out, at + k, hits.pair[k], hits.squared[k]);
    __syncwarp();
    return at + waiting;
}

/* Adds a warp's count, by its first lane. */
__device__ __forceinline__ void add_count(unsigned long long *found, uint32_t counted, int lane)
{
    if (lane == 0 && counted > 0)
        atomicAdd(found, static_cast<unsigned long long>(counted));
}

} // namespace eb
