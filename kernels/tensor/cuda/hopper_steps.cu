/* hopper_steps: the warpgroup kernels of S8 with two slices, debias or own steps. */
#include "kernels/tensor/cuda/hopper.cuh"

namespace eb {

template tensor_variant<wide_products> tensor_warpgroup_kernel<wide_products>(tensor_kernel);
template tensor_variant<stepped_products> tensor_warpgroup_kernel<stepped_products>(tensor_kernel);

} // namespace eb
