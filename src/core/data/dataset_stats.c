#include "core/data/dataset_stats.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/scaling.h"

#define BLOCK_ROWS 256u

typedef struct scan {
    const eb_dataset *ds;
    eb_dataset_stats *block; /* of each block of rows; the means are sums */
    double *buffer;          /* [threads][d] */
} scan;

static const eb_dataset_stats no_values = {.min = INFINITY, .max = -INFINITY, .norm_min = INFINITY, .integral = true};

static void scan_row(const scan *s, eb_dataset_stats *b, size_t row, double *x)
{
    const eb_dataset *ds = s->ds;
    eb_to_f64(ds->dtype, eb_row(ds, row), ds->d, x);
    double norm = eb_length(x, ds->d);
    for (size_t k = 0; k < ds->d; k++) {
        double v = x[k];
        b->min = fmin(b->min, v);
        b->max = fmax(b->max, v);
        b->mean += v;
        b->zeros += v == 0;
        b->integral = b->integral && v == rint(v);
    }
    b->norm_min = fmin(b->norm_min, norm);
    b->norm_max = fmax(b->norm_max, norm);
    b->norm_mean += norm;
}

static eb_code scan_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const scan *s = context;
    eb_dataset_stats *b = &s->block[task];
    *b = no_values;
    size_t begin = (size_t)task * BLOCK_ROWS;
    size_t end = begin + BLOCK_ROWS < s->ds->n ? begin + BLOCK_ROWS : s->ds->n;
    for (size_t row = begin; row < end; row++)
        scan_row(s, b, row, s->buffer + thread * s->ds->d);
    return EB_OK;
}

/* Combines the blocks in order, so that the result does not depend on the number of threads. */
static void combine(const scan *s, size_t blocks, eb_dataset_stats *out)
{
    *out = no_values;
    for (size_t k = 0; k < blocks; k++) {
        const eb_dataset_stats *b = &s->block[k];
        out->min = fmin(out->min, b->min);
        out->max = fmax(out->max, b->max);
        out->norm_min = fmin(out->norm_min, b->norm_min);
        out->norm_max = fmax(out->norm_max, b->norm_max);
        out->zeros += b->zeros;
        out->mean += b->mean;
        out->norm_mean += b->norm_mean;
        out->integral = out->integral && b->integral;
    }
    out->mean /= (double)s->ds->n * (double)s->ds->d;
    out->norm_mean /= (double)s->ds->n;
}

/* ---- equal rows ---- */

/* Rows are hashed in several passes: the first counts how many hashes are in each of BINS equal ranges, the others sort
 * the hashes of so many ranges at a time as there is room for. Hashes of distinct rows are spread evenly. */
enum { BINS = 1024, ROWS_A_TASK = 4096 };

typedef struct counting {
    const eb_dataset *ds;
    size_t row_bytes;
    _Atomic size_t *count; /* [BINS] of the first pass */
    size_t first, end;     /* the ranges of this pass */
    uint64_t *hash;        /* [hashes of these ranges] */
    _Atomic size_t *place; /* [BINS] where the next hash of a range goes, then where the range ends */
    _Atomic uint64_t duplicates;
} counting;

/* FNV-1a over 8-byte words with a final mix. The number of duplicates is an estimate, so a 64-bit hash is enough. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    while (size > 0) {
        uint64_t word = 0;
        size_t step = size < sizeof word ? size : sizeof word;
        memcpy(&word, bytes, step);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
        bytes += step;
        size -= step;
    }
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static size_t bin_of(uint64_t hash) { return (size_t)(hash >> 54); }

/* A task's hashes, and how many are in each range: ranges are asked for their next places once a task. */
typedef struct hashed {
    uint64_t hash[ROWS_A_TASK];
    uint32_t count[BINS];
} hashed;

static void put_hashes(counting *c, const hashed *h, size_t rows)
{
    size_t place[BINS];
    for (size_t bin = c->first; bin < c->end; bin++)
        place[bin] = h->count[bin] ? atomic_fetch_add_explicit(&c->place[bin], h->count[bin], memory_order_relaxed) : 0;
    for (size_t k = 0; k < rows; k++) {
        const size_t bin = bin_of(h->hash[k]);
        if (bin >= c->first && bin < c->end)
            c->hash[place[bin]++] = h->hash[k];
    }
}

static eb_code hash_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    counting *c = context;
    const size_t first = (size_t)task * ROWS_A_TASK, left = c->ds->n - first,
                 rows = left < ROWS_A_TASK ? left : ROWS_A_TASK;
    hashed h = {.count = {0}};
    (void)thread, (void)status;
    for (size_t k = 0; k < rows; k++) {
        h.hash[k] = hash_bytes(eb_row(c->ds, first + k), c->row_bytes);
        h.count[bin_of(h.hash[k])]++;
    }
    if (c->hash) {
        put_hashes(c, &h, rows);
        return EB_OK;
    }
    for (size_t bin = 0; bin < BINS; bin++)
        if (h.count[bin])
            (void)atomic_fetch_add_explicit(&c->count[bin], h.count[bin], memory_order_relaxed);
    return EB_OK;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static eb_code sort_range(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    counting *c = context;
    const size_t bin = c->first + (size_t)task, count = c->count[bin];
    uint64_t *hash = c->hash + (c->place[bin] - count), found = 0;
    (void)thread, (void)status;
    qsort(hash, count, sizeof *hash, compare_hashes);
    for (size_t k = 1; k < count; k++)
        found += hash[k] == hash[k - 1];
    (void)atomic_fetch_add_explicit(&c->duplicates, found, memory_order_relaxed);
    return EB_OK;
}

static uint64_t tasks_of(const eb_dataset *ds) { return (ds->n + ROWS_A_TASK - 1) / ROWS_A_TASK; }

static eb_code pass_ranges(counting *c, unsigned threads, eb_job *job, eb_status *status)
{
    size_t held = 0;
    for (size_t bin = c->first; bin < c->end; held += c->count[bin++])
        c->place[bin] = held;
    c->hash = malloc((held ? held : 1) * sizeof *c->hash);
    if (!c->hash)
        return eb_fail_memory(status, "the dataset's statistics", held * sizeof *c->hash);
    eb_code failed = eb_parallel(threads, tasks_of(c->ds), hash_rows, c, job, status);
    if (!failed)
        failed = eb_parallel(threads, c->end - c->first, sort_range, c, job, status);
    free(c->hash);
    c->hash = NULL;
    return failed;
}

/* At least one range a pass: rows that are mostly equal are in few ranges. Sorting may take a second array. */
static eb_code count_in_passes(counting *c, uint64_t room, unsigned threads, eb_job *job, eb_status *status)
{
    const size_t most = room ? (size_t)(room / (2 * sizeof *c->hash)) : SIZE_MAX;
    EB_TRY(eb_parallel(threads, tasks_of(c->ds), hash_rows, c, job, status));
    for (c->first = 0; c->first < BINS; c->first = c->end) {
        size_t held = c->count[c->first];
        c->end = c->first + 1;
        while (c->end < BINS && held + c->count[c->end] <= most)
            held += c->count[c->end++];
        EB_TRY(pass_ranges(c, threads, job, status));
    }
    return EB_OK;
}

static eb_code count_duplicates(const eb_dataset *ds, uint64_t room, unsigned threads, eb_job *job, uint64_t *out,
                                eb_status *status)
{
    counting c = {.ds = ds,
                  .row_bytes = ds->d * eb_dtype_size(ds->dtype),
                  .count = calloc(BINS, sizeof *c.count),
                  .place = calloc(BINS, sizeof *c.place)};
    const eb_code failed = c.count && c.place ? count_in_passes(&c, room, threads, job, status)
                                              : eb_fail_memory(status, "the dataset's statistics", sizeof c);
    *out = c.duplicates;
    free((void *)c.count);
    free((void *)c.place);
    return failed;
}

/* ---- all ---- */

eb_code eb_dataset_stats_compute(const eb_dataset *ds, uint64_t room, unsigned threads, eb_job *job,
                                 eb_dataset_stats *out, eb_status *status)
{
    const size_t blocks = (ds->n + BLOCK_ROWS - 1) / BLOCK_ROWS;
    scan s = {
        .ds = ds,
        .block = calloc(blocks, sizeof *s.block),
        .buffer = calloc((size_t)threads * ds->d, sizeof *s.buffer),
    };
    eb_code failed = s.block && s.buffer ? eb_parallel(threads, blocks, scan_block, &s, job, status)
                                         : eb_fail_memory(status, "the dataset's statistics", blocks * sizeof *s.block);
    if (!failed)
        combine(&s, blocks, out);
    free(s.block);
    free(s.buffer);
    return failed ? failed : count_duplicates(ds, room, threads, job, &out->duplicate_rows, status);
}

/* ---- the histogram of values ---- */

#define PIECE 1024u /* values converted at a time, few enough for the cache */

typedef struct binning {
    const eb_dataset *ds;
    size_t bins;
    double origin, scale; /* bin = (x/2 − origin) · scale; differences of halved values do not overflow */
    uint64_t (*count)[EB_VALUE_BINS]; /* [threads] */
} binning;

static void count_values(const binning *b, const double *x, size_t count, uint64_t *bin)
{
    double last = (double)(b->bins - 1);
    for (size_t k = 0; k < count; k++) {
        double at = (x[k] / 2 - b->origin) * b->scale;
        at = at > 0 ? at : 0; /* a comparison, because fmin and fmax are function calls */
        bin[(int32_t)(at < last ? at : last)]++;
    }
}

static eb_code count_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const binning *b = context;
    const eb_dataset *ds = b->ds;
    double x[PIECE];
    size_t begin = (size_t)task * BLOCK_ROWS, size = eb_dtype_size(ds->dtype);
    size_t end = ds->n - begin < BLOCK_ROWS ? ds->n : begin + BLOCK_ROWS;
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < ds->d; k += PIECE) {
            size_t count = ds->d - k < PIECE ? ds->d - k : PIECE;
            eb_to_f64(ds->dtype, eb_row(ds, i) + k * size, count, x);
            count_values(b, x, count, b->count[thread]);
        }
    return EB_OK;
}

/* Bins of whole numbers: each holds equally many numbers and begins 0.5 below the first. The last may end above max. */
static void whole_bins(double min, double max, binning *b, eb_value_histogram *out)
{
    double numbers = max - min + 1, each = ceil(numbers / EB_VALUE_BINS);
    out->bins = b->bins = (size_t)ceil(numbers / each);
    b->origin = (min - 0.5) / 2;
    b->scale = 2 / each;
    for (size_t k = 0; k < b->bins; k++)
        out->centre[k] = min + (double)k * each + (each - 1) / 2;
}

static void even_bins(double min, double max, binning *b, eb_value_histogram *out)
{
    double half_span = max / 2 - min / 2;
    bool one = !(half_span > 0) || !isfinite(EB_VALUE_BINS / half_span);
    out->bins = b->bins = one ? 1 : EB_VALUE_BINS;
    b->origin = min / 2;
    b->scale = one ? 0 : EB_VALUE_BINS / half_span;
    for (size_t k = 0; k < b->bins; k++) {
        double share = ((double)k + 0.5) / (double)b->bins;
        out->centre[k] = min * (1 - share) + max * share;
    }
}

eb_code eb_value_histogram_compute(const eb_dataset *ds, double min, double max, unsigned threads, eb_job *job,
                                   eb_value_histogram *out, eb_status *status)
{
    binning b = {.ds = ds};
    *out = (eb_value_histogram){.bins = 0};
    if (eb_dtype_is_float(ds->dtype))
        even_bins(min, max, &b, out);
    else
        whole_bins(min, max, &b, out);
    b.count = calloc(threads, sizeof *b.count);
    if (!b.count)
        return eb_fail_memory(status, "the values' histogram", threads * sizeof *b.count);
    eb_code failed = eb_parallel(threads, (ds->n + BLOCK_ROWS - 1) / BLOCK_ROWS, count_block, &b, job, status);
    for (unsigned t = 0; t < threads; t++)
        for (size_t k = 0; k < b.bins; k++)
            out->count[k] += b.count[t][k];
    free(b.count);
    return failed;
}
