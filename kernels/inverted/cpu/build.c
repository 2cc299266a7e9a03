#include "kernels/inverted/cpu/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "kernels/inverted/cpu/kernels.h"

enum { CACHE_LINE = 64, CHUNK = 128 };
#define BATCH_BYTES ((size_t)128 << 20)

typedef struct build {
    const eb_inverted_request *request;
    const eb_assigner *assigner; /* NULL: the host's threads assign */
    eb_inverted_file *file;
    eb_inverted_kernels kernels;
    eb_inverted_training training;
    unsigned threads;
    eb_job *job;
    eb_panels lists, *books; /* [m] */
    uint32_t *list, *place;  /* [n] each row's list, and its place in the list */
    uint8_t *codes;          /* [n × m] an assigner's, until all lists' lengths are known */
    float *sample;           /* rows on which the books are trained */
    size_t samples;
    eb_index_times times;
    double since_s;      /* when the present part of the work began */
    unsigned char *room; /* room_bytes for each thread */
    size_t room_bytes;
} build;

/* Adds the time since the last call to *part. */
static void end_part(build *b, double *part)
{
    const double now_s = eb_now_s();
    *part += now_s - b->since_s;
    b->since_s = now_s;
}

/* ---- a chunk of rows in FP32 ---- */

static size_t row_of(const build *b, size_t i) { return b->request->rows ? b->request->rows[i] : i; }

typedef struct chunk {
    double *wide;    /* [d] */
    float *x;        /* [CHUNK × d] */
    float *s;        /* [CHUNK] */
    uint32_t *place; /* [CHUNK] */
} chunk;

static size_t chunk_bytes(size_t d) { return d * sizeof(double) + CHUNK * (d + 2) * sizeof(float); }

static chunk chunk_of(const build *b, unsigned thread)
{
    const size_t d = b->file->d;
    chunk c = {.wide = (double *)(void *)(b->room + thread * b->room_bytes)};
    c.x = (float *)(void *)(c.wide + d);
    c.s = c.x + CHUNK * d;
    c.place = (uint32_t *)(void *)(c.s + CHUNK);
    return c;
}

/* Loads rows first … of the request, at most CHUNK; returns their number. */
static size_t load_chunk(const build *b, chunk *c, size_t first)
{
    const eb_inverted_request *q = b->request;
    const size_t left = q->n - first, count = left < CHUNK ? left : CHUNK;
    for (size_t i = 0; i < count; i++)
        eb_inverted_row(b->file, q->points, row_of(b, first + i), c->wide, c->x + i * b->file->d);
    return count;
}

typedef struct loading {
    const build *of;
    const uint32_t *row; /* rows of the dataset; NULL: of the request, from `first` on */
    size_t first, count;
    float *x; /* [count × d] */
} loading;

static eb_code load_some(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const loading *t = context;
    const build *b = t->of;
    const size_t d = b->file->d, first = (size_t)task * CHUNK, left = t->count - first;
    double *wide = chunk_of(b, thread).wide;
    (void)status;
    for (size_t i = first; i < first + (left < CHUNK ? left : CHUNK); i++)
        eb_inverted_row(b->file, b->request->points, t->row ? t->row[i] : row_of(b, t->first + i), wide, t->x + i * d);
    return EB_OK;
}

static eb_code load_many(const build *b, const uint32_t *row, size_t first, size_t count, float *x, eb_status *status)
{
    loading t = {b, row, first, count, x};
    return eb_parallel(b->threads, (count + CHUNK - 1) / CHUNK, load_some, &t, b->job, status);
}

static void take_centroids(const build *b, const uint32_t *list, float *x, size_t count)
{
    const size_t d = b->file->d;
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < d; t++)
            x[i * d + t] -= b->file->centroids[list[i] * d + t];
}

/* ---- training ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Draws `wanted` of the request's rows without replacement, in ascending order, as FP32. *out is on the heap. */
static eb_code draw_sample(const build *b, size_t wanted, uint64_t seed, float **out, size_t *count, eb_status *status)
{
    const eb_inverted_request *q = b->request;
    const size_t d = b->file->d;
    const size_t sample = wanted < q->n ? wanted : q->n;
    *count = sample;
    uint32_t *row = malloc(q->n * sizeof *row);
    *out = malloc(*count * d * sizeof **out);
    if (!row || !*out) {
        free(row);
        return eb_fail_memory(status, "a sample to train on", q->n * sizeof *row + *count * d * sizeof **out);
    }
    for (size_t i = 0; i < q->n; i++)
        row[i] = (uint32_t)row_of(b, i);
    for (size_t i = 0; i < sample && i < q->n; i++) {
        const size_t at = i + eb_random_below(&seed, q->n - i);
        const uint32_t drawn = row[at];
        row[at] = row[i];
        row[i] = drawn;
    }
    qsort(row, *count, sizeof *row, by_number);
    const eb_code failed = load_many(b, row, 0, *count, *out, status);
    free(row);
    return failed;
}

static eb_code train_lists(build *b, eb_status *status)
{
    const eb_inverted_request *q = b->request;
    const size_t nlist = q->shape.nlist;
    float *sample = NULL;
    size_t count;
    eb_job_phase(b->job, "lists", b->training.rounds);
    eb_code failed = draw_sample(b, b->training.list_sample, eb_random_of(q->seed), &sample, &count, status);
    const eb_kmeans_request ask =
        {sample, b->file->d, count, b->file->d, nlist, b->training.rounds, eb_random_of(q->seed + 1), b->assigner};
    if (!failed)
        failed = eb_kmeans(&ask, b->threads, b->job, b->file->centroids, status);
    free(sample);
    if (!failed)
        eb_panels_fill(&b->lists, b->file->centroids);
    end_part(b, &b->times.lists_s);
    return failed;
}

static eb_code sample_residuals(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    build *b = context;
    const size_t first = (size_t)task * CHUNK, left = b->samples - first, count = left < CHUNK ? left : CHUNK;
    float *x = b->sample + first * b->file->d;
    (void)status;
    if (!b->assigner)
        b->kernels.nearest(&b->lists, x, b->file->d, count, b->list + first, chunk_of(b, thread).s);
    take_centroids(b, b->list + first, x, count);
    return EB_OK;
}

static eb_code train_book(void *context, uint64_t j, unsigned thread, eb_status *status)
{
    build *b = context;
    const eb_inverted_file *f = b->file;
    float *book = f->books + j * EB_BOOK_ENTRIES * f->piece;
    const eb_kmeans_request ask = {b->sample + j * f->piece,
                                   f->d,
                                   b->samples,
                                   f->piece,
                                   EB_BOOK_ENTRIES,
                                   b->training.rounds,
                                   eb_random_of(b->request->seed + 3 + j),
                                   NULL};
    (void)thread;
    EB_TRY(eb_kmeans(&ask, 1, NULL, book, status));
    eb_panels_fill(&b->books[j], book);
    eb_job_advance(b->job, 1);
    return EB_OK;
}

static eb_code train_books(build *b, eb_status *status)
{
    const eb_inverted_request *q = b->request;
    const size_t m = q->shape.m;
    eb_job_phase(b->job, "books", m);
    EB_TRY(draw_sample(b, b->training.book_sample, eb_random_of(q->seed + 2), &b->sample, &b->samples, status));
    if (b->assigner) {
        EB_TRY(b->assigner->take(b->assigner->state, b->sample, b->samples, b->file->d, status));
        EB_TRY(b->assigner->find(b->assigner->state, b->file->centroids, q->shape.nlist, b->list, NULL, status));
    }
    EB_TRY(eb_parallel(b->threads, (b->samples + CHUNK - 1) / CHUNK, sample_residuals, b, b->job, status));
    EB_TRY(eb_parallel(b->threads, m, train_book, b, b->job, status));
    free(b->sample);
    b->sample = NULL;
    end_part(b, &b->times.books_s);
    return EB_OK;
}

/* ---- all rows ---- */

static eb_code assign_chunk(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    build *b = context;
    const size_t first = (size_t)task * CHUNK;
    chunk c = chunk_of(b, thread);
    const size_t count = load_chunk(b, &c, first);
    (void)status;
    b->kernels.nearest(&b->lists, c.x, b->file->d, count, b->list + first, c.s);
    eb_job_advance(b->job, count);
    return EB_OK;
}

static eb_code assign_batch(build *b, float *x, size_t first, size_t count, eb_status *status)
{
    const eb_assigner *to = b->assigner;
    const eb_inverted_file *f = b->file;
    EB_TRY(load_many(b, NULL, first, count, x, status));
    EB_TRY(to->take(to->state, x, count, f->d, status));
    EB_TRY(to->find(to->state, f->centroids, f->shape.nlist, b->list + first, NULL, status));
    end_part(b, &b->times.assign_s);
    EB_TRY(to->encode(to->state, f->books, f->shape.m, b->codes + first * f->shape.m, status));
    end_part(b, &b->times.encode_s);
    eb_job_advance(b->job, count);
    return EB_OK;
}

/* Assigns and encodes many rows at a time by the assigner, which is faster than the threads. */
static eb_code assign_batches(build *b, eb_status *status)
{
    const size_t n = b->file->n, d = b->file->d, codes = n * b->file->shape.m, fit = BATCH_BYTES / (d * sizeof(float)),
                 most = n < fit ? n : fit;
    float *x = malloc(most * d * sizeof *x);
    b->codes = malloc(codes);
    eb_code failed = x && b->codes ? EB_OK : eb_fail_memory(status, "points to assign", most * d * sizeof *x + codes);
    for (size_t first = 0; first < n && !failed; first += most)
        failed = assign_batch(b, x, first, n - first < most ? n - first : most, status);
    free(x);
    return failed;
}

static eb_code assign_rows(build *b, eb_status *status)
{
    if (b->assigner)
        return assign_batches(b, status);
    EB_TRY(eb_parallel(b->threads, (b->file->n + CHUNK - 1) / CHUNK, assign_chunk, b, b->job, status));
    end_part(b, &b->times.assign_s);
    return EB_OK;
}

/* Computes the lists' blocks; rows keep their order within a list. */
static eb_code lay_out(build *b, eb_status *status)
{
    eb_inverted_file *f = b->file;
    const size_t nlist = f->shape.nlist;
    for (size_t i = 0; i < f->n; i++)
        b->place[i] = f->count[b->list[i]]++;
    for (size_t l = 0; l < nlist; l++)
        f->blocks[l + 1] = f->blocks[l] + (f->count[l] + EB_LIST_BLOCK - 1) / EB_LIST_BLOCK;
    const size_t places = (size_t)f->blocks[nlist] * EB_LIST_BLOCK;
    f->row = malloc(places * sizeof *f->row);
    f->codes = calloc(places, f->shape.m);
    if (!f->row || !f->codes)
        return eb_fail_memory(status, "the lists", places * (sizeof *f->row + f->shape.m));
    for (size_t p = 0; p < places; p++)
        f->row[p] = EB_NO_POINT;
    return EB_OK;
}

/* Where the code of a row's first piece is; the next piece's is EB_LIST_BLOCK further. */
static uint8_t *codes_of(const build *b, size_t i)
{
    const eb_inverted_file *f = b->file;
    const uint64_t block = f->blocks[b->list[i]] + b->place[i] / EB_LIST_BLOCK;
    return f->codes + block * f->shape.m * EB_LIST_BLOCK + b->place[i] % EB_LIST_BLOCK;
}

static void encode_chunk(build *b, size_t first, unsigned thread)
{
    const eb_inverted_file *f = b->file;
    chunk c = chunk_of(b, thread);
    const size_t count = load_chunk(b, &c, first);
    take_centroids(b, b->list + first, c.x, count);
    for (size_t j = 0; j < f->shape.m; j++) {
        b->kernels.nearest(&b->books[j], c.x + j * f->piece, f->d, count, c.place, c.s);
        for (size_t i = 0; i < count; i++)
            codes_of(b, first + i)[j * EB_LIST_BLOCK] = (uint8_t)c.place[i];
    }
}

static void place_codes(build *b, size_t first, size_t count)
{
    const size_t m = b->file->shape.m;
    for (size_t i = first; i < first + count; i++) {
        uint8_t *to = codes_of(b, i);
        for (size_t j = 0; j < m; j++)
            to[j * EB_LIST_BLOCK] = b->codes[i * m + j];
    }
}

static eb_code encode_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    build *b = context;
    const eb_inverted_file *f = b->file;
    const size_t first = (size_t)task * CHUNK, left = f->n - first, count = left < CHUNK ? left : CHUNK;
    (void)status;
    if (b->assigner)
        place_codes(b, first, count);
    else
        encode_chunk(b, first, thread);
    for (size_t i = 0; i < count; i++)
        f->row[f->blocks[b->list[first + i]] * EB_LIST_BLOCK + b->place[first + i]] = (uint32_t)row_of(b, first + i);
    eb_job_advance(b->job, count);
    return EB_OK;
}

static eb_code put_rows(build *b, eb_status *status)
{
    const size_t tasks = (b->file->n + CHUNK - 1) / CHUNK;
    eb_job_phase(b->job, "codes", 2 * b->file->n);
    EB_TRY(assign_rows(b, status));
    EB_TRY(lay_out(b, status));
    EB_TRY(eb_parallel(b->threads, tasks, encode_rows, b, b->job, status));
    end_part(b, &b->times.encode_s);
    return EB_OK;
}

/* ---- building ---- */

static eb_code make_room(build *b, eb_status *status)
{
    eb_inverted_file *f = b->file;
    const size_t nlist = f->shape.nlist, m = f->shape.m, book = m * EB_BOOK_ENTRIES * f->piece;
    b->room_bytes = (chunk_bytes(f->d) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    f->centroids = malloc(nlist * f->d * sizeof *f->centroids);
    f->books = malloc(book * sizeof *f->books);
    f->blocks = calloc(nlist + 1, sizeof *f->blocks);
    f->count = calloc(nlist, sizeof *f->count);
    b->books = calloc(m, sizeof *b->books);
    b->list = malloc(2 * f->n * sizeof *b->list);
    b->room = malloc(b->threads * b->room_bytes);
    if (!f->centroids || !f->books || !f->blocks || !f->count || !b->books || !b->list || !b->room)
        return eb_fail_memory(status, "an inverted file",
                              (nlist * f->d + book + 2 * f->n) * sizeof(float) + b->threads * b->room_bytes);
    b->place = b->list + f->n;
    EB_TRY(eb_panels_make(nlist, f->d, &b->lists, status));
    for (size_t j = 0; j < m; j++)
        EB_TRY(eb_panels_make(EB_BOOK_ENTRIES, f->piece, &b->books[j], status));
    return EB_OK;
}

static void free_room(build *b)
{
    for (size_t j = 0; b->books && j < b->file->shape.m; j++)
        eb_panels_free(&b->books[j]);
    free(b->books);
    eb_panels_free(&b->lists);
    free(b->list);
    free(b->codes);
    free(b->sample);
    free(b->room);
}

eb_code eb_inverted_build(const eb_inverted_request *q, const eb_assigner *assigner, unsigned threads, eb_job *job,
                          eb_inverted_file *out, eb_index_times *times, eb_status *status)
{
    const size_t d = q->points->d;
    build b = {.request = q,
               .assigner = assigner,
               .file = out,
               .kernels = eb_inverted_kernels_here(),
               .threads = threads ? threads : 1,
               .training = eb_inverted_training_of(q),
               .job = job,
               .since_s = eb_now_s()};
    *out = (eb_inverted_file){0};
    EB_TRY(eb_inverted_check(&q->shape, q->n, d, status));
    *out = (eb_inverted_file){.n = q->n, .d = d, .shape = q->shape, .piece = d / q->shape.m};
    out->exponent = eb_inverted_exponent(q->points);
    eb_code failed = make_room(&b, status);
    failed = failed ? failed : train_lists(&b, status);
    failed = failed ? failed : train_books(&b, status);
    failed = failed ? failed : put_rows(&b, status);
    free_room(&b);
    if (times)
        *times = b.times;
    if (failed)
        eb_inverted_free(out);
    return failed;
}

/* ---- a kept index, or a new one ---- */

static eb_code origin_of(const eb_inverted_request *q, unsigned threads, eb_job *job, eb_index_origin *out,
                         eb_status *status)
{
    const eb_inverted_training training = eb_inverted_training_of(q);
    EB_TRY(eb_index_origin_of(q->points, q->rows, q->n, threads, job, out, status));
    out->shape = q->shape;
    out->rounds = training.rounds;
    out->list_sample = training.list_sample;
    out->book_sample = training.book_sample;
    out->seed = q->seed;
    return EB_OK;
}

static void tell_provenance(const eb_dataset *points, eb_index *index)
{
    const time_t now = time(NULL);
    struct tm utc;
    (void)snprintf(index->source, sizeof index->source, "%s", points->source ? points->source : "");
    if (gmtime_r(&now, &utc))
        (void)strftime(index->built, sizeof index->built, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

eb_code eb_index_get(const eb_inverted_request *q, const eb_assigner *assigner, uint64_t memory_limit, unsigned threads,
                     eb_job *job, eb_index_got *out, eb_status *status)
{
    eb_index made = {.holders = 0};
    *out = (eb_index_got){NULL, true};
    EB_TRY(eb_inverted_check(&q->shape, q->n, q->points->d, status));
    EB_TRY(origin_of(q, threads, job, &made.origin, status));
    out->index = eb_index_find(&made.origin);
    if (out->index)
        return EB_OK;
    out->kept = false;
    EB_TRY(eb_index_check_memory(q, assigner != NULL, memory_limit, status));
    const double begin_s = eb_now_s();
    EB_TRY(eb_inverted_build(q, assigner, threads, job, &made.file, &made.times, status));
    made.build_s = eb_now_s() - begin_s;
    tell_provenance(q->points, &made);
    const eb_code failed = eb_index_keep(&made, &out->index, status);
    if (failed)
        eb_inverted_free(&made.file);
    return failed;
}
