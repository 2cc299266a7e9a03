#include "core/knn/joins.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/knn/heaps.h"
#include "core/knn/queries_first.h"
#include "core/knn/searches.h"
#include "core/team/team.h"
#include "core/tune/order_statistic.h"

enum {
    FEW = 16,          /* fewer queries are not worth a join */
    MOST_TRIED = 64,   /* most queries that determine the factor */
    LEAST_GROUP = 128, /* rows, unless radii differ too much */
    FEW_DIMENSIONS = 8,
    HOPEFUL = 3,    /* rounds before the largest radius, if some queries have fewer than k neighbours at any */
    INDEXED = 4096, /* queries for which an order of all points in few dimensions pays */
};
#define BATCH_BYTES ((size_t)64 << 20)
/* Up to this many distances, computing all of them on the host is cheaper than a join. */
#define WORTH_MEASURING ((size_t)32 << 20)

/* Ratios of radii within a group. With an intrinsic dimension of twelve, as descriptors have, a tenth more radius gives
 * three times as many pairs. */
#define ALIKE 1.06
#define TOO_UNLIKE 1.25

#define FOUND 0.95  /* share of queries whose first radius should be enough */
#define GROWTH 1.25 /* of radii that were too small; squared in each round */

typedef struct finding {
    const eb_knn_request *request;
    eb_job *job;
    unsigned threads;
    eb_heaps heaps;
    double *guess;  /* [queries] */
    uint32_t *open; /* [queries] unfinished queries, the largest guess first */
    size_t asking;  /* number of unfinished queries */
    size_t few;     /* from few_among(): at most FEW, and 1 with many points */
    double factor;  /* radius / guess; 0: not known yet */
    double growth;
    unsigned losses; /* of devices, so far */
    bool asks_again; /* a device of a team was lost in this round, and others are left */
    bool lacking;    /* a query tried for the factor has fewer than k neighbours at any radius */
    eb_knn *out;
} finding;

/* ---- sizes ---- */

static size_t few_among(size_t n)
{
    const size_t worth = WORTH_MEASURING / n;
    return worth < 1 ? 1 : worth < FEW ? worth : FEW;
}

uint64_t eb_knn_bytes(const eb_knn_request *request)
{
    const uint64_t queries = eb_knn_queries(request), row = request->base->d * eb_dtype_size(request->base->dtype);
    const uint64_t copied = request->queries ? queries : request->base->n;
    const uint64_t heaps = queries * (request->k * sizeof(eb_near_row) + (request->reach ? 40 : 32));
    return heaps + (queries > few_among(request->base->n) ? copied * (row + sizeof(uint32_t)) : 0);
}

/* ---- all distances of a few queries ---- */

typedef struct measuring {
    finding *f;
    const uint32_t *query; /* [count] */
    const double *s;       /* [count × columns] */
    size_t columns;
} measuring;

static eb_code take_all(void *context, uint64_t at, unsigned thread, eb_status *status)
{
    const measuring *m = context;
    (void)thread, (void)status;
    eb_heaps_all(&m->f->heaps, m->query[at], m->s + at * m->columns, m->columns);
    return EB_OK;
}

/* left: [count] left points of the opened problem that are the queries. */
static eb_code measure(finding *f, const eb_opened *opened, const uint32_t *query, const uint32_t *left, size_t count,
                       eb_status *status)
{
    if (count == 0)
        return EB_OK;
    const double start = eb_now_s();
    const size_t columns = opened->problem.right->n, fit = BATCH_BYTES / (columns * sizeof(double));
    const size_t most = fit < 1 ? 1 : fit, batch = count < most ? count : most;
    double *s = malloc(batch * columns * sizeof *s);
    eb_code failed = EB_OK;
    if (!s)
        return eb_fail_memory(status, "distances of queries", batch * columns * sizeof *s);
    for (size_t first = 0; first < count && !failed; first += batch) {
        const size_t now = count - first < batch ? count - first : batch;
        measuring m = {f, query + first, s, columns};
        failed = eb_ask_distances(opened, left + first, now, s, status);
        if (!failed)
            failed = eb_parallel(f->threads, now, take_all, &m, f->job, status);
    }
    free(s);
    f->out->effort.measured += count;
    f->out->effort.measure_s += eb_now_s() - start;
    return failed;
}

/* Opens the points as they are, since so few queries are not worth a copy. */
static eb_code measure_open(finding *f, eb_status *status)
{
    const eb_knn_request *request = f->request;
    const eb_dataset *left = request->queries ? request->queries : request->base;
    uint32_t row[FEW];
    eb_opened opened;
    for (size_t p = 0; p < f->asking; p++)
        row[p] = request->queries ? f->open[p] : eb_knn_query_row(request, f->open[p]);
    EB_TRY(eb_heaps_open(&f->heaps, left, request->base, f->job, &opened, status));
    f->heaps.row = NULL;
    const eb_code failed = measure(f, &opened, f->open, row, f->asking, status);
    eb_knn_close(f->out, &opened);
    f->asking = 0;
    return failed;
}

/* ---- the factor ---- */

/* The factor that makes the guess large enough for most of these queries. far is ∞ for queries without k neighbours,
 * which are ignored. If the nearest neighbours have distance 0, any factor will do. */
static double factor_of(finding *f, const uint32_t *query, const double *far, size_t count)
{
    double ratio[MOST_TRIED] = {0};
    size_t sound = 0;
    for (size_t k = 0; k < count; k++)
        if (far[k] < INFINITY)
            ratio[sound++] = far[k] / f->guess[query[k]];
    f->lacking = sound < count;
    if (sound == 0)
        return DBL_MAX;
    qsort(ratio, sound, sizeof *ratio, eb_compare_doubles);
    const double factor = ratio[(size_t)ceil((double)sound * FOUND) - 1] * (1 + 0x1p-20),
                 least = fmax(ratio[sound - 1], 1) * 1e-6;
    return fmin(fmax(factor, least), DBL_MAX);
}

/* Engines that bin distances on the device return no distances to the host. */
static eb_code count_some(finding *f, const eb_opened *opened, const uint32_t *left, size_t count, double *far,
                          eb_status *status)
{
    const double start = eb_now_s();
    eb_bins bins;
    EB_TRY(eb_ask_bins(opened, left, count, &bins, status));
    for (size_t k = 0; k < count; k++)
        far[k] = eb_distance_of(eb_bins_reach(&bins, k, f->heaps.k), f->heaps.unit);
    eb_bins_free(&bins);
    f->out->effort.measure_s += eb_now_s() - start;
    return EB_OK;
}

static eb_code measure_some(finding *f, const eb_opened *opened, const uint32_t *query, const uint32_t *left,
                            size_t count, double *far, eb_status *status)
{
    const eb_heaps *t = &f->heaps;
    EB_TRY(measure(f, opened, query, left, count, status));
    for (size_t k = 0; k < count; k++) {
        const double top = t->near[query[k] * t->k].far; /* top of the heap: the k-th nearest if it is full */
        far[k] = t->count[query[k]] == t->k ? eb_distance_of(top, t->unit) : (double)INFINITY;
    }
    return EB_OK;
}

/* Tries queries spread evenly over the range of guesses. */
static eb_code try_some(finding *f, const eb_opened *opened, eb_status *status)
{
    uint32_t place[MOST_TRIED], query[MOST_TRIED];
    double far[MOST_TRIED];
    size_t count = f->asking / 64;
    const bool counts = opened->run->bins && opened->setup->device.kind != EB_DEVICE_CPU;
    count = count < FEW ? FEW : count < MOST_TRIED ? count : MOST_TRIED;
    count = count < f->asking ? count : f->asking;
    for (size_t k = 0; k < count; k++) {
        place[k] = (uint32_t)((double)f->asking * ((double)k + 0.5) / (double)count);
        query[k] = f->open[place[k]];
    }
    EB_TRY(counts ? count_some(f, opened, place, count, far, status)
                  : measure_some(f, opened, query, place, count, far, status));
    f->factor = factor_of(f, query, far, count);
    return EB_OK;
}

/* ---- groups ---- */

static double radius_of(const finding *f, size_t place) { return fmin(f->factor * f->guess[f->open[place]], DBL_MAX); }

/* End of the group of queries with similar radii that starts at `begin`. */
static size_t group_end(const finding *f, size_t begin)
{
    const double radius = radius_of(f, begin);
    size_t end = begin + 1;
    while (end < f->asking) {
        const double next = radius_of(f, end);
        if (next * TOO_UNLIKE < radius || (next * ALIKE < radius && end - begin >= LEAST_GROUP))
            break;
        end++;
    }
    return end;
}

/* Pairs that did not come are beyond the limit, so a query whose k-th nearest is within the limit is finished. At the
 * largest possible radius every query is finished, even with fewer than k neighbours. */
static void settle(finding *f, const eb_opened *opened, double eps)
{
    eb_heaps *t = &f->heaps;
    const double limit = eb_squared_threshold(eb_scaled_eps(eps, opened->scaling.exponent));
    for (size_t p = t->begin; p < t->end; p++) {
        const uint32_t q = f->open[p];
        if (eps >= DBL_MAX || (t->count[q] == t->k && t->near[q * t->k].far <= limit))
            eb_heaps_end(t, q);
    }
}

static eb_code ask_group(finding *f, eb_opened *opened, eb_status *status)
{
    eb_heaps *t = &f->heaps;
    const eb_question question = {.eps = fmax(radius_of(f, t->begin), opened->scaling.least_eps)};
    const eb_streaming streaming = {.opened = opened,
                                    .squared = true,
                                    .hits = eb_heaps_hits,
                                    .row = eb_heaps_row,
                                    .context = t,
                                    .phase = "nearest"};
    EB_TRY(eb_stream_rows(&streaming, &question, t->begin - t->view, t->end - t->view, status));
    settle(f, opened, question.eps);
    f->out->effort.joins++;
    return EB_OK;
}

/* ---- a round ---- */

/* In a self-join, points already asked have met all others. Once they are a quarter of the opened points, the rest is
 * opened alone. */
static bool is_worn(const finding *f, const eb_queries_first *ordered, size_t begin)
{
    return ordered->self && (begin - f->heaps.view) * 4 >= ordered->left.n - f->heaps.view;
}

static eb_code open_view(finding *f, const eb_queries_first *ordered, size_t begin, eb_dataset *view, eb_opened *out,
                         eb_status *status)
{
    *view = ordered->left;
    view->rows = eb_row(&ordered->left, begin);
    view->n = ordered->left.n - begin;
    f->heaps.view = begin;
    return eb_heaps_open(&f->heaps, view, ordered->self ? view : ordered->right, f->job, out, status);
}

/* Finishes the last few queries in this round while all points are open. */
static eb_code measure_last(finding *f, const eb_opened *opened, eb_status *status)
{
    uint32_t place[FEW], query[FEW];
    size_t count = 0;
    for (size_t p = 0; p < f->asking; p++) {
        if (eb_heaps_ended(&f->heaps, f->open[p]))
            continue;
        if (count == f->few || f->heaps.view > 0)
            return EB_OK;
        eb_heaps_reset(&f->heaps, f->open[p]);
        place[count] = (uint32_t)p;
        query[count++] = f->open[p];
    }
    return count > 0 ? measure(f, opened, query, place, count, status) : EB_OK;
}

static eb_code ask_groups(finding *f, const eb_queries_first *ordered, eb_dataset *view, eb_opened *opened,
                          bool *is_open, eb_status *status)
{
    eb_heaps *t = &f->heaps;
    if (f->factor <= 0)
        EB_TRY(try_some(f, opened, status));
    eb_job_phase(f->job, "nearest", f->asking);
    for (size_t begin = 0; begin < f->asking; begin = t->end) {
        if (is_worn(f, ordered, begin)) {
            eb_knn_close(f->out, opened);
            *is_open = false;
            EB_TRY(open_view(f, ordered, begin, view, opened, status));
            *is_open = true;
        }
        t->begin = begin;
        t->end = group_end(f, begin);
        EB_TRY(ask_group(f, opened, status));
    }
    return measure_last(f, opened, status);
}

static eb_code ask_ordered(finding *f, const eb_queries_first *ordered, eb_status *status)
{
    eb_dataset view;
    eb_opened opened;
    bool is_open = true;
    f->asks_again = false;
    f->heaps.query = f->open;
    f->heaps.asking = f->asking;
    f->heaps.row = ordered->row;
    f->heaps.both = ordered->self;
    EB_TRY(open_view(f, ordered, 0, &view, &opened, status));
    const eb_code failed = ask_groups(f, ordered, &view, &opened, &is_open, status);
    f->asks_again = failed == EB_NO_DEVICE && is_open && eb_team_can_ask_again(opened.run, opened.state);
    if (is_open)
        eb_knn_close(f->out, &opened);
    return failed;
}

static eb_code ask_as(finding *f, bool self, eb_status *status)
{
    eb_queries_first ordered;
    EB_TRY(eb_queries_first_make(f->request, self, f->open, f->asking, f->threads, f->job, &ordered, status));
    const double start = eb_now_s(), measured = f->out->effort.measure_s;
    const eb_code failed = ask_ordered(f, &ordered, status);
    f->out->effort.join_s += eb_now_s() - start - (f->out->effort.measure_s - measured);
    eb_queries_first_free(&ordered);
    return failed;
}

/* Empties the heaps of unfinished queries, to ask them again. */
static void keep_open(finding *f)
{
    size_t left = 0;
    for (size_t p = 0; p < f->asking; p++) {
        const uint32_t q = f->open[p];
        if (eb_heaps_ended(&f->heaps, q))
            continue;
        eb_heaps_reset(&f->heaps, q);
        f->open[left++] = q;
    }
    f->asking = left;
}

/* True if the queries are too few for an index over all points. An index pays sooner in few dimensions, and if all
 * points are queries. */
static bool are_few(const eb_knn_request *request, size_t asking)
{
    const size_t most = request->base->n / 8;
    return request->rows && asking < (request->base->d > FEW_DIMENSIONS || most < INDEXED ? most : INDEXED);
}

/* A few queries are joined as a set of their own, unless the engine supports only self-joins; some engines report that
 * when opened, others when asked. */
static eb_code ask_all(finding *f, eb_status *status)
{
    const eb_knn_request *request = f->request;
    if (request->queries)
        return ask_as(f, false, status);
    if (are_few(request, f->asking)) {
        const eb_code failed = ask_as(f, false, status);
        if (failed != EB_NO_ENGINE)
            return failed;
    }
    return ask_as(f, true, status);
}

static eb_code run_round(finding *f, eb_status *status)
{
    f->out->effort.rounds++;
    if (f->asking <= f->few)
        return measure_open(f, status);
    const eb_code failed = ask_all(f, status);
    if (failed && !(f->asks_again && ++f->losses < EB_MOST_MEMBERS))
        return failed;
    keep_open(f);
    if (failed)
        return EB_OK; /* the next round asks for the same radii, by the other devices */
    f->factor *= f->lacking && f->out->effort.rounds >= HOPEFUL ? (double)INFINITY : f->growth;
    f->growth *= f->growth;
    return EB_OK;
}

/* ---- the search ---- */

static eb_code guess_all(finding *f, eb_status *status)
{
    const double start = eb_now_s();
    for (size_t q = 0; q < f->asking; q++)
        f->open[q] = (uint32_t)q;
    if (f->asking <= f->few)
        return EB_OK;
    eb_job_phase(f->job, "guessing radii", f->asking);
    EB_TRY(eb_knn_guess(f->request, f->threads, f->job, f->guess, f->open, status));
    f->out->effort.guess_s = eb_now_s() - start;
    return EB_OK;
}

static eb_code find_by_radii(finding *f, eb_status *status)
{
    EB_TRY(guess_all(f, status));
    while (f->asking > 0)
        EB_TRY(run_round(f, status));
    return EB_OK;
}

static eb_code find_all(finding *f, eb_status *status)
{
    eb_code failed =
        f->asking > f->few ? eb_knn_by_searches(f->request, &f->heaps, f->job, f->out, status) : EB_NO_ENGINE;
    if (failed == EB_NO_ENGINE)
        failed = find_by_radii(f, status);
    if (failed)
        return failed;
    f->out->effort.pairs = f->heaps.pairs;
    return f->request->reach ? eb_heaps_reach(&f->heaps, f->threads, f->out->reach, f->job, status)
                             : eb_heaps_sort(&f->heaps, f->threads, f->job, status);
}

eb_code eb_knn_by_joins(const eb_knn_request *request, eb_job *job, eb_knn *out, eb_status *status)
{
    const size_t queries = out->queries;
    const unsigned threads = request->setup->resources.threads;
    finding f = {.request = request,
                 .job = job,
                 .threads = threads ? threads : 1,
                 .asking = queries,
                 .few = few_among(request->base->n),
                 .growth = GROWTH,
                 .out = out};
    EB_TRY(eb_heaps_new(request, &f.heaps, status));
    f.guess = malloc(queries * sizeof *f.guess);
    f.open = malloc(queries * sizeof *f.open);
    out->reach = request->reach ? malloc(queries * sizeof *out->reach) : NULL;
    const eb_code failed = f.guess && f.open && (out->reach || !request->reach)
                               ? find_all(&f, status)
                               : eb_fail_memory(status, "radii", queries * sizeof *f.guess);
    if (!failed && !request->reach) {
        out->near = f.heaps.near;
        f.heaps.near = NULL;
    }
    eb_heaps_free(&f.heaps);
    free(f.guess);
    free(f.open);
    return failed;
}
