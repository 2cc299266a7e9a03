/* Tests of the order of neighbours (core/accuracy/ranks.h) against all distances, sorted here. */
#include <math.h>

#include "core/accuracy/ranks.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/rungs.h"

enum { N = 250, K = 7 };

static const eb_setup *truth(void)
{
    static eb_setup setup;
    const cpu_variant exact = {&eb_engine_exact, ""};
    setup = setup_of(&exact, 2);
    return &setup;
}

static double *distances_of(const eb_setup *setup, const eb_problem *problem)
{
    asked a;
    open_setup(&a, setup, problem);
    double *s = all_distances(&a);
    for (size_t k = 0; k < N * N; k++)
        s[k] = eb_distance_of(s[k], ldexp(1, -a.opened.scaling.exponent));
    close_problem(&a);
    return s;
}

/* The points other than `self`, nearest first. */
static void sorted(const double *distance, size_t self, eb_near_row *out)
{
    size_t count = 0;
    for (size_t j = 0; j < N; j++) {
        if (j == self)
            continue;
        size_t at = count++;
        const eb_near_row one = {isnan(distance[j]) ? INFINITY : distance[j], (uint32_t)j};
        for (; at > 0 && eb_nearer(one, out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = one;
    }
}

/* The same figures, from sorted lists. */
static eb_ranks ranks_here(const eb_near_pairs *sample, const double *of_truth, const double *own, double complete)
{
    eb_near_row by_truth[N], by_engine[N];
    size_t needed[96 * K], all = 0, found = 0, within = 0;
    double recall = 0, tau = 0;
    for (size_t q = 0; q < sample->queries; q++) {
        const size_t self = sample->row[q];
        int64_t same = 0, pairs = 0;
        sorted(of_truth + self * N, self, by_truth);
        sorted(own + self * N, self, by_engine);
        for (size_t a = 0; a < K; a++) {
            size_t rank = 0;
            while (by_engine[rank].row != by_truth[a].row)
                rank++;
            recall += rank < K ? 1 : 0;
            needed[all++] = rank + 1;
            for (size_t b = a + 1; b < K; b++) {
                const double x = own[self * N + by_truth[a].row], y = own[self * N + by_truth[b].row];
                if (by_truth[a].far < by_truth[b].far) {
                    pairs++;
                    same += x < y ? 1 : x > y ? -1 : 0;
                }
            }
        }
        tau += pairs ? (double)same / (double)pairs : 0;
        for (size_t j = 0; j + 1 < N; j++) {
            found += by_engine[j].far <= complete;
            within += by_truth[j].far <= sample->eps;
        }
    }
    for (size_t a = 0; a < all; a++) /* sort by insertion */
        for (size_t b = a; b > 0 && needed[b - 1] > needed[b]; b--) {
            const size_t swapped = needed[b];
            needed[b] = needed[b - 1];
            needed[b - 1] = swapped;
        }
    const size_t last = needed[(size_t)ceil(0.999 * (double)all) - 1];
    return (eb_ranks){.recall = recall / (double)all,
                      .tau = tau / (double)sample->queries,
                      .rescore = last > K ? (double)last / K : 1,
                      .price = (double)found / (double)within};
}

static void check(const eb_dataset *ds, double eps, const char *items)
{
    const eb_problem problem = eb_self_join(ds);
    const cpu_variant variant = {&eb_engine_tensor, items};
    const eb_setup setup = setup_of(&variant, 2);
    eb_near_pairs sample;
    eb_ranks ranks;
    eb_status status = {.message = ""};
    if (eb_near_pairs_find(ds, eps, truth(), 1, NULL, &sample, &status) ||
        eb_ranks_measure(&sample, &setup, K, NULL, &ranks, &status))
        fail_msg("%s: %s", items, status.message);
    double *of_truth = distances_of(truth(), &problem), *own = distances_of(&setup, &problem);
    const eb_ranks here = ranks_here(&sample, of_truth, own, ranks.complete_eps);
    assert_int_equal(ranks.k, K);
    assert_true(ranks.queries == sample.queries && ranks.complete_eps >= eps);
    if (fabs(ranks.recall - here.recall) > 1e-12 || fabs(ranks.tau - here.tau) > 1e-12 ||
        ranks.rescore != here.rescore || (isfinite(ranks.complete_eps) && ranks.price != here.price))
        fail_msg("%s: recall %g %g, tau %g %g, rescore %g %g, price %g %g", items, ranks.recall, here.recall, ranks.tau,
                 here.tau, ranks.rescore, here.rescore, ranks.price, here.price);
    assert_true(!(ranks.price < 1)); /* nothing is missed at complete_eps */
    free(of_truth);
    free(own);
    eb_near_pairs_free(&sample);
}

TEST(ranks_are_those_of_sorted_distances)
{
    static const char *const items[] = {"type=e4m3,exponent=max", "type=e5m2,promote=0,exponent=max", "type=s8",
                                        "type=bf16,centre=mean", "type=f16,parts=2,exponent=max"};
    eb_dataset *uniform = hostile_points(HOSTILE_RANDOM, EB_F32, N, 12, 3),
               *clusters = hostile_points(HOSTILE_CLUSTERS, EB_F32, N, 30, 4);
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) {
        check(uniform, 1.5, items[k]);
        check(clusters, 0.05, items[k]);
    }
    eb_dataset_free(uniform);
    eb_dataset_free(clusters);
}

/* Ties are ordered by row, by the truth and by the engine alike. */
TEST(an_engine_without_error_ranks_as_the_truth_does)
{
    eb_dataset *ds = hostile_points(HOSTILE_WHOLE, EB_F32, N, 3, 5);
    eb_near_pairs sample;
    eb_ranks ranks;
    eb_status status;
    assert_int_equal(eb_near_pairs_find(ds, 2, truth(), 1, NULL, &sample, &status), EB_OK);
    assert_int_equal(eb_ranks_measure(&sample, truth(), K, NULL, &ranks, &status), EB_OK);
    assert_true(ranks.recall == 1 && ranks.tau == 1 && ranks.rescore == 1);
    assert_true(isinf(ranks.complete_eps) && isnan(ranks.price)); /* exact does not tell a bound */
    eb_near_pairs_free(&sample);
    eb_dataset_free(ds);
}

TEST(few_points_have_fewer_neighbours_than_asked_for)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 3, 4, 5),
               *one = hostile_points(HOSTILE_RANDOM, EB_F32, 1, 4, 5);
    eb_near_pairs sample;
    eb_ranks ranks;
    eb_status status;
    assert_int_equal(eb_near_pairs_find(ds, 2, truth(), 1, NULL, &sample, &status), EB_OK);
    assert_int_equal(eb_ranks_measure(&sample, truth(), 10, NULL, &ranks, &status), EB_OK);
    assert_true(ranks.k == 2 && ranks.recall == 1);
    eb_near_pairs_free(&sample);
    assert_int_equal(eb_near_pairs_find(one, 2, truth(), 1, NULL, &sample, &status), EB_OK);
    assert_int_equal(eb_ranks_measure(&sample, truth(), 10, NULL, &ranks, &status), EB_OK);
    assert_true(ranks.k == 0 && isnan(ranks.recall));
    eb_near_pairs_free(&sample);
    eb_dataset_free(ds);
    eb_dataset_free(one);
}

RUN_TESTS
