/* verdicts: which pairs of points in listed pairs of leaves are within the threshold, by the truth's own sums: a mask
 * of 32 × 32 bits a pair of leaves.
 *
 *   a warp takes 8 neighbouring pairs of the list; a lane keeps a point of leaf a
 *   ├─ each lane holds a point of leaf b against the box of leaf a, and puts it into shared memory
 *   └─ those that are near enough are met by all 32 lanes: s = Σ fma(t, t, s), k ascending; a bit a lane
 *
 * Beyond 16 dimensions they come 16 at a time, and a point of b that all lanes have lost is left out of the rest: s
 * only grows. A leaf with itself has all its bits, (i, j), (j, i) and (i, i). What limits it: the FP64 pipe, 2·d
 * instructions a pair that the box has let pass.
 */
#pragma once

#include "kernels/boxes/cuda/leaves.cuh"

namespace eb {

constexpr uint32_t most_few = 16; /* dimensions that registers hold */
constexpr int pairs_a_warp = 8;

struct found_counts {
    unsigned long long entries;    /* of a table of the rows wanted, self pairs included */
    unsigned long long candidates; /* squared distances computed */
};

struct verdict_work {
    leaf_view leaves;
    const uint2 *pair;
    uint64_t pairs;
    double threshold;
    size_t row_begin, row_end;
    bool whole;       /* all rows are wanted */
    uint32_t *mask;   /* 32 a pair of leaves: lane i's has bit j where i of a and j of b are near; nullptr: none kept */
    uint32_t *degree; /* of places: added up, all rows; nullptr: not counted */
    found_counts *found;
};

/* Enqueues it. */
eb_code find_verdicts(const verdict_work &work, cudaStream_t stream, eb_status *status);

/* The transpose of a mask: lane j gets the bits that the others have for j. All lanes call together. */
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

/* (t·t + s) for one dimension. */
__device__ __forceinline__ double add_square(double s, double p, double q)
{
    const double t = __dsub_rn(p, q);
    return __fma_rn(t, t, s);
}

} // namespace eb
