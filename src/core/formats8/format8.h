/* format8: four floating-point formats of 8 bits.
 *
 * E5M3 and E4M4 are unsigned, for look-up tables of distances: the fraction has the sign's bit. They have no zero, no
 * subnormals, no infinity and no NaN. All 256 codes are numbers 2^(e − bias)·(1 + m/2^M), ascending with the code; code
 * 0 is 2^−15 or 2^−7. A code is decoded by a shift and an addition: it is moved to FP32's exponent and fraction, and
 * the difference of the biases, 112·2^23 or 120·2^23, is added.
 *
 * E4M3 and E5M2 are the FP8 of the Open Compute Project (OCP 8-bit Floating Point Specification, revision 1.0, 2023).
 * Both have a sign, zeros, subnormals and NaN; E5M2 also has infinities.
 *
 * Encoding rounds to nearest, ties to the even code, and saturates: numbers beyond the greatest, ±Inf included, become
 * the greatest. In the unsigned formats numbers below the least, 0 and negative numbers included, become the least. NaN
 * becomes NaN, or the greatest number in formats without NaN.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum eb_format8 { EB_E5M3, EB_E4M4, EB_E4M3, EB_E5M2, EB_FORMATS8 } eb_format8;

typedef struct eb_format8_facts {
    const char *name;            /* in commands: "e5m3" */
    const char *title;           /* in reports: "E5M3" */
    unsigned exponent, fraction; /* bits */
    int bias;
    bool is_signed;       /* and has subnormals and a zero */
    double least, normal; /* the smallest number above 0, and the smallest normal number */
    double greatest;
} eb_format8_facts;

const eb_format8_facts *eb_format8_facts_of(eb_format8 format);

/* The exact value of a code; NaN or ±Inf for codes that are no numbers. */
float eb_format8_decode(eb_format8 format, uint8_t code);
uint8_t eb_format8_encode(eb_format8 format, double value);

/* Writes the bits of a code, with dots between sign, exponent and fraction: "1.0001.010", "00001.010". */
#define EB_FORMAT8_BITS 12u
void eb_format8_bits(eb_format8 format, uint8_t code, char out[EB_FORMAT8_BITS]);

/* The largest relative error of rounding a normal number to the format: 2^−(M+1) / (1 + 2^−(M+1)), reached halfway
 * between 1 and the next number. */
double eb_format8_relative_error(eb_format8 format);
