/* moves: how far rounding to a rung's numbers moves the points of a problem, without an opened engine. */
#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "kernels/tensor/cpu/engine.h"
#include "kernels/tensor/cpu/round.h"

enum { ROWS = 256 /* points of a task */ };

typedef struct moving {
    const eb_frame *frame;
    const eb_dataset *set[2]; /* the second NULL: a self-join */
    size_t blocks;            /* tasks of the first set */
    double far, unit;         /* unit: of the stored points, in the frame's */
    eb_rounding_row *row;     /* [threads] */
    eb_rounded *found;        /* [tasks] */
} moving;

static void add_point(const moving *m, const eb_rounding_row *row, eb_rounded *found)
{
    const double moved = sqrt(row->moved2) * m->unit;
    const bool lost = row->beyond > 0 && !eb_number_type_of(m->frame->rung->number)->saturates;
    found->overflow += lost ? row->beyond : 0;
    found->moved_most = lost ? found->moved_most : fmax(found->moved_most, moved);
    found->moved += lost || (moved > 0 && moved >= m->far);
}

static eb_code move_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const moving *m = context;
    const eb_dataset *set = m->set[task >= m->blocks];
    const size_t begin = (size_t)(task >= m->blocks ? task - m->blocks : task) * ROWS;
    for (size_t i = begin; i < begin + ROWS && i < set->n; i++) {
        eb_frame_apply(m->frame, set, i, m->row[thread].y);
        eb_round_row(m->frame, &m->row[thread]);
        add_point(m, &m->row[thread], &m->found[task]);
    }
    return EB_OK;
}

static eb_code move_all(moving *m, unsigned threads, eb_job *job, eb_rounded *out, eb_status *status)
{
    const size_t tasks = m->blocks + (m->set[1] ? (m->set[1]->n + ROWS - 1) / ROWS : 0);
    m->row = calloc(threads, sizeof *m->row);
    m->found = calloc(tasks, sizeof *m->found);
    eb_code failed = m->row && m->found ? EB_OK : eb_fail_memory(status, "rounded points", tasks * sizeof *m->found);
    for (unsigned k = 0; k < threads && !failed; k++)
        failed = eb_rounding_row_make(m->frame->d, &m->row[k], status);
    if (!failed)
        failed = eb_parallel(threads, tasks, move_block, m, job, status);
    for (size_t k = 0; k < tasks && !failed; k++) {
        out->overflow += m->found[k].overflow;
        out->moved += m->found[k].moved;
        out->moved_most = fmax(out->moved_most, m->found[k].moved_most);
    }
    for (unsigned k = 0; k < threads && m->row; k++)
        free(m->row[k].y);
    free(m->row);
    free(m->found);
    return failed;
}

eb_code eb_tensor_moves(const eb_rung *rung, const eb_problem *problem, double far, unsigned threads, eb_job *job,
                        eb_rounded *out, eb_status *status)
{
    const eb_dataset *right = eb_is_self_join(problem) ? NULL : problem->right;
    eb_frame frame;
    *out = (eb_rounded){0};
    EB_TRY(eb_frame_find(rung, problem->left, right, threads, job, &frame, status));
    moving m = {.frame = &frame,
                .set = {problem->left, right},
                .blocks = (problem->left->n + ROWS - 1) / ROWS,
                .far = far,
                .unit = ldexp(1, -frame.power)};
    const eb_code failed = move_all(&m, threads, job, out, status);
    eb_frame_free(&frame);
    return failed;
}
