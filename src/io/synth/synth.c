/* synth: makes synthetic points, either coordinate by coordinate or as points on a shape (shapes.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/argument.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "io/bytes.h"
#include "io/synth/rows.h"
#include "io/synth/shapes.h"

#define EXPONENTIAL_RATE 40.0  /* λ of TED-Join's and GDS-Join's Expo datasets */
#define VALUES_PER_TASK 65536u /* even, as gaussian values come in pairs */

static double exponential(uint64_t key, uint64_t i)
{
    return -eb_synth_logarithm(eb_synth_above_0(key, i)) / EXPONENTIAL_RATE;
}

/* Cuts u to its first 24 bits, which FP32 holds exactly. */
static double cut_to_float(double u) { return floor(u * 0x1p24) * 0x1p-24; }

typedef struct plan {
    eb_synth_kind kind;
    eb_dtype dtype;
    uint64_t key, begin, end, a_task; /* units: values, or points of a shape; a_task: units of a task */
    size_t d;
    void *values;
    uint64_t first; /* number of the value that values begins with */
    eb_job *job;
} plan;

static void put(const plan *p, uint64_t i, double value)
{
    if (p->dtype == EB_F64)
        ((double *)p->values)[i - p->first] = value;
    else if (p->dtype == EB_U8)
        ((uint8_t *)p->values)[i - p->first] = (uint8_t)(256 * value);
    else
        ((float *)p->values)[i - p->first] = (float)value;
}

static double single_value(const plan *p, uint64_t i)
{
    if (p->kind == EB_SYNTH_EXPONENTIAL)
        return exponential(p->key, i);
    const double u = eb_synth_uniform(p->key, i);
    return p->dtype == EB_F64 ? u : cut_to_float(u);
}

static void fill_values(const plan *p, uint64_t begin, uint64_t end)
{
    if (p->kind != EB_SYNTH_GAUSSIAN) {
        for (uint64_t i = begin; i < end; i++)
            put(p, i, single_value(p, i));
        return;
    }
    for (uint64_t i = begin; i < end; i += 2) {
        double pair[2];
        eb_synth_gaussian_pair(p->key, i, pair);
        put(p, i, pair[0]);
        if (i + 1 < end)
            put(p, i + 1, pair[1]);
    }
}

typedef void (*shape)(uint64_t key, uint64_t i, size_t d, double *out);

/* NULL: coordinates are independent of each other. */
static const shape shapes[EB_SYNTH_KINDS] = {[EB_SYNTH_CLUSTERS] = eb_synth_clusters,
                                             [EB_SYNTH_SPHERE] = eb_synth_sphere,
                                             [EB_SYNTH_COAST] = eb_synth_coast,
                                             [EB_SYNTH_TERRAIN] = eb_synth_terrain};

static eb_code fill_points(const plan *p, shape make, uint64_t begin, uint64_t end, eb_status *status)
{
    double *point = malloc(p->d * sizeof *point);
    if (!point)
        return eb_fail_memory(status, "synth", p->d * sizeof *point);
    for (uint64_t i = begin; i < end; i++) {
        make(p->key, i, p->d, point);
        for (size_t k = 0; k < p->d; k++)
            put(p, i * p->d + k, point[k]);
    }
    free(point);
    return EB_OK;
}

static eb_code fill(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const plan *p = context;
    const shape make = shapes[p->kind];
    const uint64_t begin = p->begin + task * p->a_task, left = p->end - begin;
    const uint64_t end = left < p->a_task ? p->end : begin + p->a_task;
    if (make)
        EB_TRY(fill_points(p, make, begin, end, status));
    else
        fill_values(p, begin, end);
    eb_job_advance(p->job, end - begin);
    return EB_OK;
}

eb_code eb_synth_rows(eb_dtype dtype, eb_synth_kind kind, size_t d, uint64_t seed, size_t begin, size_t end,
                      void *values, eb_job *job, eb_status *status)
{
    const uint64_t units = shapes[kind] ? 1 : d; /* of a row */
    plan p = {.kind = kind,
              .dtype = dtype,
              .key = eb_random_of(seed),
              .begin = begin * units,
              .end = end * units,
              .a_task = shapes[kind] ? VALUES_PER_TASK / d + 1 : VALUES_PER_TASK,
              .d = d,
              .values = values,
              .first = (uint64_t)begin * d,
              .job = job};
    return eb_parallel(eb_cpu_count(), (p.end - p.begin + p.a_task - 1) / p.a_task, fill, &p, job, status);
}

eb_code eb_synth_check(eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, eb_status *status)
{
    if (dtype != EB_F32 && dtype != EB_F64 && dtype != EB_U8)
        return eb_fail(status, EB_USAGE, "synth makes f32, f64 or u8 points, found %s", eb_dtype_name(dtype));
    if (dtype == EB_U8 && kind != EB_SYNTH_UNIFORM)
        return eb_fail(status, EB_USAGE, "type=u8 is for uniform points: the other kinds do not lie on [0,1)");
    return eb_dataset_check_shape("synth", n, d, dtype, status);
}

uint64_t eb_synth_units(eb_synth_kind kind, size_t n, size_t d) { return shapes[kind] ? n : (uint64_t)n * d; }

/* FP32 is the default, so only other types are named. */
char *eb_synth_line(eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, uint64_t seed)
{
    char *text = NULL, name[32];
    (void)eb_choice_at(EB_SYNTH_CHOICES, kind, name, sizeof name);
    if (asprintf(&text, "synth %s %zu %zu seed=%llu%s%s", name, n, d, (unsigned long long)seed,
                 dtype == EB_F32 ? "" : " type=", dtype == EB_F32 ? "" : eb_dtype_name(dtype)) < 0)
        return NULL;
    return text;
}

eb_code eb_synth_as(eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, uint64_t seed, eb_job *job,
                    eb_dataset **out, eb_status *status)
{
    EB_TRY(eb_synth_check(dtype, kind, n, d, status));
    size_t bytes = n * d * eb_dtype_size(dtype);
    uint64_t available = eb_available_memory();
    if (bytes > available)
        return eb_fail(status, EB_NO_MEMORY, "synth: %zu × %zu %s values need %zu bytes of memory; %llu are available",
                       n, d, eb_dtype_name(dtype), bytes, (unsigned long long)available);
    eb_dataset *ds = calloc(1, sizeof *ds);
    void *values = malloc(bytes);
    char *source = eb_synth_line(dtype, kind, n, d, seed);
    if (!ds || !values || !source) {
        free(ds);
        free(values);
        free(source);
        return eb_fail_memory(status, "synth", bytes);
    }
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = dtype,
                       .rows = values,
                       .stride = d * eb_dtype_size(dtype),
                       .source = source,
                       .format = "synth",
                       .release = free,
                       .owner = values};
    eb_job_phase(job, "making points", eb_synth_units(kind, n, d));
    eb_code failed = eb_synth_rows(dtype, kind, d, seed, 0, n, values, job, status);
    if (!failed)
        failed = eb_dataset_seal_in(ds, job, status);
    if (failed) {
        eb_dataset_free(ds);
        return failed;
    }
    *out = ds;
    return EB_OK;
}
