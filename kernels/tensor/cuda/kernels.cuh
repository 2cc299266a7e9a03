/* kernels: FASTED's best kernels with engine tensor's arithmetic types. A type with `counts` has a kernel of its own
 * that counts, one with `strips` also kernels with strips, which count by kernels of one instruction.
 */
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

/* hopper.cuh: compute capability 9.0; mma.cuh. eighths, halves and brief spans have no kernels of mma.sync:
 * chain_loop::spans does the same there. */
template <class arithmetic> tensor_variant<arithmetic> tensor_warpgroup_kernel(tensor_kernel wanted);
template <class arithmetic> tensor_variant<arithmetic> tensor_mma_kernel(tensor_kernel wanted);

/* Counts a triangle, without promotion, on compute capability 9.0. */
template <class instruction> tensor_variant<chain_numbers> tensor_counting_kernel(bool strips);

} // namespace eb
