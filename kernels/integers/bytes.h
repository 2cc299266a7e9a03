/* bytes: whether all values of a problem are integers that a byte holds, as they are or less one number that is the
 * same for all, and which. Distances do not change by it. Plain C. */
#pragma once

#include "core/engine/engine.h"

/* A value x is stored as the byte x − shift, with or without a sign; modulo 256 that is x's low byte less shift's. */
typedef struct eb_byte_form {
    bool is_signed;
    int64_t shift;
} eb_byte_form;

/* What type and shape alone rule out, and the first values: EB_NO_ENGINE with the reason. */
eb_code eb_bytes_suit(const eb_problem *problem, eb_status *status);

/* Looks at every value unless the type says it all. EB_NO_ENGINE with the first value that is no integer, or the range
 * that is too wide. */
eb_code eb_byte_form_find(const eb_problem *problem, unsigned threads, eb_job *job, eb_byte_form *out,
                          eb_status *status);
