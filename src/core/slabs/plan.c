/* plan: chooses the dimension and the edges of slabs. */
#include <math.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/lookup.h"
#include "core/base/parallel.h"
#include "core/data/scaling.h"
#include "core/slabs/slabs.h"

enum { SAMPLE_ROWS = 1 << 14, SAMPLE_VALUES = 1 << 20, ROWS_A_TASK = 1 << 16 };

/* The points between possible edges of one dimension. Bin j has the values v with edge[j] ≤ v < edge[j + 1]. */
typedef struct bins {
    size_t count;
    double *edge;     /* [count + 1], −∞ … ∞ */
    uint64_t *before; /* [count + 1] points in earlier bins, estimated or exact */
} bins;

static void free_bins(bins *b)
{
    free(b->edge);
    free(b->before);
    *b = (bins){0};
}

static double value_of(const eb_dataset *ds, size_t row, size_t axis)
{
    double x;
    eb_to_f64(ds->dtype, eb_row(ds, row) + axis * eb_dtype_size(ds->dtype), 1, &x);
    return x;
}

/* The largest |x − y| of a pair in one dimension. A hit has fl(t²) ≤ s ≤ fl(ε²) with t = fl(x − y), in scaled
 * coordinates, where squares below 2^-1074 vanish. */
static double reach_of(const eb_dataset *ds, double eps)
{
    const int exponent = eb_scaling_of(ds, ds).exponent;
    const double scaled = eb_scaled_eps(eps, exponent);
    const double most = sqrt(eb_squared_threshold(scaled));
    return ldexp(fmax(most, scaled) * (1 + 0x1p-40) + 0x1p-530, -exponent);
}

/* ---- bins of a dimension ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t sampled_row(const eb_dataset *ds, size_t k, size_t sampled)
{
    return (size_t)((uint64_t)k * ds->n / sampled);
}

/* Bins between the different values of `sampled` rows; each counts for n / sampled points. */
static eb_code sample_bins(const eb_dataset *ds, size_t axis, size_t sampled, bins *out, eb_status *status)
{
    *out =
        (bins){.edge = malloc((sampled + 2) * sizeof *out->edge), .before = calloc(sampled + 2, sizeof *out->before)};
    if (!out->edge || !out->before) {
        free_bins(out);
        return eb_fail_memory(status, "cutting points", 2 * (sampled + 2) * sizeof *out->edge);
    }
    double *value = out->edge + 1;
    for (size_t k = 0; k < sampled; k++)
        value[k] = value_of(ds, sampled_row(ds, k, sampled), axis);
    qsort(value, sampled, sizeof *value, ascending);
    out->edge[0] = -INFINITY;
    size_t edges = 1;
    for (size_t k = 0; k < sampled; k++) /* value[k] is not yet overwritten: edges ≤ k + 1 */
        if (k == 0 || value[k] > out->edge[edges - 1]) {
            out->before[edges] = sampled_row(ds, k, sampled);
            out->edge[edges++] = value[k];
        }
    out->edge[edges] = INFINITY;
    out->before[edges] = ds->n;
    out->count = edges;
    return EB_OK;
}

typedef struct counting {
    const eb_dataset *ds;
    const bins *b;
    size_t axis;
    uint64_t *count; /* [threads][bins] */
    eb_job *job;
} counting;

static eb_code count_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const counting *c = context;
    size_t begin = (size_t)task * ROWS_A_TASK, left = c->ds->n - begin;
    size_t end = left < ROWS_A_TASK ? c->ds->n : begin + ROWS_A_TASK;
    uint64_t *count = c->count + (size_t)thread * c->b->count;
    for (size_t i = begin; i < end; i++)
        count[eb_last_not_above(c->b->edge, c->b->count, value_of(c->ds, i, c->axis))]++;
    eb_job_advance(c->job, end - begin);
    return EB_OK;
}

static eb_code count_exactly(const eb_dataset *ds, size_t axis, unsigned threads, eb_job *job, bins *b,
                             eb_status *status)
{
    counting c = {ds, b, axis, calloc((size_t)threads * b->count, sizeof *c.count), job};
    if (!c.count)
        return eb_fail_memory(status, "cutting points", threads * b->count * sizeof *c.count);
    eb_job_phase(job, "counting points between edges", ds->n);
    eb_code failed = eb_parallel(threads, (ds->n + ROWS_A_TASK - 1) / ROWS_A_TASK, count_rows, &c, job, status);
    b->before[0] = 0;
    for (size_t j = 0; j < b->count; j++) {
        uint64_t points = 0;
        for (unsigned t = 0; t < threads; t++)
            points += c.count[(size_t)t * b->count + j];
        b->before[j + 1] = b->before[j] + points;
    }
    free(c.count);
    return failed;
}

/* ---- cutting ---- */

/* Points that fit the room. */
static size_t most_points(const eb_dataset *ds, const eb_slab_room *room)
{
    size_t low = 0, high = ds->n;
    const size_t stored = ds->d * eb_dtype_size(ds->dtype) + sizeof(uint32_t);
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (room->memory_needed(middle, ds->d, ds->dtype) + middle * stored <= room->bytes)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Cuts of one dimension: begin[k] … begin[k + 1] are the bins of slab k. */
typedef struct cuts {
    size_t slabs, begin[EB_MOST_SLABS + 1];
    uint64_t halos, largest; /* points of all halos, of the largest slab */
} cuts;

/* Points in the bins within reach of bins begin … end − 1, without these. */
static uint64_t halo_of(const bins *b, double reach, size_t begin, size_t end)
{
    const double low = b->edge[begin] - reach, high = b->edge[end] + reach;
    size_t first = begin, last = end;
    while (first > 0 && b->edge[first] >= low)
        first--;
    while (last < b->count && b->edge[last] <= high)
        last++;
    return b->before[begin] - b->before[first] + (b->before[last] - b->before[end]);
}

/* Points that a slab may have, and may own. most_own holds for a single bin only if `strict`. */
typedef struct limits {
    double reach;
    uint64_t most, most_own;
    bool strict;
} limits;

static bool fits(const bins *b, const limits *l, size_t begin, size_t end)
{
    const uint64_t own = b->before[end] - b->before[begin];
    return (own <= l->most_own || (!l->strict && end == begin + 1)) && own <= l->most &&
           halo_of(b, l->reach, begin, end) <= l->most - own;
}

/* Takes as many bins for each slab as fit. False if a bin does not fit alone, or there would be too many slabs. */
static bool cut(const bins *b, const limits *l, cuts *out)
{
    *out = (cuts){.slabs = 0};
    for (size_t begin = 0; begin < b->count;) {
        size_t low = begin, high = b->count; /* own grows with the end; own and halo nearly so */
        if (out->slabs == EB_MOST_SLABS)
            return false;
        while (low < high) {
            size_t middle = high - (high - low) / 2;
            if (fits(b, l, begin, middle))
                low = middle;
            else
                high = middle - 1;
        }
        if (low == begin)
            return false;
        out->begin[out->slabs] = begin;
        const uint64_t own = b->before[low] - b->before[begin], halo = halo_of(b, l->reach, begin, low);
        out->halos += halo;
        out->largest = own + halo > out->largest ? own + halo : out->largest;
        out->begin[++out->slabs] = begin = low;
    }
    return true;
}

/* The dimension whose cut has the fewest points in halos, by a sample; if the limits are not strict, that with the
 * smallest slabs, since a dimension of few values is cut into few. */
static eb_code choose_axis(const eb_dataset *ds, const limits *l, cuts *work, size_t *axis, bool *found, eb_job *job,
                           eb_status *status)
{
    size_t sampled = SAMPLE_VALUES / ds->d < SAMPLE_ROWS ? SAMPLE_VALUES / ds->d : SAMPLE_ROWS;
    uint64_t least = UINT64_MAX;
    sampled = sampled < ds->n ? sampled : ds->n;
    eb_job_phase(job, "choosing where to cut", ds->d);
    for (size_t k = 0; k < ds->d; k++) {
        bins b;
        EB_TRY(eb_job_check(job, status));
        EB_TRY(sample_bins(ds, k, sampled, &b, status));
        const bool cuttable = cut(&b, l, work);
        const uint64_t cost = l->strict ? work->halos : work->largest;
        if (cuttable && cost < least) {
            least = cost;
            *axis = k;
            *found = true;
        }
        free_bins(&b);
        eb_job_advance(job, 1);
    }
    return EB_OK;
}

static eb_code fail_uncut(const eb_dataset *ds, double eps, const eb_slab_room *room, size_t most, eb_status *status)
{
    const uint64_t all =
        room->memory_needed(ds->n, ds->d, ds->dtype) + ds->n * (ds->d * eb_dtype_size(ds->dtype) + sizeof(uint32_t));
    return eb_fail(
        status, EB_NO_MEMORY,
        "%s: no dimension cuts the %zu points into slabs of at most %zu points, which fit %llu bytes, with "
        "all points within ε = %g of them; a smaller ε may, or `set memory=%lluMiB`, with which they need no "
        "cut",
        ds->source, ds->n, most, (unsigned long long)room->bytes, eps, (unsigned long long)((2 * all >> 20) + 1));
}

static eb_code take_cuts(const bins *b, const cuts *c, eb_slab_plan *out, eb_status *status)
{
    out->slabs = c->slabs;
    out->edge = malloc((c->slabs + 1) * sizeof *out->edge);
    out->own = malloc(c->slabs * sizeof *out->own);
    out->halo = malloc(c->slabs * sizeof *out->halo);
    if (!out->edge || !out->own || !out->halo)
        return eb_fail_memory(status, "cutting points", c->slabs * 3 * sizeof *out->edge);
    size_t used = 0, begin = 0;
    for (size_t k = 0, next; k < c->slabs; k = next) {
        for (next = k + 1; next < c->slabs && b->before[c->begin[next + 1]] == b->before[c->begin[next]];)
            next++; /* a slab that would own nothing belongs to the one before it */
        const size_t end = c->begin[next];
        if (b->before[end] == b->before[begin])
            continue; /* so far nothing is owned */
        out->edge[used] = used ? b->edge[begin] : -INFINITY;
        out->own[used] = (size_t)(b->before[end] - b->before[begin]);
        out->halo[used++] = (size_t)halo_of(b, out->reach, begin, end);
        begin = end;
    }
    out->edge[used] = INFINITY;
    out->slabs = used;
    return EB_OK;
}

/* *found stays false if no dimension can be cut within the limits. */
static eb_code plan_within(const eb_dataset *ds, const limits *l, unsigned threads, eb_job *job, cuts *work,
                           eb_slab_plan *out, bool *found, eb_status *status)
{
    const size_t sampled = ds->n < SAMPLE_ROWS ? ds->n : SAMPLE_ROWS;
    bins b;
    EB_TRY(choose_axis(ds, l, work, &out->axis, found, job, status));
    if (!*found)
        return EB_OK;
    EB_TRY(sample_bins(ds, out->axis, sampled, &b, status));
    eb_code failed = count_exactly(ds, out->axis, threads, job, &b, status);
    out->read += ds->n * (ds->d * eb_dtype_size(ds->dtype));
    *found = !failed && cut(&b, l, work);
    if (*found)
        failed = take_cuts(&b, work, out, status);
    free_bins(&b);
    return failed;
}

static eb_code plan_cuts(const eb_dataset *ds, double eps, const eb_slab_room *room, unsigned threads, eb_job *job,
                         cuts *work, eb_slab_plan *out, eb_status *status)
{
    const size_t most = most_points(ds, room);
    limits l = {reach_of(ds, eps), most, room->most_own ? room->most_own : ds->n, true};
    bool found = false;
    out->reach = l.reach;
    for (unsigned round = 0; round < 2 && !found; round++, l.strict = false)
        EB_TRY(plan_within(ds, &l, threads, job, work, out, &found, status));
    return found ? EB_OK : fail_uncut(ds, eps, room, most, status);
}

eb_code eb_slabs_plan(const eb_dataset *ds, double eps, const eb_slab_room *room, unsigned threads, eb_job *job,
                      eb_slab_plan *out, eb_status *status)
{
    *out = (eb_slab_plan){.edge = NULL};
    cuts *work = malloc(sizeof *work);
    if (!work)
        return eb_fail_memory(status, "cutting points", sizeof *work);
    eb_code failed = plan_cuts(ds, eps, room, threads ? threads : 1, job, work, out, status);
    free(work);
    if (failed)
        eb_slabs_free(out);
    return failed;
}

void eb_slabs_free(eb_slab_plan *plan)
{
    free(plan->edge);
    free(plan->own);
    free(plan->halo);
    *plan = (eb_slab_plan){.edge = NULL};
}

char *eb_slabs_words(const eb_slab_plan *plan, char *buffer, size_t size)
{
    struct sha256_ctx sha;
    uint8_t digest[8];
    char text[17];
    sha256_init(&sha);
    sha256_update(&sha, (plan->slabs + 1) * sizeof *plan->edge, (const uint8_t *)plan->edge);
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t k = 0; k < sizeof digest; k++)
        (void)snprintf(text + 2 * k, 3, "%02x", digest[k]);
    (void)snprintf(buffer, size, "%zu slabs along dimension %zu, edges %s", plan->slabs, plan->axis, text);
    return buffer;
}
