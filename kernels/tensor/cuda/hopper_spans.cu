/* hopper_spans: the warpgroup kernels of floating-point types with promotion. */
#include "kernels/tensor/cuda/hopper.cuh"

namespace eb {

using quarters_products = chain_products<chain_loop::quarters>;
using halves_products = chain_products<chain_loop::halves>;
using brief_products = chain_products<chain_loop::brief>;
using spans_products = chain_products<chain_loop::spans>;

template <> tensor_variant<quarters_products> tensor_warpgroup_kernel<quarters_products>(tensor_kernel wanted)
{
    return wanted.symmetric && wanted.writes == output::count
               ? tensor_warpgroup_variant<tensor_wgmma_best, output::count, quarters_products>()
               : tensor_plain_warpgroup_kernel<quarters_products>(wanted);
}

template <> tensor_variant<halves_products> tensor_warpgroup_kernel<halves_products>(tensor_kernel wanted)
{
    return tensor_plain_warpgroup_kernel<halves_products>(wanted);
}

template <> tensor_variant<brief_products> tensor_warpgroup_kernel<brief_products>(tensor_kernel wanted)
{
    return tensor_plain_warpgroup_kernel<brief_products>(wanted);
}

template <> tensor_variant<spans_products> tensor_warpgroup_kernel<spans_products>(tensor_kernel wanted)
{
    return tensor_plain_warpgroup_kernel<spans_products>(wanted);
}

} // namespace eb
