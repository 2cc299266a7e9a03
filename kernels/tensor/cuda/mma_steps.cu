/* mma_steps: the mma.sync kernels of S8 with two slices, debias or own steps. */
#include "kernels/tensor/cuda/mma.cuh"

namespace eb {

template tensor_variant<wide_products> tensor_mma_kernel<wide_products>(tensor_kernel);
template tensor_variant<stepped_products> tensor_mma_kernel<stepped_products>(tensor_kernel);

} // namespace eb
