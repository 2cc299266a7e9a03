/* hopper_steps: the warpgroup kernel of S8 with two slices, debias or own steps. */
#include "kernels/tensor/cuda/hopper.cuh"

namespace eb {

template <> tensor_variant<wide_products> tensor_warpgroup_kernel<wide_products>(tensor_kernel wanted)
{
    return tensor_plain_warpgroup_kernel<wide_products>(wanted);
}

template <> tensor_variant<stepped_products> tensor_warpgroup_kernel<stepped_products>(tensor_kernel wanted)
{
    return tensor_plain_warpgroup_kernel<stepped_products>(wanted);
}

} // namespace eb
