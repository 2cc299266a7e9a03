/* mma_chain: the mma.sync kernels of floating-point types. */
#include "kernels/tensor/cuda/mma.cuh"

namespace eb {

template tensor_variant<chain_products<chain_loop::plain>> tensor_mma_kernel<chain_products<chain_loop::plain>>(
    tensor_kernel);
template tensor_variant<chain_products<chain_loop::spans>> tensor_mma_kernel<chain_products<chain_loop::spans>>(
    tensor_kernel);
template tensor_variant<chain_products<chain_loop::f16>> tensor_mma_kernel<chain_products<chain_loop::f16>>(
    tensor_kernel);

} // namespace eb
