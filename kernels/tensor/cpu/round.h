/* round: a point of engine tensor in the numbers of its rung. */
#pragma once

#include "kernels/tensor/bound.h"
#include "kernels/tensor/cpu/frame.h"
#include "kernels/tensor/cpu/points.h"

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

/* Rounds row->y. */
void eb_round_row(const eb_frame *frame, eb_rounding_row *row);

/* Coordinate k of the rounded point. */
double eb_rounded_at(const eb_rung *rung, const eb_rounding_row *row, size_t k);

/* κ: by how much rounding lengthens the squared distances of near points, as a multiple of their moved2: the mean over
 * the nearest of a sample of the points. points: of two sets the right one. */
eb_code eb_debias_factor(const eb_frame *frame, const eb_dataset *points, double *out, eb_status *status);
