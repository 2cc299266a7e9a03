#include "kernels/ref64/cpu/quantised.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "kernels/quantised/frame.h"
#include "kernels/ref64/cpu/points.h"
#include "kernels/walk/isa.h"

/* With fewer dimensions the products are a small part of the time. */
#define LEAST_D 16u

bool eb_ref64_quantises(size_t d) { return d >= LEAST_D && d <= EB_QUANTISED_MOST_D && eb_cpu_multiplies_bytes(); }

static size_t steps_of(size_t d) { return (d + 3) / 4; }

uint64_t eb_ref64_quantised_bytes(size_t n, size_t d)
{
    return (uint64_t)eb_panel_count(n) * EB_PANEL * steps_of(d) * 4 +
           (uint64_t)n * (sizeof(eb_quantised_point) + sizeof(int32_t));
}

typedef struct quantising {
    const eb_dataset *ds;
    const double *centre;
    eb_ref64_quantised *out;
    double *wide;   /* [threads][d] */
    int8_t *narrow; /* [threads][4·steps] */
} quantising;

static void quantise_point(const quantising *w, size_t i, unsigned thread)
{
    const size_t d = w->ds->d, steps = w->out->panels.steps;
    double *x = w->wide + thread * d;
    int8_t *q = w->narrow + thread * 4 * steps; /* values past d stay 0 */
    uint32_t *lanes = w->out->panels.lanes + i / EB_PANEL * steps * EB_PANEL + i % EB_PANEL;
    eb_quantised_sums sums;
    int32_t sum;
    eb_to_f64(w->ds->dtype, eb_row(w->ds, i), d, x);
    eb_ref64_quantise_vnni(x, w->centre, w->out->scale, d, q, &sums, &sum);
    for (size_t k = 0; k < steps; k++)
        memcpy(&lanes[k * EB_PANEL], q + 4 * k, sizeof *lanes);
    w->out->point[i] = eb_quantised_point_of(sums, (unsigned)d);
    w->out->sum[i] = sum;
}

static eb_code quantise_panel(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const quantising *w = context;
    const size_t first = (size_t)task * EB_PANEL, steps = w->out->panels.steps;
    const size_t left = w->ds->n - first, count = left < EB_PANEL ? left : EB_PANEL;
    memset(w->narrow + thread * 4 * steps, 0, 4 * steps);
    if (count < EB_PANEL)
        memset(w->out->panels.lanes + first * steps, 0, EB_PANEL * steps * sizeof(uint32_t));
    for (size_t m = 0; m < count; m++)
        quantise_point(w, first + m, thread);
    return EB_OK;
}

static eb_code quantise_all(const eb_dataset *ds, const double *centre, unsigned threads, eb_job *job,
                            eb_ref64_quantised *out, eb_status *status)
{
    const size_t n = ds->n, steps = steps_of(ds->d);
    quantising w = {.ds = ds, .centre = centre, .out = out};
    EB_TRY(eb_ref64_panels_make(n, steps, &out->panels, status));
    out->point = malloc(n * sizeof *out->point);
    out->sum = malloc(n * sizeof *out->sum);
    w.wide = malloc(threads * ds->d * sizeof *w.wide);
    w.narrow = malloc(threads * 4 * steps * sizeof *w.narrow);
    const bool there = out->point && out->sum && w.wide && w.narrow;
    eb_code failed = there ? eb_parallel(threads, eb_panel_count(n), quantise_panel, &w, job, status)
                           : eb_fail_memory(status, "8-bit points", eb_ref64_quantised_bytes(n, ds->d));
    free(w.wide);
    free(w.narrow);
    return failed;
}

eb_code eb_ref64_quantised_make(const eb_dataset *ds, unsigned threads, eb_job *job, eb_ref64_quantised *out,
                                eb_status *status)
{
    eb_quantised_frame frame;
    *out = (eb_ref64_quantised){.scale = 0};
    EB_TRY(eb_quantised_frame_make(ds, true, &frame, status));
    out->scale = frame.scale;
    eb_code failed = quantise_all(ds, frame.centre, threads, job, out, status);
    eb_quantised_frame_free(&frame);
    if (failed)
        eb_ref64_quantised_free(out);
    return failed;
}

void eb_ref64_quantised_free(eb_ref64_quantised *points)
{
    eb_ref64_panels_free(&points->panels);
    free(points->point);
    free(points->sum);
    *points = (eb_ref64_quantised){.scale = 0};
}

/* 128·Σq is what the shifted rows add to a product, at most 2^28. No level is above 2^30 (bound.h), so no sum
 * overflows. Padding points are no columns: the kernel clears their marks. */
void eb_ref64_quantised_levels(const eb_ref64_quantised *points, size_t d, double limit, uint32_t *row,
                               uint32_t *column)
{
    const size_t n = points->panels.n;
    const double eps = sqrt(limit) * (1 + 0x1p-51); /* eps² is not below the limit */
    const eb_quantised_bound bound = eb_quantised_bound_of(eps, points->scale, (unsigned)d);
    for (size_t i = 0; i < eb_panel_count(n) * EB_PANEL; i++) {
        const int32_t h = i < n ? eb_quantised_level_of(points->point[i], bound).h : 0;
        row[i] = (uint32_t)h;
        column[i] = (uint32_t)h + (i < n ? 128 * (uint32_t)points->sum[i] : 0);
    }
}

void eb_ref64_column_levels(const eb_ref64_quantised *points, size_t d, double t, uint32_t *column)
{
    const size_t n = points->panels.n;
    const int32_t most = eb_quantised_most((unsigned)d);
    for (size_t j = 0; j < eb_panel_count(n) * EB_PANEL; j++) {
        const eb_quantised_point p = j < n ? points->point[j] : (eb_quantised_point){.moved = 0};
        const int32_t h = j < n ? eb_quantised_level_at(p, eb_quantised_column_allows(p, t), most).h : 0;
        column[j] = (uint32_t)h + (j < n ? 128 * (uint32_t)points->sum[j] : 0);
    }
}

uint32_t eb_ref64_row_level(const eb_ref64_quantised *points, size_t d, double t, size_t row, double limit)
{
    const double eps = sqrt(limit) * (1 + 0x1p-51);
    const eb_quantised_bound bound = eb_quantised_bound_of(eps, points->scale, (unsigned)d);
    const eb_quantised_point p = points->point[row];
    return (uint32_t)eb_quantised_level_at(p, eb_quantised_row_allows(p, bound.within, t), bound.most).h;
}
