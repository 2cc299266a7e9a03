/* hopper_spans: the warpgroup kernels of floating-point types with promotion. */
#include "kernels/tensor/cuda/hopper.cuh"

namespace eb {

template tensor_variant<chain_products<chain_loop::eighths>> tensor_warpgroup_kernel<
    chain_products<chain_loop::eighths>>(tensor_kernel);
template tensor_variant<chain_products<chain_loop::halves>> tensor_warpgroup_kernel<chain_products<chain_loop::halves>>(
    tensor_kernel);
template tensor_variant<chain_products<chain_loop::brief>> tensor_warpgroup_kernel<chain_products<chain_loop::brief>>(
    tensor_kernel);
template tensor_variant<chain_products<chain_loop::spans>> tensor_warpgroup_kernel<chain_products<chain_loop::spans>>(
    tensor_kernel);

} // namespace eb
