/* dtype: the element types of points, and their conversion.
 *
 * Points keep the type they were stored in and are converted to FP64 or FP16 when an engine needs that. Elements are
 * little-endian in memory and may be unaligned (a row inside a mapped file).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum eb_dtype { EB_F16, EB_F32, EB_F64, EB_U8, EB_I8, EB_I16, EB_I32 } eb_dtype;

size_t eb_dtype_size(eb_dtype dtype);      /* bytes of one element */
const char *eb_dtype_name(eb_dtype dtype); /* "f16", "u8", … */
bool eb_dtype_is_float(eb_dtype dtype);

/* FP16 ↔ FP32/FP64, IEEE 754. Conversion to FP16 rounds once, to nearest even, and overflows to ±Inf. */
float eb_half_to_float(uint16_t half);
uint16_t eb_half_from_double(double value);

/* Converts count consecutive elements at src to FP64: exact for every dtype. */
void eb_to_f64(eb_dtype dtype, const void *src, size_t count, double *dst);

/* Converts count consecutive elements to FP16, round to nearest even from the stored value. Overflow gives ±Inf. */
void eb_to_f16(eb_dtype dtype, const void *src, size_t count, uint16_t *dst);
