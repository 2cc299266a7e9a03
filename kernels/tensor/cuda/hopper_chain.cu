/* hopper_chain: the warpgroup kernels of floating-point types without promotion, which also have strips. */
#include "kernels/tensor/cuda/hopper.cuh"

namespace eb {

using plain_products = chain_products<chain_loop::plain>;
using f16_sums_products = chain_products<chain_loop::f16>;

template <> tensor_variant<plain_products> tensor_warpgroup_kernel<plain_products>(tensor_kernel wanted)
{
    if (wanted.writes == output::dense || !wanted.symmetric)
        return tensor_plain_warpgroup_kernel<plain_products>(wanted);
    if (wanted.strips)
        return wanted.writes == output::count
                   ? tensor_warpgroup_variant<EB_PRESET_BEST, output::count, plain_products>()
                   : tensor_warpgroup_variant<EB_PRESET_BEST, output::hits, plain_products>();
    return wanted.writes == output::count ? tensor_warpgroup_variant<tensor_wgmma_best, output::count, plain_products>()
                                          : tensor_plain_warpgroup_kernel<plain_products>(wanted);
}

template <> tensor_variant<f16_sums_products> tensor_warpgroup_kernel<f16_sums_products>(tensor_kernel wanted)
{
    return tensor_plain_warpgroup_kernel<f16_sums_products>(wanted);
}

} // namespace eb
