/* both: macros for functions that kernels and C share, so that the machine model (core/model) computes a kernel's
 * addresses with the kernel's own functions. C17 and CUDA C++17 compile the same text. */
#pragma once

#ifdef __cplusplus
#define EB_BOTH __host__ __device__ __forceinline__ constexpr
#define EB_BOTH_AT_RUN_TIME __host__ __device__ __forceinline__ /* for calls of functions that are not constexpr */
#define EB_ZEROED                                                                                                      \
    {                                                                                                                  \
    }
#else
#define EB_BOTH static inline
#define EB_BOTH_AT_RUN_TIME static inline
#define EB_ZEROED {0}
#endif
