/* Tests at the limits of FP64's range and precision: CPU engines against arithmetic with more of both (__float128: 113
 * bits, exponents to ±16383). */
#include <float.h>

#include "core/accuracy/accuracy.h"
#include "core/experiment/measure.h"
#include "core/tune/tune.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

__extension__ typedef __float128 quad;

enum { REFERENCES = 4 }; /* the first variants are ref64 in its four ways */

/* ---- points and their exact distances ---- */

static eb_dataset *dataset_of(double *values, size_t n, size_t d)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = calloc(1, sizeof *ds);
    assert_non_null(ds);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F64,
                       .rows = (void *)values,
                       .stride = d * sizeof *values,
                       .release = naive_release,
                       .owner = values};
    if (eb_dataset_seal(ds, &status))
        fail_msg("%s", status.message);
    return ds;
}

/* Coordinates are multiples of 2^-40 in [0, 1), times 2^exponent: exact down to 2^-1034. */
static eb_dataset *points_at(int exponent, size_t n, size_t d, uint64_t seed)
{
    double *values = malloc(n * d * sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < n * d; k++)
        values[k] = ldexp((double)(naive_random(&seed) >> 24), exponent - 40);
    return dataset_of(values, n, d);
}

static const double *point(const eb_dataset *ds, size_t i) { return (const double *)(const void *)eb_row(ds, i); }

static quad squared_between(const eb_dataset *left, size_t i, const eb_dataset *right, size_t j)
{
    quad s = 0;
    for (size_t k = 0; k < left->d; k++) {
        quad t = (quad)point(left, i)[k] - (quad)point(right, j)[k];
        s += t * t;
    }
    return s;
}

static uint64_t true_pairs(const eb_dataset *left, const eb_dataset *right, double eps)
{
    uint64_t pairs = 0;
    for (size_t i = 0; i < left->n; i++)
        for (size_t j = 0; j < right->n; j++)
            pairs += squared_between(left, i, right, j) <= (quad)eps * (quad)eps;
    return pairs;
}

/* ---- an engine's answers ---- */

typedef struct answer {
    eb_code code;
    uint64_t counted, stored;
    eb_status status;
} answer;

static eb_code measure(const cpu_variant *variant, const eb_problem *problem, double eps, eb_run_mode mode, eb_run *run,
                       eb_status *status)
{
    const eb_setup setup = setup_of(variant, 2);
    eb_measure_request request = {.setup = &setup,
                                  .problem = *problem,
                                  .eps = eps,
                                  .mode = mode,
                                  .trials = 1,
                                  .warm_up = EB_WARM_UP_FULL,
                                  .distances = EB_DISTANCES_F64};
    return eb_measure(&request, NULL, NULL, run, status);
}

static answer ask(const cpu_variant *variant, const eb_dataset *left, const eb_dataset *right, double eps)
{
    const eb_problem problem = {.left = left, .right = right};
    answer a = {.code = EB_OK};
    eb_run count, table = {.trials_done = 0};
    a.code = measure(variant, &problem, eps, EB_RUN_COUNT, &count, &a.status);
    a.counted = count.pairs;
    if (!a.code && eb_is_self_join(&problem)) {
        a.code = measure(variant, &problem, eps, EB_RUN_TABLE, &table, &a.status);
        a.stored = table.pairs;
    } else {
        a.stored = a.counted;
    }
    eb_run_free(&count);
    eb_run_free(&table);
    return a;
}

static double tuned(const cpu_variant *variant, const eb_dataset *ds, double selectivity)
{
    const eb_setup setup = setup_of(variant, 2);
    eb_status status = {.message = ""};
    eb_curve curve = {.points = 0};
    eb_target target = {.wanted = selectivity};
    unsigned passes;
    if (eb_tune_dataset(&setup, ds, 8, 1, &curve, &target, 1, &passes, NULL, &status))
        fail_msg("%s: %s", setup.spec, status.message);
    eb_curve_free(&curve);
    return target.eps;
}

/* ---- tests ---- */

static const int exponents[] = {0,    300,  501,  502,  503,  511,  512,  664,  1000,
                                1020, -300, -450, -470, -500, -537, -565, -900, -1034};
enum { EXPONENTS = sizeof exponents / sizeof exponents[0] };

/* Scaling points and ε by a power of two changes no pair; of ε and the distances it changes only the exponent. */
TEST(a_power_of_two_changes_nothing)
{
    for (size_t d = 1; d <= 64; d += d < 8 ? 6 : 57) {
        eb_dataset *base = points_at(0, 70, d, d);
        for (size_t v = 0; v < REFERENCES; v++) {
            const double exact = tuned(&cpu_variants[v], base, 12.2),
                         eps = exact * (1 + 0x1p-30); /* away from the tie */
            const uint64_t pairs = true_pairs(base, base, eps);
            for (size_t x = 0; x < EXPONENTS; x++) {
                eb_dataset *ds = points_at(exponents[x], 70, d, d);
                /* A subnormal ε is rounded to a multiple of 2^-1074. */
                const double there =
                    exponents[x] < -1000 ? ldexp(ceil(ldexp(eps, 40)), exponents[x] - 40) : ldexp(eps, exponents[x]);
                answer a = ask(&cpu_variants[v], ds, ds, there);
                assert_int_equal(a.code, EB_OK);
                assert_true(a.counted == a.stored && a.counted == true_pairs(ds, ds, there));
                if (exponents[x] >= -1000) {
                    assert_true(a.counted == pairs);
                    assert_true(tuned(&cpu_variants[v], ds, 12.2) == ldexp(exact, exponents[x]));
                }
                eb_dataset_free(ds);
            }
        }
        eb_dataset_free(base);
    }
}

TEST(distances_are_those_of_the_points_as_they_were)
{
    eb_dataset *base = points_at(0, 60, 7, 3);
    for (size_t x = 0; x < EXPONENTS && exponents[x] > -1000; x++) {
        eb_dataset *ds = points_at(exponents[x], 60, 7, 3);
        const eb_problem problem = eb_self_join(ds);
        eb_status status;
        eb_run run;
        assert_int_equal(measure(&cpu_variants[0], &problem, ldexp(1, exponents[x]), EB_RUN_TABLE, &run, &status),
                         EB_OK);
        for (size_t i = 0; i < ds->n; i++)
            for (uint64_t k = run.table->offsets[i]; k < run.table->offsets[i + 1]; k++) {
                size_t j = run.table->columns[k];
                double expected = ldexp(sqrt(eb_truth_distance2(base, i, j)), exponents[x]);
                assert_true(run.table->distances[k] == expected && eb_truth_distance(ds, i, j) == expected);
            }
        assert_true((strstr(run.note, "times 2^") != NULL) == (exponents[x] > 502 || exponents[x] < -400));
        eb_run_free(&run);
        eb_dataset_free(ds);
    }
    eb_dataset_free(base);
}

/* Coordinates of any exponent; ε lies near a distance. */
static eb_dataset *wild_points(uint64_t *seed)
{
    size_t n = 2 + naive_random(seed) % 30, d = 1 + naive_random(seed) % 5;
    int middle = (int)(naive_random(seed) % 2098) - 1074, span = (int)(naive_random(seed) % 1100);
    double *values = malloc(n * d * sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < n * d; k++) {
        int exponent = middle + (span ? (int)(naive_random(seed) % (unsigned)span) - span / 2 : 0);
        double x = ldexp(1 + (double)(naive_random(seed) >> 12) * 0x1p-52, exponent);
        values[k] = x <= DBL_MAX ? x : DBL_MAX;
        if (k >= d && naive_random(seed) % 2)
            values[k] = naive_random(seed) % 4 ? values[k % d] : 0;
    }
    bool shared = naive_random(seed) % 4 == 0; /* a large coordinate that all points share, and that cancels */
    for (size_t i = 0; shared && i < n; i++)
        values[i * d] = ldexp(1, middle < -50 ? 950 + middle % 50 : middle > 1023 ? 1023 : middle);
    return dataset_of(values, n, d);
}

/* Returns an ε at least 0.1 % away from all distances, so that rounding changes no verdict. 0: no such ε found. */
static double eps_near_a_distance(const eb_dataset *ds, uint64_t *seed)
{
    size_t i = naive_random(seed) % ds->n, j = naive_random(seed) % ds->n;
    double eps = eb_truth_distance(ds, i, j) * (naive_random(seed) % 2 ? 1.001 : 0.999);
    if (!(eps > 0x1p-1060 && eps <= DBL_MAX))
        return 0;
    for (i = 0; i < ds->n; i++)
        for (j = 0; j < i; j++) {
            quad s = squared_between(ds, i, ds, j), wanted = (quad)eps * (quad)eps;
            if (s > wanted * (quad)0.999999 && s < wanted * (quad)1.000001)
                return 0;
        }
    return eps;
}

TEST(wild_points_get_the_right_answer_or_a_refusal)
{
    uint64_t seed = 11;
    unsigned right = 0, refused = 0;
    for (unsigned round = 0; round < 3000; round++) {
        eb_dataset *ds = wild_points(&seed);
        double eps = eps_near_a_distance(ds, &seed);
        if (eps > 0) {
            answer a = ask(&cpu_variants[round % REFERENCES], ds, ds, eps);
            if (a.code) {
                assert_int_equal(a.code, EB_BAD_VALUE);
                assert_non_null(strstr(a.status.message, "too small for these points"));
                assert_true(eps < eb_scaling_of(ds, ds).least_eps && ds->greatest / 0x1p900 > ds->least);
            } else if (a.counted != true_pairs(ds, ds, eps) || a.stored != a.counted) {
                fail_msg("round %u: %llu and %llu pairs of %llu", round, (unsigned long long)a.counted,
                         (unsigned long long)a.stored, (unsigned long long)true_pairs(ds, ds, eps));
            }
            right += !a.code;
            refused += a.code != EB_OK;
        }
        eb_dataset_free(ds);
    }
    if (right < 1000 || refused < 10)
        fail_msg("%u answered, %u refused: too few to tell", right, refused);
}

TEST(two_sets_share_one_scale)
{
    const int apart[][2] = {{664, 660}, {600, 10}, {-565, -560}, {-565, 0}, {0, 512}, {-1034, -600}};
    for (size_t x = 0; x < sizeof apart / sizeof apart[0]; x++) {
        eb_dataset *left = points_at(apart[x][0], 50, 4, 1), *right = points_at(apart[x][1], 40, 4, 2);
        for (int e = apart[x][0] - 4; e < apart[x][0] + 4; e++) {
            answer a = ask(&cpu_variants[x % REFERENCES], left, right, ldexp(1.1, e));
            assert_int_equal(a.code, EB_OK);
            assert_true(a.counted == true_pairs(left, right, ldexp(1.1, e)));
        }
        eb_dataset_free(left);
        eb_dataset_free(right);
    }
}

/* Every pair is within the largest ε or an infinite one. Two points as far apart as FP64's range are within no smaller
 * ε. */
TEST(epsilon_at_the_end_of_the_range)
{
    for (size_t x = 0; x < EXPONENTS; x++) {
        eb_dataset *ds = points_at(exponents[x], 40, 3, 9);
        for (size_t v = 0; v < REFERENCES; v++) {
            assert_true(ask(&cpu_variants[v], ds, ds, DBL_MAX).counted == 1600);
            assert_true(ask(&cpu_variants[v], ds, ds, INFINITY).counted == 1600);
            assert_true(ask(&cpu_variants[v], ds, ds, 0x1.7p1020).counted == true_pairs(ds, ds, 0x1.7p1020));
            assert_true(ask(&cpu_variants[v], ds, ds, 0).counted == 40);
            assert_true(ask(&cpu_variants[v], ds, ds, 0x1p-1074).counted == true_pairs(ds, ds, 0x1p-1074));
        }
        eb_dataset_free(ds);
    }
    double *values = malloc(2 * sizeof *values);
    assert_non_null(values);
    values[0] = DBL_MAX;
    values[1] = -DBL_MAX;
    eb_dataset *ends = dataset_of(values, 2, 1);
    assert_true(ask(&cpu_variants[0], ends, ends, DBL_MAX).counted == 2);
    eb_dataset_free(ends);
}

TEST(many_dimensions_do_not_overflow)
{
    enum { D = EB_MAX_DIMENSIONS };
    double *values = malloc(2ull * D * sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < D; k++) {
        values[k] = 0x1.fffffp501;
        values[D + k] = -0x1.fffffp501;
    }
    eb_dataset *ds = dataset_of(values, 2, D);
    assert_int_equal(eb_scaling_of(ds, ds).exponent, 0);
    for (size_t v = 0; v < REFERENCES; v++) {
        assert_true(ask(&cpu_variants[v], ds, ds, 0x1.ffffep510).counted == 2);
        assert_true(ask(&cpu_variants[v], ds, ds, 0x1.fffff8p510).counted == 4);
    }
    eb_dataset_free(ds);
}

/* One subnormal coordinate does not affect the other points' join; an ε of its size is refused. */
TEST(a_lonely_subnormal)
{
    eb_dataset *ds = points_at(0, 80, 3, 5);
    double *values = (double *)ds->owner;
    values[4] = 0x1p-1074;
    assert_int_equal(eb_dataset_seal(ds, NULL), EB_OK);
    for (size_t v = 0; v < REFERENCES; v++) {
        assert_true(ask(&cpu_variants[v], ds, ds, 0.25).counted == true_pairs(ds, ds, 0.25));
        assert_true(ask(&cpu_variants[v], ds, ds, 1e-290).counted == 80);
        answer tiny = ask(&cpu_variants[v], ds, ds, 1e-300), zero = ask(&cpu_variants[v], ds, ds, 0);
        assert_int_equal(tiny.code, EB_BAD_VALUE);
        assert_int_equal(zero.code, EB_BAD_VALUE);
        double eps = tuned(&cpu_variants[v], ds, 5);
        assert_true(ask(&cpu_variants[v], ds, ds, eps).counted >= 80 * 6);
    }
    eb_dataset_free(ds);
}

TEST(errors_far_out_have_a_deviation)
{
    const int far[] = {0, 700, -700};
    eb_accuracy a[3];
    for (size_t x = 0; x < 3; x++) {
        eb_dataset *ds = points_at(far[x], 60, 5, 3);
        const eb_problem problem = eb_self_join(ds);
        eb_status status;
        eb_run truth, other;
        assert_int_equal(measure(&cpu_variants[0], &problem, ldexp(1, far[x]), EB_RUN_TABLE, &truth, &status), EB_OK);
        assert_int_equal(measure(&cpu_variants[1], &problem, ldexp(1, far[x]), EB_RUN_TABLE, &other, &status), EB_OK);
        for (uint64_t k = 0; k < other.table->offsets[ds->n]; k++)
            other.table->distances[k] *= 1 + (double)(k % 7) * 0x1p-10;
        eb_accuracy_request request = {.dataset = ds,
                                       .eps = ldexp(1, far[x]),
                                       .fast = other.table,
                                       .truth = truth.table,
                                       .threads = 2};
        assert_int_equal(eb_accuracy_compute(&request, NULL, &a[x], &status), EB_OK);
        assert_true(a[x].error_std == ldexp(a[0].error_std, far[x]) && a[x].error_std > 0);
        assert_true(a[x].error_mean == ldexp(a[0].error_mean, far[x]));
        assert_true(a[x].error_max == ldexp(a[0].error_max, far[x]));
        assert_true(a[x].boundary[3].dist_true == ldexp(a[0].boundary[3].dist_true, far[x]));
        eb_run_free(&truth);
        eb_run_free(&other);
        eb_dataset_free(ds);
    }
    for (size_t x = 0; x < 3; x++)
        eb_accuracy_free(&a[x]);
}

/* ---- pairs that FP64 cannot decide ---- */

/* A centre and points around it at distance 1, up to rounding of their FP64 coordinates. */
static eb_dataset *sphere(size_t n, size_t d, uint64_t seed)
{
    double *values = calloc(n * d, sizeof *values);
    assert_non_null(values);
    for (size_t i = 1; i < n; i++) {
        double *p = values + i * d, length = 0;
        for (size_t k = 0; k < d; k++) {
            p[k] = (double)(naive_random(&seed) >> 11) * 0x1p-53 - 0.5;
            length += p[k] * p[k];
        }
        for (size_t k = 0; k < d; k++)
            p[k] /= sqrt(length);
    }
    return dataset_of(values, n, d);
}

TEST(undecided_pairs_are_all_counted)
{
    unsigned misjudged = 0;
    for (size_t d = 2; d < 40; d += 9)
        for (size_t v = 0; v < REFERENCES; v++) {
            eb_dataset *ds = sphere(300, d, d);
            const eb_problem problem = eb_self_join(ds);
            eb_status status;
            eb_run run;
            assert_int_equal(measure(&cpu_variants[v], &problem, 1, EB_RUN_TABLE, &run, &status), EB_OK);
            double error = eb_figures_value(&run.trials[0], "truth_error");
            double found = eb_figures_value(&run.trials[0], "undecided_found");
            double missed = eb_figures_value(&run.trials[0], "undecided_missed");
            unsigned wrongly_in = 0, wrongly_out = 0, near_in = 0, near_out = 0;
            assert_true(error > (double)d * 0x1p-54 && error < (double)(d + 9) * 0x1p-54);
            for (size_t i = 0; i < ds->n; i++)
                for (size_t j = 0; j < i; j++) {
                    bool in = eb_truth_distance2(ds, i, j) <= 1;
                    quad s = squared_between(ds, i, ds, j), off = s > 1 ? s - 1 : 1 - s;
                    wrongly_in += in && s > 1;
                    wrongly_out += !in && s <= 1;
                    near_in += in && off <= (quad)(2 * error + 0x1p-49);
                    near_out += !in && off <= (quad)(2 * error + 0x1p-49);
                }
            assert_true(found >= wrongly_in && found <= near_in && missed >= wrongly_out && missed <= near_out);
            assert_true(found > 50 && found + missed >= 299);
            misjudged += wrongly_in + wrongly_out;
            eb_run_free(&run);
            eb_dataset_free(ds);
        }
    assert_true(misjudged > 100); /* FP64 does misjudge pairs there */
}

static double widest; /* largest ε of a question */

static eb_code join_and_remember(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                                 eb_status *status)
{
    widest = fmax(widest, question->eps);
    return setup_of(&cpu_variants[0], 2).run->join(state, question, share, sink, status);
}

/* Undecided pairs of a table are recognised by their distances; without distances, a warm-up at a larger ε is of no
 * use. */
TEST(without_distances_undecided_pairs_are_not_told)
{
    eb_dataset *ds = sphere(300, 11, 11);
    const eb_problem problem = eb_self_join(ds);
    for (int kind = 0; kind <= 1; kind++) {
        eb_setup setup = setup_of(&cpu_variants[0], 2);
        eb_implementation watched = *setup.run;
        eb_status status;
        eb_run run;
        setup.run = &watched;
        watched.join = join_and_remember;
        widest = 0;
        eb_measure_request request = {.setup = &setup,
                                      .problem = problem,
                                      .eps = 1,
                                      .mode = EB_RUN_TABLE,
                                      .trials = 2,
                                      .warm_up = EB_WARM_UP_FULL};
        request.distances = kind ? EB_DISTANCES_F64 : EB_DISTANCES_NONE;
        assert_int_equal(eb_measure(&request, NULL, NULL, &run, &status), EB_OK);
        assert_int_equal(run.table->kept, request.distances);
        assert_int_equal(widest > 1, kind);
        for (unsigned trial = 0; trial < 2; trial++) {
            assert_true(eb_figures_value(&run.trials[trial], "truth_error") > 0);
            assert_int_equal(isnan(eb_figures_value(&run.trials[trial], "undecided_found")), !kind);
            assert_int_equal(isnan(eb_figures_value(&run.trials[trial], "undecided_missed")), !kind);
        }
        eb_run_free(&run);
    }
    eb_dataset_free(ds);
}

/* Whole numbers do not round: a pair exactly at ε is decided. */
TEST(nothing_is_undecided_where_nothing_rounds)
{
    eb_dataset *whole = naive_points(200, 3, 30, 1), *eighths = naive_points(200, 3, 30, 1);
    for (size_t k = 0; k < 600; k++)
        ((float *)eighths->owner)[k] /= 8;
    for (size_t x = 0; x < 2; x++) {
        const eb_problem problem = eb_self_join(x ? eighths : whole);
        eb_status status;
        eb_run run, rounded;
        assert_int_equal(measure(&cpu_variants[0], &problem, x ? 0.625 : 5, EB_RUN_TABLE, &run, &status), EB_OK);
        assert_true(run.pairs > 400);
        assert_true(eb_figures_value(&run.trials[0], "truth_error") == 0);
        assert_true(eb_figures_value(&run.trials[0], "undecided_found") == 0);
        assert_true(eb_figures_value(&run.trials[0], "undecided_missed") == 0);
        /* If one coordinate rounds, FP64 no longer decides the pair. */
        ((float *)problem.left->owner)[0] += 0x1p-23f;
        ((float *)problem.left->owner)[0] += 0x1.000002p-20f;
        assert_int_equal(measure(&cpu_variants[0], &problem, x ? 0.625 : 5, EB_RUN_TABLE, &rounded, &status), EB_OK);
        assert_true((eb_figures_value(&rounded.trials[0], "undecided_found") > 0) ==
                    (eb_figures_value(&rounded.trials[0], "truth_error") > 0));
        eb_run_free(&run);
        eb_run_free(&rounded);
    }
    eb_dataset_free(whole);
    eb_dataset_free(eighths);
}

/* ---- points that FP16 cannot hold ---- */

static void expect_warning(eb_dataset *ds, double eps, bool expected)
{
    const eb_problem problem = eb_self_join(ds);
    eb_status status;
    eb_run fast, truth;
    assert_int_equal(measure(&cpu_variants[REFERENCES], &problem, eps, EB_RUN_TABLE, &fast, &status), EB_OK);
    assert_int_equal(measure(&cpu_variants[0], &problem, eps, EB_RUN_TABLE, &truth, &status), EB_OK);
    assert_true((fast.warning[0] != '\0') == expected);
    assert_string_equal(truth.warning, "");
    assert_true(isnan(eb_figures_value(&truth.trials[0], "fp16_shift")));
    assert_true(isnan(eb_figures_value(&fast.trials[0], "truth_error")));
    eb_run_free(&fast);
    eb_run_free(&truth);
    eb_dataset_free(ds);
}

/* n points of `d` coordinates, random multiples of `unit` below `spread` · `unit`. */
static eb_dataset *grid(size_t n, size_t d, double unit, unsigned spread)
{
    uint64_t seed = 4;
    double *values = malloc(n * d * sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < n * d; k++)
        values[k] = unit * (double)(naive_random(&seed) % spread);
    return dataset_of(values, n, d);
}

TEST(fp16_that_cannot_carry_the_points_is_told)
{
    expect_warning(grid(200, 16, 1, 256), 90, false);                  /* bytes */
    expect_warning(grid(200, 16, 1, 2048), 1, false);                  /* all integers that FP16 holds */
    expect_warning(grid(200, 16, 0x1p-24, 1024), 0, false);            /* subnormals, exact */
    expect_warning(grid(200, 16, 0x1p-40, UINT32_MAX), 0x1p-8, false); /* rounds slightly */
    expect_warning(grid(200, 2, 0x1p-20, 180 << 20), 0.0731, true);    /* degrees */
    expect_warning(grid(200, 16, 1e-13, 10000), 1e-9, true);           /* all become 0 */
    expect_warning(grid(200, 16, 1e-174, 10000), 1e-170, true);
    expect_warning(grid(200, 16, 0x1p-1074, 1000), 0x1p-1066, true);
    expect_warning(grid(200, 16, 0x1p-30, 1 << 20), 0, true); /* FP16 makes duplicates of different points */
}

static double fp16_error(double x)
{
    eb_rounding_fp16.errors(&x, 1);
    return x;
}

TEST(the_error_is_that_of_the_conversion)
{
    uint64_t seed = 8;
    for (unsigned k = 0; k < 1000000; k++) {
        double x = ldexp((double)(naive_random(&seed) >> 11), (int)(naive_random(&seed) % 60) - 53 - 40);
        if (k % 4 == 0) /* midpoints of two FP16 numbers, and their neighbours */
            x = ldexp((double)(2 * (1024 + naive_random(&seed) % 1024) + 1), (int)(naive_random(&seed) % 60) - 48) *
                (1 + (double)(k / 4 % 3) * 0x1p-52);
        x = naive_random(&seed) % 2 ? x : -x;
        assert_true(fp16_error(x) == x - (double)eb_half_to_float(eb_half_from_double(x)));
    }
    assert_true(fp16_error(0) == 0 && fp16_error(-DBL_MAX) == INFINITY && fp16_error(65520) == -INFINITY);
    assert_true(fp16_error(0x1p-1074) == 0x1p-1074 && fp16_error(65519.5) == 15.5);
}

TEST(how_far_points_move)
{
    double *values = calloc(6, sizeof *values);
    eb_status status = {.message = ""};
    eb_rounded shift;
    assert_non_null(values);
    values[0] = 3e-9, values[1] = -4e-9; /* become 0: 5e-9 */
    values[2] = 1, values[3] = 2;        /* unchanged */
    values[4] = 1 + 0x1p-12;             /* moves by 2^-12 */
    eb_dataset *ds = dataset_of(values, 3, 2);
    assert_int_equal(eb_rounding_find(&eb_rounding_fp16, ds, 1e-9, 2, NULL, &shift, &status), EB_OK);
    assert_true(shift.moved_most == 0x1p-12 && shift.moved == 2);
    assert_int_equal(eb_rounding_find(&eb_rounding_fp16, ds, 1e-8, 1, NULL, &shift, &status), EB_OK);
    assert_true(shift.moved_most == 0x1p-12 && shift.moved == 1);
    assert_int_equal(eb_rounding_find(&eb_rounding_fp16, ds, 0, 3, NULL, &shift, &status), EB_OK);
    assert_true(shift.moved == 2);
    eb_dataset_free(ds);
}

RUN_TESTS
