/* number: the number types that tensor cores multiply, and rounding to them.
 *
 * Rounding is to nearest, from FP64, once. Ties go to the even number, for TF32 away from zero (PTX's cvt.rna). Numbers
 * below the least normal one keep the unit of that one. S8 stands for the whole numbers −127 … 127.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum eb_number {
    EB_F64_NUMBER,
    EB_TF32,
    EB_BF16,
    EB_F16_NUMBER,
    EB_E4M3_NUMBER,
    EB_E5M2_NUMBER,
    EB_S8,
    EB_NUMBERS
} eb_number;

typedef struct eb_number_type {
    const char *name, *title; /* "bf16", "BF16" */
    double greatest;
    unsigned bytes;     /* of a coordinate in memory */
    unsigned digits;    /* bits of a normal number's significand, the hidden one included; S8: 0 */
    int least_exponent; /* of normal numbers: the least is 2^least_exponent */
    bool saturates;     /* numbers beyond the greatest become the greatest; otherwise ±∞ */
    bool ties_away;
} eb_number_type;

const eb_number_type *eb_number_type_of(eb_number number);

/* out[k] = the number of the type nearest to x[k]; ±∞ where x[k] overflows a type that does not saturate. Returns how
 * many finite x lay beyond the greatest number. out may be x. */
size_t eb_numbers_round(const eb_number_type *type, const double *x, size_t count, double *out);
