/* cub: include it before CUB's headers. It leaves out what they bring for FP16 and for profilers: nobody here sorts or
 * sums FP16, and nvcc takes 1.5 seconds less a unit. */
#pragma once

#define CCCL_DISABLE_FP16_SUPPORT /* BF16 and FP8 need it */
#define CCCL_DISABLE_NVTX
