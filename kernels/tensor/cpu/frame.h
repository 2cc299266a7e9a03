/* frame: how engine tensor prepares points before it rounds them: y = 2^power · R(x − c), c a centre, R a rotation.
 * Then 2^power times the distance of two stored points is that of their y, up to FP64's rounding (eb_frame_error). */
#pragma once

#include "core/data/dataset.h"
#include "kernels/tensor/rung.h"

typedef struct eb_frame {
    size_t d;
    const eb_rung *rung;
    double *centre; /* [d]; NULL: none */
    double centre_length;
    int power;       /* 0: coordinates keep their size */
    double greatest; /* largest |y|; of one 8-bit step: that of level 127, so that whole levels stay */
    double least;    /* least |y| above 0; INFINITY: there is none */
} eb_frame;

/* Finds the frame of two sets, or of one (right NULL). The centre is the mean of the right points, because the left
 * ones are queries; power and greatest are of both sets. So the frame of some rows of a set against the whole set is
 * that of the set. eb_frame_free frees the centre. The result does not depend on the number of threads. */
eb_code eb_frame_find(const eb_rung *rung, const eb_dataset *left, const eb_dataset *right, unsigned threads,
                      eb_job *job, eb_frame *out, eb_status *status);
void eb_frame_free(eb_frame *frame);

/* The steps of eb_frame_find after its passes over the points. Sets power, greatest, least and the centre's length.
 * greatest, least: of |y| > 0 before scaling, 0 and INFINITY if no y is; longest: the greatest ‖y‖, of FP16 sums. */
void eb_frame_scale(eb_frame *frame, double greatest, double least, double longest);

/* If values that are rounded as stored are multiples of one step, they become levels exactly: `greatest` is then that
 * of the greatest level. right: NULL if there is one set. */
eb_code eb_frame_widen(eb_frame *frame, const eb_dataset *left, const eb_dataset *right, unsigned threads, eb_job *job,
                       eb_status *status);

double eb_frame_sign(size_t k); /* ±1, by which a rotation multiplies coordinate k first */

/* y: [d] of a stored point. */
void eb_frame_apply(const eb_frame *frame, const eb_dataset *points, size_t row, double *y);

/* Turns y: [d] into coordinates of stored points, up to FP64's rounding. */
void eb_frame_undo(const eb_frame *frame, double *y);

/* Writes "; coordinates times 2^3" for descriptions, "" without a power. Returns the buffer. */
enum { EB_FRAME_TEXT = 48 };
char *eb_frame_text(const eb_frame *frame, char buffer[EB_FRAME_TEXT]);

/* The relative error of y from FP64's roundings, as a share of ‖y‖ and of the centre's length. */
double eb_frame_error(const eb_frame *frame);
