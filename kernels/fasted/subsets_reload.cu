/* A warp multiplies 64 × 64 pairs, and loads fragments for each product (subsets.cuh). */
#include "kernels/fasted/subsets.cuh"

namespace eb {

const fasted_variant *find_fasted_reload(uint32_t switches, output writes)
{
    return find_subset<EB_WARP_TILE>(switches, writes);
}

} // namespace eb
