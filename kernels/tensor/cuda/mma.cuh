/* mma: the mma.sync kernels of a type of engine tensor. Units instantiate tensor_mma_kernel, several in parallel. */
#pragma once

#include "kernels/fasted/cuda/kernel.cuh"
#include "kernels/fasted/cuda/shape_variants.cuh"
#include "kernels/tensor/cuda/kernels.cuh"

namespace eb {

template <uint32_t set, output writes, class arithmetic> tensor_variant<arithmetic> tensor_tiles()
{
    using shape = fasted_shape<set, writes, arithmetic>;
    return variant_of_tiles<shape>(fasted_tiles<shape>);
}

template <class arithmetic> tensor_variant<arithmetic> tensor_mma_kernel(tensor_kernel wanted)
{
    constexpr uint32_t best = EB_PRESET_BEST & ~EB_OF_WARPGROUP;
    if (wanted.writes == output::dense)
        return tensor_tiles<best, output::dense, arithmetic>();
    if (!wanted.symmetric)
        return tensor_tiles<best & ~EB_SYMMETRIC, output::hits, arithmetic>();
    if constexpr (arithmetic::counts)
        if (wanted.writes == output::count)
            return tensor_tiles<best, output::count, arithmetic>();
    return tensor_tiles<best, output::hits, arithmetic>();
}

} // namespace eb
