/* format8: floating point in 8 bits, four ways.
 *
 * E5M3 and E4M4 are unsigned, as look-up tables of distances want them: the bit of the sign goes to the fraction. They
 * have no zero, no subnormals, no infinity and no NaN: all 256 codes are numbers 2^(e − bias)·(1 + m/2^M), ascending
 * with the code. Code 0 is 2^−15 or 2^−7. Their decoding is a shift and an addition: the code, moved to where FP32 has
 * exponent and fraction, plus the difference of the biases, 112·2^23 or 120·2^23.
 *
 * E4M3 and E5M2 are the FP8 of the Open Compute Project (OCP 8-bit Floating Point Specification, revision 1.0, 2023):
 * a sign, zeros, subnormals, NaN; E5M2 infinities too.
 *
 * Encoding rounds to nearest, ties to the even code, and saturates: what is beyond the greatest number becomes that
 * one, ±Inf too; in the unsigned formats what is below the least, 0 and negative numbers too, becomes the least. NaN
 * becomes NaN where there is one, else the greatest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum eb_format8 { EB_E5M3, EB_E4M4, EB_E4M3, EB_E5M2, EB_FORMATS8 } eb_format8;

typedef struct eb_format8_facts {
    const char *name;            /* as it is typed: "e5m3" */
    const char *title;           /* as it is shown: "E5M3" */
    unsigned exponent, fraction; /* bits */
    int bias;
    bool is_signed;       /* has subnormals and a zero, too */
    double least, normal; /* the smallest number above 0, and the smallest that is no subnormal */
    double greatest;
} eb_format8_facts;

const eb_format8_facts *eb_format8_facts_of(eb_format8 format);

/* Exact. NaN and ±Inf where the code is none of the numbers. */
float eb_format8_decode(eb_format8 format, uint8_t code);
uint8_t eb_format8_encode(eb_format8 format, double value);

/* A code's bits as the format divides them, "1.0001.010" or "00001.010". */
#define EB_FORMAT8_BITS 12u
void eb_format8_bits(eb_format8 format, uint8_t code, char out[EB_FORMAT8_BITS]);

/* What rounding a number to the format can be off by, relative to the number, where it is not subnormal: half a unit
 * of the fraction at 1, over what it is farthest below: 2^−(M+1) / (1 + 2^−(M+1)). */
double eb_format8_relative_error(eb_format8 format);
