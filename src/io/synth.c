/* Synthetic points from a counter-based generator: value number i of a dataset depends on (seed, i) alone, so threads
 * can make any part of it in any order. Only IEEE operations that round the same everywhere: + − × ÷ √ and no libm. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "io/bytes.h"
#include "io/load.h"

static const char *const kind_names[] = {"uniform", "exponential", "gaussian"};

#define EXPONENTIAL_RATE 40.0  /* λ of GDS-Join's Expo datasets */
#define VALUES_PER_TASK 65536u /* even, as gaussians come in pairs */

/* Number i of the stream. The seed is mixed first: as it is, seeds a golden ratio apart would
 * give one shifted stream. */
static uint64_t random_bits(uint64_t key, uint64_t i) { return eb_random_of(key + (i + 1) * EB_RANDOM_STEP); }

/* ln x for x in (0, 1]: x = m·2^e with m in [√½, √2), ln m = 2 artanh((m−1)/(m+1)). |s| ≤ 0.172, so twelve terms of the
 * series reach FP64's last bits. */
static double logarithm(double x)
{
    static const double ln2 = 0x1.62e42fefa39efp-1, root_half = 0x1.6a09e667f3bcdp-1;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1022;
    bits = (bits & 0x000fffffffffffffu) | (uint64_t)1022 << 52;
    double m; /* in [½, 1) */
    memcpy(&m, &bits, sizeof m);
    if (m < root_half) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * s2 + 1.0 / k;
    return (double)exponent * ln2 + 2 * s * sum;
}

/* cos and sin of 2πu for u in [0, 1): the nearest quarter turn is taken off exactly, Taylor's series does the rest
 * (|x| ≤ π/4). */
static void circle(double u, double *cosine, double *sine)
{
    static const double two_pi = 0x1.921fb54442d18p+2;
    int quarter = (int)(4 * u + 0.5);
    double x = (u - quarter * 0.25) * two_pi, x2 = x * x;
    double c = 0, s = 0;
    for (int k = 16; k >= 2; k -= 2)
        c = (1 - c) * x2 / (k * (k - 1));
    c = 1 - c;
    for (int k = 17; k >= 3; k -= 2)
        s = (1 - s) * x2 / (k * (k - 1));
    s = (1 - s) * x;
    switch (quarter & 3) {
    case 0: *cosine = c, *sine = s; break;
    case 1: *cosine = -s, *sine = c; break;
    case 2: *cosine = -c, *sine = -s; break;
    default: *cosine = s, *sine = -c; break;
    }
}

/* 53 bits, so that 1 is never reached. */
static double uniform(uint64_t key, uint64_t i) { return (double)(random_bits(key, i) >> 11) * 0x1p-53; }

/* Its first 24 bits, which FP32 holds exactly. */
static double cut_to_float(double u) { return floor(u * 0x1p24) * 0x1p-24; }

/* In (0, 1]: a logarithm follows. */
static double uniform_above_0(uint64_t key, uint64_t i) { return (double)((random_bits(key, i) >> 11) + 1) * 0x1p-53; }

static double exponential(uint64_t key, uint64_t i) { return -logarithm(uniform_above_0(key, i)) / EXPONENTIAL_RATE; }

/* Box and Muller: values i and i + 1, i even. */
static void gaussian_pair(uint64_t key, uint64_t i, double out[2])
{
    double radius = sqrt(-2 * logarithm(uniform_above_0(key, i)));
    double cosine, sine;
    circle((double)(random_bits(key, i + 1) >> 11) * 0x1p-53, &cosine, &sine);
    out[0] = radius * cosine;
    out[1] = radius * sine;
}

typedef struct plan {
    eb_synth_kind kind;
    eb_dtype dtype;
    uint64_t key, count;
    void *values;
    eb_job *job;
} plan;

static void put(const plan *p, uint64_t i, double value)
{
    if (p->dtype == EB_F64)
        ((double *)p->values)[i] = value;
    else
        ((float *)p->values)[i] = (float)value;
}

static eb_code fill(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const plan *p = context;
    uint64_t begin = task * VALUES_PER_TASK;
    uint64_t end = p->count - begin < VALUES_PER_TASK ? p->count : begin + VALUES_PER_TASK;
    switch (p->kind) {
    case EB_SYNTH_UNIFORM:
        for (uint64_t i = begin; i < end; i++)
            put(p, i, p->dtype == EB_F64 ? uniform(p->key, i) : cut_to_float(uniform(p->key, i)));
        break;
    case EB_SYNTH_EXPONENTIAL:
        for (uint64_t i = begin; i < end; i++)
            put(p, i, exponential(p->key, i));
        break;
    case EB_SYNTH_GAUSSIAN:
        for (uint64_t i = begin; i < end; i += 2) {
            double pair[2];
            gaussian_pair(p->key, i, pair);
            put(p, i, pair[0]);
            if (i + 1 < end)
                put(p, i + 1, pair[1]);
        }
        break;
    }
    eb_job_advance(p->job, end - begin);
    return EB_OK;
}

eb_code eb_synth_kind_parse(const char *text, eb_synth_kind *out, eb_status *status)
{
    for (size_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++)
        if (strcmp(text, kind_names[k]) == 0) {
            *out = (eb_synth_kind)k;
            return EB_OK;
        }
    return eb_fail(status, EB_USAGE,
                   "no kind of synthetic points is called \"%.64s\"; expected uniform, exponential or gaussian", text);
}

/* As it is typed: FP32 needs no word. */
static char *describe(eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, uint64_t seed)
{
    char *text = NULL;
    if (asprintf(&text, "synth %s %zu %zu seed=%llu%s", kind_names[kind], n, d, (unsigned long long)seed,
                 dtype == EB_F64 ? " type=f64" : "") < 0)
        return NULL;
    return text;
}

eb_code eb_synth_as(eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, uint64_t seed, eb_job *job,
                    eb_dataset **out, eb_status *status)
{
    if (dtype != EB_F32 && dtype != EB_F64)
        return eb_fail(status, EB_USAGE, "synth makes f32 or f64 points, found %s", eb_dtype_name(dtype));
    EB_TRY(eb_dataset_check_shape("synth", n, d, dtype, status));
    size_t bytes = n * d * eb_dtype_size(dtype);
    uint64_t available = eb_available_memory();
    if (bytes > available)
        return eb_fail(status, EB_NO_MEMORY, "synth: %zu × %zu %s values need %zu bytes of memory; %llu are available",
                       n, d, dtype == EB_F64 ? "FP64" : "FP32", bytes, (unsigned long long)available);
    eb_dataset *ds = calloc(1, sizeof *ds);
    plan p = {.kind = kind,
              .dtype = dtype,
              .key = eb_random_of(seed),
              .count = (uint64_t)n * d,
              .values = malloc(bytes),
              .job = job};
    char *source = describe(dtype, kind, n, d, seed);
    if (!ds || !p.values || !source) {
        free(ds);
        free(p.values);
        free(source);
        return eb_fail_memory(status, "synth", bytes);
    }
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = dtype,
                       .rows = p.values,
                       .stride = d * eb_dtype_size(dtype),
                       .source = source,
                       .format = "synth",
                       .release = free,
                       .owner = p.values};
    eb_job_phase(job, "making points", p.count);
    uint64_t tasks = (p.count + VALUES_PER_TASK - 1) / VALUES_PER_TASK;
    eb_code failed = eb_parallel(eb_cpu_count(), tasks, fill, &p, job, status);
    if (!failed)
        failed = eb_dataset_seal(ds, status);
    if (failed) {
        eb_dataset_free(ds);
        return failed;
    }
    *out = ds;
    return EB_OK;
}
