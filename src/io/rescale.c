/* rescale: brings all coordinates to a similar size (reader.h). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"

/* Measures of each coordinate, [d]. A scaled value is (x − from) / over. `rest` is the sum of x − mean, which rounding
 * of the mean leaves other than 0. */
typedef struct measures {
    double *least, *greatest, *from, *over, *rest;
} measures;

static const unsigned char *row_at(const eb_points *p, size_t i) { return p->rows + i * p->stride; }

/* One step of a pass over all points; `values` is a row. */
typedef void visit(const measures *m, size_t d, const double *values);

static void find_range(const measures *m, size_t d, const double *values)
{
    for (size_t k = 0; k < d; k++) {
        m->least[k] = values[k] < m->least[k] ? values[k] : m->least[k];
        m->greatest[k] = values[k] > m->greatest[k] ? values[k] : m->greatest[k];
        m->from[k] += values[k];
    }
}

static void find_deviation(const measures *m, size_t d, const double *values)
{
    for (size_t k = 0; k < d; k++) {
        double t = values[k] - m->from[k];
        m->over[k] = fma(t, t, m->over[k]);
        m->rest[k] += t;
    }
}

static eb_code look_at_all(const eb_points *p, const measures *m, visit *look, double *row, eb_job *job,
                           eb_status *status)
{
    for (size_t i = 0; i < p->n; i++) {
        if (i % 4096 == 0)
            EB_TRY(eb_job_check(job, status));
        eb_to_f64(p->dtype, row_at(p, i), p->d, row);
        look(m, p->d, row);
        eb_job_advance(job, 1);
    }
    return EB_OK;
}

static eb_code measure(const eb_points *p, eb_scale how, const measures *m, double *row, eb_job *job, eb_status *status)
{
    for (size_t k = 0; k < p->d; k++) {
        m->least[k] = DBL_MAX;
        m->greatest[k] = -DBL_MAX;
    }
    EB_TRY(look_at_all(p, m, find_range, row, job, status));
    for (size_t k = 0; k < p->d; k++)
        m->from[k] /= (double)p->n;
    if (how == EB_SCALE_STANDARD)
        EB_TRY(look_at_all(p, m, find_deviation, row, job, status));
    const double n = (double)p->n;
    for (size_t k = 0; k < p->d; k++) {
        if (how == EB_SCALE_MINMAX) {
            m->from[k] = m->least[k];
            m->over[k] = m->greatest[k] - m->least[k];
        } else {
            m->over[k] = sqrt(fmax(0, m->over[k] - m->rest[k] * m->rest[k] / n) / n);
        }
    }
    return EB_OK;
}

/* Refuses coordinates whose sums or differences overflow FP64. */
static eb_code check_measures(const eb_points *p, const measures *m, const char *name, eb_status *status)
{
    for (size_t k = 0; k < p->d; k++)
        if (!isfinite(m->from[k]) || !isfinite(m->over[k]))
            return eb_fail(status, EB_BAD_VALUE,
                           "%s: coordinate %zu goes from %g to %g, too far apart to be scaled in FP64; expected "
                           "scale=none, or smaller values",
                           name, k, m->least[k], m->greatest[k]);
    return EB_OK;
}

static eb_dtype scaled_type(eb_dtype dtype) { return dtype == EB_F64 || dtype == EB_I32 ? EB_F64 : EB_F32; }

/* Writes a row's scaled values. A constant coordinate becomes 0 explicitly, as its rounded mean may differ from it. */
static void write_row(const eb_points *p, const measures *m, const double *row, eb_dtype dtype, unsigned char *out)
{
    for (size_t k = 0; k < p->d; k++) {
        bool constant = m->least[k] >= m->greatest[k] || m->over[k] <= 0;
        double x = constant ? 0 : (row[k] - m->from[k]) / m->over[k];
        float narrow = (float)x;
        if (dtype == EB_F64)
            memcpy(out + k * sizeof x, &x, sizeof x);
        else
            memcpy(out + k * sizeof narrow, &narrow, sizeof narrow);
    }
}

static eb_code write_rows(eb_points *p, const measures *m, double *row, const char *name, eb_job *job,
                          eb_status *status)
{
    eb_dtype dtype = scaled_type(p->dtype);
    size_t stride = p->d * eb_dtype_size(dtype);
    EB_TRY(eb_dataset_check_shape(name, p->n, p->d, dtype, status));
    unsigned char *rows = malloc(p->n * stride + 1);
    if (!rows)
        return eb_fail_memory(status, name, (unsigned long long)p->n * stride);
    for (size_t i = 0; i < p->n; i++) {
        if (i % 4096 == 0 && eb_job_check(job, status)) {
            free(rows);
            return EB_CANCELLED;
        }
        eb_to_f64(p->dtype, row_at(p, i), p->d, row);
        write_row(p, m, row, dtype, rows + i * stride);
        eb_job_advance(job, 1);
    }
    eb_points_own(p, dtype, rows);
    return EB_OK;
}

eb_code eb_rescale(eb_points *points, eb_scale how, const char *name, eb_job *job, eb_status *status)
{
    const size_t d = points->d;
    if (how == EB_SCALE_NONE)
        return EB_OK;
    double *room = calloc(6 * d, sizeof *room);
    if (!room)
        return eb_fail_memory(status, name, 6 * d * sizeof *room);
    const measures m = {room, room + d, room + 2 * d, room + 3 * d, room + 4 * d};
    double *row = room + 5 * d;
    eb_job_phase(job, "scaling", (how == EB_SCALE_STANDARD ? 3 : 2) * (uint64_t)points->n);
    eb_code failed = measure(points, how, &m, row, job, status);
    if (!failed)
        failed = check_measures(points, &m, name, status);
    if (!failed)
        failed = write_rows(points, &m, row, name, job, status);
    free(room);
    return failed;
}
