/* Tests of which filter a GPU uses, as predicted from a sample of the points: the filter that measured faster
 * (tests/bench/gpu.md); and of when points are worth grouping. */

#include "core/engine/problem.h"
#include "kernels/exact/choose.h"
#include "kernels/exact/estimate.h"
#include "kernels/filters/cost.h"
#include "tests/unit/descriptor_points.h"
#include "tests/unit/test.h"

static void groups_are_made_where_pairs_are_near_or_far(void **state)
{
    (void)state;
    assert_false(eb_grouping_is_faster(100000, 256)); /* 2.4 ms */
    assert_true(eb_grouping_is_faster(200000, 128) && eb_grouping_is_faster(100000, 1024));
    assert_true(eb_grouping_helps(1000, 12, 11)); /* clusters */
    assert_true(eb_grouping_helps(1000, 0, 0));
    assert_false(eb_grouping_helps(1000, 700, 680)); /* one cluster */
    assert_false(eb_grouping_helps(1000, 90, 11));   /* more dimensions than two */
    assert_true(eb_grouping_leaves(1000, 12) < 0.06);
}

#ifdef EB_HAVE_CUDA

/* Samples are noisy: several samples must lead to the same choice. */
enum { POINTS = 12288, SAMPLES = 4 };

/* A few points of a kind, standing for n. */
typedef struct points {
    eb_dataset *few;
    size_t n;
} points;

static points make_points(eb_synth_kind kind, size_t n, size_t d)
{
    eb_status status = {.message = ""};
    points made = {NULL, n};
    assert_int_equal(eb_synth(kind, POINTS, d, 42, NULL, &made.few, &status), EB_OK);
    return made;
}

static double cost_of(const char *name, const eb_estimate *estimate, uint64_t memory_limit)
{
    static const eb_device h200 = {.kind = EB_DEVICE_CUDA,
                                   .limit = {[EB_LIMIT_MMA_F16] = 652e12,
                                             [EB_LIMIT_WGMMA_F16] = 935e12,
                                             [EB_LIMIT_MMA_I8] = 1290e12,
                                             [EB_LIMIT_WGMMA_I8] = 1850e12,
                                             [EB_LIMIT_F64] = 30e12}};
    const eb_context context = {.device = &h200, .devices = 1, .threads = 16, .memory_limit = memory_limit};
    const eb_way *way = NULL;
    for (size_t k = 0; (way = eb_way_at(EB_DEVICE_CUDA, k)) != NULL; k++)
        if (strcmp(way->name, name) == 0)
            return way->cost(estimate, &context);
    fail_msg("no way %s", name);
    return 0;
}

typedef struct costs {
    double fp16, int8;
} costs;

static costs costs_at(const points *of, size_t sample, double eps, uint64_t memory_limit)
{
    eb_dataset drawn = *of->few, all = *of->few;
    drawn.n -= sample * 777;
    all.n = of->n;
    const eb_problem few = eb_self_join(&drawn), many = eb_self_join(&all);
    const eb_question question = {.eps = eps, .pairs_alone = true};
    eb_estimate estimate;
    eb_status status = {.message = ""};
    const size_t pairs = eb_estimate_pairs_worth(&many, EB_DEVICE_CUDA, 16);
    assert_int_equal(eb_estimate_make(&few, &question, pairs, 2, &estimate, &status), EB_OK);
    estimate.pairs = (double)of->n * (double)(of->n - 1) / 2;
    const costs found = {cost_of("fp16", &estimate, memory_limit), cost_of("int8", &estimate, memory_limit)};
    eb_estimate_free(&estimate);
    return found;
}

static void fp16_is_taken(const points *of, double eps)
{
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        const costs found = costs_at(of, sample, eps, 0);
        if (!(found.fp16 < found.int8))
            fail_msg("%zu × %zu: fp16 %g s, int8 %g s", of->n, of->few->d, found.fp16, found.int8);
    }
}

static void int8_is_taken(const points *of, double eps)
{
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        const costs found = costs_at(of, sample, eps, 0);
        if (!(found.int8 < found.fp16))
            fail_msg("%zu × %zu: fp16 %g s, int8 %g s", of->n, of->few->d, found.fp16, found.int8);
    }
}

/* ε for 64 neighbours per point. In clusters most of the 8-bit candidates are no pairs, and groups leave little to
 * multiply. At d = 32 brute_s is that of uniform points in tests/bench/gpu.md, a 25th of 10^6 points' time. */
static void clusters_are_for_fp16_in_groups(void **state)
{
    (void)state;
    static const struct {
        size_t d;
        double eps, brute_s, share; /* share: most of brute force's time */
    } cases[] = {{512, 1.51, 31e-3, 0.5}, {128, 0.708, 8.8e-3, 0.5}, {32, 0.31, 3.5e-3, 0.6}};
    for (size_t k = 0; k < 3; k++) {
        const points clusters = make_points(EB_SYNTH_CLUSTERS, 200000, cases[k].d);
        fp16_is_taken(&clusters, cases[k].eps);
        for (size_t sample = 0; sample < SAMPLES; sample++) {
            const double limited =
                costs_at(&clusters, sample, cases[k].eps, 1u << 30).fp16; /* memory limit: no groups */
            assert_true(costs_at(&clusters, sample, cases[k].eps, 0).fp16 < cases[k].share * limited);
            if (limited < 0.75 * cases[k].brute_s || limited > 1.3 * cases[k].brute_s)
                fail_msg("d = %zu: %g s, %g measured", cases[k].d, limited, cases[k].brute_s);
        }
        eb_dataset_free(clusters.few);
    }
}

static void uniform_points_are_for_8_bits_where_there_are_many(void **state)
{
    (void)state;
    const points short_rows = make_points(EB_SYNTH_UNIFORM, 100000, 128),
                 few_values = make_points(EB_SYNTH_UNIFORM, 200000, 16);
    points long_rows = make_points(EB_SYNTH_UNIFORM, 400000, 512);
    fp16_is_taken(&short_rows, 3.83);
    fp16_is_taken(&few_values, 0.783);
    int8_is_taken(&long_rows, 8.368);
    long_rows.n = 100000; /* both filters are equally fast */
    fp16_is_taken(&long_rows, 8.459);
    eb_dataset_free(short_rows.few);
    eb_dataset_free(few_values.few);
    eb_dataset_free(long_rows.few);
}

/* Clipping moves some of these points far. */
static void descriptors_are_for_fp16(void **state)
{
    (void)state;
    eb_status status = {.message = ""};
    points descriptors = {.n = 200000};
    assert_int_equal(make_descriptors(POINTS, 512, &descriptors.few, &status), EB_OK);
    fp16_is_taken(&descriptors, 13.3);
    eb_dataset_free(descriptors.few);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_made_where_pairs_are_near_or_far),
#ifdef EB_HAVE_CUDA
        cmocka_unit_test(clusters_are_for_fp16_in_groups),
        cmocka_unit_test(uniform_points_are_for_8_bits_where_there_are_many),
        cmocka_unit_test(descriptors_are_for_fp16),
#endif
    };
    return cmocka_run_group_tests_name("filters on a GPU: cost", tests, NULL, NULL);
}
