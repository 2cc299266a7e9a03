/* mma_chain: the mma.sync kernels of floating-point types. */
#include "kernels/tensor/cuda/mma.cuh"

namespace eb {

using plain_products = chain_products<chain_loop::plain>;
using spans_products = chain_products<chain_loop::spans>;
using f16_sums_products = chain_products<chain_loop::f16>;

template <> tensor_variant<plain_products> tensor_mma_kernel<plain_products>(tensor_kernel wanted)
{
    return wanted.symmetric && wanted.writes == output::count
               ? tensor_mma_variant<tensor_mma_best, output::count, plain_products>()
               : tensor_plain_mma_kernel<plain_products>(wanted);
}

template <> tensor_variant<spans_products> tensor_mma_kernel<spans_products>(tensor_kernel wanted)
{
    return tensor_plain_mma_kernel<spans_products>(wanted);
}

template <> tensor_variant<f16_sums_products> tensor_mma_kernel<f16_sums_products>(tensor_kernel wanted)
{
    return tensor_plain_mma_kernel<f16_sums_products>(wanted);
}

} // namespace eb
