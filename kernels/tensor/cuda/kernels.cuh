/* kernels: FASTED's best kernels with engine tensor's arithmetic types. Each type has a translation unit for each kind
 * of instruction. */
#pragma once

#include "kernels/tensor/cuda/chain.cuh"
#include "kernels/tensor/cuda/steps.cuh"
#include "kernels/tiled/variant.cuh"

namespace eb {

template <class arithmetic> using tensor_variant = tile_variant<tile_arguments<typename arithmetic::numbers>>;

/* The kernel wanted. The kernel that appends hits also counts them; its buffer then has no room. */
struct tensor_kernel {
    output writes;
    bool symmetric, strips;
};

/* hopper_*.cu: compute capability 9.0; mma_*.cu. quarters, halves and brief spans have no kernels of mma.sync:
 * chain_loop::spans does the same there. */
template <class arithmetic> tensor_variant<arithmetic> tensor_warpgroup_kernel(tensor_kernel wanted);
template <class arithmetic> tensor_variant<arithmetic> tensor_mma_kernel(tensor_kernel wanted);

} // namespace eb
