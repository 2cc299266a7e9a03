#include "kernels/ref64/cpu/nearest.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/knn/best.h"
#include "kernels/walk/tiles.h"

enum {
    FIRST_COLUMNS = 64,
    SAMPLED_QUERIES = 8,
    SAMPLED_POINTS = 128,
    MOST_CANDIDATES = 64 * EB_NEAREST_MOST,
    TASKS_A_THREAD = 4
};

typedef struct asking {
    const eb_ref64_search *search;
    const eb_nearest_rows *question;
    uint32_t *point;        /* [queries] */
    size_t queries, rows;   /* rows: of a task */
    uint32_t *row, *column; /* levels, of all points */
    double t;
    unsigned char *buffers; /* [threads] */
    size_t buffer_bytes;
} asking;

/* A thread's memory: the marks of a tile, candidates among 64 of its columns, the kernel's scratch. */
typedef struct buffers {
    uint64_t *bits;
    double *s, *limit;
    uint32_t *rows, *columns;
    void *scratch;
} buffers;

/* Both parts are multiples of 64 bytes, as are the buffers: EB_NEAREST_MOST is one of 8. */
static size_t words_of_marks(const eb_ref64_search *of) { return EB_NEAREST_MOST * eb_tile_words(of->tile_columns); }

static size_t bytes_of_buffers(const eb_ref64_search *of)
{
    return of->scratch_bytes + words_of_marks(of) * sizeof(uint64_t) +
           MOST_CANDIDATES * (2 * sizeof(double) + 2 * sizeof(uint32_t));
}

static buffers buffers_of(const asking *a, unsigned thread)
{
    const eb_ref64_search *of = a->search;
    buffers b = {.scratch = a->buffers + thread * a->buffer_bytes};
    b.bits = (uint64_t *)(void *)((unsigned char *)b.scratch + of->scratch_bytes);
    b.s = (double *)(void *)(b.bits + words_of_marks(of));
    b.limit = b.s + MOST_CANDIDATES;
    b.rows = (uint32_t *)(void *)(b.limit + MOST_CANDIDATES);
    b.columns = b.rows + MOST_CANDIDATES;
    return b;
}

/* A larger s changes nothing. */
static double bound_of(const asking *a, const eb_best *best)
{
    const double most = fmin(a->question->most, DBL_MAX);
    return best->count == best->k ? fmin(most, best->near[0].far) : most;
}

/* The pairs marked in a word of each row's marks, so that the rows of 64 points stay in cache. */
static size_t candidates(const asking *a, const uint32_t *point, const eb_best *best, size_t m, const uint64_t *bits,
                         size_t words, size_t j0, buffers *b)
{
    const unsigned char *nobody = a->question->nobody;
    size_t count = 0;
    for (size_t q = 0; q < m; q++)
        for (uint64_t left = bits[q * words]; left; left &= left - 1) {
            const uint32_t j = (uint32_t)j0 + (uint32_t)__builtin_ctzll(left);
            if (j == point[q] || (nobody && nobody[j]))
                continue;
            b->rows[count] = point[q];
            b->columns[count] = j;
            b->limit[count++] = bound_of(a, &best[q]);
        }
    return count;
}

static void offer(const asking *a, const uint32_t *point, size_t m, size_t count, buffers *b, eb_best *best)
{
    const eb_dataset *ds = a->search->ds;
    if (ds->dtype == EB_F32)
        count = eb_ref64_keep_near_vnni(ds, b->rows, b->columns, b->limit, count);
    a->search->kernels->exact(ds, b->rows, b->columns, count, b->s);
    for (size_t c = 0, q = 0; c < count; c++) {
        while (q + 1 < m && point[q] != b->rows[c])
            q++;
        if (b->s[c] <= bound_of(a, &best[q]))
            eb_best_take(&best[q], (eb_near_row){b->s[c], b->columns[c]});
    }
}

/* All points for a few queries: blocks of columns that grow, so that the first, of which most pairs are computed, are
 * short. */
static eb_code ask_rows(const asking *a, size_t first, size_t m, buffers *b, eb_status *status)
{
    const eb_ref64_search *of = a->search;
    const eb_nearest_rows *question = a->question;
    const uint32_t *point = a->point + first;
    assert(m > 0 && m <= EB_NEAREST_MOST);
    eb_best best[EB_NEAREST_MOST];
    for (size_t q = 0; q < m; q++)
        best[q] = (eb_best){.k = question->k, .near = question->near + question->query[point[q]] * question->k};
    for (size_t j0 = 0, size = FIRST_COLUMNS; j0 < of->ds->n; j0 += size, size = size < of->tile_columns ? j0 : size) {
        size = size < of->tile_columns ? size : of->tile_columns;
        const eb_place place = {.ni = m, .j0 = j0, .nj = of->ds->n - j0 < size ? of->ds->n - j0 : size};
        const size_t words = eb_tile_words(place.nj);
        EB_TRY(eb_job_check(of->context->job, status));
        for (size_t q = 0; q < m; q++)
            a->row[point[q]] = eb_ref64_row_level(of->quantised, of->ds->d, a->t, point[q], bound_of(a, &best[q]));
        eb_ref64_filter_i8_vnni(&of->quantised->panels, point, a->row, a->column, &place, b->bits, b->scratch);
        for (size_t w = 0; w < words; w++)
            offer(a, point, m, candidates(a, point, best, m, b->bits + w, words, j0 + 64 * w, b), b, best);
    }
    for (size_t q = 0; q < m; q++)
        question->count[question->query[point[q]]] = (uint32_t)best[q].count;
    return EB_OK;
}

static eb_code ask_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const asking *a = context;
    eb_job *job = a->search->context->job;
    const size_t first = (size_t)task * a->rows, left = a->queries - first, m = left < a->rows ? left : a->rows;
    buffers b = buffers_of(a, thread);
    EB_TRY(ask_rows(a, first, m, &b, status));
    eb_job_advance(job, m);
    return EB_OK;
}

/* t for a usual point: by how far it moves, and its distance to the nearest of some points. */
static double usual_t(const asking *a)
{
    const eb_ref64_search *of = a->search;
    const size_t n = of->ds->n, queries = a->queries < SAMPLED_QUERIES ? a->queries : SAMPLED_QUERIES,
                 count = n < SAMPLED_POINTS ? n : SAMPLED_POINTS;
    uint32_t rows[SAMPLED_POINTS], columns[SAMPLED_POINTS];
    double s[SAMPLED_POINTS], near = 0, moved = 0;
    for (size_t q = 0; q < queries; q++) {
        double least = DBL_MAX;
        for (size_t c = 0; c < count; c++) {
            rows[c] = a->point[q * a->queries / queries];
            columns[c] = (uint32_t)(c * n / count);
        }
        of->kernels->exact(of->ds, rows, columns, count, s);
        for (size_t c = 0; c < count; c++)
            least = columns[c] != rows[c] && s[c] < least ? s[c] : least;
        near += sqrt(least) * of->quantised->scale / (double)queries;
    }
    for (size_t c = 0; c < count; c++)
        moved += fmin(of->quantised->point[c * n / count].moved, 1e6) / (double)count;
    return fmin(1, fmax(0x1p-20, moved / (near + moved)));
}

/* Many queries share what they read of a point; few are for all threads to share. */
static size_t rows_of_task(size_t queries, unsigned threads)
{
    const size_t equal = queries / (TASKS_A_THREAD * threads) / EB_GROUP_MOST * EB_GROUP_MOST;
    return equal < EB_GROUP_MOST ? EB_GROUP_MOST : equal > EB_NEAREST_MOST ? EB_NEAREST_MOST : equal;
}

static eb_code prepare(asking *a, eb_status *status)
{
    const eb_ref64_search *of = a->search;
    const size_t n = of->ds->n, lines = eb_panel_count(n) * EB_PANEL;
    a->point = malloc(n * sizeof *a->point);
    a->row = malloc(lines * sizeof *a->row);
    a->column = malloc(lines * sizeof *a->column);
    a->buffer_bytes = bytes_of_buffers(of);
    a->buffers = aligned_alloc(64, of->context->threads * a->buffer_bytes);
    if (!a->point || !a->row || !a->column || !a->buffers)
        return eb_fail_memory(status, "the nearest", 3 * lines * sizeof *a->row);
    memset(a->buffers, 0, of->context->threads * a->buffer_bytes);
    for (size_t i = 0; i < n; i++)
        if (a->question->query[i] != EB_NO_POINT)
            a->point[a->queries++] = (uint32_t)i;
    a->rows = rows_of_task(a->queries, of->context->threads);
    a->t = a->queries > 0 ? usual_t(a) : 1;
    eb_ref64_column_levels(of->quantised, of->ds->d, a->t, a->column);
    return EB_OK;
}

static size_t queries_of(const eb_nearest_rows *question, size_t n)
{
    size_t queries = 0;
    for (size_t i = 0; i < n; i++)
        queries += question->query[i] != EB_NO_POINT;
    return queries;
}

bool eb_ref64_nearest_pays(const eb_dataset *ds, const eb_nearest_rows *question)
{
    return eb_ref64_quantises(ds->d) && eb_dtype_size(ds->dtype) > 1 && 4 * queries_of(question, ds->n) <= ds->n;
}

static eb_code ask_all(asking *a, eb_status *status)
{
    const eb_context *context = a->search->context;
    EB_TRY(prepare(a, status));
    return eb_parallel(context->threads, (a->queries + a->rows - 1) / a->rows, ask_task, a, context->job, status);
}

eb_code eb_ref64_nearest(const eb_ref64_search *search, const eb_nearest_rows *question, eb_status *status)
{
    const eb_context *context = search->context;
    const double start = eb_now_s();
    asking a = {.search = search, .question = question};
    const eb_code failed = ask_all(&a, status);
    eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
    eb_figures_add(context->figures, &eb_figure_executed_flops,
                   2 * (double)a.queries * (double)search->ds->n * (double)search->ds->d);
    free(a.point);
    free(a.row);
    free(a.column);
    free(a.buffers);
    return failed;
}
