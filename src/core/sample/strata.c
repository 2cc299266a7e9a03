#include "core/sample/strata.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/data/scaling.h"
#include "core/sample/cells.h"
#include "core/sample/rows.h"

/* ---- crowding ---- */

#define SCALES 16u /* number of scales at which neighbours are estimated */

static int compare_floats(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* log₂ and 2^y, linear between powers of two: an FP32's bits read as a whole number. Unlike libm's, the results are the
 * same on every machine. x is normal or 0 (giving −127); y ≥ −126. */
static float rough_log2(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (float)bits * 0x1p-23F - 127;
}

static float rough_exp2(float y)
{
    uint32_t bits = (uint32_t)((y + 127) * 0x1p23F);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* fmaxf is a call where it must expect NaN. */
static float greater(float a, float b) { return a > b ? a : b; }

/* Estimates the neighbours within each scale. Goes from the point's leaf outwards through the cells that contain it;
 * between cells the estimate is linear in log ε and log count. scale: log₂ ε, ascending. */
static void guess_neighbours(const eb_cells *t, const eb_leaf *in, float near, const float *scale, float *out)
{
    const eb_node *cell = &t->node[in->node];
    bool together = !(near > 0);
    float from = together ? -INFINITY : rough_log2(near), from_count = rough_log2(together ? (float)cell->size : 3);
    float to = from, to_count = from_count;
    for (size_t k = 0; k < SCALES; k++) {
        while (cell != t->root && scale[k] > to) {
            cell = &t->node[cell->parent];
            from = to;
            from_count = to_count;
            to = cell->radius > 0 ? greater(rough_log2(cell->radius), from) : from;
            to_count = greater(rough_log2((float)cell->size), from_count);
        }
        float count = to_count;
        if (scale[k] < from)
            count = from_count + 3 * (scale[k] - from);
        else if (scale[k] < to)
            count =
                isfinite(from) ? from_count + (to_count - from_count) * (scale[k] - from) / (to - from) : from_count;
        out[k] = rough_exp2(greater(count, -100));
    }
}

/* Scales from the smallest neighbour distances of a sample to beyond the largest distance, evenly spaced in the
 * logarithm. False if all points coincide. */
static bool choose_scales(const eb_cells *t, float *scale)
{
    float sample[1024] = {0};
    size_t count = t->n < 1024 ? t->n : 1024, first = 0;
    for (size_t k = 0; k < count; k++)
        sample[k] = t->near[k * t->n / count];
    qsort(sample, count, sizeof *sample, compare_floats);
    while (first < count && !(sample[first] > 0))
        first++;
    if (!(t->root->radius > 0))
        return false;
    float high = rough_log2(t->root->radius) + 2, low = first < count ? rough_log2(sample[first]) : high - SCALES;
    for (size_t k = 0; k < SCALES; k++)
        scale[k] = low + (high - low) * (float)k / (float)(SCALES - 1);
    return high > low;
}

typedef struct guess {
    const eb_cells *cells;
    float scale[SCALES];
    double s[SCALES];       /* S at each scale */
    double (*part)[SCALES]; /* [tasks] contributions to s */
    float *out;
} guess;

#define GUESS_LEAVES 512u

static size_t task_end(const guess *g, uint64_t task)
{
    size_t begin = (size_t)task * GUESS_LEAVES, leaves = g->cells->leaves;
    return leaves - begin < GUESS_LEAVES ? leaves : begin + GUESS_LEAVES;
}

/* One point stands for all of its leaf. */
static eb_code guess_selectivity(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    guess *g = context;
    float count[SCALES];
    for (size_t l = (size_t)task * GUESS_LEAVES; l < task_end(g, task); l++) {
        const eb_leaf *at = &g->cells->leaf[l];
        guess_neighbours(g->cells, at, g->cells->near[at->begin], g->scale, count);
        for (size_t k = 0; k < SCALES; k++)
            g->part[task][k] += (double)count[k] * (double)(at->end - at->begin) / (double)g->cells->n;
    }
    return EB_OK;
}

static eb_code guess_shares(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const guess *g = context;
    const eb_cells *t = g->cells;
    float count[SCALES];
    for (size_t l = (size_t)task * GUESS_LEAVES; l < task_end(g, task); l++)
        for (size_t i = t->leaf[l].begin; i < t->leaf[l].end; i++) {
            double share = 0;
            guess_neighbours(t, &t->leaf[l], t->near[i], g->scale, count);
            for (size_t k = 0; k < SCALES; k++)
                if (g->s[k] >= 0.5)
                    share += (double)count[k] / g->s[k];
            g->out[t->place[i].row] = (float)share;
        }
    return EB_OK;
}

static eb_code guess_all(guess *g, eb_job *job, eb_status *status)
{
    uint64_t tasks = (g->cells->leaves + GUESS_LEAVES - 1) / GUESS_LEAVES;
    unsigned threads = eb_cpu_count();
    g->part = calloc(tasks, sizeof *g->part);
    if (!g->part)
        return eb_fail_memory(status, "the scales", tasks * sizeof *g->part);
    eb_code failed = eb_parallel(threads, tasks, guess_selectivity, g, job, status);
    for (uint64_t task = 0; task < tasks; task++) /* fixed order: the same sum on any number of threads */
        for (size_t k = 0; k < SCALES; k++)
            g->s[k] += g->part[task][k];
    free(g->part);
    return failed ? failed : eb_parallel(threads, tasks, guess_shares, g, job, status);
}

static void make_mean_one(float *out, size_t n)
{
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += (double)out[i];
    for (size_t i = 0; i < n; i++)
        out[i] = all > 0 ? (float)((double)out[i] * (double)n / all) : 1;
}

static eb_code guess_crowding(const eb_cells *t, float *out, eb_job *job, eb_status *status)
{
    guess g = {.cells = t, .out = out};
    memset(out, 0, t->n * sizeof *out);
    if (choose_scales(t, g.scale))
        EB_TRY(guess_all(&g, job, status));
    make_mean_one(out, t->n);
    return EB_OK;
}

eb_code eb_crowding(const eb_dataset *ds, uint64_t seed, float *out, eb_job *job, eb_status *status)
{
    eb_cells cells;
    EB_TRY(eb_cells_make(ds, seed, &cells, job, status));
    eb_code failed = guess_crowding(&cells, out, job, status);
    eb_cells_free(&cells);
    return failed;
}

/* ---- chances ---- */

/* The parts of a point's chance to be drawn. The even share bounds the cost of a wrong crowding estimate: no stratum is
 * longer than 2.5 even ones. The far share goes to the last points as 1 : ½ : ⅓ : …, which puts a few queries among the
 * last n/64, n/128, n/256 … of them. Tried on thirteen kinds of data (tests/bench/curve.md): an even share of 0.4 to
 * 0.6 makes little difference. */
#define EVEN_SHARE 0.4
#define FAR_SHARE 0.08
#define CROWDED_SHARE (1 - EVEN_SHARE - FAR_SHARE)

#define CLASSES 34 /* of crowding, by factors of two: at least 2^32, …, at least 1, less */

/* ---- distances to the centroid ---- */

typedef struct ranked {
    double distance2; /* to the centroid */
    uint32_t row;
} ranked;

typedef struct ranking {
    const eb_dataset *ds;
    const double *centroid;
    double unit;    /* factor of the coordinates that keeps squares finite */
    double *buffer; /* [threads][d] */
    ranked *order;
} ranking;

#define RANK_ROWS 512u

static double square(double x) { return x * x; }

static eb_code rank_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const ranking *r = context;
    size_t d = r->ds->d, begin = (size_t)task * RANK_ROWS;
    size_t end = r->ds->n - begin < RANK_ROWS ? r->ds->n : begin + RANK_ROWS;
    double *x = r->buffer + thread * d;
    for (size_t i = begin; i < end; i++) {
        eb_to_f64(r->ds->dtype, eb_row(r->ds, i), d, x);
        double s = 0;
        for (size_t k = 0; k < d; k++)
            s += square(r->unit * x[k] - r->centroid[k]);
        r->order[i] = (ranked){.distance2 = s <= DBL_MAX ? s : DBL_MAX, .row = (uint32_t)i};
    }
    return EB_OK;
}

/* Mean of up to 1024 evenly spaced points; accurate enough for ranking. */
static void find_centroid(const eb_dataset *ds, double unit, double *centroid, double *x)
{
    size_t count = ds->n < 1024 ? ds->n : 1024;
    for (size_t c = 0; c < count; c++) {
        eb_to_f64(ds->dtype, eb_row(ds, c * ds->n / count), ds->d, x);
        for (size_t k = 0; k < ds->d; k++)
            centroid[k] += unit * x[k] / (double)count;
    }
}

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->distance2 != y->distance2)
        return x->distance2 < y->distance2 ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static eb_code rank_points(const eb_dataset *ds, ranked *order, eb_job *job, eb_status *status)
{
    unsigned threads = eb_cpu_count();
    double *centroid = calloc(ds->d, sizeof *centroid), *buffer = calloc((size_t)threads * ds->d, sizeof *buffer);
    eb_code failed;
    if (centroid && buffer) {
        double unit = ldexp(1, eb_scaling_of(ds, ds).exponent);
        find_centroid(ds, unit, centroid, buffer);
        ranking r = {.ds = ds, .centroid = centroid, .unit = unit, .buffer = buffer, .order = order};
        failed = eb_parallel(threads, (ds->n + RANK_ROWS - 1) / RANK_ROWS, rank_block, &r, job, status);
    } else {
        failed = eb_fail_memory(status, "the centroid", ((size_t)threads + 1) * ds->d * sizeof *centroid);
    }
    if (!failed)
        failed = eb_parallel_sort(threads, order, ds->n, sizeof *order, compare_ranked, job, status);
    free(centroid);
    free(buffer);
    return failed;
}

/* ---- the order ---- */

typedef struct eb_strata_member {
    uint32_t row;
    float weight; /* its chance to be drawn, mean 1 */
} member;

static size_t class_of(float crowding)
{
    if (!(crowding >= 1))
        return CLASSES - 1;
    int factor = ilogbf(crowding);
    return factor < CLASSES - 1 ? (size_t)(CLASSES - 2 - factor) : 0;
}

/* Sorts from nearest first in `near` to most crowded first in `out`, nearest first within each class. */
static void order_by_class(const ranked *near, const float *crowding, size_t n, member *out)
{
    size_t begin[CLASSES + 1] = {0};
    double harmonic = 0;
    for (size_t k = 0; k < n; k++) {
        begin[class_of(crowding[near[k].row]) + 1]++;
        harmonic += 1 / (double)(k + 1);
    }
    for (size_t c = 0; c < CLASSES; c++)
        begin[c + 1] += begin[c];
    for (size_t k = 0; k < n; k++) {
        float crowded = crowding[near[k].row];
        double far = (double)n / ((double)(n - k) * harmonic);
        double weight = EVEN_SHARE + CROWDED_SHARE * (double)crowded + FAR_SHARE * far;
        out[begin[class_of(crowded)]++] = (member){.row = near[k].row, .weight = (float)weight};
    }
}

/* Of n points, those that the first `begin` of `ordered` stand for. */
static size_t stood_for(size_t begin, size_t ordered, size_t n) { return (size_t)((uint64_t)begin * n / ordered); }

/* Cuts strata of equal weight with at least one point each, and draws one point of each. */
static void cut_and_draw(const eb_strata_order *of, uint64_t seed, eb_strata *out)
{
    const member *order = of->member;
    const size_t n = of->ordered;
    double all = 0, sum = 0;
    for (size_t k = 0; k < n; k++)
        all += (double)order[k].weight;
    size_t begin = 0;
    for (size_t h = 0; h < out->count; h++) {
        size_t end = begin + 1, most = n - (out->count - 1 - h);
        sum += (double)order[begin].weight;
        while (end < most && (h + 1 == out->count || sum < all * (double)(h + 1) / (double)out->count))
            sum += (double)order[end++].weight;
        out->size[h] = stood_for(end, n, of->n) - stood_for(begin, n, of->n);
        out->row[h] = order[begin + eb_random_below(&seed, end - begin)].row;
        begin = end;
    }
}

static eb_code order_points(const eb_dataset *ds, uint64_t seed, member *out, eb_job *job, eb_status *status)
{
    ranked *near = malloc(ds->n * sizeof *near);
    float *crowding = malloc(ds->n * sizeof *crowding);
    eb_code failed = near && crowding ? eb_crowding(ds, ~seed, crowding, job, status)
                                      : eb_fail_memory(status, "the strata", ds->n * (sizeof *near + sizeof *crowding));
    if (!failed)
        failed = rank_points(ds, near, job, status);
    if (!failed)
        order_by_class(near, crowding, ds->n, out);
    free(near);
    free(crowding);
    return failed;
}

/* A stratum has so many points that stand for all of it. */
enum { A_STRATUM = 64 };

/* The points to order for so many strata. */
static size_t ordered_for(size_t n, size_t count)
{
    const size_t several = count < n / A_STRATUM ? A_STRATUM * count : n;
    return n <= EB_MOST_ORDERED || several > n / 2 ? n : several < EB_MOST_ORDERED ? EB_MOST_ORDERED : several;
}

bool eb_strata_order_serves(const eb_strata_order *order, size_t count)
{
    const bool all = order->ordered == order->n;
    return count == order->n ? !order->member : order->member && (all || count <= order->ordered / (A_STRATUM / 2));
}

static eb_code order_all(const eb_dataset *ds, uint64_t seed, eb_job *job, eb_strata_order *out, eb_status *status)
{
    out->ordered = ds->n;
    out->member = malloc(ds->n * sizeof *out->member);
    return out->member ? order_points(ds, seed, out->member, job, status)
                       : eb_fail_memory(status, "the strata", ds->n * sizeof *out->member);
}

static eb_code order_some(const eb_dataset *ds, size_t some, uint64_t seed, eb_job *job, eb_strata_order *out,
                          eb_status *status)
{
    eb_sampled_rows rows;
    eb_code failed = eb_rows_scatter(ds, some, seed, &rows, status);
    failed = failed ? failed : order_all(&rows.points, seed, job, out, status);
    for (size_t k = 0; k < out->ordered && !failed; k++)
        out->member[k].row = rows.row[out->member[k].row];
    eb_rows_free(&rows);
    return failed;
}

eb_code eb_strata_order_make(const eb_dataset *ds, size_t count, uint64_t seed, eb_job *job, eb_strata_order *out,
                             eb_status *status)
{
    const size_t ordered = ordered_for(ds->n, count);
    *out = (eb_strata_order){.n = ds->n};
    if (count == ds->n)
        return EB_OK;
    const eb_code failed =
        ordered < ds->n ? order_some(ds, ordered, seed, job, out, status) : order_all(ds, seed, job, out, status);
    if (failed)
        eb_strata_order_free(out);
    return failed;
}

void eb_strata_order_free(eb_strata_order *order)
{
    free(order->member);
    *order = (eb_strata_order){.n = 0};
}

static void take_all(eb_strata *out)
{
    for (size_t i = 0; i < out->count; i++) {
        out->row[i] = (uint32_t)i;
        out->size[i] = 1;
    }
}

eb_code eb_strata_cut(const eb_strata_order *order, size_t count, uint64_t seed, eb_strata *out, eb_status *status)
{
    *out = (eb_strata){.count = count};
    out->row = malloc(count * sizeof *out->row);
    out->size = malloc(count * sizeof *out->size);
    if (!out->row || !out->size) {
        eb_strata_free(out);
        return eb_fail_memory(status, "the queries", count * (sizeof *out->row + sizeof *out->size));
    }
    if (order->member)
        cut_and_draw(order, seed, out);
    else
        take_all(out);
    return EB_OK;
}

eb_code eb_strata_draw(const eb_dataset *ds, size_t count, uint64_t seed, eb_job *job, eb_strata *out,
                       eb_status *status)
{
    eb_strata_order order;
    EB_TRY(eb_strata_order_make(ds, count, seed, job, &order, status));
    eb_code failed = eb_strata_cut(&order, count, seed, out, status);
    eb_strata_order_free(&order);
    return failed;
}

void eb_strata_free(eb_strata *strata)
{
    free(strata->row);
    free(strata->size);
    *strata = (eb_strata){.count = 0};
}
