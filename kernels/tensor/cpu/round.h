/* round: a point of engine tensor in the numbers of its rung. */
#pragma once

#include "kernels/tensor/bound.h"
#include "kernels/tensor/cpu/frame.h"
#include "kernels/tensor/cpu/points.h"

enum { EB_SLICE = 128 }; /* levels of S8's lower slice in one of the upper */

/* Buffers for one point. Numbers of type S8 are levels, whole numbers; a coordinate is level · step, with two slices
 * (128·part[0] + part[1]) · step. */
typedef struct eb_rounding_row {
    double *y;                   /* [d] in the frame, before rounding */
    double *part[EB_MOST_PARTS]; /* [d] each */
    double step;                 /* S8; other types: 1 */
    size_t beyond;               /* coordinates that the type cannot hold */
    double moved2;               /* ‖y − ŷ‖² */
    eb_rounded_point point;      /* debias is 0 */
} eb_rounding_row;

/* Allocates the buffers in one piece, row->y, for free(). */
eb_code eb_rounding_row_make(size_t d, eb_rounding_row *out, eb_status *status);

/* Of S8, in one slice or two. */
double eb_greatest_level(const eb_rung *rung);

/* The step of S8 where the greatest |y| is `greatest`; with a step a point an FP32 number, because norms are FP32 then.
 */
double eb_step_of(const eb_rung *rung, double greatest);

/* s = q · unit: q divided by the square of the frame's power of two; S8 with one step: times the square of the step. */
double eb_rounding_unit(const eb_frame *frame);

/* Rounds row->y. */
void eb_round_row(const eb_frame *frame, eb_rounding_row *row);

/* Fails with EB_BAD_VALUE: a coordinate of y, the prepared point `row`, is beyond the type. */
eb_code eb_round_refuse(const eb_frame *frame, const char *engine, const eb_dataset *points, size_t row,
                        const double *y, eb_status *status);

/* Coordinate k of the rounded point. */
double eb_rounded_at(const eb_rung *rung, const eb_rounding_row *row, size_t k);

/* κ: by how much rounding lengthens the squared distances of near points, as a multiple of their moved2: the mean over
 * the nearest of a sample of the points. points: of two sets the right one. */
eb_code eb_debias_factor(const eb_frame *frame, const eb_dataset *points, double *out, eb_status *status);
