/* dots: inner products in FP64, FP32 and 8-bit integers, compiled for several instruction sets (dots_simd.c). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* ⟨a, b⟩ as the tensor core's FP64 path sums it: a chain of fused multiply-adds, k ascending. */
typedef double (*eb_dot_f64)(const double *a, const double *b, size_t d);
double eb_dot_f64_base(const double *, const double *, size_t);
double eb_dot_f64_avx2(const double *, const double *, size_t);
double eb_dot_f64_avx512(const double *, const double *, size_t);

/* ⟨a, b⟩ in FP32, summed in 32 lanes; each instruction set rounds in its own way. */
typedef float (*eb_dot_f32)(const float *a, const float *b, size_t d);
float eb_dot_f32_base(const float *, const float *, size_t);
float eb_dot_f32_avx2(const float *, const float *, size_t);
float eb_dot_f32_avx512(const float *, const float *, size_t);

/* ⟨a, b⟩, exact for d ≤ EB_MAX_DIMENSIONS. */
typedef int32_t (*eb_dot_s8)(const int8_t *a, const int8_t *b, size_t d);
int32_t eb_dot_s8_base(const int8_t *, const int8_t *, size_t);
int32_t eb_dot_s8_avx2(const int8_t *, const int8_t *, size_t);
int32_t eb_dot_s8_avx512(const int8_t *, const int8_t *, size_t);
