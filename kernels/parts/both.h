/* both: functions that kernels and C have in common: what a kernel computes its addresses with is what the machine
 * model (core/model) looks at. C17 and CUDA C++17 read the same text.
 */
#pragma once

#ifdef __cplusplus
#define EB_BOTH __host__ __device__ __forceinline__ constexpr
#define EB_BOTH_AT_RUN_TIME __host__ __device__ __forceinline__ /* calls what no constant may be made of */
#define EB_ZEROED                                                                                                      \
    {                                                                                                                  \
    }
#else
#define EB_BOTH static inline
#define EB_BOTH_AT_RUN_TIME static inline
#define EB_ZEROED {0}
#endif
