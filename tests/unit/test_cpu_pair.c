/* Tests of the report on one pair: FASTED's part equals the engine's bit for bit, the parts add up, the blocks' losses
 * equal the product's error, and no certificate contradicts FP64. */
#include <math.h>

#include "core/data/scaling.h"
#include "kernels/fasted/cpu/pair.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/test.h"

static const char *const options[] = {"tensor=sm_80", "tensor=sm_90", "tensor=sm_90,norms=chain",
                                      "tensor=sm_80,norms=fp64"};
static const eb_tensor tensors[] = {EB_TENSOR_SM80, EB_TENSOR_SM90, EB_TENSOR_SM90, EB_TENSOR_SM80};
static const eb_fasted_norms norms[] = {EB_NORMS_AUTHORS, EB_NORMS_AUTHORS, EB_NORMS_CHAIN, EB_NORMS_FP64};
enum { WAYS = sizeof options / sizeof options[0], POINTS = 24 };

static const hostile_family families[] = {HOSTILE_RANDOM, HOSTILE_CLUSTERS, HOSTILE_NEAR_DUPLICATES,
                                          HOSTILE_MIXED,  HOSTILE_WHOLE,    HOSTILE_SUBNORMAL,
                                          HOSTILE_EQUAL};
enum { FAMILIES = sizeof families / sizeof families[0] };

static eb_pair explained(const eb_dataset *ds, size_t i, size_t j, double eps, size_t way)
{
    eb_pair pair;
    eb_status status = {.message = ""};
    if (eb_pair_explain(ds, i, j, eps, tensors[way], norms[way], &pair, &status))
        fail_msg("%zu and %zu: %s", i, j, status.message);
    return pair;
}

static void check_engine(const eb_dataset *ds, size_t way)
{
    asked a;
    eb_status status = {.message = ""};
    const eb_problem problem = eb_self_join(ds);
    const cpu_variant variant = {&eb_engine_fasted, options[way]};
    double s[POINTS];
    open_problem(&a, &variant, &problem, 1);
    for (uint32_t i = 0; i < ds->n; i += 5) {
        assert_int_equal(eb_ask_distances(&a.opened, &i, 1, s, &status), EB_OK);
        for (size_t j = 0; j < ds->n; j++) {
            eb_pair pair = explained(ds, i, j, 0.5, way);
            if (i != j && (double)pair.fasted2 != s[j])
                fail_msg("%s, d = %zu: %u and %zu: %.17g, the engine has %.17g", options[way], ds->d, i, j,
                         (double)pair.fasted2, s[j]);
            eb_pair_free(&pair);
        }
    }
    close_problem(&a);
}

TEST(its_distance_is_the_engines)
{
    static const size_t dims[] = {1, 3, 8, 16, 17, 40, 100};
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t k = 0; k < sizeof dims / sizeof dims[0]; k++) {
            eb_dataset *ds = hostile_points(families[f], k % 2 ? EB_F32 : EB_F64, POINTS, dims[k], f * 100 + k);
            if (eb_scaling_of(ds, ds).exponent == 0)
                for (size_t way = 0; way < WAYS; way++)
                    check_engine(ds, way);
            eb_dataset_free(ds);
        }
}

static void check_sums(const eb_pair *pair)
{
    const eb_pair_parts p = eb_pair_parts_of(pair);
    const double size = pair->end[0].exact + pair->end[1].exact + 1e-300;
    double lost = 0, worst = 0;
    assert_true(fabs(p.points + p.norms + p.products + p.subtraction - p.whole) <= 1e-13 * size);
    for (size_t x = 0; x < pair->blocks; x++) {
        const eb_pair_block *b = &pair->block[x];
        assert_true(b->before == (x ? pair->block[x - 1].after : 0));
        lost += b->cut + b->rounded;
        worst = fmax(worst, fabs(b->cut) + fabs(b->rounded));
    }
    assert_true(pair->block[pair->blocks - 1].after == pair->dot);
    assert_true(fabs(lost - (pair->dot16 - (double)pair->dot)) <= 1e-13 * size);
    assert_true(fabs(pair->block[pair->worst].cut) + fabs(pair->block[pair->worst].rounded) == worst);
}

TEST(parts_and_blocks_add_up)
{
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t i = 0; i < POINTS; i++) {
            eb_dataset *ds = hostile_points(families[f], EB_F32, POINTS, 1 + 7 * i, f * 1000 + i);
            if (eb_scaling_of(ds, ds).exponent == 0) {
                eb_pair pair = explained(ds, i, (i * 7 + 1) % POINTS, 1, i % WAYS);
                check_sums(&pair);
                eb_pair_free(&pair);
            }
            eb_dataset_free(ds);
        }
}

/* Radii approach the pair's distance from both sides. */
TEST(certificates_say_what_the_truth_says)
{
    size_t said[3] = {0};
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t i = 1; i < POINTS; i++) {
            eb_dataset *ds = hostile_points(families[f], EB_F32, POINTS, 1 + 3 * i, f * 1000 + i);
            const double distance = sqrt(eb_truth_distance2(ds, 0, i));
            for (int e = -60; e < 4 && eb_scaling_of(ds, ds).exponent == 0; e++) {
                const double eps = fmax(0, distance * (1 + (e % 2 ? -1 : 1) * ldexp(1, e)));
                eb_pair pair = explained(ds, 0, i, eps, i % WAYS);
                const eb_pair_certificate verdict = pair.certified.verdict;
                assert_int_equal(pair.near_truth, eb_truth_distance2(ds, 0, i) <= eb_squared_threshold(eps));
                assert_false(verdict == EB_PAIR_RULED_OUT && pair.near_truth);
                assert_false(verdict == EB_PAIR_SURE && !pair.near_truth);
                said[verdict]++;
                eb_pair_free(&pair);
            }
            eb_dataset_free(ds);
        }
    assert_true(said[EB_PAIR_RULED_OUT] > 100 && said[EB_PAIR_SURE] > 100 && said[EB_PAIR_OPEN] > 100);
}

TEST(what_fp16_cannot_hold_is_refused)
{
    float values[2][3] = {{1, 2, 3}, {1, 70000, 3}};
    eb_dataset ds = {.n = 2, .d = 3, .dtype = EB_F32, .rows = (void *)values, .stride = sizeof values[0]};
    eb_pair pair;
    eb_status status = {.message = ""};
    assert_int_equal(eb_pair_explain(&ds, 0, 1, 1, EB_TENSOR_SM90, EB_NORMS_AUTHORS, &pair, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "row 1, column 1: 70000"));
    eb_pair_free(&pair);
    ds.greatest = 1e300;
    ds.least = 1;
    assert_int_equal(eb_pair_explain(&ds, 0, 1, 1, EB_TENSOR_SM90, EB_NORMS_AUTHORS, &pair, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "exceed FP64's range"));
    eb_pair_free(&pair);
}

RUN_TESTS
