/* hopper_chain: the warpgroup kernels of floating-point types without promotion. */
#include "kernels/tensor/cuda/hopper.cuh"

namespace eb {

template tensor_variant<chain_products<chain_loop::plain>> tensor_warpgroup_kernel<chain_products<chain_loop::plain>>(
    tensor_kernel);
template tensor_variant<chain_products<chain_loop::f16>> tensor_warpgroup_kernel<chain_products<chain_loop::f16>>(
    tensor_kernel);

} // namespace eb
