/* A warp multiplies 64 × 64 pairs, whose fragments stay in registers: FASTED as published is among these (subsets.cuh).
 */
#include "kernels/fasted/subsets.cuh"

namespace eb {

const fasted_variant *find_fasted_reuse(uint32_t switches, output writes)
{
    return find_subset<EB_WARP_TILE | EB_REGISTER_REUSE>(switches, writes);
}

} // namespace eb
