/* Tests of the report on one pair: the rung's distance equals the engine's bit for bit, the parts add up, the blocks'
 * losses equal the product's error, the bits of numbers are those of their types, and no certificate contradicts FP64.
 */
#include <math.h>

#include "core/data/scaling.h"
#include "kernels/certified/pair.h"
#include "kernels/fasted/cpu/rung.h"
#include "kernels/tensor/cpu/pair.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/rungs.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

enum { POINTS = 24 };

static const char *const ways[] = {"tensor=sm_80", "tensor=sm_90,norms=chain", "tensor=sm_80,norms=fp64",
                                   "centre=mean,exponent=max"};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const hostile_family families[] = {HOSTILE_RANDOM, HOSTILE_CLUSTERS, HOSTILE_NEAR_DUPLICATES,
                                          HOSTILE_MIXED,  HOSTILE_WHOLE,    HOSTILE_SUBNORMAL,
                                          HOSTILE_EQUAL};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* Variants are the ways of fasted, then the rungs. */
static cpu_variant variant_of(size_t k)
{
    return k < WAYS ? (cpu_variant){&eb_engine_fasted, ways[k]} : (cpu_variant){&eb_engine_tensor, rungs[k - WAYS]};
}

static eb_rung rung_of(size_t k)
{
    const cpu_variant variant = variant_of(k);
    const eb_setup setup = setup_of(&variant, 1);
    eb_rung rung;
    if (k < WAYS)
        return eb_fasted_rung(&setup.options);
    assert_int_equal(eb_rung_of(&setup.options, &rung, NULL), EB_OK);
    return rung;
}

/* False: a coordinate is beyond the type. */
static bool explains(const eb_dataset *ds, size_t i, size_t j, double eps, size_t k, eb_pair *pair)
{
    const eb_rung rung = rung_of(k);
    eb_status status = {.message = ""};
    const eb_code failed = eb_pair_explain(&rung, "it", ds, i, j, eps, pair, &status);
    if (failed && (failed != EB_BAD_VALUE || !strstr(status.message, "set it.exponent=max")))
        fail_msg("%zu and %zu: %s", i, j, status.message);
    if (failed)
        eb_pair_free(pair);
    return !failed;
}

/* Up to FP64's roundings, which are relative to the largest term of the sums. */
static void check_sums(const eb_pair *pair, const char *what)
{
    const eb_pair_parts p = eb_pair_parts_of(pair);
    const double size = fabs(pair->end[0].exact) + fabs(pair->end[1].exact) + fabs(pair->dot), unit = pair->scale;
    const double sum = p.points + p.debias + p.norms + p.left_out + p.products + p.subtraction;
    double lost = 0, worst = 0;
    const double slack = 1e-12 * (size * unit + pair->truth2) + 1e-300;
    if (!(fabs(sum - p.whole) <= slack))
        fail_msg("%s: the parts' sum %g is not %g", what, sum, p.whole);
    for (size_t x = 0; x < pair->blocks; x++) {
        const eb_pair_block *b = &pair->block[x];
        lost += b->cut + b->rounded;
        worst = fmax(worst, fabs(b->cut) + fabs(b->rounded));
    }
    if (!eb_rung_is_float(&pair->rung) || pair->chain.promote || pair->chain.adder.halved)
        return;
    if (!(fabs(lost - (pair->taken - pair->dot)) <= 1e-12 * size + 1e-300))
        fail_msg("%s: the blocks lose %g, the product %g", what, lost, pair->taken - pair->dot);
    assert_true(fabs(pair->block[pair->worst].cut) + fabs(pair->block[pair->worst].rounded) == worst);
    assert_true((double)pair->block[pair->blocks - 1].steps.result == pair->dot);
}

static size_t check_variant(const eb_dataset *ds, size_t k)
{
    asked a;
    eb_status status = {.message = ""};
    const eb_problem problem = eb_self_join(ds);
    const cpu_variant variant = variant_of(k);
    double s[POINTS];
    size_t checked = 0;
    eb_pair pair;
    for (size_t i = 0; i < ds->n; i++) {
        if (!explains(ds, i, i, 1, k, &pair)) /* the engine refuses the points */
            return 0;
        eb_pair_free(&pair);
    }
    open_problem(&a, &variant, &problem, 1);
    for (uint32_t i = 0; i < ds->n; i += 5) {
        assert_int_equal(eb_ask_distances(&a.opened, &i, 1, s, &status), EB_OK);
        for (size_t j = 0; j < ds->n; j++) {
            assert_true(explains(ds, i, j, 0.5, k, &pair));
            if (i != j && pair.s != s[j] && !(isnan(pair.s) && isnan(s[j])))
                fail_msg("%s, d = %zu: %u and %zu: %.17g, the engine has %.17g", a.setup.spec, ds->d, i, j, pair.s,
                         s[j]);
            if (isfinite(pair.s))
                check_sums(&pair, a.setup.spec);
            checked += i != j;
            eb_pair_free(&pair);
        }
    }
    close_problem(&a);
    return checked;
}

TEST(its_distance_is_the_engines_and_its_parts_add_up)
{
    static const size_t dims[] = {1, 3, 8, 16, 17, 40, 100, 150};
    for (size_t k = 0; k < WAYS + RUNGS; k++) {
        size_t checked = 0;
        for (size_t f = 0; f < FAMILIES; f++) {
            const size_t d = dims[(f + 3 * k) % 8];
            if (EB_SANITIZED && (f + k) % 3)
                continue;
            eb_dataset *ds = hostile_points(families[f], k % 2 ? EB_F32 : EB_F64, POINTS, d, f * 100 + k);
            checked += eb_scaling_of(ds, ds).exponent == 0 ? check_variant(ds, k) : 0;
            eb_dataset_free(ds);
        }
        assert_true(checked > 100);
    }
}

/* Radii approach the pair's distance from both sides. */
TEST(certificates_say_what_the_truth_says)
{
    size_t said[3] = {0};
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t i = 1; i < POINTS; i++) {
            eb_dataset *ds = hostile_points(families[f], EB_F32, POINTS, 1 + 3 * i, f * 1000 + i);
            const double truth = eb_truth_distance2(ds, 0, i), distance = sqrt(truth);
            const eb_rung rung = rung_of(i % WAYS);
            for (int e = -60; e < 4 && eb_scaling_of(ds, ds).exponent == 0; e++) {
                const double eps = fmax(0, distance * (1 + (e % 2 ? -1 : 1) * ldexp(1, e)));
                const bool near = truth <= eb_squared_threshold(eps);
                eb_certificate c;
                assert_int_equal(eb_certificate_of(ds, 0, i, eps, &rung.adder, &c, NULL), EB_OK);
                assert_false(c.verdict == EB_RULED_OUT && near);
                assert_false(c.verdict == EB_SURE && !near);
                said[c.verdict]++;
            }
            eb_dataset_free(ds);
        }
    assert_true(said[EB_RULED_OUT] > 100 && said[EB_SURE] > 100 && said[EB_LEFT_OPEN] > 100);
}

TEST(what_a_type_cannot_hold_is_refused)
{
    float values[2][3] = {{1, 2, 3}, {1, 70000, 3}};
    eb_dataset ds = {.n = 2, .d = 3, .dtype = EB_F32, .rows = (void *)values, .stride = sizeof values[0]};
    const eb_rung rung = rung_of(0);
    eb_pair pair;
    eb_status status = {.message = ""};
    assert_int_equal(eb_pair_explain(&rung, "it", &ds, 0, 1, 1, &pair, &status), EB_BAD_VALUE);
    assert_string_equal(status.message, "row 1, column 1 of the points: 70000 is beyond the greatest number of FP16, "
                                        "65504; `set it.exponent=max` lets it scale the points");
    eb_pair_free(&pair);
    ds.greatest = 1e300;
    ds.least = 1;
    assert_int_equal(eb_pair_explain(&rung, "it", &ds, 0, 1, 1, &pair, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "exceed FP64's range"));
    eb_pair_free(&pair);
}

RUN_TESTS
