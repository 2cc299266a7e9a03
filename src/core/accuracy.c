/* Two neighbour tables side by side, row by row. Blocks of rows are summed apart and combined in order, so the result does not depend
 * on the number of threads. */
#include "core/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"

#define BLOCK_ROWS 256u
#define DEFAULT_BINS 200u
#define DEFAULT_BOUNDARY 20u

/* What one block of rows adds. Errors: each unordered pair once, in the row of its smaller index. */
typedef struct block_sums {
    uint64_t common, only_fast, only_true, error_nan, errors;
    double error_sum, error_max;
    double squares; /* Σ (error − mean)², second round */
    double overlap_sum, overlap_min;
    uint64_t overlap_bins[EB_OVERLAP_BINS];
    uint64_t *histogram; /* [bins + 2]: under, the bins, over */
} block_sums;

typedef struct comparison {
    const eb_accuracy_request *q;
    size_t n, bins;
    block_sums *block;
    double mean, low, high; /* known from the second round on */
} comparison;

typedef enum presence { IN_BOTH, IN_FAST, IN_TRUE } presence;

/* Walks the merged neighbours of a row, self left out. */
typedef void (*pair_visitor)(void *context, size_t row, uint32_t column, presence where, double dist_fast, double dist_true);

static void visit_row(const eb_accuracy_request *q, size_t row, pair_visitor visit, void *context)
{
    const eb_neighbours *f = q->fast, *t = q->truth;
    uint64_t a = f->offsets[row], a_end = f->offsets[row + 1], b = t->offsets[row], b_end = t->offsets[row + 1];
    while (a < a_end || b < b_end) {
        uint32_t column_a = a < a_end ? f->columns[a] : UINT32_MAX, column_b = b < b_end ? t->columns[b] : UINT32_MAX;
        uint32_t column = column_a < column_b ? column_a : column_b;
        presence where = column_a == column_b ? IN_BOTH : column_a < column_b ? IN_FAST : IN_TRUE;
        double dist_fast = where != IN_TRUE ? f->distances[a++] : NAN;
        double dist_true = where != IN_FAST ? t->distances[b++] : NAN;
        if (column != row)
            visit(context, row, column, where, dist_fast, dist_true);
    }
}

/* ---- first round: overlap, counts, mean and largest error ---- */

typedef struct row_sums {
    block_sums *b;
    uint64_t common, either;
} row_sums;

static void count_pair(void *context, size_t row, uint32_t column, presence where, double dist_fast, double dist_true)
{
    row_sums *r = context;
    r->either++;
    r->common += where == IN_BOTH;
    if (column < row)
        return;
    r->b->common += where == IN_BOTH;
    r->b->only_fast += where == IN_FAST;
    r->b->only_true += where == IN_TRUE;
    if (where != IN_BOTH)
        return;
    double error = dist_fast - dist_true;
    if (isnan(error)) {
        r->b->error_nan++;
        return;
    }
    r->b->errors++;
    r->b->error_sum += error;
    r->b->error_max = fmax(r->b->error_max, fabs(error));
}

static eb_code count_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const comparison *c = context;
    block_sums *b = &c->block[task];
    b->overlap_min = INFINITY;
    size_t end = (size_t)(task + 1) * BLOCK_ROWS;
    for (size_t row = (size_t)task * BLOCK_ROWS; row < end && row < c->n; row++) {
        row_sums r = {.b = b};
        visit_row(c->q, row, count_pair, &r);
        double overlap = r.either > 0 ? (double)r.common / (double)r.either : 1;
        size_t bin = (size_t)(overlap * EB_OVERLAP_BINS);
        b->overlap_bins[bin < EB_OVERLAP_BINS ? bin : EB_OVERLAP_BINS - 1]++;
        b->overlap_sum += overlap;
        b->overlap_min = fmin(b->overlap_min, overlap);
    }
    return EB_OK;
}

/* ---- second round: spread and histogram, now that mean and range are known ---- */

typedef struct spread {
    const comparison *c;
    block_sums *b;
} spread;

static void spread_pair(void *context, size_t row, uint32_t column, presence where, double dist_fast, double dist_true)
{
    spread *s = context;
    double error = dist_fast - dist_true;
    if (column < row || where != IN_BOTH || isnan(error))
        return;
    const comparison *c = s->c;
    s->b->squares += (error - c->mean) * (error - c->mean);
    size_t bin; /* 0 under, 1 … bins, bins + 1 over */
    if (error < c->low) {
        bin = 0;
    } else if (error > c->high) {
        bin = c->bins + 1;
    } else {
        bin = 1 + (size_t)((error - c->low) / (c->high - c->low) * (double)c->bins);
        bin = bin > c->bins ? c->bins : bin;
    }
    s->b->histogram[bin]++;
}

static eb_code spread_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    comparison *c = context;
    block_sums *b = &c->block[task];
    b->histogram = calloc(c->bins + 2, sizeof *b->histogram);
    if (!b->histogram)
        return eb_fail_memory(status, "the error histogram", (c->bins + 2) * sizeof *b->histogram);
    spread s = {.c = c, .b = b};
    size_t end = (size_t)(task + 1) * BLOCK_ROWS;
    for (size_t row = (size_t)task * BLOCK_ROWS; row < end && row < c->n; row++)
        visit_row(c->q, row, spread_pair, &s);
    return EB_OK;
}

/* The next of 1, 2, 5 · 10^k at or above x: axes end on round numbers. A tiny range when there is no error at all. */
static double round_up_nice(double x)
{
    if (!(x > 0))
        return 1e-15;
    double power = pow(10, floor(log10(x)));
    const double steps[] = {1, 2, 5, 10};
    for (size_t k = 0; k < 4; k++)
        if (x <= steps[k] * power)
            return steps[k] * power;
    return 10 * power;
}

/* ---- the pairs nearest to ε ---- */

typedef struct nearest {
    const eb_accuracy_request *q;
    eb_boundary_pair *pair; /* ascending by |dist_true − ε| */
    size_t count, room;
} nearest;

static double margin(const nearest *list, const eb_boundary_pair *p) { return fabs(p->dist_true - list->q->eps); }

static void offer_pair(void *context, size_t row, uint32_t column, presence where, double dist_fast, double dist_true)
{
    nearest *list = context;
    if (column < row)
        return;
    if (where == IN_FAST)
        dist_true = sqrt(eb_truth_distance2(list->q->dataset, row, column));
    eb_boundary_pair p = {.i = (uint32_t)row, .j = column, .dist_fast = dist_fast, .dist_true = dist_true,
                          .in_fast = where != IN_TRUE, .in_true = where != IN_FAST};
    if (list->count == list->room && !(margin(list, &p) < margin(list, &list->pair[list->count - 1])))
        return;
    size_t at = list->count < list->room ? list->count++ : list->count - 1;
    for (; at > 0 && margin(list, &p) < margin(list, &list->pair[at - 1]); at--)
        list->pair[at] = list->pair[at - 1];
    list->pair[at] = p;
}

/* Asks the fast engine for the distances it did not report. A point's distances to all others cost little for so few pairs. */
static eb_code complete_pairs(nearest *list, eb_job *job, eb_status *status)
{
    double *s = NULL;
    eb_code code = EB_OK;
    for (size_t k = 0; k < list->count && code == EB_OK; k++) {
        eb_boundary_pair *p = &list->pair[k];
        if (p->in_fast || !list->q->fast_state)
            continue;
        if (!s && !(s = calloc(list->q->dataset->n, sizeof *s)))
            return eb_fail_memory(status, "the boundary pairs", list->q->dataset->n * sizeof *s);
        code = list->q->fast_engine->distances(list->q->fast_state, &p->i, 1, s, job, status);
        if (code == EB_OK)
            p->dist_fast = sqrt(s[p->j]);
    }
    free(s);
    return code;
}

static eb_code find_boundary(const eb_accuracy_request *q, eb_job *job, eb_accuracy *out, eb_status *status)
{
    nearest list = {.q = q, .room = q->boundary ? q->boundary : DEFAULT_BOUNDARY};
    list.pair = calloc(list.room, sizeof *list.pair);
    if (!list.pair)
        return eb_fail_memory(status, "the boundary pairs", list.room * sizeof *list.pair);
    out->boundary = list.pair;
    for (size_t row = 0; row < out->n; row++) {
        if (row % 65536 == 0 && eb_job_check(job, status) != EB_OK)
            return EB_CANCELLED;
        visit_row(q, row, offer_pair, &list);
    }
    out->boundary_count = list.count;
    return complete_pairs(&list, job, status);
}

/* ---- together ---- */

static void combine_counts(const comparison *c, size_t blocks, eb_accuracy *out)
{
    double overlap = 0, sum = 0, largest = 0;
    uint64_t errors = 0;
    out->overlap_min = INFINITY;
    for (size_t k = 0; k < blocks; k++) {
        const block_sums *b = &c->block[k];
        out->common += b->common;
        out->only_fast += b->only_fast;
        out->only_true += b->only_true;
        out->error_nan += b->error_nan;
        out->overlap_min = fmin(out->overlap_min, b->overlap_min);
        for (size_t bin = 0; bin < EB_OVERLAP_BINS; bin++)
            out->overlap_bins[bin] += b->overlap_bins[bin];
        overlap += b->overlap_sum;
        sum += b->error_sum;
        largest = fmax(largest, b->error_max);
        errors += b->errors;
    }
    out->overlap = overlap / (double)c->n;
    out->error_mean = errors > 0 ? sum / (double)errors : NAN;
    out->error_max = errors > 0 ? largest : NAN;
}

static eb_code combine_spread(const comparison *c, size_t blocks, eb_accuracy *out, eb_status *status)
{
    out->errors = (eb_histogram){.bins = c->bins, .low = c->low, .high = c->high, .count = calloc(c->bins, sizeof(uint64_t))};
    if (!out->errors.count)
        return eb_fail_memory(status, "the error histogram", c->bins * sizeof(uint64_t));
    double squares = 0;
    uint64_t errors = 0;
    for (size_t k = 0; k < blocks; k++) {
        const block_sums *b = &c->block[k];
        squares += b->squares;
        errors += b->errors;
        out->errors.under += b->histogram[0];
        out->errors.over += b->histogram[c->bins + 1];
        for (size_t bin = 0; bin < c->bins; bin++)
            out->errors.count[bin] += b->histogram[bin + 1];
    }
    out->error_std = errors > 0 ? sqrt(squares / (double)errors) : NAN;
    return EB_OK;
}

eb_code eb_accuracy_compute(const eb_accuracy_request *q, eb_job *job, eb_accuracy *out, eb_status *status)
{
    size_t n = q->truth->rows, blocks = (n + BLOCK_ROWS - 1) / BLOCK_ROWS;
    *out = (eb_accuracy){.n = n, .eps = q->eps, .pairs_fast = q->fast->offsets[n], .pairs_true = q->truth->offsets[n]};
    comparison c = {.q = q, .n = n, .bins = q->bins ? q->bins : DEFAULT_BINS, .block = calloc(blocks, sizeof *c.block)};
    if (!c.block)
        return eb_fail_memory(status, "the comparison", blocks * sizeof *c.block);
    eb_job_phase(job, "comparing results", 0);
    eb_code code = eb_parallel(q->threads, blocks, count_block, &c, job, status);
    if (code == EB_OK) {
        combine_counts(&c, blocks, out);
        c.mean = isnan(out->error_mean) ? 0 : out->error_mean;
        c.high = round_up_nice(isnan(out->error_max) ? 0 : out->error_max);
        c.low = -c.high;
        code = eb_parallel(q->threads, blocks, spread_block, &c, job, status);
    }
    if (code == EB_OK)
        code = combine_spread(&c, blocks, out, status);
    if (code == EB_OK)
        code = find_boundary(q, job, out, status);
    for (size_t k = 0; k < blocks; k++)
        free(c.block[k].histogram);
    free(c.block);
    if (code != EB_OK)
        eb_accuracy_free(out);
    return code;
}

void eb_accuracy_free(eb_accuracy *accuracy)
{
    free(accuracy->errors.count);
    free(accuracy->boundary);
    *accuracy = (eb_accuracy){0};
}
