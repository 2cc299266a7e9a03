/* verdicts: decides which pairs of points in listed pairs of leaves are within the threshold, by the exact engine's own
 * sums. The result is a mask of 32 × 32 bits for each pair of leaves.
 *
 *   A warp takes 8 consecutive pairs of the list; a lane keeps a point of leaf a.
 *   ├─ Each lane tests a point of leaf b against the box of leaf a, and stores it in shared memory.
 *   └─ All 32 lanes compute s = Σ fma(t, t, s), k ascending, with each point of b that is near; each lane gets a bit.
 *
 * More than 16 dimensions are processed 16 at a time. A point of b that is beyond the threshold in all lanes is left
 * out of the rest, because s only grows. The mask of a leaf with itself has the bits of (i, j), (j, i) and (i, i). The
 * limit is the FP64 pipe: 2·d instructions for each pair that passes the box test.
 */
#pragma once

#include "kernels/boxes/cuda/leaves.cuh"

namespace eb {

constexpr uint32_t most_few = EB_VERDICT_REGISTERS;

struct found_counts {
    unsigned long long entries;    /* of the rows wanted, self pairs included */
    unsigned long long candidates; /* squared distances computed */
};

struct verdict_work {
    leaf_view leaves;
    const uint2 *pair;
    uint64_t pairs;
    double threshold;
    size_t row_begin, row_end;
    bool whole;       /* all rows are wanted */
    uint32_t *mask;   /* [pairs][32]: bit j of word i: point i of a and point j of b are near; nullptr: not kept */
    uint32_t *degree; /* [places] number of entries, added for all rows; nullptr: not counted */
    found_counts *found;
};

/* Enqueues the kernel. */
eb_code find_verdicts(const verdict_work &work, cudaStream_t stream, eb_status *status);

/* The transpose of a mask: bit i of lane j is bit j of lane i. All lanes call it together. */
__device__ __forceinline__ uint32_t transposed(uint32_t mask)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t low = 0x0000ffffu;
#pragma unroll
    for (uint32_t step = 16; step > 0; step /= 2) {
        const uint32_t other = __shfl_xor_sync(~0u, mask, step);
        mask = lane & step ? (mask & ~low) | ((other >> step) & low) : (mask & low) | ((other << step) & ~low);
        low ^= low << (step / 2);
    }
    return mask;
}

} // namespace eb
