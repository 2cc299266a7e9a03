/* hopper_counts: the warpgroup kernels that count by one instruction. */
#include "kernels/tensor/cuda/hopper.cuh"

namespace eb {

template tensor_variant<chain_numbers> tensor_counting_kernel<f16_instruction>(bool);
template tensor_variant<chain_numbers> tensor_counting_kernel<bf16_instruction>(bool);
template tensor_variant<chain_numbers> tensor_counting_kernel<tf32_instruction>(bool);
template tensor_variant<chain_numbers> tensor_counting_kernel<e4m3_instruction>(bool);
template tensor_variant<chain_numbers> tensor_counting_kernel<e5m2_instruction>(bool);

} // namespace eb
