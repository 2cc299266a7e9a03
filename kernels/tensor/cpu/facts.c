/* facts: what engine tensor tells about its rounding: points as it has rounded them, and the ε at which it is proven to
 * find every pair of the truth. */
#include <math.h>
#include <stdlib.h>

#include "core/engine/problem.h"
#include "kernels/tensor/cpu/state.h"

eb_code eb_tensor_rounded(const void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const eb_tensor_state *t = state;
    const size_t d = t->frame.d;
    eb_rounding_row row;
    EB_TRY(eb_rounding_row_make(d, &row, status));
    for (size_t k = 0; k < m; k++) {
        size_t at;
        const eb_dataset *set = eb_tensor_set_of(t, t->join.finder.problem, rows[k], &at);
        eb_frame_apply(&t->frame, set, at, row.y);
        eb_round_row(&t->frame, &row);
        for (size_t c = 0; c < d; c++)
            out[k * d + c] = eb_rounded_at(&t->rung, &row, c);
        eb_frame_undo(&t->frame, out + k * d);
    }
    free(row.y);
    return EB_OK;
}

/* The two greatest of values of different points, added. */
static double greatest_two(const double *value, size_t count)
{
    double first = 0, second = 0;
    for (size_t k = 0; k < count; k++) {
        second = fmax(second, fmin(first, value[k]));
        first = fmax(first, value[k]);
    }
    return first + second;
}

/* A pair within ε has rounded points within ε + moved_i + moved_j, and s is above the square of that by at most above_i
 * + above_j (kernels/tensor/bound.h). FP64's verdict is within (d + 2)·2^-52 of the squared distance. */
double eb_tensor_complete_eps(const void *state, double eps)
{
    const eb_tensor_state *t = state;
    const double rounding = 1 + (double)(t->frame.d + 16) * 0x1p-51;
    const double reach = eps * rounding + greatest_two(t->join.moved, t->join.places);
    const double square = reach * reach + greatest_two(t->above, t->join.places);
    const double complete = sqrt(square * (1 + 0x1p-22));
    return complete < 0x1p500 ? complete : INFINITY;
}
