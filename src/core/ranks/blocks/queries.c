#include "core/ranks/blocks/queries.h"

#include <stdlib.h>
#include <string.h>

static eb_code gather(const eb_dataset *points, const uint32_t *rows, size_t m, eb_dataset *out, eb_status *status)
{
    const size_t row_bytes = eb_row_bytes(points);
    unsigned char *copy = malloc(m * row_bytes);
    if (!copy)
        return eb_fail_memory(status, "the queries", m * row_bytes);
    *out = *points;
    out->n = m;
    out->rows = copy;
    out->stride = row_bytes;
    for (size_t q = 0; q < m; q++) {
        if (rows[q] >= points->n) {
            free(copy);
            return eb_fail(status, EB_INTERNAL, "distances from point %u of %zu", rows[q], points->n);
        }
        memcpy(copy + q * row_bytes, eb_row(points, rows[q]), row_bytes);
    }
    return EB_OK;
}

/* 0 … m − 1; NULL: no memory. */
static uint32_t *all_of(size_t m)
{
    uint32_t *row = malloc((m ? m : 1) * sizeof *row);
    for (size_t q = 0; q < m && row; q++)
        row[q] = (uint32_t)q;
    return row;
}

/* ---- distances and pairs, in rank 0: it has all points ---- */

typedef struct measuring {
    size_t m, columns; /* queries; right points */
    eb_rows block;
    double *out; /* [m × columns] */
} measuring;

static eb_code visit_distances(eb_visits *v, const eb_opened *opened, const eb_share *share, const eb_rectangle *of,
                               eb_status *status)
{
    const measuring *m = v->answer;
    const size_t width = m->block.end - m->block.begin;
    uint32_t *row = all_of(m->m);
    double *s = malloc(m->m * width * sizeof *s);
    (void)share, (void)of;
    const eb_code failed = row && s ? opened->run->distances(opened->state, row, m->m, s, status)
                                    : eb_fail_memory(status, "the queries' distances", m->m * width * sizeof *s);
    for (size_t q = 0; q < m->m && !failed; q++)
        memcpy(m->out + q * m->columns + m->block.begin, s + q * width, width * sizeof *s);
    free(row);
    free(s);
    return failed;
}

/* The queries against one block after the other. A point's distance to itself is 0 as it is for any equal points. */
eb_code eb_blocks_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_blocks *b = state;
    const eb_dataset *right = b->request.problem.right;
    eb_job *job = b->opened->context.job;
    const unsigned ranks = eb_blocks_ranks(b);
    measuring to = {.m = m, .columns = right->n, .out = out};
    eb_visits v = {.b = b, .parts = 1, .visit = visit_distances, .answer = &to};
    eb_dataset queries;
    eb_code failed = EB_OK;
    if (m == 0)
        return EB_OK;
    EB_TRY(gather(b->request.problem.left, rows, m, &queries, status));
    eb_job_divide(job, ranks);
    for (unsigned r = 0; r < ranks && !failed; r++) {
        to.block = eb_block_of(right->n, r, ranks);
        const eb_dataset block = eb_blocks_slice(right, to.block.begin, to.block.end - to.block.begin);
        const eb_problem problem = {.left = &queries, .right = &block};
        if (block.n > 0)
            failed = eb_visit_problem(&v, &problem, (eb_rows){0, m}, NULL, status);
    }
    eb_job_divide(job, 1);
    free((void *)(uintptr_t)queries.rows);
    return failed;
}

eb_code eb_blocks_pairs(void *state, const uint32_t *rows, const uint32_t *columns, size_t number, double *s,
                        eb_status *status)
{
    const eb_blocks *b = state;
    const eb_problem *problem = &b->request.problem;
    (void)status;
    for (size_t k = 0; k < number; k++)
        s[k] =
            eb_truth_distance2_between(problem->left, rows[k], problem->right, columns[k], b->opened->scaling.exponent);
    return EB_OK;
}

/* ---- bins, in every rank ---- */

eb_code eb_blocks_pack(const eb_dataset *left, const uint32_t *rows, size_t m, eb_packet *packet, eb_status *status)
{
    eb_dataset queries;
    EB_TRY(gather(left, rows, m, &queries, status));
    eb_pack_u64(packet, m);
    eb_pack(packet, rows, m * sizeof *rows);
    eb_pack(packet, queries.rows, m * queries.stride);
    free((void *)(uintptr_t)queries.rows);
    return EB_OK;
}

typedef struct binning {
    size_t m;
    eb_bins *out;
} binning;

static eb_code visit_bins(eb_visits *v, const eb_opened *opened, const eb_share *share, const eb_rectangle *of,
                          eb_status *status)
{
    const binning *b = v->answer;
    uint32_t *row = all_of(b->m);
    (void)share, (void)of;
    const eb_code failed = row ? eb_ask_bins(opened, row, b->m, b->out, status)
                               : eb_fail_memory(status, "the queries", b->m * sizeof *row);
    free(row);
    return failed;
}

/* A query in the block has been counted as a point at distance 0 from itself. */
static void leave_out_selves(const eb_blocks *b, const unsigned char *rows, eb_bins *bins)
{
    for (size_t q = 0; q < bins->queries; q++) {
        uint32_t row;
        memcpy(&row, rows + q * sizeof row, sizeof row);
        bins->zeros[q] -= row >= b->own.begin && row < b->own.end;
    }
}

eb_code eb_blocks_bins(const eb_opened *opened, eb_packet *packet, eb_bins *out, eb_status *status)
{
    eb_blocks *b = opened->state;
    const eb_problem *all = &b->request.problem;
    const size_t m = (size_t)eb_unpack_u64(packet), row_bytes = eb_row_bytes(all->left);
    const bool sane = !packet->failed && m <= packet->size;
    const unsigned char *rows = eb_unpack_bytes(packet, sane ? m * sizeof(uint32_t) : SIZE_MAX),
                        *points = eb_unpack_bytes(packet, sane ? m * row_bytes : SIZE_MAX);
    eb_dataset queries = *all->left;
    const eb_problem problem = {.left = &queries, .right = &b->request.right};
    binning to = {.m = m, .out = out};
    eb_visits v = {.b = b, .parts = 1, .visit = visit_bins, .answer = &to};
    if (!rows || !points)
        return eb_fail(status, EB_INTERNAL, "rank 0 gives fewer queries than %zu", m);
    queries.n = m;
    queries.rows = points;
    queries.stride = row_bytes;
    if (m == 0 || b->request.right.n == 0)
        return eb_bins_make(m, 1, 0, out, status);
    EB_TRY(eb_visit_problem(&v, &problem, (eb_rows){0, m}, NULL, status));
    if (eb_is_self_join(all))
        leave_out_selves(b, rows, out);
    return EB_OK;
}

static void add(const eb_bins *from, eb_bins *to)
{
    const size_t width = eb_bins_width(from), whole = eb_bins_width(to);
    for (size_t q = 0; q < to->queries; q++)
        to->zeros[q] += from->zeros[q];
    if (width == 0 || !to->count)
        return;
    for (size_t q = 0; q < to->queries; q++) {
        uint32_t *count = to->count + q * whole + (from->low - to->low);
        for (size_t k = 0; k < width; k++)
            count[k] += from->count[q * width + k];
    }
}

eb_code eb_blocks_sum(const eb_bins *bins, unsigned ranks, size_t m, eb_bins *out, eb_status *status)
{
    uint32_t low = EB_BINS, high = 0;
    for (unsigned r = 0; r < ranks; r++) {
        if (eb_bins_width(&bins[r]) == 0)
            continue;
        low = bins[r].low < low ? bins[r].low : low;
        high = bins[r].high > high ? bins[r].high : high;
    }
    EB_TRY(eb_bins_make(m, low, high, out, status));
    for (unsigned r = 0; r < ranks; r++)
        add(&bins[r], out);
    return EB_OK;
}
