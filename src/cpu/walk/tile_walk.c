#include "cpu/walk/tile_walk.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

/* Row tiles in one task: long enough that the column block's points, once in cache, are used many times; short enough
 * that the last tasks of a walk end together. */
#define STRIP 4u

/* One thread's buffers, parts of one aligned block. */
typedef struct bench {
    double *tile;   /* [tile_rows · tile_columns], for a tile kernel */
    uint64_t *bits; /* [tile_rows · words] */
    eb_tile_pairs *pairs;
    void *scratch;
    void *block;
} bench;

typedef struct tour {
    const eb_tiled *walk;
    size_t row_begin, row_end;
    double limit;
    eb_tile_mark mark;
    eb_tile_visit visit; /* NULL: count only */
    void *context;
    eb_job *job;
    size_t row_blocks, column_blocks;
    uint64_t *first_task;  /* [column_blocks + 1] tasks before column block c */
    uint64_t tiles;        /* all of them */
    _Atomic uint64_t done; /* tiles */
    _Atomic uint64_t pairs;
    bench *benches; /* [threads] */
} tour;

eb_code eb_tile_limit(double eps, double *limit, eb_status *status)
{
    if (!(eps >= 0)) /* NaN too */
        return eb_fail(status, EB_USAGE, "ε must be a distance, 0 or more; found %g", eps);
    *limit = eb_squared_threshold(eps);
    return EB_OK;
}

static eb_tile_mark mark_for_this_cpu(void)
{
    switch (eb_cpu_isa()) {
    case EB_ISA_AVX512: return eb_tile_mark_avx512;
    case EB_ISA_AVX2: return eb_tile_mark_avx2;
    case EB_ISA_BASE: break;
    }
    return eb_tile_mark_base;
}

static size_t rounded_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

static eb_code make_bench(const eb_tiled *walk, bench *b, eb_status *status)
{
    size_t tile = walk->select ? 0 : rounded_up(walk->tile_rows * walk->tile_columns * sizeof *b->tile);
    size_t bits = rounded_up(walk->tile_rows * eb_tile_words(walk->tile_columns) * sizeof *b->bits);
    size_t pairs = rounded_up(sizeof *b->pairs);
    size_t scratch = rounded_up(walk->scratch_bytes);
    size_t total = tile + bits + pairs + scratch;
    unsigned char *block = aligned_alloc(64, total);
    if (!block)
        return eb_fail_memory(status, "a thread's tile", total);
    *b = (bench){.block = block};
    b->tile = (void *)block;
    b->bits = (void *)(block + tile);
    b->pairs = (void *)(block + tile + bits);
    b->pairs->count = 0;
    b->scratch = block + tile + bits + pairs;
    memset(b->scratch, 0, scratch);
    return EB_OK;
}

/* Clears bits [from, to) of a row. */
static void clear_bits(uint64_t *bits, size_t from, size_t to)
{
    for (size_t at = from; at < to;) {
        size_t stop = (at / 64 + 1) * 64 < to ? (at / 64 + 1) * 64 : to;
        uint64_t ones = stop - at == 64 ? ~(uint64_t)0 : (((uint64_t)1 << (stop - at)) - 1) << (at % 64);
        bits[at / 64] &= ~ones;
        at = stop;
    }
}

/* A pair inside the row range belongs to its smaller end: in row i the columns row_begin … i
 * are another row's or self. */
static void clear_unwanted(const tour *t, size_t i0, size_t ni, size_t j0, size_t nj, uint64_t *bits)
{
    size_t from = j0 > t->row_begin ? j0 : t->row_begin;
    if (i0 + ni <= from || from >= j0 + nj)
        return;
    for (size_t r = 0; r < ni; r++) {
        size_t to = i0 + r + 1 < j0 + nj ? i0 + r + 1 : j0 + nj;
        if (to > from)
            clear_bits(bits + r * eb_tile_words(nj), from - j0, to - j0);
    }
}

static uint64_t count_bits(const uint64_t *bits, size_t words)
{
    uint64_t count = 0;
    for (size_t w = 0; w < words; w++)
        count += (uint64_t)__builtin_popcountll(bits[w]);
    return count;
}

/* Computes what the batch still lacks, drops what is not within the limit after all, hands over the rest. */
static eb_code finish_batch(tour *t, unsigned thread, eb_status *status)
{
    const eb_tiled *walk = t->walk;
    eb_tile_pairs *pairs = t->benches[thread].pairs;
    size_t count = pairs->count;
    if (count == 0)
        return EB_OK;
    if (walk->select) {
        walk->exact(walk->state, pairs->row, pairs->column, count, pairs->s);
        size_t within = 0;
        for (size_t k = 0; k < count; k++) {
            pairs->row[within] = pairs->row[k];
            pairs->column[within] = pairs->column[k];
            pairs->s[within] = pairs->s[k];
            within += pairs->s[k] <= t->limit;
        }
        pairs->count = within;
    }
    (void)atomic_fetch_add_explicit(&t->pairs, pairs->count, memory_order_relaxed);
    eb_code code = t->visit && pairs->count ? t->visit(t->context, thread, pairs, status) : EB_OK;
    pairs->count = 0;
    return code;
}

/* Lists the marked pairs of one row of a tile. */
static eb_code gather_row(tour *t, unsigned thread, size_t i, const uint64_t *bits, const double *s, size_t j0,
                          size_t nj, eb_status *status)
{
    eb_tile_pairs *pairs = t->benches[thread].pairs;
    for (size_t w = 0; w < eb_tile_words(nj); w++)
        for (uint64_t word = bits[w]; word; word &= word - 1) {
            size_t j = w * 64 + (size_t)__builtin_ctzll(word);
            pairs->row[pairs->count] = (uint32_t)i;
            pairs->column[pairs->count] = (uint32_t)(j0 + j);
            if (s)
                pairs->s[pairs->count] = s[j];
            if (++pairs->count < EB_TILE_BATCH)
                continue;
            eb_code code = finish_batch(t, thread, status);
            if (code != EB_OK)
                return code;
        }
    return EB_OK;
}

static eb_code visit_tile(tour *t, unsigned thread, size_t i0, size_t ni, size_t j0, size_t nj, eb_status *status)
{
    const eb_tiled *walk = t->walk;
    const bench *b = &t->benches[thread];
    size_t words = eb_tile_words(nj);
    bool decided = true;
    if (walk->select) {
        decided = walk->select(walk->state, i0, ni, j0, nj, j0 >= t->row_begin, t->limit, b->bits, b->scratch);
    } else {
        walk->tile(walk->state, i0, ni, j0, nj, t->limit, b->tile, b->scratch);
        for (size_t r = 0; r < ni; r++)
            t->mark(b->tile + r * nj, nj, t->limit, b->bits + r * words);
    }
    clear_unwanted(t, i0, ni, j0, nj, b->bits);
    if (!t->visit && decided) {
        (void)atomic_fetch_add_explicit(&t->pairs, count_bits(b->bits, ni * words), memory_order_relaxed);
        return EB_OK;
    }
    for (size_t r = 0; r < ni; r++) {
        const double *s = walk->select ? NULL : b->tile + r * nj;
        eb_code code = gather_row(t, thread, i0 + r, b->bits + r * words, s, j0, nj, status);
        if (code != EB_OK)
            return code;
    }
    return finish_batch(t, thread, status);
}

/* How many row tiles, from the first on, column block c has wanted pairs with. Columns
 * before the range: all of them. */
static size_t row_tiles_of(const tour *t, size_t c)
{
    size_t j0 = c * t->walk->tile_columns;
    size_t last = t->walk->n - j0 < t->walk->tile_columns ? t->walk->n - 1 : j0 + t->walk->tile_columns - 1;
    if (j0 < t->row_begin)
        return t->row_blocks;
    if (last <= t->row_begin)
        return 0;
    size_t tiles = (last - t->row_begin - 1) / t->walk->tile_rows + 1; /* those whose first row is before `last` */
    return tiles < t->row_blocks ? tiles : t->row_blocks;
}

/* Progress counts rows though tiles are what is done: the shares of all tiles add up to the rows exactly. */
static uint64_t share_of_rows(const tour *t, uint64_t tiles)
{
    return (uint64_t)((double)(t->row_end - t->row_begin) * ((double)tiles / (double)t->tiles));
}

static size_t column_block_of(const tour *t, uint64_t task)
{
    size_t low = 0, high = t->column_blocks - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->first_task[middle + 1] > task)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static eb_code run_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    tour *t = context;
    const eb_tiled *walk = t->walk;
    size_t c = column_block_of(t, task);
    size_t j0 = c * walk->tile_columns;
    size_t nj = walk->n - j0 < walk->tile_columns ? walk->n - j0 : walk->tile_columns;
    size_t first = (size_t)(task - t->first_task[c]) * STRIP;
    size_t end = row_tiles_of(t, c);
    if (end > first + STRIP)
        end = first + STRIP;
    for (size_t r = first; r < end; r++) {
        eb_code code = eb_job_check(t->job, status);
        if (code != EB_OK)
            return code;
        size_t i0 = t->row_begin + r * walk->tile_rows;
        size_t ni = t->row_end - i0 < walk->tile_rows ? t->row_end - i0 : walk->tile_rows;
        code = visit_tile(t, thread, i0, ni, j0, nj, status);
        if (code != EB_OK)
            return code;
    }
    uint64_t before = atomic_fetch_add(&t->done, end - first);
    eb_job_advance(t->job, share_of_rows(t, before + (end - first)) - share_of_rows(t, before));
    return EB_OK;
}

static eb_code plan(tour *t, eb_status *status)
{
    const eb_tiled *walk = t->walk;
    t->row_blocks = (t->row_end - t->row_begin + walk->tile_rows - 1) / walk->tile_rows;
    t->column_blocks = (walk->n + walk->tile_columns - 1) / walk->tile_columns;
    t->first_task = malloc((t->column_blocks + 1) * sizeof *t->first_task);
    if (!t->first_task)
        return eb_fail_memory(status, "the list of tiles", (t->column_blocks + 1) * sizeof *t->first_task);
    t->first_task[0] = 0;
    for (size_t c = 0; c < t->column_blocks; c++) {
        size_t tiles = row_tiles_of(t, c);
        t->tiles += tiles;
        t->first_task[c + 1] = t->first_task[c] + (tiles + STRIP - 1) / STRIP;
    }
    t->benches = calloc(walk->threads, sizeof *t->benches);
    if (!t->benches)
        return eb_fail_memory(status, "threads' buffers", walk->threads * sizeof *t->benches);
    eb_code code = EB_OK;
    for (unsigned k = 0; k < walk->threads && code == EB_OK; k++)
        code = make_bench(walk, &t->benches[k], status);
    return code;
}

static eb_code run_tour(tour *t, eb_status *status)
{
    if (t->row_begin >= t->row_end)
        return EB_OK;
    t->mark = mark_for_this_cpu();
    eb_code code = plan(t, status);
    if (code == EB_OK)
        code = eb_parallel(t->walk->threads, t->first_task[t->column_blocks], run_task, t, t->job, status);
    if (code == EB_OK && t->tiles == 0) /* one point alone: no pair, but its row is done */
        eb_job_advance(t->job, t->row_end - t->row_begin);
    for (unsigned k = 0; t->benches && k < t->walk->threads; k++)
        free(t->benches[k].block);
    free(t->benches);
    free(t->first_task);
    return code;
}

eb_code eb_tile_walk_pairs(const eb_tiled *walk, size_t row_begin, size_t row_end, double limit, eb_tile_visit visit,
                           void *context, eb_job *job, eb_status *status)
{
    tour t = {.walk = walk,
              .row_begin = row_begin,
              .row_end = row_end,
              .limit = limit,
              .visit = visit,
              .context = context,
              .job = job};
    return run_tour(&t, status);
}

eb_code eb_tile_walk_count(const eb_tiled *walk, size_t row_begin, size_t row_end, double limit, eb_job *job,
                           uint64_t *pairs, eb_status *status)
{
    tour t = {.walk = walk, .row_begin = row_begin, .row_end = row_end, .limit = limit, .job = job};
    eb_code code = run_tour(&t, status);
    if (code == EB_OK)
        *pairs = atomic_load(&t.pairs);
    return code;
}
