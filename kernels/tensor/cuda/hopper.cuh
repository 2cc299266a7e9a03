/* hopper: the warpgroup kernels of a type of engine tensor. Units instantiate tensor_warpgroup_kernel, several in
 * parallel.
 */
#pragma once

#include "kernels/fasted/cuda/shape_variants.cuh"
#include "kernels/fasted/cuda/warpgroup.cuh"
#include "kernels/tensor/cuda/kernels.cuh"

namespace eb {

template <uint32_t set, output writes, class arithmetic> tensor_variant<arithmetic> tensor_groups()
{
    using shape = warpgroup_shape<set, writes, arithmetic>;
    return variant_of_groups<shape>(fasted_warpgroups<shape>);
}

template <class arithmetic> tensor_variant<arithmetic> tensor_warpgroup_kernel(tensor_kernel wanted)
{
    constexpr uint32_t best = EB_PRESET_BEST & ~(EB_STRIPS | EB_FOUR_GROUPS);
    if (wanted.writes == output::dense)
        return tensor_groups<best & ~(EB_SYMMETRIC | EB_CANDIDATE_QUEUE | EB_SPARE_WARPS), output::dense, arithmetic>();
    if (!wanted.symmetric)
        return tensor_groups<best & ~EB_SYMMETRIC, output::hits, arithmetic>();
    if constexpr (arithmetic::strips)
        if (wanted.strips)
            return tensor_groups<EB_PRESET_BEST & ~EB_FOUR_GROUPS, output::hits, arithmetic>();
    if constexpr (arithmetic::counts && !arithmetic::strips)
        if (wanted.writes == output::count)
            return tensor_groups<best, output::count, arithmetic>();
    return tensor_groups<best, output::hits, arithmetic>();
}

template <class instruction> tensor_variant<chain_numbers> tensor_counting_kernel(bool strips)
{
    using arithmetic = counting_products<instruction>;
    return strips ? tensor_groups<EB_PRESET_BEST & ~EB_FOUR_GROUPS, output::count, arithmetic>()
                  : tensor_groups<EB_PRESET_BEST & ~(EB_STRIPS | EB_FOUR_GROUPS), output::count, arithmetic>();
}

} // namespace eb
