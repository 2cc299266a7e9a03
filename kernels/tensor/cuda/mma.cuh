/* mma: instantiates the mma.sync kernel with a type of engine tensor. */
#pragma once

#include "kernels/fasted/cuda/kernel.cuh"
#include "kernels/tensor/cuda/kernels.cuh"

namespace eb {

constexpr uint32_t tensor_mma_best = EB_PRESET_BEST & ~EB_OF_WARPGROUP;

template <uint32_t set, output writes, class arithmetic> tensor_variant<arithmetic> tensor_mma_variant()
{
    using shape = fasted_shape<set, writes, arithmetic>;
    tensor_variant<arithmetic> v{fasted_tiles<shape>, shape::rows, shape::threads, shape::shared_bytes, shape::squares,
                                 shape::symmetric,    true};
    v.resident = shape::resident;
    return v;
}

template <class arithmetic> tensor_variant<arithmetic> tensor_plain_mma_kernel(tensor_kernel wanted)
{
    if (wanted.writes == output::dense)
        return tensor_mma_variant<tensor_mma_best, output::dense, arithmetic>();
    return wanted.symmetric ? tensor_mma_variant<tensor_mma_best, output::hits, arithmetic>()
                            : tensor_mma_variant<tensor_mma_best & ~EB_SYMMETRIC, output::hits, arithmetic>();
}

} // namespace eb
