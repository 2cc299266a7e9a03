#include "kernels/ref64/cpu/points.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

/* ---- the range of the values ---- */

#define ROWS_PER_TASK 256u

typedef struct look {
    const eb_dataset *ds;
    double *low, *high, *sum, *row; /* [threads][d] each, one block */
    _Atomic bool fractions;
} look;

static eb_code look_at_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    look *l = context;
    size_t d = l->ds->d, first = (size_t)task * ROWS_PER_TASK;
    size_t end = l->ds->n - first < ROWS_PER_TASK ? l->ds->n : first + ROWS_PER_TASK;
    double *low = l->low + thread * d, *high = l->high + thread * d, *sum = l->sum + thread * d;
    double *row = l->row + thread * d;
    bool fractions = false;
    for (size_t i = first; i < end; i++) {
        eb_to_f64(l->ds->dtype, eb_row(l->ds, i), d, row);
        for (size_t k = 0; k < d; k++) {
            double x = row[k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
            sum[k] += x;
        }
        for (size_t k = 0; !fractions && k < d; k++) /* integers beyond 2^53 count as fractions: they are of no use */
            fractions = !(fabs(row[k]) < 0x1p53) || (double)(int64_t)row[k] != row[k];
    }
    if (fractions)
        atomic_store_explicit(&l->fractions, true, memory_order_relaxed);
    return EB_OK;
}

static void merge_threads(const look *l, unsigned threads, eb_point_range *out)
{
    size_t d = l->ds->d;
    for (size_t k = 0; k < d; k++) {
        double low = INFINITY, high = -INFINITY, sum = 0;
        for (unsigned t = 0; t < threads; t++) {
            low = fmin(low, l->low[t * d + k]);
            high = fmax(high, l->high[t * d + k]);
            sum += l->sum[t * d + k];
        }
        out->low[k] = low;
        out->high[k] = high;
        out->mean[k] = sum / (double)l->ds->n;
    }
}

static bool allocate_range(eb_point_range *out, size_t d)
{
    double *all = malloc(3 * d * sizeof *all);
    if (!all)
        return false;
    out->low = all;
    out->high = all + d;
    out->mean = all + 2 * d;
    return true;
}

eb_code eb_point_range_find(const eb_dataset *ds, unsigned threads, eb_job *job, eb_point_range *out, eb_status *status)
{
    *out = (eb_point_range){.bytes_only = ds->dtype == EB_U8 || ds->dtype == EB_I8};
    out->integers = out->bytes_only;
    if (out->bytes_only)
        return EB_OK;
    size_t d = ds->d, bytes = 4 * threads * d * sizeof(double);
    double *block = malloc(bytes);
    if (!block || !allocate_range(out, d)) {
        free(block);
        eb_point_range_free(out);
        return eb_fail_memory(status, "the range of each dimension", bytes);
    }
    look l = {.ds = ds,
              .low = block,
              .high = block + threads * d,
              .sum = block + 2 * threads * d,
              .row = block + 3 * threads * d};
    for (size_t k = 0; k < threads * d; k++) {
        l.low[k] = INFINITY;
        l.high[k] = -INFINITY;
        l.sum[k] = 0;
    }
    eb_code failed = eb_parallel(threads, (ds->n + ROWS_PER_TASK - 1) / ROWS_PER_TASK, look_at_rows, &l, job, status);
    if (!failed) {
        merge_threads(&l, threads, out);
        out->integers = !atomic_load(&l.fractions);
    } else {
        eb_point_range_free(out);
    }
    free(block);
    return failed;
}

void eb_point_range_free(eb_point_range *range)
{
    free(range->low); /* low, high and mean are one block */
    *range = (eb_point_range){.low = NULL};
}

bool eb_points_fit_integers(const eb_point_range *range, size_t d)
{
    if (range->bytes_only)
        return true; /* d ≤ 65536 and 65536 · 255² < 2^32 */
    if (!range->integers)
        return false;
    double most = 0; /* upper bound of squared distances: an integer, or far beyond 2^32 */
    for (size_t k = 0; k < d; k++) {
        double spread = range->high[k] - range->low[k];
        if (!(spread <= 65535) || fabs(range->low[k]) > 0x1p52)
            return false;
        most += spread * spread;
    }
    return most < 0x1p32;
}

bool eb_points_fit_bytes(const eb_point_range *range, size_t d)
{
    bool fit = true;
    for (size_t k = 0; !range->bytes_only && k < d && fit; k++)
        fit = range->high[k] - range->low[k] <= 255;
    return fit;
}

/* The largest |x − mean| in FP64; Inf or NaN if it overflows. */
static double largest_offset(const eb_point_range *range, size_t d)
{
    double most = 0;
    for (size_t k = 0; k < d; k++) {
        double c = range->mean[k];
        if (!isfinite(c)) /* the sum overflowed */
            return INFINITY;
        most = fmax(most, fmax(range->high[k] - c, c - range->low[k]));
    }
    return most;
}

bool eb_points_fit_floats(const eb_point_range *range, size_t d)
{
    if (range->bytes_only)
        return false;
    double most = largest_offset(range, d);
    return most == 0 || (most > 0x1p-900 && most < 0x1p900);
}

/* ---- panels ---- */

typedef struct panel_work {
    const eb_dataset *ds;
    const eb_point_range *range;
    uint32_t *lanes;
    size_t steps;
    const eb_integer_points *integers;
    double scale;             /* floats: a power of two */
    double *norm2, *residual; /* floats */
    float *rounded;           /* [threads][d] floats: the same row */
    eb_ref64_round *round_row;
    double *wide;     /* [threads][d] one row */
    int16_t *narrow;  /* [threads][width] integers: the same row */
    int8_t *narrower; /* [threads][width] integers as bytes: the same row */
    size_t width;     /* d, rounded up to whole lanes */
} panel_work;

eb_code eb_ref64_panels_make(size_t n, size_t steps, eb_panels *out, eb_status *status)
{
    size_t bytes;
    const bool fits = !__builtin_mul_overflow(eb_panel_count(n), steps * EB_PANEL * sizeof(uint32_t), &bytes);
    *out = (eb_panels){.n = n, .steps = steps, .lanes = fits ? aligned_alloc(64, bytes) : NULL};
    return out->lanes ? EB_OK : eb_fail_memory(status, "the points in panels", fits ? bytes : SIZE_MAX);
}

void eb_ref64_panels_free(eb_panels *panels)
{
    free(panels->lanes);
    panels->lanes = NULL;
}

/* A row as 16-bit integers around each dimension's middle. Subtracting the middle keeps all differences. */
static void integer_row(const panel_work *w, size_t i, int16_t *to, double *wide)
{
    size_t d = w->ds->d;
    const unsigned char *row = eb_row(w->ds, i);
    if (w->ds->dtype == EB_U8) {
        for (size_t k = 0; k < d; k++)
            to[k] = (int16_t)(row[k] - 128);
    } else if (w->ds->dtype == EB_I8) {
        for (size_t k = 0; k < d; k++)
            to[k] = (int16_t)((row[k] ^ 0x80) - 128);
    } else {
        eb_to_f64(w->ds->dtype, row, d, wide);
        for (size_t k = 0; k < d; k++)
            to[k] = (int16_t)(wide[k] - w->range->low[k] - ceil((w->range->high[k] - w->range->low[k]) / 2));
    }
}

static void write_terms(const eb_integer_points *to, size_t i, uint32_t norm, int32_t sum)
{
    to->row_terms[i] = norm;
    if (to->bytes)
        to->column_terms[i] = norm + 256 * (uint32_t)sum;
}

/* Point `first` + m as values of its lanes' type. */
static void integer_lanes(const panel_work *w, size_t first, size_t m, unsigned thread)
{
    const bool bytes = w->integers->bytes;
    int16_t *row = w->narrow + thread * w->width; /* values past d stay 0 */
    int8_t *packed = w->narrower + thread * w->width;
    const void *lanes = bytes ? (const void *)packed : row;
    uint32_t *panel = w->lanes + first * w->steps, norm = 0;
    int32_t sum = 0;
    if (first + m < w->ds->n)
        integer_row(w, first + m, row, w->wide + thread * w->ds->d);
    else
        memset(row, 0, w->width * sizeof *row);
    for (size_t k = 0; k < w->width; k++) {
        norm += (uint32_t)((int32_t)row[k] * row[k]);
        if (!bytes)
            continue;
        sum += row[k];
        packed[k] = (int8_t)row[k];
    }
    for (size_t k = 0; k < w->steps; k++)
        memcpy(&panel[k * EB_PANEL + m], (const char *)lanes + k * sizeof *panel, sizeof *panel);
    write_terms(w->integers, first + m, norm, sum);
}

static void byte_lanes(const panel_work *w, size_t first, size_t m)
{
    uint32_t norm;
    int32_t sum;
    eb_ref64_lay_bytes_vnni(eb_row(w->ds, first + m), w->ds->dtype == EB_U8 ? 0x80 : 0, w->ds->d,
                            w->lanes + first * w->steps + m, &norm, &sum);
    write_terms(w->integers, first + m, norm, sum);
}

static eb_code integer_panel(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const panel_work *w = context;
    const size_t first = (size_t)task * EB_PANEL;
    const bool as_stored = w->integers->bytes && w->range->bytes_only;
    memset(w->narrow + thread * w->width, 0, w->width * sizeof *w->narrow);
    for (size_t m = 0; m < EB_PANEL; m++)
        if (as_stored && first + m < w->ds->n)
            byte_lanes(w, first, m);
        else
            integer_lanes(w, first, m, thread);
    return EB_OK;
}

static bool make_terms(eb_integer_points *out, size_t count)
{
    out->row_terms = malloc(count * sizeof *out->row_terms);
    out->column_terms = out->bytes ? malloc(count * sizeof *out->column_terms) : out->row_terms;
    return out->row_terms && out->column_terms;
}

eb_code eb_integer_points_make(const eb_dataset *ds, const eb_point_range *range, bool bytes, unsigned threads,
                               eb_job *job, eb_integer_points *out, eb_status *status)
{
    *out = (eb_integer_points){.bytes = bytes};
    const size_t values = bytes ? 4 : 2, blocks = eb_panel_count(ds->n);
    panel_work w = {.ds = ds, .range = range, .steps = (ds->d + values - 1) / values, .integers = out};
    w.width = w.steps * values;
    EB_TRY(eb_ref64_panels_make(ds->n, w.steps, &out->panels, status));
    w.lanes = out->panels.lanes;
    w.wide = malloc(threads * ds->d * sizeof *w.wide);
    w.narrow = malloc(threads * w.width * sizeof *w.narrow);
    w.narrower = malloc(threads * w.width * sizeof *w.narrower);
    eb_code failed = make_terms(out, blocks * EB_PANEL) && w.wide && w.narrow && w.narrower
                         ? eb_parallel(threads, blocks, integer_panel, &w, job, status)
                         : eb_fail_memory(status, "the points' norms", blocks * EB_PANEL * 4);
    free(w.wide);
    free(w.narrow);
    free(w.narrower);
    if (failed)
        eb_integer_points_free(out);
    return failed;
}

void eb_integer_points_free(eb_integer_points *points)
{
    eb_ref64_panels_free(&points->panels);
    if (points->column_terms != points->row_terms)
        free(points->column_terms);
    free(points->row_terms);
    points->row_terms = points->column_terms = NULL;
}

/* Writes ŷ of one point into its lanes, and its norm and residual. y has the rounding error of x − c, at most 2^-53 of
 * y, and, deep in the subnormals, the rounding error of the scaling; the residual includes both errors. v² and y − v
 * are exact in FP64. */
static void float_lanes(const panel_work *w, size_t i, unsigned thread, uint32_t *lanes)
{
    const size_t d = w->ds->d;
    double *x = w->wide + thread * d, norm2, residual2;
    float *v = w->rounded + thread * d;
    eb_to_f64(w->ds->dtype, eb_row(w->ds, i), d, x);
    w->round_row(x, w->range->mean, w->scale, d, v, &norm2, &residual2);
    for (size_t k = 0; k < d; k++)
        memcpy(&lanes[k * EB_PANEL], &v[k], sizeof *lanes);
    w->norm2[i] = norm2;
    w->residual[i] = sqrt(residual2) * (1 + ((double)d + 8) * 0x1p-52) + 0x1p-400;
}

static eb_code float_panel(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const panel_work *w = context;
    const size_t first = (size_t)task * EB_PANEL;
    uint32_t *panel = w->lanes + first * w->steps;
    if (w->ds->n - first < EB_PANEL)
        memset(panel, 0, w->steps * EB_PANEL * sizeof *panel);
    for (size_t m = 0; m < EB_PANEL && first + m < w->ds->n; m++)
        float_lanes(w, first + m, thread, panel + m);
    return EB_OK;
}

eb_code eb_float_points_make(const eb_dataset *ds, const eb_point_range *range, eb_ref64_round *round_row,
                             unsigned threads, eb_job *job, eb_float_points *out, eb_status *status)
{
    *out = (eb_float_points){.norm2 = NULL};
    panel_work w = {.ds = ds, .range = range, .steps = ds->d, .round_row = round_row};
    (void)frexp(largest_offset(range, ds->d), &out->exponent);
    w.scale = ldexp(1, -out->exponent);
    EB_TRY(eb_ref64_panels_make(ds->n, w.steps, &out->panels, status));
    w.lanes = out->panels.lanes;
    w.norm2 = out->norm2 = malloc(ds->n * sizeof *w.norm2);
    w.residual = out->residual = malloc(ds->n * sizeof *w.residual);
    w.wide = malloc(threads * ds->d * sizeof *w.wide);
    w.rounded = malloc(threads * ds->d * sizeof *w.rounded);
    eb_code failed = w.norm2 && w.residual && w.wide && w.rounded
                         ? eb_parallel(threads, eb_panel_count(ds->n), float_panel, &w, job, status)
                         : eb_fail_memory(status, "the points' norms", 2ull * ds->n * sizeof *w.norm2);
    free(w.wide);
    free(w.rounded);
    if (failed)
        eb_float_points_free(out);
    return failed;
}

void eb_float_points_free(eb_float_points *points)
{
    eb_ref64_panels_free(&points->panels);
    free(points->norm2);
    free(points->residual);
    points->norm2 = points->residual = NULL;
}

/* ---- thresholds of the FP32 filter ---- */

/* The proof that the filter never drops a pair within the limit.
 *
 * A point is z = (x − c)·2^−e in real numbers. c may be any vector (here the mean, which makes norms small), e any
 * integer. ŷ = fp32(z) is stored, with |ŷₖ| ≤ 1, and r ≥ ‖z − ŷ‖ is known for each point. u = 2^-53 is the unit
 * roundoff of FP64, v = 2^-24 that of FP32.
 *
 * 1. Let s be the exact engine's sum for a pair at real distance D. t has one rounding, t² two, the chain d more, and
 *    each step may lose 2^-1075 to underflow. So s ≤ limit implies D² ≤ limit·(1 + (d+4)·2^-52) + d·2^-1073 =: R²
 *    (d ≤ 2^16).
 * 2. ‖ŷi − ŷj‖ ≤ ‖zi − zj‖ + ri + rj ≤ ρ + ri + rj with ρ = R·2^−e.
 * 3. With N = ‖ŷ‖² and a = ŷi·ŷj: 2a = Ni + Nj − ‖ŷi − ŷj‖², so a pair within the limit has
 *        a ≥ (Ni + Nj)/2 − (ρ + ri + rj)²/2,   and (ρ + ri + rj)² ≤ ρ² + 2ρ(ri + rj) + 2ri² + 2rj².
 * 4. The computed â, a chain of d FMAs (or products and sums) in any order: |â − a| ≤ γ·Σ|ŷik·ŷjk| + d·2^-147 with
 *    γ = (d+2)v/(1 − (d+2)v); the second term is underflow. Σ|ŷik·ŷjk| ≤ √(Ni·Nj) ≤ (Ni + Nj)/2.
 * 5. The bound is a sum of a term of i and a term of j, so the test in the inner loop is â ≥ h[i] + h[j] with
 *        h = N/2 − γN/2 − ρ²/4 − ρr − r² − d·2^-148.
 *    h is lowered by 2^-45 of the largest term for the FP64 rounding of this formula, by N·d·2^-52 because N is
 *    known to that relative error (≤ 2^-36), and by 2^-23·|h| for the FP32 addition h[i] + h[j]. h is then rounded
 *    down to FP32.
 *
 * ρ is capped at 10^6, where every pair passes: ‖ŷi − ŷj‖ ≤ 2√d ≤ 512.
 */
static float round_down(double x)
{
    float y = (float)x;
    return (double)y > x ? nextafterf(y, -FLT_MAX) : y;
}

void eb_filter_thresholds(const eb_float_points *points, size_t d, double limit, uint32_t *h)
{
    double dims = (double)d;
    double radius = sqrt(limit * (1 + (dims + 4) * 0x1p-52) + dims * 0x1p-1073) * (1 + 0x1p-50);
    double rho = fmin(ldexp(radius, -points->exponent) * (1 + 0x1p-50), 1e6);
    double gamma = EB_FILTER_LOSS * (dims + 2) * 0x1p-24 / (1 - (dims + 2) * 0x1p-24) * (1 + 0x1p-50);
    double underflow = dims * 0x1p-148;
    size_t n = points->panels.n;
    for (size_t i = 0; i < eb_panel_count(n) * EB_PANEL; i++) {
        float threshold = INFINITY; /* no dot product reaches it */
        if (i < n) {
            double norm2 = points->norm2[i], r = points->residual[i];
            double exact = norm2 / 2 - gamma * norm2 / 2 - rho * rho / 4 - rho * r - r * r - underflow;
            double largest = norm2 + rho * rho + rho * r + r * r;
            exact -= norm2 * dims * 0x1p-52 + largest * 0x1p-45;
            threshold = round_down(exact - fabs(exact) * 0x1p-23);
        }
        memcpy(&h[i], &threshold, sizeof threshold);
    }
}
