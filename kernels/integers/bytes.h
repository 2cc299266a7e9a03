/* bytes: tests whether all values of a problem are integers that fit a byte, directly or after one common shift, which
 * changes no distance. Plain C. */
#pragma once

#include "core/engine/engine.h"

/* A value x is stored as the byte x − shift, signed or unsigned. Modulo 256 it is x's low byte minus shift's. */
typedef struct eb_byte_form {
    bool is_signed;
    int64_t shift;
} eb_byte_form;

/* Tests type, shape and the first row (eb_way). EB_NO_ENGINE with the reason if they rule bytes out. */
eb_code eb_bytes_suit(const eb_problem *problem, const eb_context *context, eb_status *status);

/* Finds the form, and reads every value unless the type is a byte's. EB_NO_ENGINE with the first value that is not an
 * integer, or with the range that is too wide. */
eb_code eb_byte_form_find(const eb_problem *problem, unsigned threads, eb_job *job, eb_byte_form *out,
                          eb_status *status);
