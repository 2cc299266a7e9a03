/* rung: the arithmetic that engine tensor emulates, as its options say: the number type of coordinates, the sums, how
 * coordinates are prepared, and in how many numbers each is kept. */
#pragma once

#include "kernels/fasted/switches.h"
#include "kernels/tensor/adder.h"

struct eb_options;

typedef enum eb_exponent { EB_EXPONENT_NONE, EB_EXPONENT_MAX, EB_EXPONENT_AUTO } eb_exponent; /* option `exponent` */

typedef struct eb_rung {
    eb_number number;
    eb_adder adder;   /* floating-point types but FP64 */
    unsigned parts;   /* numbers a coordinate */
    unsigned promote; /* coordinates between additions to an FP32 sum; 0: never */
    bool centred;     /* the mean of the points is subtracted */
    eb_exponent exponent;
    bool step_a_point;     /* S8: each point has a step of its own */
    bool rotated;          /* signs are changed and blocks of coordinates rotated by Hadamard matrices */
    eb_fasted_norms norms; /* floating-point types with one part and no debias */
    bool debiased;         /* norms compensate the mean error of near pairs' squared distances */
} eb_rung;

eb_number eb_rung_number(const struct eb_options *options);

/* EB_USAGE for options that exclude each other, with what to change. */
eb_code eb_rung_of(const struct eb_options *options, eb_rung *out, eb_status *status);

/* The same on another tensor core than the option `core` says. */
eb_code eb_rung_on(const struct eb_options *options, eb_core core, eb_rung *out, eb_status *status);

/* True if points are not rounded as they are stored. */
static inline bool eb_rung_prepares(const eb_rung *rung)
{
    return rung->centred || rung->rotated || rung->exponent != EB_EXPONENT_NONE;
}

static inline bool eb_rung_is_float(const eb_rung *rung)
{
    return rung->number != EB_F64_NUMBER && rung->number != EB_S8;
}
