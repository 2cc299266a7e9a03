#include "core/engine/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

enum { ROWS_A_TASK = 1024 };

typedef struct moving {
    const eb_problem *problem;
    unsigned char *rows; /* rows of the copy */
    size_t row_bytes, places;
} moving;

static const unsigned char *source_of(const eb_problem *problem, size_t place)
{
    const eb_dataset *left = problem->left;
    if (problem->order)
        return eb_row(left, problem->order->point[place]);
    return place < left->n ? eb_row(left, place) : eb_row(problem->right, place - left->n);
}

static eb_code move_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    const moving *m = context;
    size_t begin = (size_t)task * ROWS_A_TASK, end = m->places - begin < ROWS_A_TASK ? m->places : begin + ROWS_A_TASK;
    for (size_t k = begin; k < end; k++)
        memcpy(m->rows + k * m->row_bytes, source_of(m->problem, k), m->row_bytes);
    return EB_OK;
}

eb_code eb_arrange(const eb_problem *problem, unsigned threads, eb_job *job, eb_arranged *out, eb_status *status)
{
    const eb_dataset *left = problem->left;
    bool self = eb_is_self_join(problem);
    *out = (eb_arranged){.points = left, .rows = left->n, .first_column = self ? 0 : left->n};
    if (self && !problem->order)
        return EB_OK;
    moving m = {.problem = problem, .places = left->n + (self ? 0 : problem->right->n)};
    m.row_bytes = left->d * eb_dtype_size(left->dtype);
    m.rows = malloc(m.places * m.row_bytes);
    if (!m.rows)
        return eb_fail_memory(status, "the points in another order", m.places * m.row_bytes);
    eb_code failed = eb_parallel(threads, (m.places + ROWS_A_TASK - 1) / ROWS_A_TASK, move_rows, &m, job, status);
    if (failed) {
        free(m.rows);
        return failed;
    }
    out->copy = *left;
    out->copy.n = m.places;
    out->copy.rows = m.rows;
    out->copy.stride = m.row_bytes;
    out->points = &out->copy;
    out->point = problem->order ? problem->order->point : NULL;
    return EB_OK;
}

void eb_arranged_free(eb_arranged *arranged)
{
    if (arranged->points == &arranged->copy)
        free((void *)(uintptr_t)arranged->copy.rows);
    *arranged = (eb_arranged){.points = NULL};
}
