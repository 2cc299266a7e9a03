#include "core/data/fp16.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/data/scaling.h"

#define ROWS_A_TASK 256u

typedef struct shifting {
    const eb_dataset *ds;
    double far;
    eb_fp16_shift *shift; /* [threads] */
    double *row;          /* [threads][d] */
} shifting;

static eb_code shift_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const shifting *s = context;
    const eb_dataset *ds = s->ds;
    double *row = s->row + thread * ds->d;
    eb_fp16_shift *mine = &s->shift[thread];
    size_t begin = (size_t)task * ROWS_A_TASK, end = ds->n - begin < ROWS_A_TASK ? ds->n : begin + ROWS_A_TASK;
    for (size_t i = begin; i < end; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, row);
        for (size_t k = 0; k < ds->d; k++)
            row[k] = eb_fp16_error(row[k]);
        double shift = eb_length(row, ds->d);
        mine->most = fmax(mine->most, shift);
        mine->moved += shift > 0 && shift >= s->far;
    }
    return EB_OK;
}

eb_code eb_fp16_shift_find(const eb_dataset *ds, double far, unsigned threads, eb_job *job, eb_fp16_shift *out,
                           eb_status *status)
{
    *out = (eb_fp16_shift){0};
    if (ds->dtype == EB_F16 || ds->dtype == EB_U8 || ds->dtype == EB_I8)
        return EB_OK;
    shifting s = {.ds = ds, .far = far};
    s.shift = calloc(threads, sizeof *s.shift);
    s.row = malloc(threads * ds->d * sizeof *s.row);
    eb_code failed = s.shift && s.row
                         ? eb_parallel(threads, (ds->n + ROWS_A_TASK - 1) / ROWS_A_TASK, shift_rows, &s, job, status)
                         : eb_fail_memory(status, "rounding the points", threads * ds->d * sizeof *s.row);
    for (unsigned t = 0; t < threads && !failed; t++) {
        out->most = fmax(out->most, s.shift[t].most);
        out->moved += s.shift[t].moved;
    }
    free(s.shift);
    free(s.row);
    return failed;
}
