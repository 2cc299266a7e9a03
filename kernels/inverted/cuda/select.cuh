/* select: finds the k smallest of many keys by one block of threads, digit by digit from the first bit in which keys
 * differ, until all keys with the digits so far are wanted. A key is a distance's bits above a row: no two are equal.
 */
#pragma once

#include <cstdint>

namespace eb {

using near_key = unsigned long long; /* FP32 bits of s ≥ 0, then a row: the order is by s, then by row */

__device__ inline near_key key_of(float s, uint32_t number)
{
    return static_cast<near_key>(__float_as_uint(s)) << 32 | number;
}
__device__ inline float s_of(near_key key) { return __uint_as_float(static_cast<unsigned>(key >> 32)); }

constexpr unsigned select_bits = 8, select_digits = 1u << select_bits;

struct select_room {
    near_key any, all, least; /* bits set in some key; bits set in every key; the least key */
    unsigned count[select_digits], digit, below;
};

__device__ inline near_key low_bits(int bits) { return bits >= 64 ? ~near_key{0} : (near_key{1} << bits) - 1; }

/* Called by warp 0: finds the digit of the wanted key, and the number of keys with a smaller digit. */
__device__ inline void find_digit(select_room &room, unsigned wanted)
{
    constexpr unsigned each = select_digits / 32;
    const unsigned lane = threadIdx.x;
    unsigned sum = 0;
    for (unsigned k = 0; k < each; k++)
        sum += room.count[lane * each + k];
    unsigned upto = sum;
    for (unsigned apart = 1; apart < 32; apart *= 2) {
        const unsigned before = __shfl_up_sync(~0u, upto, apart);
        upto += lane >= apart ? before : 0;
    }
    unsigned below = upto - sum;
    if (below >= wanted || upto < wanted)
        return;
    for (unsigned k = 0; k < each; k++) {
        const unsigned here = room.count[lane * each + k];
        if (below + here >= wanted) {
            room.digit = lane * each + k;
            room.below = below;
            return;
        }
        below += here;
    }
}

/* Called by all threads of the block: finds the bits in which n keys differ, and the least key. */
template <class keys> __device__ void survey_keys(const keys &key_at, unsigned n, select_room &room)
{
    near_key any = 0, all = ~near_key{0}, least = all;
    if (threadIdx.x == 0)
        room.any = 0, room.all = room.least = all;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        const near_key key = key_at(i);
        any |= key, all &= key;
        least = key < least ? key : least;
    }
    for (unsigned apart = 16; apart > 0; apart /= 2) {
        const near_key other = __shfl_xor_sync(~0u, least, apart);
        any |= __shfl_xor_sync(~0u, any, apart), all &= __shfl_xor_sync(~0u, all, apart);
        least = other < least ? other : least;
    }
    if (threadIdx.x % 32 == 0) {
        atomicOr(&room.any, any);
        atomicAnd(&room.all, all);
        atomicMin(&room.least, least);
    }
    __syncthreads();
}

/* Called by all threads, after survey_keys: a bound that exactly `wanted` of the n keys do not exceed; 1 ≤ wanted ≤ n.
 */
template <class keys>
__device__ near_key wanted_bound(const keys &key_at, unsigned n, unsigned wanted, select_room &room)
{
    int top = 64 - __clzll(static_cast<long long>(room.any ^ room.all));
    near_key known = ~low_bits(top), prefix = room.all & known;
    while (top > 0) {
        const int bits = top < static_cast<int>(select_bits) ? top : static_cast<int>(select_bits);
        top -= bits;
        __syncthreads();
        for (unsigned k = threadIdx.x; k < select_digits; k += blockDim.x)
            room.count[k] = 0;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
            const near_key key = key_at(i);
            if ((key & known) == prefix)
                atomicAdd(&room.count[static_cast<unsigned>(key >> top) & static_cast<unsigned>(low_bits(bits))], 1u);
        }
        __syncthreads();
        if (threadIdx.x < 32)
            find_digit(room, wanted);
        __syncthreads();
        prefix |= static_cast<near_key>(room.digit) << top;
        known |= low_bits(bits) << top;
        wanted -= room.below;
        if (room.count[room.digit] == wanted)
            return prefix | low_bits(top);
    }
    return prefix;
}

} // namespace eb
