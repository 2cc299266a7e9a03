/* Tests of engines in epsilon grid order. With verdicts by the exact distance their tables are exact bit for bit, on
 * hostile points, for all instruction sets, walks and shares, and for two sets. With the authors' sums they give that
 * arithmetic's pairs and sums. Points within ε lie in neighbouring cells. */
#include <float.h>

#include "kernels/grid_order/cells.h"
#include "kernels/walk/isa.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/join_entries.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

extern const eb_engine eb_engine_ego, eb_engine_hilbert;

static const cpu_variant truths[] = {
    {&eb_engine_ego, "f64,decide=truth"},
    {&eb_engine_ego, "f64,decide=truth,leaf=32"},
    {&eb_engine_ego, "f64,decide=truth,-reorder,leaf=128"},
    {&eb_engine_hilbert, "decide=truth"},
    {&eb_engine_hilbert, "decide=truth,order=canonic"},
    {&eb_engine_hilbert, "decide=truth,stripes=2"},
};
enum { TRUTHS = sizeof truths / sizeof truths[0] };

/* Consecutive variants of the same engine and type compute the same sums. */
static const cpu_variant originals[] = {
    {&eb_engine_ego, "type=f64"},
    {&eb_engine_ego, "type=f64,leaf=32"},
    {&eb_engine_ego, "type=f32"},
    {&eb_engine_ego, "type=f32,leaf=256"},
    {&eb_engine_hilbert, "type=f64"},
    {&eb_engine_hilbert, "type=f64,order=canonic"},
    {&eb_engine_hilbert, "type=f64,stripes=1"},
    {&eb_engine_hilbert, "type=f32"},
    {&eb_engine_hilbert, "type=f32,order=canonic,stripes=3"},
};
enum { ORIGINALS = sizeof originals / sizeof originals[0] };

static const cpu_variant reference = {&eb_engine_ref64, ""};
static const char *const isas[] = {"base", "avx2", "avx512"};

/* ---- exact verdicts ---- */

static void expect_truth(const cpu_variant *variant, const eb_dataset *ds, double eps, unsigned threads,
                         const char *what)
{
    const eb_setup setup = setup_of(variant, threads);
    eb_status status = {.message = ""};
    bool refused = false;
    assert_int_equal(eb_setup_exactness(&setup), EB_TRUTH);
    if (!hostile_holds(&setup, ds, eps, EB_DISTANCES_F64, NULL, &refused, &status) &&
        !(refused && status.code == EB_BAD_VALUE))
        fail_msg("%s, %s: %s, %zu × %zu, ε = %.17g: %s", setup.spec, eb_isa_name(eb_cpu_isa()), what, ds->n, ds->d, eps,
                 status.message);
}

TEST(hostile_points_by_every_walk)
{
    static const size_t sizes[][2] = {{1, 1}, {2, 3}, {33, 1}, {97, 3}, {130, 5}, {64, 17}, {300, 2}, {70, 90}};
    size_t round = 0;
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++)
        for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
            uint64_t seed = f * 100 + z;
            if (left_out(f + z))
                continue;
            eb_dataset *ds = hostile_points(f, z % 2 ? EB_F32 : EB_F64, sizes[z][0], sizes[z][1], seed);
            for (unsigned r = 0; r < HOSTILE_RADII; r++) {
                const double eps = hostile_eps(ds, r, &seed);
                assert_int_equal(setenv("EPSBENCH_ISA", isas[round++ % 3], 1), 0);
                for (size_t v = 0; v < TRUTHS; v++)
                    expect_truth(&truths[v], ds, eps, 1 + r % 3, hostile_name(f));
            }
            eb_dataset_free(ds);
        }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

TEST(small_cases_at_random)
{
    static const eb_dtype dtypes[] = {EB_F64, EB_F32, EB_F16, EB_U8, EB_I32};
    const char *text = getenv("EPSBENCH_CASES");
    const unsigned long cases = text ? strtoul(text, NULL, 10) : 4000;
    uint64_t seed = 1;
    for (unsigned long c = 0; c < cases; c++) {
        const hostile_family f = naive_random(&seed) % HOSTILE_FAMILIES;
        const size_t n = 1 + naive_random(&seed) % (c % 16 ? 70 : 400), d = 1 + naive_random(&seed) % 7;
        eb_dataset *ds = hostile_points(f, dtypes[c % 5], n, d, naive_random(&seed));
        const double eps = hostile_eps(ds, (unsigned)(naive_random(&seed) % HOSTILE_RADII), &seed);
        assert_int_equal(setenv("EPSBENCH_ISA", isas[c % 3], 1), 0);
        expect_truth(&truths[naive_random(&seed) % TRUTHS], ds, eps, 1, hostile_name(f));
        eb_dataset_free(ds);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

/* ---- the authors' sums ---- */

static double square_add(double t, double s, bool f32)
{
    if (!f32) {
        const volatile double square = t * t;
        return square + s;
    }
    const volatile float square = (float)t * (float)t;
    const volatile float sum = square + (float)s;
    return (double)sum;
}

/* Sums in the stored order of the dimensions. */
static double authors_sum(const eb_dataset *ds, size_t i, size_t j, bool f32)
{
    double p[16], q[16], s = 0;
    eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, p);
    eb_to_f64(ds->dtype, eb_row(ds, j), ds->d, q);
    for (size_t k = 0; k < ds->d; k++) {
        const double t = f32 ? (double)((float)p[k] - (float)q[k]) : p[k] - q[k];
        s = square_add(t, s, f32);
    }
    return s;
}

static uint64_t authors_count(const eb_dataset *ds, double eps, bool f32)
{
    uint64_t count = 0;
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = 0; j < ds->n; j++)
            count += i == j || authors_sum(ds, i, j, f32) <= eb_squared_threshold(eps);
    return count;
}

TEST(authors_sums_are_computed)
{
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++) {
        if (f == HOSTILE_OUTLIER || f == HOSTILE_SUBNORMAL)
            continue; /* the engine would receive scaled points */
        eb_dataset *ds = hostile_points(f, EB_F64, 150, 3, f);
        uint64_t seed = f;
        for (unsigned r = 0; r < HOSTILE_RADII; r++) {
            const double eps = hostile_eps(ds, r, &seed);
            const eb_problem problem = eb_self_join(ds);
            for (unsigned f32 = 0; f32 < 2; f32++) {
                const cpu_variant stored = {&eb_engine_ego, f32 ? "type=f32,-reorder" : "f64,-reorder"};
                asked a;
                assert_int_equal(setenv("EPSBENCH_ISA", isas[r % 3], 1), 0);
                open_problem(&a, &stored, &problem, 1);
                assert_int_equal(count_all(&a, eps), authors_count(ds, eps, f32));
                close_problem(&a);
            }
        }
        eb_dataset_free(ds);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

static bool computes_as_before(size_t v)
{
    return v > 0 && originals[v].engine == originals[v - 1].engine &&
           memcmp(originals[v].items, originals[v - 1].items, strlen("type=f64")) == 0;
}

/* Equal sums give equal pairs for all walks, numbers of threads and sets. */
TEST(walks_agree)
{
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F64, 3000, 11, 3);
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = 0.8};
    const eb_share whole = eb_share_whole(&problem);
    join_entries expected = {.entry = NULL};
    for (size_t v = 0; v < ORIGINALS; v++) {
        asked a;
        assert_int_equal(setenv("EPSBENCH_ISA", isas[v % 3], 1), 0);
        open_problem(&a, &originals[v], &problem, 1 + (unsigned)v % 3);
        join_entries found = entries_of(&a.opened, &question, &whole);
        assert_int_equal(eb_setup_exactness(&a.setup), EB_APPROXIMATE);
        assert_int_equal(count_all(&a, question.eps), found.count + ds->n);
        close_problem(&a);
        if (computes_as_before(v))
            assert_same_entries(&found, &expected, originals[v].engine->name, originals[v].items);
        free_entries(&expected);
        expected = found;
    }
    free_entries(&expected);
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
    eb_dataset_free(ds);
}

/* ---- shares, sets, intervals, distances ---- */

static void expect_share(asked *found, asked *truth, const eb_question *question, const eb_share *rows, unsigned parts)
{
    join_entries entries = {.entry = NULL}, expected = entries_of(&truth->opened, question, rows);
    uint64_t counted = 0, all = count_of(truth, question, rows);
    for (unsigned part = 0; part < parts; part++) {
        const eb_share share = {rows->row_begin, rows->row_end, part, parts, NULL};
        add_share(&found->opened, question, &share, &entries);
        counted += count_of(found, question, &share);
    }
    finish_entries(&entries);
    assert_same_entries(&entries, &expected, found->setup.spec, "shares");
    assert_int_equal(counted, all);
    free_entries(&entries);
    free_entries(&expected);
}

TEST(shares_of_one_set_and_two)
{
    static const size_t ranges[][2] = {{0, 1200}, {0, 400}, {399, 400}, {700, 1200}, {5, 5}};
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F64, 1200, 4, 1);
    eb_dataset *other = hostile_points(HOSTILE_CLUSTERS, EB_F64, 700, 4, 1);
    const eb_problem problems[] = {eb_self_join(ds), {.left = ds, .right = other}};
    const eb_question question = {.eps = 0.3};
    for (size_t p = 0; p < 2; p++)
        for (size_t v = 0; v < TRUTHS; v++) {
            asked found, truth;
            open_problem(&found, &truths[v], &problems[p], 3);
            open_problem(&truth, &reference, &problems[p], 1);
            for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
                const eb_share rows = eb_share_rows(ranges[k][0], ranges[k][1]);
                expect_share(&found, &truth, &question, &rows, k % 2 ? 1 : 3);
            }
            close_problem(&found);
            close_problem(&truth);
        }
    eb_dataset_free(ds);
    eb_dataset_free(other);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

TEST(passes_of_intervals)
{
    eb_dataset *ds = hostile_points(HOSTILE_WHOLE, EB_F64, 900, 3, 1);
    const eb_problem problem = eb_self_join(ds);
    const double edges[] = {1, 2.5, 3, 6};
    const bool keep[] = {true, false, true, false};
    for (size_t v = 0; v < TRUTHS; v++) {
        const cpu_variant *variants[] = {&truths[v], &reference};
        uint64_t pairs[2][4];
        double *kept[2][4];
        for (size_t w = 0; w < 2; w++) {
            eb_distance_pass pass = {.edges = 4, .eps = edges, .keep = keep, .pairs = pairs[w], .kept = kept[w]};
            asked a;
            open_problem(&a, variants[w], &problem, 2);
            assert_int_equal(a.setup.run->histogram(a.opened.state, &pass, NULL), EB_OK);
            close_problem(&a);
        }
        assert_memory_equal(pairs[0], pairs[1], sizeof pairs[0]);
        for (size_t e = 0; e < 4; e++) {
            for (size_t w = 0; w < 2 && keep[e]; w++)
                qsort(kept[w][e], pairs[w][e], sizeof(double), ascending);
            if (keep[e])
                assert_memory_equal(kept[0][e], kept[1][e], pairs[0][e] * sizeof(double));
            free(kept[0][e]);
            free(kept[1][e]);
        }
    }
    eb_dataset_free(ds);
}

TEST(distances_before_and_after_a_question)
{
    eb_dataset *ds = hostile_points(HOSTILE_MIXED, EB_F64, 777, 6, 1);
    const eb_problem problem = eb_self_join(ds);
    const uint32_t rows[] = {0, 776, 300};
    double *out = malloc(3 * ds->n * sizeof *out);
    assert_non_null(out);
    for (size_t v = 0; v < TRUTHS; v++) {
        asked a;
        open_problem(&a, &truths[v], &problem, 2);
        for (unsigned again = 0; again < 2; again++) {
            assert_int_equal(a.setup.run->distances(a.opened.state, rows, 3, out, NULL), EB_OK);
            for (size_t q = 0; q < 3; q++)
                for (size_t j = 0; j < ds->n; j++)
                    assert_true(out[q * ds->n + j] == (rows[q] == j ? 0 : eb_truth_distance2(ds, rows[q], j)));
            (void)count_all(&a, 0.1);
        }
        const uint32_t none = 777;
        assert_int_equal(a.setup.run->distances(a.opened.state, &none, 1, out, NULL), EB_INTERNAL);
        close_problem(&a);
    }
    free(out);
    eb_dataset_free(ds);
}

/* ---- refusals, cancelling, reports ---- */

TEST(what_it_does_not_do_is_refused)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 50, 2, 1);
    double values[] = {1, 2, 3, 1e39};
    const eb_dataset large = {.n = 2, .d = 2, .dtype = EB_F64, .rows = (void *)values, .stride = 2 * sizeof *values};
    const eb_problem problem = eb_self_join(ds), beyond = eb_self_join(&large);
    static const cpu_variant single = {&eb_engine_ego, "type=f32"},
                             both = {&eb_engine_hilbert, "type=f32,decide=truth"};
    eb_setup setup = setup_of(&single, 1);
    const eb_setup impossible = setup_of(&both, 1);
    eb_status status;
    eb_opened opened;
    assert_int_equal(eb_problem_open(&setup, &beyond, NULL, &opened, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "row 1, column 1"));
    setup.resources.memory_limit = 1000;
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &opened, &status), EB_NO_MEMORY);
    assert_int_equal(impossible.run->probe(&impossible.device, &impossible.options, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "type=f64"));
    eb_dataset_free(ds);
}

static eb_code cancel_and_count(eb_job *job, void *argument, eb_status *status)
{
    asked *a = argument;
    const eb_question question = {.eps = 0.1};
    const eb_share all = eb_share_whole(&a->opened.problem);
    uint64_t entries;
    a->opened.context.job = job;
    eb_job_phase(job, "join", all.row_end);
    assert_int_equal(eb_ask_count(&a->opened, &question, &all, &entries, status), EB_OK);
    assert_int_equal(eb_job_progress(job).done, all.row_end);
    eb_job_cancel(job);
    return eb_ask_count(&a->opened, &question, &all, &entries, status);
}

TEST(a_cancel_is_heard_and_figures_are_told)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 2000, 2, 1);
    const eb_problem problem = eb_self_join(ds);
    for (size_t v = 0; v < ORIGINALS; v++) {
        eb_job *job = NULL;
        asked a;
        open_problem(&a, &originals[v], &problem, 2);
        assert_int_equal(eb_job_start(cancel_and_count, &a, &job, NULL), EB_OK);
        assert_int_equal(eb_job_finish(job, NULL), EB_CANCELLED);
        a.opened.context.job = NULL;
        assert_true(eb_figures_value(&a.opened.figures, "index_s") > 0);
        assert_in_range(eb_figures_value(&a.opened.figures, "candidates_a_point"), 8, 1000);
        assert_true(eb_figures_value(&a.opened.figures, "distances_saved") > 0.5);
        assert_true(eb_figures_value(&a.opened.figures, "circuit_depth") == 2);
        close_problem(&a);
    }
    eb_dataset_free(ds);
}

/* ---- cells ---- */

/* b: the farthest value from a with s ≤ ε·ε in the type. Its cell is a's or the next. */
static void expect_neighbours(double a, double eps, bool f32)
{
    const double side = eb_cell_side(eps, f32);
    double b = a + eps;
    for (unsigned step = 0; step < 8; step++) {
        b = f32 ? (double)nextafterf((float)b, FLT_MAX) : nextafter(b, DBL_MAX);
        const double t = f32 ? (double)((float)b - (float)a) : b - a;
        const double s = square_add(t, 0, f32);
        const int32_t from = eb_cell_of(a, side), to = eb_cell_of(b, side);
        if (s <= eb_squared_threshold(eps) && eb_cells_apart(from, from, to, to))
            fail_msg("%a and %a are within %a of each other, their cells are %d and %d", a, b, eps, from, to);
    }
}

TEST(points_within_eps_are_in_neighbouring_cells)
{
    uint64_t seed = 1;
    for (unsigned k = 0; k < 200000; k++) {
        const bool f32 = k % 2;
        const double unit = hostile_unit(&seed), eps = ldexp(0.5 + unit / 2, (int)(naive_random(&seed) % 60) - 30);
        const double cells = floor(ldexp(hostile_unit(&seed) - 0.5, (int)(naive_random(&seed) % 34)));
        const double near = (double)(int)(naive_random(&seed) % 5 - 2) * 0x1p-52;
        const double a = cells * eps * (1 + near);
        expect_neighbours(f32 ? (double)(float)a : a, f32 ? (double)(float)eps : eps, f32);
    }
    for (unsigned k = 0; k < 20; k++)
        expect_neighbours(ldexp(1, -1074 + 50 * (int)k), ldexp(1, -1074 + 50 * (int)k), false);
    assert_int_equal(eb_cell_of(1e300, eb_cell_side(1e-300, false)), 2147483646);
    assert_int_equal(eb_cell_of(-1e300, eb_cell_side(0, false)), -2147483646);
    assert_int_equal(eb_cell_of(-0.5, eb_cell_side(1, false)), -1);
    assert_int_equal(eb_cell_of(-1e300, eb_cell_side((double)INFINITY, false)), -0);
}

RUN_TESTS
