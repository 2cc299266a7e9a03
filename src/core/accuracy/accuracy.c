/* accuracy: walks two neighbour tables side by side, row by row, in two rounds. The first round counts and finds the
 * mean, spread and largest error, which the second round's histogram needs. Blocks of rows are summed separately and
 * combined in order, so the result does not depend on the number of threads.
 */
#include "core/accuracy/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/scaling.h"

/* Sums of one block of rows. A pair counts once, in the row of its smaller index; of a sample in the row of each drawn
 * point. */
typedef struct block_sums {
    uint64_t common, only_fast, only_true, error_nan;
    eb_moments errors;                    /* finite ones */
    double overlap, squares, overlap_min; /* sums over points of overlap and overlap²; the least */
    uint64_t overlap_bins[EB_OVERLAP_BINS];
} block_sums;

/* A thread's results of the second round, which do not depend on the order of pairs. */
typedef struct gathering {
    eb_histogram errors;
    eb_nearest nearest;
    double wrong_gap;
    uint64_t ties;
} gathering;

typedef struct comparison {
    const eb_accuracy_request *q;
    size_t n, block_rows, blocks;
    int exponent;             /* errors are summed as error·2^exponent (eb_error_exponent) */
    double unit;              /* 2^exponent */
    block_sums *sums;         /* [blocks] */
    eb_point_overlap *points; /* [n], passed to the result */
    double *error, *finite;   /* [n] sum and number of a drawn point's finite errors; NULL: all points are compared */
    gathering *gatherings;    /* [threads] */
    eb_job *job;
} comparison;

/* One step along two rows: the next column of either row, and which rows have it. */
typedef struct step {
    uint32_t column;
    bool in_fast, in_true;
    double dist_fast, dist_true; /* NAN for a row without the column */
} step;

typedef struct walk {
    const eb_neighbours *fast, *truth;
    uint64_t at_fast, end_fast, at_true, end_true;
} walk;

static walk walk_row(const eb_accuracy_request *q, size_t row)
{
    return (walk){.fast = q->fast,
                  .truth = q->truth,
                  .at_fast = q->fast->offsets[row],
                  .end_fast = q->fast->offsets[row + 1],
                  .at_true = q->truth->offsets[row],
                  .end_true = q->truth->offsets[row + 1]};
}

static bool next(walk *w, step *out)
{
    bool more_fast = w->at_fast < w->end_fast, more_true = w->at_true < w->end_true;
    if (!more_fast && !more_true)
        return false;
    uint32_t fast = more_fast ? w->fast->columns[w->at_fast] : UINT32_MAX; /* no point has this index */
    uint32_t truth = more_true ? w->truth->columns[w->at_true] : UINT32_MAX;
    *out = (step){.column = fast < truth ? fast : truth,
                  .in_fast = fast <= truth,
                  .in_true = truth <= fast,
                  .dist_fast = NAN,
                  .dist_true = NAN};
    if (out->in_fast)
        out->dist_fast = eb_neighbours_distance(w->fast, w->at_fast++);
    if (out->in_true)
        out->dist_true = eb_neighbours_distance(w->truth, w->at_true++);
    return true;
}

static size_t point_of(const eb_accuracy_request *q, size_t row) { return q->rows ? q->rows->row[row] : row; }

/* True if the pair is counted in this row. */
static bool counts_here(const eb_accuracy_request *q, size_t point, uint32_t column)
{
    return q->rows ? column != point : column > point;
}

/* True if no other row has counted the pair: a pair of two drawn points is in the rows of both. */
static bool is_first(const eb_accuracy_request *q, size_t point, uint32_t column)
{
    return column > point || !eb_rows_have(q->rows, column);
}

static size_t block_end(const comparison *c, size_t block)
{
    size_t end = (block + 1) * c->block_rows;
    return end < c->n ? end : c->n;
}

/* ---- histograms of errors ---- */

/* Rounds up to a readable number for the end of an axis. */
static double round_up(double x)
{
    static const double steps[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12};
    double power = pow(10, floor(log10(x)));
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++)
        if (steps[k] * power >= x)
            return steps[k] * power;
    return x; /* if the power of ten underflows */
}

double eb_error_range(double mean, double std, double largest, double eps)
{
    double reach = fmin(largest, fabs(mean) + 6 * std);
    if (reach > 0 && isfinite(reach))
        return round_up(reach);
    double unseen = eps * 0x1p-24; /* half an FP32 ulp */
    return unseen > 0 && isfinite(unseen) ? round_up(unseen) : 1e-9;
}

eb_code eb_histogram_new(size_t bins, double range, eb_histogram *out, eb_status *status)
{
    if (bins < EB_HISTOGRAM_MIN_BINS || bins > EB_HISTOGRAM_MAX_BINS)
        return eb_fail(status, EB_USAGE, "an error histogram has %u to %u bins; found %zu", EB_HISTOGRAM_MIN_BINS,
                       EB_HISTOGRAM_MAX_BINS, bins);
    *out = (eb_histogram){.bins = bins, .low = -range, .high = range, .count = calloc(bins, sizeof *out->count)};
    return out->count ? EB_OK : eb_fail_memory(status, "the error histogram", bins * sizeof *out->count);
}

static double bin_start(const eb_histogram *h, size_t bin)
{
    return h->low + (double)bin * ((h->high - h->low) / (double)h->bins);
}

void eb_histogram_add(eb_histogram *h, double error)
{
    if (error < h->low) {
        h->under++;
        return;
    }
    if (error > h->high) {
        h->over++;
        return;
    }
    size_t bin = (size_t)((error - h->low) / (h->high - h->low) * (double)h->bins);
    if (bin >= h->bins)
        bin = h->bins - 1;
    /* The quotient is rounded, so an error beside an edge is moved to the bin that the computed edges say. */
    while (bin > 0 && error < bin_start(h, bin))
        bin--;
    while (bin + 1 < h->bins && error >= bin_start(h, bin + 1))
        bin++;
    h->count[bin]++;
}

void eb_histogram_merge(eb_histogram *into, const eb_histogram *from)
{
    for (size_t k = 0; k < into->bins; k++)
        into->count[k] += from->count[k];
    into->under += from->under;
    into->over += from->over;
}

/* ---- first round ---- */

void eb_moments_add(eb_moments *m, double error)
{
    const double before = error - m->mean;
    m->count++;
    m->mean += before / (double)m->count;
    m->squares += before * (error - m->mean);
    m->max = fmax(m->max, fabs(error));
}

static void add_overlap(block_sums *b, uint64_t common, uint64_t either)
{
    double overlap = either > 0 ? (double)common / (double)either : 1;
    b->overlap_bins[eb_overlap_bin(common, either)]++;
    b->overlap += overlap;
    b->squares += overlap * overlap;
    b->overlap_min = fmin(b->overlap_min, overlap);
}

static void count_pair(const comparison *c, size_t row, const step *at, block_sums *b)
{
    const bool both = at->in_fast && at->in_true;
    const double error = (at->dist_fast - at->dist_true) * c->unit;
    b->common += both;
    b->only_fast += !at->in_true;
    b->only_true += !at->in_fast;
    b->error_nan += both && !isfinite(error);
    if (!both || !isfinite(error))
        return;
    eb_moments_add(&b->errors, error);
    if (c->error) {
        c->error[row] += error;
        c->finite[row]++;
    }
}

static void count_row(const comparison *c, size_t row, block_sums *b)
{
    const size_t point = point_of(c->q, row);
    uint64_t common = 0, either = 0;
    walk w = walk_row(c->q, row);
    for (step at; next(&w, &at);) {
        if (at.column == point)
            continue;
        either++;
        common += at.in_fast && at.in_true;
        if (counts_here(c->q, point, at.column))
            count_pair(c, row, &at, b);
    }
    add_overlap(b, common, either);
    c->points[row] = (eb_point_overlap){(uint32_t)common, (uint32_t)either};
}

static eb_code count_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const comparison *c = context;
    block_sums b = {.overlap_min = INFINITY};
    size_t begin = (size_t)task * c->block_rows, end = block_end(c, (size_t)task);
    for (size_t row = begin; row < end; row++)
        count_row(c, row, &b);
    c->sums[task] = b;
    eb_job_advance(c->job, end - begin);
    return EB_OK;
}

/* Adds b to a, by Chan's formula. */
static void combine_moments(eb_moments *a, const eb_moments *b)
{
    if (b->count == 0)
        return;
    double together = (double)(a->count + b->count), share = (double)b->count / together;
    double difference = b->mean - a->mean;
    a->mean += difference * share;
    a->squares += b->squares + difference * difference * share * (double)a->count;
    a->max = fmax(a->max, b->max);
    a->count += b->count;
}

static void combine(block_sums *a, const block_sums *b)
{
    a->common += b->common;
    a->only_fast += b->only_fast;
    a->only_true += b->only_true;
    a->error_nan += b->error_nan;
    a->overlap += b->overlap;
    a->squares += b->squares;
    a->overlap_min = fmin(a->overlap_min, b->overlap_min);
    for (size_t k = 0; k < EB_OVERLAP_BINS; k++)
        a->overlap_bins[k] += b->overlap_bins[k];
    combine_moments(&a->errors, &b->errors);
}

void eb_moments_report(const eb_moments *m, int exponent, eb_accuracy *out)
{
    const double unit = ldexp(1, -exponent);
    out->error_mean = m->count ? unit * m->mean : NAN;
    out->error_std = m->count ? unit * sqrt(fmax(m->squares, 0) / (double)m->count) : NAN;
    out->error_max = m->count ? unit * m->max : NAN;
}

void eb_overlap_report(double sum, double squares, eb_accuracy *out)
{
    const double n = (double)out->n, unseen = 1 - n / (double)out->of;
    out->overlap = sum / n;
    out->overlap_in =
        eb_accuracy_is_sampled(out)
            ? eb_band_of_share(out->overlap, fmax(squares / n - out->overlap * out->overlap, 0), out->n, unseen)
            : (eb_band){NAN, NAN};
}

static void summarise_sample(const comparison *c, const block_sums *all, eb_accuracy *out)
{
    const double unit = ldexp(1, -c->exponent), unseen = 1 - (double)out->n / (double)out->of;
    const eb_band mean = eb_band_of_ratio(c->error, c->finite, c->n, unseen);
    out->error_in = (eb_band){unit * mean.low, unit * mean.high};
    out->pairs_fast = all->common + all->only_fast + out->n;
    out->pairs_true = all->common + all->only_true + out->n;
}

static void summarise(const comparison *c, eb_accuracy *out)
{
    block_sums all = {.overlap_min = INFINITY};
    for (size_t k = 0; k < c->blocks; k++)
        combine(&all, &c->sums[k]);
    out->common = all.common;
    out->only_fast = all.only_fast;
    out->only_true = all.only_true;
    out->error_nan = all.error_nan;
    out->overlap_min = all.overlap_min;
    eb_overlap_report(all.overlap, all.squares, out);
    memcpy(out->overlap_bins, all.overlap_bins, sizeof out->overlap_bins);
    eb_moments_report(&all.errors, c->exponent, out);
    if (c->q->rows)
        summarise_sample(c, &all, out);
}

/* ---- second round ---- */

static void gather_pair(const comparison *c, gathering *g, size_t point, step *at)
{
    const double error = at->dist_fast - at->dist_true;
    if (isfinite(error)) /* finite only if the pair is in both */
        eb_histogram_add(&g->errors, error);
    if (!at->in_true)
        at->dist_true = eb_truth_distance(c->q->dataset, point, at->column);
    const double gap = fabs(at->dist_true - c->q->eps);
    if (at->in_fast != at->in_true)
        g->wrong_gap = fmax(g->wrong_gap, gap);
    if (!is_first(c->q, point, at->column))
        return;
    g->ties += gap <= c->q->eps * EB_TIE;
    if (!eb_nearest_wants(&g->nearest, at->dist_true))
        return;
    const uint32_t i = (uint32_t)point, j = at->column;
    eb_boundary_pair pair = {.i = i < j ? i : j,
                             .j = i < j ? j : i,
                             .in_fast = at->in_fast,
                             .in_true = at->in_true,
                             .dist_fast = at->dist_fast,
                             .dist_true = at->dist_true};
    eb_nearest_offer(&g->nearest, &pair);
}

static eb_code gather_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const comparison *c = context;
    gathering *g = &c->gatherings[thread];
    size_t begin = (size_t)task * c->block_rows, end = block_end(c, (size_t)task);
    for (size_t row = begin; row < end; row++) {
        const size_t point = point_of(c->q, row);
        walk w = walk_row(c->q, row);
        for (step at; next(&w, &at);)
            if (counts_here(c->q, point, at.column))
                gather_pair(c, g, point, &at);
    }
    eb_job_advance(c->job, end - begin);
    return EB_OK;
}

static eb_code make_gatherings(comparison *c, unsigned threads, double range, eb_status *status)
{
    const eb_accuracy_request *q = c->q;
    size_t bins = q->bins ? q->bins : EB_HISTOGRAM_DEFAULT_BINS;
    size_t room = q->boundary ? q->boundary : EB_DEFAULT_BOUNDARY;
    c->gatherings = calloc(threads, sizeof *c->gatherings);
    if (!c->gatherings)
        return eb_fail_memory(status, "threads' histograms", threads * sizeof *c->gatherings);
    eb_code failed = EB_OK;
    for (unsigned t = 0; t < threads && !failed; t++) {
        failed = eb_histogram_new(bins, range, &c->gatherings[t].errors, status);
        if (!failed)
            failed = eb_nearest_new(q->eps, room, &c->gatherings[t].nearest, status);
    }
    return failed;
}

/* Merges all threads' results into the first one's, which become the answer's. */
static void merge_gatherings(comparison *c, unsigned threads, eb_accuracy *out)
{
    gathering *all = &c->gatherings[0];
    for (unsigned t = 1; t < threads; t++) {
        const gathering *g = &c->gatherings[t];
        eb_histogram_merge(&all->errors, &g->errors);
        all->wrong_gap = fmax(all->wrong_gap, g->wrong_gap);
        all->ties += g->ties;
        for (size_t k = 0; k < g->nearest.count; k++)
            eb_nearest_offer(&all->nearest, &g->nearest.pair[k]);
    }
    eb_nearest_sort(&all->nearest);
    out->errors = all->errors;
    all->errors.count = NULL;
    out->boundary = all->nearest.pair;
    all->nearest.pair = NULL;
    out->boundary_count = all->nearest.count;
    out->wrong_gap = all->wrong_gap;
    out->ties = all->ties;
}

static void free_gatherings(comparison *c, unsigned threads)
{
    for (unsigned t = 0; c->gatherings && t < threads; t++) {
        free(c->gatherings[t].errors.count);
        eb_nearest_free(&c->gatherings[t].nearest);
    }
    free(c->gatherings);
}

/* ---- the comparison ---- */

static eb_code check_table(const char *whose, const eb_neighbours *table, size_t n, eb_status *status)
{
    if (table->n == n && table->first_row == 0 && table->rows == n && table->kept)
        return EB_OK;
    return eb_fail(status, EB_INTERNAL,
                   "%s table has rows %zu to %zu of %zu, %s distances; a comparison needs all of %zu, with distances",
                   whose, table->first_row, table->first_row + table->rows, table->n, table->kept ? "with" : "without",
                   n);
}

/* 2^1000 and 2^−1000 are both in range. */
int eb_error_exponent(double eps)
{
    int exponent = eps > 0 && isfinite(eps) ? -ilogb(eps) : 0;
    return exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
}

static eb_code compare(comparison *c, unsigned threads, eb_accuracy *out, eb_status *status)
{
    eb_job_phase(c->job, "comparing results", 2 * (uint64_t)c->n);
    EB_TRY(eb_parallel(threads, c->blocks, count_block, c, c->job, status));
    summarise(c, out);
    double range = eb_error_range(out->error_mean, out->error_std, out->error_max, out->eps);
    EB_TRY(make_gatherings(c, threads, range, status));
    EB_TRY(eb_parallel(threads, c->blocks, gather_block, c, c->job, status));
    merge_gatherings(c, threads, out);
    return EB_OK;
}

static eb_code allocate(comparison *c, eb_status *status)
{
    const size_t bytes =
        c->blocks * sizeof *c->sums + c->n * (sizeof *c->points + (c->q->rows ? 2 : 0) * sizeof(double));
    c->sums = calloc(c->blocks, sizeof *c->sums);
    c->points = calloc(c->n, sizeof *c->points);
    c->error = c->q->rows ? calloc(2 * c->n, sizeof *c->error) : NULL;
    c->finite = c->error ? c->error + c->n : NULL;
    return c->sums && c->points && (!c->q->rows || c->error) ? EB_OK : eb_fail_memory(status, "the comparison", bytes);
}

eb_code eb_accuracy_compute(const eb_accuracy_request *q, eb_job *job, eb_accuracy *out, eb_status *status)
{
    size_t n = q->rows ? q->rows->count : q->dataset->n;
    unsigned threads = q->threads ? q->threads : 1;
    EB_TRY(check_table("the fast engine's", q->fast, n, status));
    EB_TRY(check_table("the truth's", q->truth, n, status));
    /* Blocks depend on n only, so their sums do too. */
    comparison c = {.q = q, .n = n, .block_rows = n / 4096 < 64 ? 64 : n / 4096, .job = job};
    c.exponent = eb_error_exponent(q->eps);
    c.unit = ldexp(1, c.exponent);
    c.blocks = (n + c.block_rows - 1) / c.block_rows;
    eb_code failed = allocate(&c, status);
    *out = (eb_accuracy){.n = n,
                         .of = q->dataset->n,
                         .eps = q->eps,
                         .pairs_fast = q->fast->offsets[n],
                         .pairs_true = q->truth->offsets[n],
                         .error_in = {NAN, NAN},
                         .beyond = NAN,
                         .points = c.points};
    if (!failed)
        failed = compare(&c, threads, out, status);
    free_gatherings(&c, threads);
    free(c.sums);
    free(c.error);
    if (failed)
        eb_accuracy_free(out);
    return failed;
}

void eb_accuracy_free(eb_accuracy *accuracy)
{
    free(accuracy->points);
    free(accuracy->errors.count);
    free(accuracy->boundary);
    *accuracy = (eb_accuracy){.n = 0};
}
