/* Tests of synthetic points: the same bits in every version, and the stated distribution. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/load.h"
#include "io/synth/shapes.h"
#include "tests/unit/test.h"

static eb_dataset *make(eb_synth_kind kind, size_t n, size_t d, uint64_t seed)
{
    eb_status status;
    eb_dataset *ds = NULL;
    if (eb_synth(kind, n, d, seed, NULL, &ds, &status))
        fail_msg("%s", status.message);
    return ds;
}

static double value(const eb_dataset *ds, size_t index)
{
    float x;
    memcpy(&x, ds->rows + index * sizeof x, sizeof x);
    return (double)x;
}

TEST(the_same_bits_everywhere)
{
    /* Also computed by another program, in another language with its own libm. */
    static const char *const sha256[] = {
        "d9d570269604e1e0a3a348d0b553c534f7cdb0ffdba0bf4ef49aeb4b2cbf2e12",
        "d607c8e9285901fea6e8417ab1dba6af54ffc43b9483c88c6c6959a78046744a",
        "d4984b495766bce8208dab503f4e68a5cd10fb7adb368cfc76a561303f65388a",
    };
    for (int kind = 0; kind < 3; kind++) {
        eb_dataset *ds = make((eb_synth_kind)kind, 10007, 13, 42); /* several tasks, an odd number of values */
        assert_string_equal(ds->sha256, sha256[kind]);
        eb_dataset_free(ds);
    }
}

TEST(description_makes_it_again)
{
    eb_dataset *ds = make(EB_SYNTH_GAUSSIAN, 10, 3, 18446744073709551615u);
    assert_string_equal(ds->source, "synth gaussian 10 3 seed=18446744073709551615");
    assert_string_equal(ds->format, "synth");
    assert_int_equal(ds->n, 10);
    assert_int_equal(ds->d, 3);
    assert_int_equal(ds->dtype, EB_F32);
    assert_int_equal(ds->stride, 12);
    eb_dataset_free(ds);
}

/* FP64 points: their bits, the command that makes them, and that FP32 points are the same rounded (uniform points are
 * truncated). */
TEST(points_may_be_fp64)
{
    eb_status status = {.message = ""};
    /* The first hash was also computed by another program. */
    static const char *const sha256[] = {
        "b1dbc62b09430e2e1b2ace5c518bed583e1d39dc2eddf8aefabfcb7237205161",
        "3eebb92dd66479b02ecee9b78eb8454a01aaabbfd7f817d910d45232f587da39",
        "d3a8bc7b918bea4e709d5fee8bb1c16ad73103669d419b1e0e9931f8cdce62b6",
    };
    for (int kind = 0; kind < 3; kind++) {
        eb_dataset *ds = NULL, *floats = make((eb_synth_kind)kind, 10007, 13, 42);
        assert_int_equal(eb_synth_as(EB_F64, (eb_synth_kind)kind, 10007, 13, 42, NULL, &ds, &status), EB_OK);
        assert_true(ds->dtype == EB_F64 && ds->stride == 13 * sizeof(double));
        assert_non_null(strstr(ds->source, " 10007 13 seed=42 type=f64"));
        assert_string_equal(ds->sha256, sha256[kind]);
        size_t finer = 0;
        for (size_t k = 0; k < (size_t)10007 * 13; k++) {
            double x;
            memcpy(&x, ds->rows + k * sizeof x, sizeof x);
            finer += x != value(floats, k);
            assert_true(kind == EB_SYNTH_UNIFORM ? x >= value(floats, k) && x < value(floats, k) + 0x1p-24
                                                 : (double)(float)x == value(floats, k));
        }
        assert_true(finer > 120000); /* of 130091 */
        eb_dataset_free(ds);
        eb_dataset_free(floats);
    }
    eb_dataset *none = NULL;
    assert_int_equal(eb_synth_as(EB_F16, EB_SYNTH_UNIFORM, 3, 3, 1, NULL, &none, &status), EB_USAGE);
    assert_string_equal(status.message, "synth makes f32, f64 or u8 points, found f16");
    assert_int_equal(eb_synth_as(EB_F64, EB_SYNTH_UNIFORM, 2147483647u, 65536, 1, NULL, &none, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, " f64 values need 1125899906318336 bytes"));
    assert_null(none);
}

/* Points saved by other software and loaded again have the same hash. */
TEST(fp64_points_survive_a_file)
{
    static const char dictionary[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (100, 3), }";
    char path[] = "/tmp/epsbench-synth-XXXXXX.npy", header[118];
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL, *again = NULL;
    assert_int_equal(eb_synth_as(EB_F64, EB_SYNTH_GAUSSIAN, 100, 3, 5, NULL, &ds, &status), EB_OK);
    memset(header, ' ', sizeof header);
    memcpy(header, dictionary, sizeof dictionary - 1);
    header[sizeof header - 1] = '\n';
    int fd = mkstemps(path, 4);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file), 10);
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    assert_int_equal(fwrite(ds->rows, ds->stride, ds->n, file), ds->n);
    assert_int_equal(fclose(file), 0);
    if (eb_load(path, NULL, &again, &status))
        fail_msg("%s", status.message);
    assert_string_equal(again->sha256, ds->sha256);
    assert_true(again->dtype == EB_F64);
    assert_int_equal(remove(path), 0);
    eb_dataset_free(ds);
    eb_dataset_free(again);
}

/* A value depends on its index alone: a larger set begins with the smaller one. */
TEST(more_points_begin_with_fewer)
{
    for (int kind = 0; kind < EB_SYNTH_KINDS; kind++) {
        eb_dataset *few = make((eb_synth_kind)kind, 3, 5, 7), *many = make((eb_synth_kind)kind, 20000, 5, 7);
        assert_memory_equal(few->rows, many->rows, 3 * 5 * sizeof(float));
        eb_dataset *other = make((eb_synth_kind)kind, 3, 5, 8);
        assert_memory_not_equal(few->rows, other->rows, 3 * 5 * sizeof(float));
        eb_dataset_free(few);
        eb_dataset_free(many);
        eb_dataset_free(other);
    }
}

typedef struct moments {
    double min, max, mean, variance, neighbour; /* neighbour: correlation of consecutive values */
} moments;

static moments measure(const eb_dataset *ds)
{
    size_t count = ds->n * ds->d;
    moments m = {.min = (double)INFINITY, .max = -(double)INFINITY};
    for (size_t k = 0; k < count; k++) {
        m.mean += value(ds, k) / (double)count;
        m.min = fmin(m.min, value(ds, k));
        m.max = fmax(m.max, value(ds, k));
    }
    for (size_t k = 0; k < count; k++) {
        double t = value(ds, k) - m.mean;
        m.variance += t * t / (double)count;
        if (k + 1 < count)
            m.neighbour += t * (value(ds, k + 1) - m.mean) / (double)count;
    }
    m.neighbour /= m.variance;
    return m;
}

/* 10^6 values: five standard errors are 5e-3 σ of a mean; correlations likewise. */
TEST(distributions_are_what_they_claim)
{
    eb_dataset *ds = make(EB_SYNTH_UNIFORM, 250000, 4, 1);
    moments m = measure(ds);
    assert_true(m.min >= 0 && m.min < 1e-4 && m.max < 1 && m.max > 1 - 1e-4);
    assert_true(fabs(m.mean - 0.5) < 0.0015 && fabs(m.variance - 1.0 / 12) < 0.0005 && fabs(m.neighbour) < 0.005);
    eb_dataset_free(ds);

    ds = make(EB_SYNTH_EXPONENTIAL, 250000, 4, 1);
    m = measure(ds);
    assert_true(m.min >= 0 && m.min < 1e-6 && m.max > 0.25 && m.max < 1);
    assert_true(-eb_synth_logarithm(0x1p-53) / 40 <
                1); /* the smallest draw: all values lie in [0, 1], as TED-Join's do */
    assert_true(fabs(m.mean * 40 - 1) < 0.005 && fabs(m.variance * 1600 - 1) < 0.015 && fabs(m.neighbour) < 0.005);
    size_t above = 0; /* the median: ln 2 / λ */
    for (size_t k = 0; k < 1000000; k++)
        above += value(ds, k) > 0.6931471805599453 / 40;
    assert_true(above > 497500 && above < 502500);
    eb_dataset_free(ds);

    ds = make(EB_SYNTH_GAUSSIAN, 250000, 4, 1);
    m = measure(ds);
    assert_true(m.min < -4 && m.max > 4 && m.min > -7 && m.max < 7);
    assert_true(fabs(m.mean) < 0.005 && fabs(m.variance - 1) < 0.008 && fabs(m.neighbour) < 0.005);
    size_t within = 0; /* one σ: 68.27 % */
    for (size_t k = 0; k < 1000000; k++)
        within += fabs(value(ds, k)) < 1;
    assert_true(within > 680200 && within < 685200);
    eb_dataset_free(ds);
}

TEST(impossible_shapes_are_refused)
{
    eb_status status;
    eb_dataset *ds = NULL;
    assert_int_equal(eb_synth(EB_SYNTH_UNIFORM, 0, 3, 1, NULL, &ds, &status), EB_BAD_FORMAT);
    assert_int_equal(eb_synth(EB_SYNTH_UNIFORM, 10, 65537, 1, NULL, &ds, &status), EB_TOO_LARGE);
    assert_int_equal(eb_synth(EB_SYNTH_UNIFORM, 2147483648u, 1, 1, NULL, &ds, &status), EB_TOO_LARGE);
    assert_int_equal(eb_synth(EB_SYNTH_UNIFORM, 2147483647u, 65536, 1, NULL, &ds, &status), EB_NO_MEMORY);
    assert_non_null(
        strstr(status.message, "synth: 2147483647 × 65536 f32 values need 562949953159168 bytes of memory; "));
    assert_null(ds);
}

/* ---- cancelling ---- */

typedef struct making {
    eb_synth_kind kind;
    size_t n, d;
} making;

static eb_code make_many(eb_job *job, void *argument, eb_status *status)
{
    const making *m = argument;
    eb_dataset *ds = NULL;
    const eb_code failed = eb_synth(m->kind, m->n, m->d, 42, job, &ds, status);
    if (!failed)
        eb_dataset_free(ds);
    return failed;
}

static void cancel_in(const making *m, const char *phase)
{
    eb_status status = {.message = ""};
    eb_job *job;
    assert_int_equal(eb_job_start(make_many, (void *)(uintptr_t)m, &job, &status), EB_OK);
    while (strcmp(eb_job_progress(job).phase, phase) != 0)
        assert_false(eb_job_progress(job).finished);
    eb_job_cancel(job);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
}

/* Cancels while points are made, and while they are hashed, which takes longer. */
TEST(a_cancel_is_heard)
{
    static const making uniform = {EB_SYNTH_UNIFORM, 1000000, 16}, coast = {EB_SYNTH_COAST, 200000, 8};
    cancel_in(&uniform, "making points");
    cancel_in(&uniform, "checking points");
    cancel_in(&coast, "making points");
}

TEST(kinds_have_names)
{
    static const char *const names[EB_SYNTH_KINDS] = {"uniform", "exponential", "gaussian", "clusters",
                                                      "sphere",  "coast",       "terrain"};
    for (size_t k = 0; k < EB_SYNTH_KINDS; k++) {
        char expected[64], *line = eb_synth_line(k % 2 ? EB_F64 : EB_F32, (eb_synth_kind)k, 3, 2, 7);
        (void)snprintf(expected, sizeof expected, "synth %s 3 2 seed=7%s", names[k], k % 2 ? " type=f64" : "");
        assert_string_equal(line, expected);
        free(line);
    }
}

/* Expected hashes are pinned: they must never change. */
TEST(shapes_stay_as_they_are)
{
    static const struct {
        eb_synth_kind kind;
        size_t d;
        const char *sha256;
    } cases[] = {
        {EB_SYNTH_CLUSTERS, 7, "abdd24cfdb7955be78a13a461425b117d070a4131c2cfb1c9aa52fa847e9ca66"},
        {EB_SYNTH_SPHERE, 3, "2d805bc5ad7407439d77f0563b4d64f84c19d45e65372beb96caf5585582ffca"},
        {EB_SYNTH_COAST, 2, "ec9852c1e7b118d0f6d3f3a59b2ea60a825a1b90077850abf9fac269358c72a7"},
        {EB_SYNTH_TERRAIN, 10, "c653e0c7f53b52732b0d020fa1acdceb03c0db442587cfbbf92bc3e193f1c694"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_dataset *ds = make(cases[k].kind, 30007, cases[k].d, 42);
        assert_string_equal(ds->sha256, cases[k].sha256);
        eb_dataset_free(ds);
    }
}

TEST(shapes_are_what_they_claim)
{
    for (size_t d = 1; d < 6; d++) {
        eb_dataset *ds = make(EB_SYNTH_SPHERE, 5000, d, 3);
        double mean = 0;
        for (size_t i = 0; i < ds->n; i++) {
            double squares = 0;
            for (size_t k = 0; k < d; k++)
                squares += value(ds, i * d + k) * value(ds, i * d + k);
            assert_true(fabs(squares - 1) < 1e-6);
            mean += value(ds, i * d) / (double)ds->n;
        }
        assert_true(fabs(mean) < 0.08);
        eb_dataset_free(ds);
    }
    eb_dataset *terrain = make(EB_SYNTH_TERRAIN, 5000, 12, 3), *coast = make(EB_SYNTH_COAST, 5000, 3, 3);
    moments m = measure(terrain);
    assert_true(m.min < -1000 && m.max > 1000 && m.max < 8000);
    for (size_t k = 0; k < terrain->n * terrain->d; k++)
        assert_true(value(terrain, k) == floor(value(terrain, k)));
    m = measure(coast);
    assert_true(m.min > -300 && m.min < -150 && m.max < 300 && m.max > 150);
    eb_dataset_free(terrain);
    eb_dataset_free(coast);
    /* Most points of a cluster are within six of its deviations of one another in each coordinate, so that there are
     * many neighbours. */
    eb_dataset *clusters = make(EB_SYNTH_CLUSTERS, 2000, 30, 3), *uniform = make(EB_SYNTH_UNIFORM, 2000, 30, 3);
    size_t near[2] = {0, 0};
    for (size_t i = 1; i < 2000; i++)
        for (size_t j = 0; j < i; j++) {
            near[0] += eb_truth_distance2(clusters, i, j) < 0.5;
            near[1] += eb_truth_distance2(uniform, i, j) < 0.5;
        }
    assert_true(near[0] > 15000 && near[1] == 0);
    eb_dataset_free(clusters);
    eb_dataset_free(uniform);
}

RUN_TESTS
