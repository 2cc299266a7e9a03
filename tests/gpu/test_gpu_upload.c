/* Tests that the GPU receives the points as stored: every element type, packed rows and rows with gaps, dimensions that
 * do and do not fill words, in more slices than threads; overflow and cancelling. Needs a GPU. */
#include "gpu_points.h"

static const size_t dimensions[] = {64, 61, 3, 1};

/* Enough points for several slices per thread; fewer for small rows, because every pair is computed. */
static size_t points_for(size_t row_bytes)
{
    size_t n = ((size_t)(small ? 1 : 9) << 20) / row_bytes, most = small ? 5000 : 400000;
    return n < most ? n : most;
}

/* Random values of moderate size: FP16 can hold all of them, but rounds most. */
static double value_of(eb_dtype dtype, uint64_t r)
{
    double fraction = (double)(r >> 40) * 0x1p-24;
    switch (dtype) {
    case EB_U8: return (double)(r & 255);
    case EB_I8: return (double)(r & 255) - 128;
    case EB_I16: return (double)(r & 65535) - 32768;
    case EB_I32: return (double)(r & 65535) - 32768;
    case EB_F16: return (double)(r & 1023) * 0.25;
    case EB_F32: return (float)(fraction * 1000);
    case EB_F64: break;
    }
    return fraction + (double)(r & 0xffffff) * 0x1p-50;
}

static void store(eb_dtype dtype, double value, unsigned char *at)
{
    const signed char i8 = (signed char)value;
    const short i16 = (short)value;
    const int i32 = (int)value;
    const float f32 = (float)value;
    uint16_t f16;
    switch (dtype) {
    case EB_U8: *at = (unsigned char)value; break;
    case EB_I8: memcpy(at, &i8, sizeof i8); break;
    case EB_I16: memcpy(at, &i16, sizeof i16); break;
    case EB_I32: memcpy(at, &i32, sizeof i32); break;
    case EB_F32: memcpy(at, &f32, sizeof f32); break;
    case EB_F64: memcpy(at, &value, sizeof value); break;
    case EB_F16:
        eb_to_f16(EB_F32, &f32, 1, &f16);
        memcpy(at, &f16, sizeof f16);
        break;
    }
}

/* Rows lie `gap` bytes apart, the first `gap` bytes into the memory, so that they are as unaligned as those of a file;
 * the bytes between rows are no numbers. */
static unsigned char *make_typed(eb_dtype dtype, size_t d, size_t gap, eb_dataset *ds)
{
    const size_t size = eb_dtype_size(dtype), stride = d * size + gap, n = points_for(d * size);
    unsigned char *bytes = malloc(gap + n * stride);
    assert_non_null(bytes);
    memset(bytes, 0xff, gap + n * stride);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            store(dtype, value_of(dtype, mix(i * 131 + k)), bytes + gap + i * stride + k * size);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = dtype,
                       .rows = bytes + gap,
                       .stride = stride,
                       .source = (char *)(uintptr_t)eb_dtype_name(dtype)};
    return bytes;
}

static double *distances_by(const char *spec, const eb_dataset *ds, unsigned threads, const uint32_t *rows, size_t m)
{
    asked a;
    eb_status status = {.message = ""};
    const eb_problem problem = eb_self_join(ds);
    double *out = malloc(m * ds->n * sizeof *out);
    assert_non_null(out);
    a.setup = setup_of(spec);
    a.setup.resources.threads = threads;
    if (eb_problem_open(&a.setup, &problem, NULL, &a.opened, &status) ||
        eb_ask_distances(&a.opened, rows, m, out, &status))
        fail_msg("%s on %s: %s", spec, ds->source, status.message);
    close_problem(&a);
    return out;
}

static void assert_is_truth(const eb_dataset *ds, const uint32_t *rows, size_t m)
{
    double *found = distances_by("ref64", ds, 4, rows, m);
    for (size_t q = 0; q < m; q++)
        for (size_t j = 0; j < ds->n; j++) {
            double s = eb_truth_distance2(ds, rows[q], j);
            if (found[q * ds->n + j] != s)
                fail_msg("%s, d=%zu, stride %zu: from %u to %zu %.17g, expected %.17g", ds->source, ds->d, ds->stride,
                         rows[q], j, found[q * ds->n + j], s);
        }
    free(found);
}

/* FP16 points equal those rounded on the host. */
static void assert_is_rounded(const eb_dataset *ds, const uint32_t *rows, size_t m)
{
    uint16_t *rounded = malloc(ds->n * ds->d * sizeof *rounded);
    assert_non_null(rounded);
    for (size_t i = 0; i < ds->n; i++)
        eb_to_f16(ds->dtype, eb_row(ds, i), ds->d, rounded + i * ds->d);
    const eb_dataset as_f16 = {.n = ds->n,
                               .d = ds->d,
                               .dtype = EB_F16,
                               .rows = (const unsigned char *)rounded,
                               .stride = ds->d * sizeof *rounded,
                               .source = (char *)(uintptr_t) "rounded"};
    double *found = distances_by("fasted", ds, 4, rows, m), *expected = distances_by("fasted", &as_f16, 1, rows, m);
    for (size_t x = 0; x < m * ds->n; x++)
        if (found[x] != expected[x])
            fail_msg("%s, d=%zu, stride %zu: %.17g at %zu, expected %.17g", ds->source, ds->d, ds->stride, found[x], x,
                     expected[x]);
    free(found);
    free(expected);
    free(rounded);
}

static void points_arrive_as_they_are(void **state)
{
    (void)state;
    for (eb_dtype dtype = EB_F16; dtype <= EB_I32; dtype++)
        for (size_t k = 0; k < sizeof dimensions / sizeof dimensions[0]; k++)
            for (size_t gap = 0; gap <= 5; gap += 5) {
                eb_dataset ds;
                unsigned char *bytes = make_typed(dtype, dimensions[k], gap, &ds);
                const uint32_t rows[] = {0, (uint32_t)(ds.n / 2), (uint32_t)(ds.n - 1)};
                assert_is_truth(&ds, rows, 3);
                assert_is_rounded(&ds, rows, 3);
                free(bytes);
            }
}

/* The message names the first overflow, whichever thread finds one first. */
static void the_first_overflow_is_named(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = (float *)(void *)make_typed(EB_F32, 64, 0, &ds);
    const eb_problem problem = eb_self_join(&ds);
    rows[(ds.n - 1) * 64 + 3] = 70001;
    rows[ds.n / 3 * 64 + 63] = 70002;
    rows[ds.n / 2 * 64] = -70003;
    char expected[80];
    (void)snprintf(expected, sizeof expected, "row %zu, column 63: 70002", ds.n / 3);
    for (unsigned threads = 1; threads <= 8; threads *= 8) {
        eb_status status = {.message = ""};
        asked a;
        a.setup = setup_of("fasted");
        a.setup.resources.threads = threads;
        assert_int_equal(eb_problem_open(&a.setup, &problem, NULL, &a.opened, &status), EB_BAD_VALUE);
        assert_non_null(strstr(status.message, expected));
    }
    free(rows);
}

static eb_code open_when_cancelled(eb_job *job, void *argument, eb_status *status)
{
    const eb_problem *problem = argument;
    asked a;
    a.setup = setup_of("fasted");
    a.setup.resources.threads = 4;
    eb_job_cancel(job);
    EB_TRY(eb_problem_open(&a.setup, problem, job, &a.opened, status));
    close_problem(&a);
    return EB_OK;
}

static void a_cancelled_upload_ends(void **state)
{
    (void)state;
    eb_dataset ds;
    unsigned char *bytes = make_typed(EB_F32, 64, 0, &ds);
    eb_problem problem = eb_self_join(&ds);
    eb_status status;
    eb_job *job;
    assert_int_equal(eb_job_start(open_when_cancelled, &problem, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    const uint32_t first = 0;
    assert_is_truth(&ds, &first, 1); /* later uploads still work */
    free(bytes);
}

/* ---- points that arrive while kernels run: enough for that, and as a whole where the memory is limited ---- */

enum { WIDE = 1024, WIDE_POINTS = 17000, PLENTIFUL = 8 }; /* 70 MB, and GiB */

static float *make_wide(eb_dataset *ds, float scale)
{
    float *rows = malloc((size_t)WIDE_POINTS * WIDE * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < WIDE_POINTS; i++)
        for (size_t k = 0; k < WIDE; k++)
            rows[i * WIDE + k] = scale * (uniform(i / 2 * 2, k) + (i % 2 ? 0.001f * uniform(i, k + WIDE) : 0));
    for (size_t x = 0; scale > 1 && x < (size_t)WIDE_POINTS * WIDE; x++) /* whole numbers that fit a byte */
        rows[x] = floorf(rows[x]);
    *ds = (eb_dataset){.n = WIDE_POINTS,
                       .d = WIDE,
                       .dtype = EB_F32,
                       .rows = (const unsigned char *)rows,
                       .stride = WIDE * sizeof *rows,
                       .source = (char *)(uintptr_t) "wide"};
    return rows;
}

static void open_wide(asked *a, const char *spec, const eb_problem *problem, bool whole)
{
    open_problem(a, spec, problem, whole ? (uint64_t)PLENTIFUL << 30 : 0);
    a->opened.context.threads = 4;
}

static void assert_same_within(asked *late, asked *whole, double eps)
{
    assert_same_table(table_of(late, eps), table_of(whole, eps), late->setup.spec);
}

/* Each question is the first one once, and follows others. */
static void assert_the_same_early(const char *spec, float scale)
{
    const eb_share part = {.row_begin = 100, .row_end = 9000, .part = 0, .parts = 1};
    const double unit = (double)scale;
    const eb_question question = {.eps = 12.3 * unit};
    eb_dataset ds;
    float *rows = make_wide(&ds, scale);
    const eb_problem problem = eb_self_join(&ds);
    asked whole, late;
    open_wide(&whole, spec, &problem, true);
    open_wide(&late, spec, &problem, false);
    assert_int_equal(count_all(&late, 12.3 * unit), count_all(&whole, 12.3 * unit));
    assert_true(eb_figures_value(&late.opened.figures, "hidden_upload_s") >= 0);
    assert_true(isnan(eb_figures_value(&whole.opened.figures, "hidden_upload_s")));
    assert_same_within(&late, &whole, unit);
    close_problem(&late);
    open_wide(&late, spec, &problem, false); /* more candidates than are held at a time */
    assert_int_equal(count_all(&late, 1000 * unit), (uint64_t)WIDE_POINTS * WIDE_POINTS);
    close_problem(&late);
    open_wide(&late, spec, &problem, false);
    assert_same_within(&late, &whole, 12.4 * unit);
    close_problem(&late);
    open_wide(&late, spec, &problem, false);
    assert_int_equal(count_of(&late, &question, &part), count_of(&whole, &question, &part));
    close_problem(&late);
    close_problem(&whole);
    free(rows);
}

static void early_kernels_find_the_same(void **state)
{
    (void)state;
    assert_the_same_early("fasted", 1);
    assert_the_same_early("exact[way=fp16]", 1);
    assert_the_same_early("exact[way=int8]", 1);
    assert_the_same_early("exact[way=integers]", 255);
}

/* Clusters need an order of all points. */
static void clusters_wait_for_all_points(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = make_wide(&ds, 1);
    for (size_t i = 0; i < WIDE_POINTS; i++)
        for (size_t k = 0; k < WIDE; k++)
            rows[i * WIDE + k] = uniform(i % 60, k) + 0.01f * uniform(i, k + WIDE);
    const eb_problem problem = eb_self_join(&ds);
    asked whole, late;
    open_wide(&whole, "exact[way=fp16]", &problem, true);
    open_wide(&late, "exact[way=fp16]", &problem, false);
    assert_same_within(&late, &whole, 0.13);
    close_problem(&late);
    close_problem(&whole);
    free(rows);
}

static void a_late_overflow_is_named(void **state)
{
    (void)state;
    eb_status status = {.message = ""};
    eb_dataset ds;
    float *rows = make_wide(&ds, 1);
    const eb_problem problem = eb_self_join(&ds);
    const eb_question question = {.eps = 1};
    const eb_share all = {.row_end = WIDE_POINTS, .parts = 1};
    uint64_t entries;
    asked a;
    rows[(size_t)(WIDE_POINTS - 1) * WIDE + 7] = 70001;
    open_wide(&a, "fasted", &problem, false);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(eb_ask_count(&a.opened, &question, &all, &entries, &status), EB_BAD_VALUE);
        assert_non_null(strstr(status.message, "row 16999, column 7: 70001"));
    }
    close_problem(&a);
    open_wide(&a, "fasted", &problem, false); /* and closed while points arrive */
    close_problem(&a);
    free(rows);
}

static void add_all(test_list *list)
{
    ADD_TEST(list, points_arrive_as_they_are);
    ADD_TEST(list, the_first_overflow_is_named);
    ADD_TEST(list, a_cancelled_upload_ends);
    ADD_TEST(list, early_kernels_find_the_same);
    ADD_TEST(list, clusters_wait_for_all_points);
    ADD_TEST(list, a_late_overflow_is_named);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_upload", add_all); }
