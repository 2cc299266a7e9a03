/* hopper: instantiates the warpgroup kernel with a type of engine tensor. */
#pragma once

#include "kernels/fasted/cuda/warpgroup.cuh"
#include "kernels/tensor/cuda/kernels.cuh"

namespace eb {

constexpr uint32_t tensor_wgmma_best = EB_PRESET_BEST & ~EB_STRIPS;

template <uint32_t set, output writes, class arithmetic> tensor_variant<arithmetic> tensor_warpgroup_variant()
{
    using shape = warpgroup_shape<set, writes, arithmetic>;
    tensor_variant<arithmetic> v{fasted_warpgroups<shape>, shape::side, shape::threads, shape::shared_bytes, false,
                                 shape::symmetric,         true};
    v.cluster = shape::cluster;
    v.bands = shape::bands;
    return v;
}

/* Of settled types: they have no kernel of their own that counts. */
template <class arithmetic> tensor_variant<arithmetic> tensor_plain_warpgroup_kernel(tensor_kernel wanted)
{
    constexpr uint32_t dense = tensor_wgmma_best & ~(EB_SYMMETRIC | EB_CANDIDATE_QUEUE | EB_SPARE_WARPS);
    if (wanted.writes == output::dense)
        return tensor_warpgroup_variant<dense, output::dense, arithmetic>();
    return wanted.symmetric ? tensor_warpgroup_variant<tensor_wgmma_best, output::hits, arithmetic>()
                            : tensor_warpgroup_variant<tensor_wgmma_best & ~EB_SYMMETRIC, output::hits, arithmetic>();
}

} // namespace eb
