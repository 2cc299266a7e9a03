/* debias: the mean error of the squared distances of near points. */
#include <stdlib.h>
#include <string.h>

#include "kernels/tensor/cpu/round.h"

enum { SAMPLED_ROWS = 48, SAMPLED_COLUMNS = 2048, NEAREST = 16 };

typedef struct sampling {
    const eb_frame *frame;
    const eb_dataset *points;
    size_t rows, columns;
    double *y; /* [columns × d] the sampled columns in the frame */
    eb_rounding_row a, b;
    double error, moved; /* sums over the pairs: of d̂² − d², of moved2 */
} sampling;

/* The k-th of `count` points spread over n. */
static size_t spread(size_t k, size_t count, size_t n) { return (size_t)((double)k / (double)count * (double)n); }

static double distance2(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static void add_pair(sampling *s, const double *near, double exact)
{
    const size_t d = s->frame->d;
    double rounded = 0;
    memcpy(s->b.y, near, d * sizeof *near);
    eb_round_row(s->frame, &s->b);
    for (size_t k = 0; k < d; k++) {
        const double off = eb_rounded_at(s->frame->rung, &s->a, k) - eb_rounded_at(s->frame->rung, &s->b, k);
        rounded += off * off;
    }
    s->error += rounded - exact;
    s->moved += s->a.moved2 + s->b.moved2;
}

/* Adds the pairs of a sampled row with its nearest columns. Pairs at distance 0 are left out, the point itself too. */
static void add_row(sampling *s, size_t row)
{
    size_t near[NEAREST], found = 0;
    double at[NEAREST];
    eb_frame_apply(s->frame, s->points, row, s->a.y);
    for (size_t c = 0; c < s->columns; c++) {
        const double distance = distance2(s->a.y, s->y + c * s->frame->d, s->frame->d);
        if (!(distance > 0) || (found == NEAREST && distance >= at[NEAREST - 1]))
            continue;
        size_t k = found < NEAREST ? found++ : NEAREST - 1;
        for (; k > 0 && at[k - 1] > distance; k--) {
            at[k] = at[k - 1];
            near[k] = near[k - 1];
        }
        at[k] = distance;
        near[k] = c;
    }
    eb_round_row(s->frame, &s->a);
    for (size_t k = 0; k < found; k++)
        add_pair(s, s->y + near[k] * s->frame->d, at[k]);
}

static eb_code sample(sampling *s, eb_status *status)
{
    const size_t d = s->frame->d;
    EB_TRY(eb_rounding_row_make(d, &s->a, status));
    EB_TRY(eb_rounding_row_make(d, &s->b, status));
    s->y = malloc(s->columns * d * sizeof *s->y);
    if (!s->y)
        return eb_fail_memory(status, "sampled points", s->columns * d * sizeof *s->y);
    for (size_t c = 0; c < s->columns; c++)
        eb_frame_apply(s->frame, s->points, spread(c, s->columns, s->points->n), s->y + c * d);
    for (size_t r = 0; r < s->rows; r++)
        add_row(s, spread(r, s->rows, s->points->n));
    return EB_OK;
}

eb_code eb_debias_factor(const eb_frame *frame, const eb_dataset *points, double *out, eb_status *status)
{
    sampling s = {.frame = frame,
                  .points = points,
                  .rows = points->n < SAMPLED_ROWS ? points->n : SAMPLED_ROWS,
                  .columns = points->n < SAMPLED_COLUMNS ? points->n : SAMPLED_COLUMNS};
    const eb_code failed = sample(&s, status);
    *out = s.moved > 0 ? s.error / s.moved : 0;
    free(s.a.y);
    free(s.b.y);
    free(s.y);
    return failed;
}
