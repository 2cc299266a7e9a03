#include "kernels/inverted/cpu/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/knn/best.h"
#include "kernels/inverted/cpu/kernels.h"
#include "kernels/inverted/cpu/refine.h"

/* A thread's buffers and counters. */
typedef struct bench {
    _Alignas(64) uint64_t scanned; /* lists scanned for all points within a limit, counted for each query */
    uint64_t points;               /* points in these lists */
    float *residual;               /* [d] */
    float *to_lists;               /* [nlist, whole panels] */
    float *exact;                  /* [m × 256] a table before rounding */
    void *entry;                   /* the table after rounding */
    float *sums;                   /* [the longest list] */
    uint32_t *within;              /* [the longest list] */
    eb_near_row *lists;            /* [nlist] */
    eb_near_row *near;             /* [k] */
    eb_near_point *all;            /* [all_room] points within a limit, of all lists */
    size_t all_room;
} bench;

struct eb_inverted_searcher {
    const eb_inverted_file *file;
    const eb_dataset *points; /* for refining; NULL: not available */
    eb_inverted_kernels kernels;
    eb_panels lists, *books;
    float *reach; /* [m] the books' reaches (core/inverted/question.h) */
    unsigned threads;
    size_t longest;   /* places of the longest list */
    size_t near_room; /* the k that the threads' buffers have room for */
    bench *bench;     /* [threads] */
};

/* ---- a table ---- */

static void book_distances(const eb_inverted_searcher *s, const float *query, size_t list, const bench *b, float *out)
{
    const eb_inverted_file *f = s->file;
    for (size_t t = 0; t < f->d; t++)
        b->residual[t] = query[t] - f->centroids[list * f->d + t];
    for (size_t j = 0; j < f->shape.m; j++)
        s->kernels.distances(&s->books[j], b->residual + j * f->piece, out + j * EB_BOOK_ENTRIES);
}

/* The exponent of the power of two that brings x into (bound/2, bound], limited so that FP32 has it and its inverse. */
static int scale_exponent(double x, double bound)
{
    if (!(x > 0) || bound == 0)
        return 0;
    const int exponent = ilogb(bound / x);
    return exponent > 100 ? 100 : exponent < -100 ? -100 : exponent;
}

/* Makes a u8 table with one step for all subspaces, so that sums are integers. */
static void make_affine(const eb_inverted_searcher *s, const float *exact, eb_lookup_table *table)
{
    const size_t entries = s->file->shape.m * EB_BOOK_ENTRIES;
    uint8_t *code = table->entry;
    float least, greatest, span = 0;
    double offset = 0;
    for (size_t at = 0; at < entries; at += EB_BOOK_ENTRIES) {
        s->kernels.range(exact + at, EB_BOOK_ENTRIES, &least, &greatest);
        span = greatest - least > span ? greatest - least : span;
    }
    table->unit = span / 255 > 0x1p-120F ? span / 255 : 1; /* FP32 has its inverse */
    for (size_t at = 0; at < entries; at += EB_BOOK_ENTRIES) {
        s->kernels.range(exact + at, EB_BOOK_ENTRIES, &least, &greatest);
        offset += (double)least;
        s->kernels.affine(exact + at, EB_BOOK_ENTRIES, least, 1 / table->unit, code + at);
    }
    table->offset = (float)offset;
}

/* An upper bound of the entries in this residual's table. */
static float greatest_entry(const eb_inverted_searcher *s, const float *residual)
{
    const size_t piece = s->file->piece;
    float greatest = 0;
    for (size_t j = 0; j < s->file->shape.m; j++) {
        float norm2 = 0;
        for (size_t t = 0; t < piece; t++)
            norm2 += residual[j * piece + t] * residual[j * piece + t];
        const float most = sqrtf(norm2) + s->reach[j];
        greatest = most > greatest ? most : greatest;
    }
    return greatest * greatest;
}

static void make_table(const eb_inverted_searcher *s, const eb_inverted_question *q, const float *query, size_t list,
                       const bench *b, eb_lookup_table *table)
{
    const size_t count = s->file->shape.m * EB_BOOK_ENTRIES;
    const bool as_they_are = q->lut == EB_TABLE_F32 && !q->f16_sums; /* a scale would change nothing */
    *table = (eb_lookup_table){q->lut, q->f16_sums, s->file->shape.m, table->entry, 1, 0};
    book_distances(s, query, list, b, as_they_are ? table->entry : b->exact);
    if (q->lut == EB_TABLE_U8)
        make_affine(s, b->exact, table);
    if (q->lut == EB_TABLE_U8 || as_they_are)
        return;
    const int exponent = scale_exponent((double)greatest_entry(s, b->residual), q->scale);
    s->kernels.round(q->lut, b->exact, count, ldexpf(1, exponent), table->entry);
    table->unit = ldexpf(1, -exponent);
}

/* ---- a query ---- */

/* The nprobe nearest lists, nearest first. */
static size_t choose_lists(const eb_inverted_searcher *s, const float *query, size_t nprobe, const bench *b)
{
    eb_best best = {.k = nprobe, .near = b->lists};
    s->kernels.distances(&s->lists, query, b->to_lists);
    for (size_t l = 0; l < s->file->shape.nlist; l++)
        eb_best_take(&best, (eb_near_row){b->to_lists[l], (uint32_t)l});
    eb_best_sort(&best);
    return best.count;
}

/* An upper bound of the sum of a point within s, with a margin for rounding. */
static float sum_within(double s, const eb_lookup_table *table)
{
    const double offset = (double)table->offset;
    return (float)((s - offset + (s + offset) * 0x1p-20) / (double)table->unit);
}

/* Scans places begin … end − 1 of a list. b->within: those that may have s ≤ limit by their sums, counted from begin.
 * Returns their number. */
static size_t scan_list(const eb_inverted_searcher *s, const eb_inverted_question *q, const float *query, size_t list,
                        eb_inverted_rows places, double limit, const bench *b, eb_lookup_table *table)
{
    const size_t block = places.begin / EB_LIST_BLOCK,
                 blocks = (places.end + EB_LIST_BLOCK - 1) / EB_LIST_BLOCK - block;
    make_table(s, q, query, list, b, table);
    s->kernels.scan(table, eb_block_codes(s->file, s->file->blocks[list] + block), blocks, b->sums);
    return s->kernels.select(b->sums + places.begin % EB_LIST_BLOCK, places.end - places.begin,
                             isinf(limit) ? INFINITY : sum_within(limit, table), b->within);
}

/* ---- a query's lists one by one ---- */

size_t eb_inverted_probe(eb_inverted_searcher *s, unsigned thread, const float *query, size_t nprobe,
                         const eb_near_row **lists)
{
    *lists = s->bench[thread].lists;
    return choose_lists(s, query, nprobe, &s->bench[thread]);
}

size_t eb_inverted_longest(const eb_inverted_searcher *s) { return s->longest; }

/* The first place of a list whose row is at least `first`. */
static size_t place_of(const uint32_t *row, size_t count, size_t first)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (row[middle] < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

eb_inverted_seen eb_inverted_look(eb_inverted_searcher *s, const eb_inverted_question *q, unsigned thread,
                                  const float *query, size_t list, eb_inverted_rows rows, float limit,
                                  eb_near_point *near)
{
    const eb_inverted_file *f = s->file;
    const bench *b = &s->bench[thread];
    const uint32_t *row = f->row + f->blocks[list] * EB_LIST_BLOCK;
    const size_t begin = place_of(row, f->count[list], rows.begin), end = place_of(row, f->count[list], rows.end);
    const float *sums = b->sums + begin % EB_LIST_BLOCK;
    eb_inverted_seen seen = {0, end - begin};
    eb_lookup_table table = {.entry = b->entry};
    if (begin == end)
        return seen;
    const size_t within = scan_list(s, q, query, list, (eb_inverted_rows){begin, end}, (double)limit, b, &table);
    for (size_t k = 0; k < within; k++) {
        const float s32 = table.offset + table.unit * sums[b->within[k]];
        if (s32 <= limit)
            near[seen.found++] = (eb_near_point){row[begin + b->within[k]], s32};
    }
    return seen;
}

/* ---- all points within a limit ---- */

typedef struct asking {
    eb_inverted_searcher *searcher;
    const eb_inverted_question *question;
    const float *queries;
    float limit;
    const eb_inverted_callback *callback;
} asking;

static eb_code make_room_for_all(bench *b, size_t needed, eb_status *status)
{
    if (needed <= b->all_room)
        return EB_OK;
    eb_near_point *all = realloc(b->all, 2 * needed * sizeof *all);
    if (!all)
        return eb_fail_memory(status, "points within the limit", 2 * needed * sizeof *all);
    b->all = all;
    b->all_room = 2 * needed;
    return EB_OK;
}

static eb_code look_everywhere(void *context, uint64_t query, unsigned thread, eb_status *status)
{
    const asking *w = context;
    eb_inverted_searcher *s = w->searcher;
    bench *b = &s->bench[thread];
    const float *x = w->queries + query * s->file->d;
    const eb_inverted_rows rows = w->callback->rows(w->callback->context, query);
    const size_t lists = choose_lists(s, x, w->question->nprobe, b);
    size_t found = 0;
    for (size_t l = 0; l < lists; l++) {
        EB_TRY(make_room_for_all(b, found + s->longest, status));
        const eb_inverted_seen seen =
            eb_inverted_look(s, w->question, thread, x, b->lists[l].row, rows, w->limit, b->all + found);
        found += seen.found;
        b->scanned += seen.looked > 0;
        b->points += seen.looked;
    }
    return w->callback->take(w->callback->context, query, thread, b->all, found, status);
}

static eb_code find_within(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                           float limit, const eb_inverted_callback *callback, eb_job *job, eb_status *status)
{
    eb_inverted_searcher *s = state;
    asking w = {s, question, queries, limit, callback};
    EB_TRY(eb_inverted_check_question(question, s->file->shape.nlist, EB_DEVICE_CPU, status));
    return eb_parallel(s->threads, count, look_everywhere, &w, job, status);
}

/* ---- the k nearest ---- */

typedef struct search {
    eb_inverted_searcher *searcher;
    const eb_inverted_question *question;
    const float *queries;
    uint32_t *rows;
    double *distances;
    eb_job *job;
} search;

static eb_code find_one(void *context, uint64_t query, unsigned thread, eb_status *status)
{
    const search *job = context;
    const eb_inverted_searcher *s = job->searcher;
    const eb_inverted_question *q = job->question;
    const bench *b = &s->bench[thread];
    const float *x = job->queries + query * s->file->d;
    eb_lookup_table table = {.entry = b->entry};
    eb_best best = {.k = q->k, .near = b->near};
    (void)status;
    const size_t lists = choose_lists(s, x, q->nprobe, b);
    for (size_t l = 0; l < lists; l++) {
        const uint32_t list = b->lists[l].row, count = s->file->count[list];
        const uint32_t *row = s->file->row + s->file->blocks[list] * EB_LIST_BLOCK;
        const double limit =
            best.count < best.k ? (double)INFINITY : best.near[0].far; /* the heap takes no farther one */
        if (count == 0)
            continue;
        const size_t within = scan_list(s, q, x, list, (eb_inverted_rows){0, count}, limit, b, &table);
        for (size_t at = 0; at < within; at++)
            eb_best_take(&best, (eb_near_row){table.offset + table.unit * b->sums[b->within[at]], row[b->within[at]]});
    }
    eb_best_sort(&best);
    for (size_t k = 0; k < q->k; k++) {
        const bool found = k < best.count;
        job->rows[query * q->k + k] = found ? best.near[k].row : EB_NO_POINT;
        job->distances[query * q->k + k] = found ? ldexp(sqrt(best.near[k].far), -s->file->exponent) : (double)INFINITY;
    }
    eb_job_advance(job->job, 1);
    return EB_OK;
}

/* ---- questions ---- */

static eb_code make_near(eb_inverted_searcher *s, size_t k, eb_status *status)
{
    for (unsigned t = 0; t < s->threads && k > s->near_room; t++) {
        free(s->bench[t].near);
        s->bench[t].near = malloc(k * sizeof(eb_near_row));
        if (!s->bench[t].near) {
            s->near_room = 0;
            return eb_fail_memory(status, "the nearest", k * sizeof(eb_near_row));
        }
    }
    s->near_room = k > s->near_room ? k : s->near_room;
    return EB_OK;
}

static eb_code find_by_codes(eb_inverted_searcher *s, const eb_inverted_question *question, const float *queries,
                             size_t count, uint32_t *rows, double *distances, eb_job *job, eb_status *status)
{
    search work = {s, question, queries, rows, distances, job};
    EB_TRY(make_near(s, question->k, status));
    return eb_parallel(s->threads, count, find_one, &work, job, status);
}

eb_code eb_inverted_find(void *searcher, const eb_inverted_question *question, const float *queries, size_t count,
                         uint32_t *rows, double *distances, eb_job *job, eb_status *status)
{
    eb_inverted_searcher *s = searcher;
    EB_TRY(eb_inverted_check_question(question, s->file->shape.nlist, EB_DEVICE_CPU, status));
    if (question->refine == 0 || count == 0)
        return find_by_codes(s, question, queries, count, rows, distances, job, status);
    const size_t among = question->refine;
    eb_inverted_question coarse = *question;
    coarse.k = among, coarse.refine = 0;
    uint32_t *found = malloc(count * among * sizeof *found);
    double *far = malloc(count * among * sizeof *far);
    eb_code failed = found && far
                         ? find_by_codes(s, &coarse, queries, count, found, far, job, status)
                         : eb_fail_memory(status, "points to refine", count * among * (sizeof *found + sizeof *far));
    const eb_refinement work = {s->file, s->points, queries, found, count, among, question->k, rows, distances};
    if (!failed)
        failed = eb_inverted_refine(&work, s->threads, job, status);
    free(found);
    free(far);
    return failed;
}

eb_code eb_inverted_table(eb_inverted_searcher *s, const eb_inverted_question *question, const float *query,
                          size_t list, eb_lookup_table *table, eb_status *status)
{
    EB_TRY(eb_inverted_check_question(question, s->file->shape.nlist, EB_DEVICE_CPU, status));
    make_table(s, question, query, list, &s->bench[0], table);
    return EB_OK;
}

/* ---- opening and closing ---- */

static bool make_bench(const eb_inverted_searcher *s, bench *b)
{
    const eb_inverted_file *f = s->file;
    const size_t entries = f->shape.m * EB_BOOK_ENTRIES, nlist = f->shape.nlist;
    b->residual = malloc(f->d * sizeof *b->residual);
    b->to_lists = malloc((nlist + EB_PANEL) * sizeof *b->to_lists); /* whole panels */
    b->exact = malloc(entries * sizeof *b->exact);
    b->entry = calloc(entries + 1, sizeof(float)); /* enough for any format and its padding */
    b->sums = malloc(s->longest * sizeof *b->sums);
    b->within = malloc(s->longest * sizeof *b->within);
    b->lists = malloc((nlist + 1) * sizeof *b->lists);
    return b->residual && b->to_lists && b->exact && b->entry && b->sums && b->within && b->lists;
}

static eb_code make_ready(eb_inverted_searcher *s, eb_status *status)
{
    const eb_inverted_file *f = s->file;
    s->bench = aligned_alloc(64, s->threads * sizeof *s->bench);
    if (s->bench)
        memset(s->bench, 0, s->threads * sizeof *s->bench);
    s->books = calloc(f->shape.m, sizeof *s->books);
    s->reach = malloc(f->shape.m * sizeof *s->reach);
    s->longest = EB_LIST_BLOCK;
    for (size_t l = 0; l < f->shape.nlist; l++) {
        const size_t places = (size_t)(f->blocks[l + 1] - f->blocks[l]) * EB_LIST_BLOCK;
        s->longest = places > s->longest ? places : s->longest;
    }
    bool made = s->bench && s->books && s->reach;
    for (unsigned t = 0; made && t < s->threads; t++)
        made = make_bench(s, &s->bench[t]);
    if (!made)
        return eb_fail_memory(status, "tables and sums",
                              s->threads * (f->shape.m * EB_BOOK_ENTRIES + s->longest) * 2 * sizeof(float));
    EB_TRY(eb_panels_make(f->shape.nlist, f->d, &s->lists, status));
    eb_panels_fill(&s->lists, f->centroids);
    for (size_t j = 0; j < f->shape.m; j++) {
        EB_TRY(eb_panels_make(EB_BOOK_ENTRIES, f->piece, &s->books[j], status));
        eb_panels_fill(&s->books[j], f->books + j * EB_BOOK_ENTRIES * f->piece);
        s->reach[j] = eb_book_reach(f, j);
    }
    return EB_OK;
}

eb_code eb_inverted_open(const eb_inverted_file *file, const eb_dataset *points, unsigned threads,
                         eb_inverted_searcher **out, eb_status *status)
{
    eb_inverted_searcher *s = calloc(1, sizeof *s);
    if (!s)
        return eb_fail_memory(status, "a searcher", sizeof *s);
    s->file = file;
    s->points = points;
    s->kernels = eb_inverted_kernels_here();
    s->threads = threads ? threads : 1;
    eb_code failed = make_ready(s, status);
    if (failed)
        eb_inverted_close(s);
    else
        *out = s;
    return failed;
}

const char *eb_inverted_instructions(void) { return eb_inverted_kernels_here().name; }

static eb_inverted_work work_of(const void *state)
{
    const eb_inverted_searcher *s = state;
    eb_inverted_work work = {0};
    for (unsigned t = 0; t < s->threads; t++) {
        work.lists += s->bench[t].scanned;
        work.points += s->bench[t].points;
    }
    return work;
}

void eb_inverted_close(void *searcher)
{
    eb_inverted_searcher *s = searcher;
    if (!s)
        return;
    for (unsigned t = 0; s->bench && t < s->threads; t++) {
        bench *b = &s->bench[t];
        free(b->residual);
        free(b->to_lists);
        free(b->exact);
        free(b->entry);
        free(b->sums);
        free(b->within);
        free(b->lists);
        free(b->near);
        free(b->all);
    }
    for (size_t j = 0; s->books && j < s->file->shape.m; j++)
        eb_panels_free(&s->books[j]);
    free(s->bench);
    free(s->books);
    free(s->reach);
    eb_panels_free(&s->lists);
    free(s);
}

const eb_inverted_search eb_inverted_search_cpu = {eb_inverted_find, find_within, work_of, eb_inverted_close};
