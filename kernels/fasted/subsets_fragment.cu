/* A warp multiplies one fragment's 16 × 8 pairs (subsets.cuh). */
#include "kernels/fasted/subsets.cuh"

namespace eb {

const fasted_variant *find_fasted_fragment(uint32_t switches, output writes)
{
    return find_subset<0>(switches, writes);
}

} // namespace eb
