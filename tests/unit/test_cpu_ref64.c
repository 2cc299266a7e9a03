/* Tests of ref64: every path and instruction set gives the exact result bit for bit, at the smallest ε that contains a
 * pair and just below it. */
#include <float.h>
#include <math.h>

#include "core/knn/best.h"
#include "kernels/ref64/cpu/kernels.h"
#include "kernels/walk/isa.h"
#include "tests/unit/check_bins.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/join_entries.h"
#include "tests/unit/test.h"

static const char *const isas[] = {"base", "avx2", "avx512", "vnni"};

/* ---- data ---- */

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

typedef double (*value_maker)(size_t i, size_t k);

static double uniform_value(size_t i, size_t k) { return (void)i, (void)k, uniform(); }
static double clustered_value(size_t i, size_t k) { return (double)((i % 5 * 7 + k) % 11) + 0.01 * uniform(); }
static double duplicated_value(size_t i, size_t k) { return (double)((i % 7 * 31 + k * 17) % 13) / 7; }
static double distant_value(size_t i, size_t k)
{
    return 1e8 + (double)(k % 3) + 1e-3 * (double)(i % 50) + 1e-7 * uniform();
}
static double two_places_value(size_t i, size_t k) { return (i % 2 ? 3e4 : -3e4) + (double)(k % 5) + 0.01 * uniform(); }
static double tiny_value(size_t i, size_t k) { return (void)i, (void)k, ldexp(uniform() - 0.5, -1060); }
static double small_value(size_t i, size_t k) { return (void)i, (void)k, ldexp(uniform() - 0.5, -560); }
static double huge_value(size_t i, size_t k) { return (void)i, (void)k, (uniform() - 0.5) * 3e300; }
static double mixed_value(size_t i, size_t k) { return (void)i, (uniform() - 0.5) * ldexp(1, (int)(k % 5) * 60 - 120); }
static double byte_value(size_t i, size_t k) { return (void)i, (void)k, (double)(random_bits() % 256); }
static double signed_byte_value(size_t i, size_t k) { return byte_value(i, k) - 128; }
static double extreme_byte_value(size_t i, size_t k) { return (void)k, i % 3 == 0 ? 255 : 0; }
static double word_value(size_t i, size_t k) { return (void)i, (void)k, (double)(random_bits() % 65536) - 32768; }
static double offset_integer(size_t i, size_t k)
{
    return (double)(k % 4) * 5e8 + (double)((i * 37 + random_bits() % 3) % 2000);
}
static double large_integer(size_t i, size_t k) { return (void)i, (void)k, (double)(random_bits() % 4000000) - 2e6; }
static double same_value(size_t i, size_t k) { return (void)i, (double)k + 0.25; }

static double outlying_value(size_t i, size_t k) { return i * 7 % 50 == 3 && k == i % 16 ? 1e5 : uniform(); }
static double rising_value(size_t i, size_t k) { return (uniform() - 0.5) * ldexp(1, (int)(i % 9) + (int)(k % 5)); }

static void store(eb_dtype dtype, double x, unsigned char *to)
{
    switch (dtype) {
    case EB_F16: memcpy(to, &(uint16_t){eb_half_from_double(x)}, 2); break;
    case EB_F32: memcpy(to, &(float){(float)x}, 4); break;
    case EB_F64: memcpy(to, &x, 8); break;
    case EB_U8: *to = (unsigned char)x; break;
    case EB_I8: memcpy(to, &(int8_t){(int8_t)x}, 1); break;
    case EB_I16: memcpy(to, &(int16_t){(int16_t)x}, 2); break;
    case EB_I32: memcpy(to, &(int32_t){(int32_t)x}, 4); break;
    }
}

/* Rows are unaligned and an odd number of bytes apart, as in a mapped .fvecs file. */
static eb_dataset make(size_t n, size_t d, eb_dtype dtype, value_maker value)
{
    size_t size = eb_dtype_size(dtype), stride = d * size + 3;
    unsigned char *rows = malloc(n * stride);
    assert_non_null(rows);
    random_state = 88172645463325252u + n * 1000 + d;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            store(dtype, value(i, k), rows + i * stride + k * size);
    return (eb_dataset){.n = n, .d = d, .dtype = dtype, .rows = rows, .stride = stride};
}

/* ---- exact results ---- */

static double *truth_of(const eb_dataset *ds)
{
    double *s = malloc(ds->n * ds->n * sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = i; j < ds->n; j++)
            s[i * ds->n + j] = s[j * ds->n + i] = i == j ? 0 : eb_truth_distance2(ds, i, j);
    return s;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fills eps with distances of pairs and the next smaller number of each. Returns their number. */
#define MOST_EPS 16u
static size_t pick_eps(const eb_dataset *ds, const double *truth, double *eps)
{
    size_t pairs = 0, count = 0;
    double *sorted = malloc((ds->n * ds->n + 1) * sizeof *sorted);
    assert_non_null(sorted);
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = i + 1; j < ds->n; j++)
            if (isfinite(truth[i * ds->n + j]))
                sorted[pairs++] = truth[i * ds->n + j];
    qsort(sorted, pairs, sizeof *sorted, ascending);
    const double quantiles[] = {0, 0.01, 0.2, 0.7, 1};
    for (size_t q = 0; pairs && q < 5; q++) {
        double at = eb_smallest_eps(sorted[(size_t)(quantiles[q] * (double)(pairs - 1))]);
        eps[count++] = at;
        eps[count++] = at > 0 ? nextafter(at, 0) : 0;
    }
    free(sorted);
    eps[count++] = 0;
    eps[count++] = DBL_TRUE_MIN;
    eps[count++] = 1e200; /* the square is infinite, and so is the limit */
    return count;
}

/* ---- checks of an opened engine ---- */

typedef struct opened {
    asked a;
    const eb_dataset *ds;
    const double *truth;
} opened;

static void expect_count(opened *o, double eps)
{
    uint64_t expected = 0;
    for (size_t k = 0; k < o->ds->n * o->ds->n; k++)
        expected += o->truth[k] <= eps * eps;
    assert_int_equal(count_all(&o->a, eps), expected);
}

static void expect_join(opened *o, double eps, size_t begin, size_t end)
{
    size_t n = o->ds->n;
    const eb_question question = {.eps = eps};
    const eb_share rows = eb_share_rows(begin, end);
    join_entries expected = {.entry = NULL}, found = entries_of(&o->a.opened, &question, &rows);
    for (size_t i = begin; i < end; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j && o->truth[i * n + j] <= eps * eps)
                add_entry(&expected, (uint32_t)i, (uint32_t)j, o->truth[i * n + j]);
    assert_same_entries(&found, &expected, o->a.setup.spec, "rows of a join");
    free_entries(&expected);
    free_entries(&found);
}

static void expect_histogram(opened *o, double eps)
{
    double edges[] = {eps / 2, eps}, *kept[2];
    bool keep[] = {false, true};
    uint64_t pairs[2], expected[2] = {0, 0};
    double sum = 0, expected_sum = 0;
    if (!(edges[0] < edges[1]))
        return;
    eb_distance_pass pass = {.edges = 2, .eps = edges, .keep = keep, .pairs = pairs, .kept = kept};
    assert_int_equal(o->a.setup.run->histogram(o->a.opened.state, &pass, NULL), EB_OK);
    for (size_t i = 0; i < o->ds->n; i++)
        for (size_t j = i + 1; j < o->ds->n; j++) {
            double s = o->truth[i * o->ds->n + j];
            expected[0] += s <= edges[0] * edges[0];
            expected[1] += s <= edges[1] * edges[1] && !(s <= edges[0] * edges[0]);
            expected_sum += s <= edges[1] * edges[1] && !(s <= edges[0] * edges[0]) ? s : 0;
        }
    assert_int_equal(pairs[0], expected[0]);
    assert_int_equal(pairs[1], expected[1]);
    for (uint64_t k = 0; k < pairs[1]; k++)
        sum += kept[1][k];
    assert_true(sum == expected_sum ||
                fabs(sum - expected_sum) <= 1e-9 * expected_sum); /* other order, so other rounding */
    free(kept[1]);
}

static void expect_distances(opened *o)
{
    uint32_t rows[] = {0, (uint32_t)(o->ds->n - 1), (uint32_t)(o->ds->n / 2)};
    double *out = malloc(3 * o->ds->n * sizeof *out);
    assert_non_null(out);
    assert_int_equal(o->a.setup.run->distances(o->a.opened.state, rows, 3, out, NULL), EB_OK);
    for (size_t q = 0; q < 3; q++)
        assert_memory_equal(out + q * o->ds->n, o->truth + rows[q] * o->ds->n, o->ds->n * sizeof *out);
    free(out);
}

enum { NEAREST = 3, EVERY = 5 };

/* By all distances: those of the nearest that may be neighbours, and by the smaller row among equals. */
static size_t nearest_by_truth(const opened *o, size_t point, const unsigned char *nobody, eb_near_row *near)
{
    eb_best best = {.k = NEAREST, .near = near};
    for (size_t j = 0; j < o->ds->n; j++)
        if (j != point && !nobody[j] && o->truth[point * o->ds->n + j] <= DBL_MAX)
            eb_best_take(&best, (eb_near_row){o->truth[point * o->ds->n + j], (uint32_t)j});
    eb_best_sort(&best);
    return best.count;
}

/* A fifth of the points ask, in the opposite order; some points are nobody's neighbours. */
static void expect_nearest(opened *o)
{
    const size_t n = o->ds->n, queries = (n + EVERY - 1) / EVERY;
    uint32_t *query = malloc(n * sizeof *query), *count = calloc(queries, sizeof *count);
    unsigned char *nobody = calloc(n, 1);
    eb_near_row *near = malloc(queries * NEAREST * sizeof *near), expected[NEAREST];
    assert_true(query && count && nobody && near);
    for (size_t i = 0; i < n; i++) {
        query[i] = i % EVERY == 0 ? (uint32_t)(queries - 1 - i / EVERY) : EB_NO_POINT;
        nobody[i] = i % 7 == 3;
    }
    const eb_nearest_rows question =
        {.k = NEAREST, .query = query, .nobody = nobody, .most = INFINITY, .near = near, .count = count};
    const eb_implementation *run = o->a.setup.run;
    const char *by = run->describe(o->a.opened.state);
    const bool by_bytes = strstr(by, "bound") && strstr(by, "8 bits") && 4 * queries <= n;
    assert_int_equal(run->nearest_rows(o->a.opened.state, &question, NULL), by_bytes ? EB_OK : EB_NO_ENGINE);
    for (size_t i = 0; by_bytes && i < n; i += EVERY) {
        eb_best found = {.k = NEAREST, .count = count[query[i]], .near = near + query[i] * NEAREST};
        assert_int_equal(found.count, nearest_by_truth(o, i, nobody, expected));
        eb_best_sort(&found);
        for (size_t k = 0; k < found.count; k++)
            assert_true(found.near[k].row == expected[k].row && found.near[k].far == expected[k].far);
    }
    free(query);
    free(count);
    free(nobody);
    free(near);
}

/* A memory_limit leaves no room for the engine's own path, which makes it take the direct one; 0: no limit. */
static void expect_answers(const eb_dataset *ds, const double *truth, const char *path, uint64_t memory_limit)
{
    const cpu_variant variant = {&eb_engine_ref64, ""};
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup = setup_of(&variant, 3);
    opened o = {.ds = ds, .truth = truth};
    double eps[MOST_EPS];
    size_t n = ds->n, count = pick_eps(ds, truth, eps);
    setup.resources.memory_limit = memory_limit;
    open_setup(&o.a, &setup, &problem);
    assert_non_null(strstr(setup.run->describe(o.a.opened.state), memory_limit ? "FP64 for every pair" : path));
    assert_true(eb_figures_value(&o.a.opened.figures, "convert_s") >= 0);
    for (size_t e = 0; e < count; e++)
        expect_count(&o, eps[e]);
    expect_join(&o, eps[count > 6 ? 4 : 0], 0, n);
    expect_join(&o, eps[count > 6 ? 6 : 0], n / 3, n - n / 4);
    expect_histogram(&o, eps[count > 6 ? 6 : 0]);
    expect_distances(&o);
    expect_nearest(&o);
    (void)check_bins(&o.a.opened, (const uint32_t[]){0, (uint32_t)n - 1, (uint32_t)(n / 2), 0, (uint32_t)(n / 3)}, 5);
    assert_true(eb_figures_value(&o.a.opened.figures, "kernel_s") > 0);
    close_problem(&o.a);
}

static void expect_truth(const char *path, size_t n, size_t d, eb_dtype dtype, value_maker value)
{
    eb_dataset ds = make(n, d, dtype, value);
    double *truth = truth_of(&ds);
    for (size_t isa = 0; isa < sizeof isas / sizeof isas[0]; isa++) {
        assert_int_equal(setenv("EPSBENCH_ISA", isas[isa], 1), 0);
        if (strcmp(isas[isa], "vnni") == 0 ? !eb_cpu_multiplies_bytes()
                                           : strcmp(eb_isa_name(eb_cpu_isa()), isas[isa]) != 0)
            continue; /* not on this CPU */
        expect_answers(&ds, truth, path, 0);
        expect_answers(&ds, truth, path, 1);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
    free(truth);
    free((void *)(uintptr_t)ds.rows);
}

#define INTEGERS "integers, exact"
#define FILTER "with a proven bound"
#define DIRECT "FP64 for every pair"

TEST(bytes_are_joined_as_integers)
{
    expect_truth(INTEGERS, 301, 33, EB_U8, byte_value);
    expect_truth(INTEGERS, 130, 784, EB_U8, byte_value);
    expect_truth(INTEGERS, 97, 7, EB_I8, signed_byte_value);
    expect_truth(INTEGERS, 40, 1, EB_U8, byte_value);
    expect_truth(INTEGERS, 5, 65536, EB_U8, extreme_byte_value); /* squared distances just below 2^32 */
}

TEST(integers_in_other_types_too_where_they_fit)
{
    expect_truth(INTEGERS, 133, 19, EB_F32, byte_value);
    expect_truth(INTEGERS, 70, 9, EB_F64, offset_integer);
    expect_truth(INTEGERS, 70, 9, EB_I32, offset_integer);
    expect_truth(INTEGERS, 65, 12, EB_F16, byte_value);
    expect_truth(INTEGERS, 50, 1, EB_I16, word_value); /* a spread of all 16 bits */
    expect_truth(FILTER, 50, 17, EB_I16, word_value);  /* squared distances beyond 2^32 */
    expect_truth(FILTER, 70, 21, EB_I32, large_integer);
}

TEST(floats_of_any_shape)
{
    expect_truth(FILTER, 261, 17, EB_F32, uniform_value);
    expect_truth(FILTER, 127, 601, EB_F32, uniform_value); /* several slices, several column blocks */
    expect_truth(FILTER, 300, 300, EB_F32, clustered_value);
    expect_truth(FILTER, 129, 5, EB_F64, clustered_value);
    expect_truth(FILTER, 200, 3, EB_F64, duplicated_value);
    expect_truth(FILTER, 90, 40, EB_F16, uniform_value);
    expect_truth(FILTER, 77, 1, EB_F64, uniform_value);
    for (size_t n = 1; n <= 18; n += 1 + n / 3)
        for (size_t d = 1; d <= 9; d += 2)
            expect_truth(FILTER, n, d, EB_F32, uniform_value);
}

TEST(more_points_than_a_tile_of_few_dimensions) { expect_truth(FILTER, 1100, 2, EB_F64, uniform_value); }

TEST(hostile_values)
{
    expect_truth(FILTER, 120, 11, EB_F64, distant_value); /* FP32 hardly tells these points apart */
    expect_truth(FILTER, 120, 24, EB_F32,
                 two_places_value); /* half of a tile is undecided: the direct kernel takes over */
    expect_truth(INTEGERS, 120, 24, EB_F32, distant_value); /* FP32 has a spacing of 8 there */
    expect_truth(FILTER, 64, 13, EB_F64, mixed_value);
    expect_truth(FILTER, 64, 10, EB_F64, small_value); /* squares are subnormal */
    expect_truth(FILTER, 64, 10, EB_F64, same_value);  /* one point 64 times */
    expect_truth(DIRECT, 64, 10, EB_F64, tiny_value);
    expect_truth(DIRECT, 64, 150, EB_F64, huge_value); /* sums overflow, and exceed every ε with a finite square */
}

/* From 16 dimensions on bytes filter first, where the CPU multiplies them. */
TEST(hostile_values_for_a_filter_of_bytes)
{
    expect_truth(FILTER, 120, 20, EB_F64, distant_value);
    expect_truth(FILTER, 90, 19, EB_F64, mixed_value);
    expect_truth(FILTER, 64, 18, EB_F64, small_value);
    expect_truth(FILTER, 64, 16, EB_F64, same_value);
    expect_truth(FILTER, 200, 16, EB_F32, outlying_value);   /* clipped, or too coarse for all others */
    expect_truth(FILTER, 150, 37, EB_F32, rising_value);     /* from clipped to hardly moved */
    expect_truth(FILTER, 1030, 16, EB_F32, clustered_value); /* two blocks of columns */
    expect_truth(FILTER, 60, 1100, EB_F32, uniform_value);   /* two slices of bytes */
}

/* FP32 distances drop no pair that is as far as its limit, and all that are clearly farther. */
TEST(pairs_at_their_limit_are_kept)
{
    enum { POINTS = 60 };
    for (size_t d = 1; eb_cpu_multiplies_bytes() && d < 900; d += 1 + d / 2) {
        eb_dataset ds = make(POINTS, d, EB_F32, d % 2 ? uniform_value : outlying_value);
        uint32_t rows[POINTS], columns[POINTS];
        double limit[POINTS];
        for (uint32_t i = 0; i < POINTS; i++)
            for (int closer = 0; closer < 2; closer++) {
                for (uint32_t j = 0; j < POINTS; j++) {
                    rows[j] = i;
                    columns[j] = j;
                    limit[j] = eb_truth_distance2(&ds, i, j) * (closer ? 0.999 : 1);
                }
                assert_int_equal(eb_ref64_keep_near_vnni(&ds, rows, columns, limit, POINTS), closer ? 1 : POINTS);
                assert_int_equal(columns[0], closer ? i : 0); /* to itself the distance is 0 */
            }
        free((void *)(uintptr_t)ds.rows);
    }
}

TEST(flags_leave_paths_out)
{
    static const struct {
        eb_dtype dtype;
        const char *items, *path;
    } cases[] = {
        {EB_U8, "-filter", INTEGERS},  {EB_U8, "-integers", DIRECT}, /* bytes have no FP32 filter */
        {EB_F32, "-integers", FILTER}, {EB_F32, "-filter", INTEGERS},
        {EB_F32, "-i,-f", DIRECT},     {EB_U8, "-bytes", "integers, exact (16 bits"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const cpu_variant variant = {&eb_engine_ref64, cases[k].items};
        eb_dataset ds = make(90, 11, cases[k].dtype, byte_value);
        const eb_problem problem = eb_self_join(&ds);
        opened o = {.ds = &ds, .truth = truth_of(&ds)};
        open_problem(&o.a, &variant, &problem, 2);
        assert_non_null(strstr(o.a.setup.run->describe(o.a.opened.state), cases[k].path));
        expect_join(&o, 250, 0, ds.n);
        close_problem(&o.a);
        free((void *)(uintptr_t)o.truth);
        free((void *)(uintptr_t)ds.rows);
    }
}

TEST(it_says_what_it_is)
{
    const cpu_variant variant = {&eb_engine_ref64, ""};
    eb_dataset ds = make(100, 10, EB_F32, uniform_value);
    const eb_problem problem = eb_self_join(&ds);
    const eb_device cuda = {.kind = EB_DEVICE_CUDA, .name = "cuda:0"};
    eb_status status = {.message = ""};
    asked a;
    open_problem(&a, &variant, &problem, 1);
    assert_int_equal(a.setup.run->probe(&a.setup.device, &a.setup.options, &status), EB_OK);
    assert_int_equal(a.setup.run->probe(&cuda, &a.setup.options, &status), EB_NO_DEVICE);
    assert_int_equal(eb_engine_ref64.exactness, EB_TRUTH);
    (void)count_all(&a, 1);
    assert_true(eb_figures_value(&a.opened.figures, "executed_flops") == 100.0 * 99 * 10);
    assert_true(a.setup.run->memory_needed(4000, 784, EB_U8) >= 2u * 4000 * 784);
    assert_true(a.setup.run->memory_needed(2147483647, 65536, EB_F64) > (uint64_t)1 << 48);
    close_problem(&a);
    a.setup.run->close(NULL);
    free((void *)(uintptr_t)ds.rows);
}

TEST(an_epsilon_that_is_no_distance_is_refused)
{
    static const double wrong[] = {-0.5, NAN};
    const cpu_variant variant = {&eb_engine_ref64, ""};
    eb_dataset ds = make(20, 9, EB_F32, uniform_value);
    const eb_problem problem = eb_self_join(&ds);
    const eb_share whole = eb_share_whole(&problem);
    asked a;
    open_problem(&a, &variant, &problem, 1);
    for (size_t k = 0; k < 2; k++) {
        uint64_t entries = 0;
        const eb_question question = {.eps = wrong[k]};
        assert_int_equal(a.setup.run->count(a.opened.state, &question, &whole, &entries, NULL), EB_USAGE);
    }
    close_problem(&a);
    free((void *)(uintptr_t)ds.rows);
}

RUN_TESTS
