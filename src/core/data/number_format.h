/* number_format: the codes of number formats, of 8 to 64 bits: those that tensor cores multiply (number.h), FP32, and
 * the unsigned floats of look-up tables (core/formats8/format8.h); and the facts about block-scaled formats.
 *
 * Floats are sign, exponent, fraction, from the highest bit on: 2^(e − bias)·(1 + f/2^F), and with subnormals
 * f·2^(1 − bias − F) for e = 0. FP64 … E5M2 have infinities and NaN in the last exponent, E4M3 has one NaN, the
 * unsigned floats have no zero, no subnormals and neither. INT8 is two's complement. TF32's code is its 19 bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum eb_code_kind { EB_CODES_IEEE, EB_CODES_E4M3, EB_CODES_UNSIGNED, EB_CODES_WHOLE } eb_code_kind;

typedef struct eb_number_format {
    const char *name, *title; /* "bf16", "BF16" */
    eb_code_kind kind;
    unsigned bits, exponent, fraction;
    int bias;
    const char *cores; /* tensor cores that multiply it: "80, 90 up": sm_80, sm_90 and later; "": none */
} eb_number_format;

enum { EB_NUMBER_FORMATS = 10, EB_NUMBER_BITS = 72 };
const eb_number_format *eb_number_format_at(size_t index);        /* the widest first */
const eb_number_format *eb_number_format_named(const char *name); /* NULL: none */

double eb_number_decode(const eb_number_format *format, uint64_t code); /* NaN or ±∞ for codes that are no numbers */

/* The code of the nearest number. A finite x beyond the greatest number becomes ±∞, or the greatest in formats without,
 * and in E5M2, which saturates as on tensor cores. */
uint64_t eb_number_encode(const eb_number_format *format, double x);

/* The numbers next to x that are below and above it; NaN: none. */
double eb_number_below(const eb_number_format *format, double x);
double eb_number_above(const eb_number_format *format, double x);

double eb_number_least(const eb_number_format *format);  /* above 0 */
double eb_number_normal(const eb_number_format *format); /* the least normal number */
double eb_number_greatest(const eb_number_format *format);
double eb_number_digits(const eb_number_format *format); /* significand's bits, the hidden one included; INT8: 7 */

/* The greatest relative error of rounding a normal number; INT8: a number of at least 64. */
double eb_number_error(const eb_number_format *format);

/* Writes a code's bits, with dots between sign, exponent and fraction. Returns out. */
char *eb_number_bits(const eb_number_format *format, uint64_t code, char out[EB_NUMBER_BITS]);

/* Formats in which a block of coordinates shares a scale (OCP Microscaling Formats Specification, v1.0, and NVIDIA's
 * NVFP4).
 */
typedef struct eb_block_format {
    const char *title, *element, *scale; /* "MXFP4", "E2M1", "E8M0" */
    unsigned element_bits, block;
    double least, greatest; /* of elements */
    unsigned digits;        /* bits of an element's significand */
    const char *cores;
} eb_block_format;

enum { EB_BLOCK_FORMATS = 6, EB_SCALE_BITS = 8 };
const eb_block_format *eb_block_format_at(size_t index);
