/* Tests of the exact neighbours that recall is measured against: queries outside the base set, the distance of the k-th
 * neighbour, ties, confidence intervals. */
#include <math.h>

#include "core/experiment/recall.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/test.h"

extern const eb_engine eb_engine_ref64;
static const cpu_variant reference = {&eb_engine_ref64, ""};

enum { QUERIES = 40, K = 6 };

static eb_recall_truth find(const eb_dataset *ds, uint64_t seed)
{
    const eb_setup setup = setup_of(&reference, 2);
    eb_status status = {.message = ""};
    eb_recall_truth knn;
    if (eb_recall_truth_find(&setup, ds, NULL, QUERIES, K, seed, NULL, &knn, &status))
        fail_msg("%s", status.message);
    return knn;
}

TEST(every_row_is_a_query_or_in_the_base_set)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 300, 5, 1);
    eb_recall_truth knn = find(ds, 3), again = find(ds, 3), other = find(ds, 4);
    unsigned seen[300] = {0};
    assert_int_equal(knn.n, 300 - QUERIES);
    for (size_t i = 0; i < QUERIES; i++)
        seen[knn.query[i]]++;
    for (size_t i = 0; i < knn.n; i++)
        seen[knn.base[i]]++;
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(seen[i], 1);
    assert_memory_equal(knn.query, again.query, QUERIES * sizeof *knn.query);
    assert_memory_not_equal(knn.query, other.query, QUERIES * sizeof *knn.query);
    eb_recall_truth_free(&knn);
    eb_recall_truth_free(&again);
    eb_recall_truth_free(&other);
    eb_dataset_free(ds);
}

typedef struct near {
    double s;
    uint32_t row;
} near;

static int ascending(const void *a, const void *b)
{
    const near *x = a, *y = b;
    return x->s < y->s ? -1 : x->s > y->s ? 1 : (x->row > y->row) - (x->row < y->row);
}

/* Finds by brute force the rank-th nearest of each query and the farther ones up to k. */
static void slow_answers(const eb_recall_truth *knn, const eb_dataset *ds, size_t rank, uint32_t *out)
{
    near *all = malloc(knn->n * sizeof *all);
    for (size_t q = 0; q < QUERIES; q++) {
        for (size_t i = 0; i < knn->n; i++)
            all[i] = (near){eb_truth_distance(ds, knn->query[q], knn->base[i]), knn->base[i]};
        qsort(all, knn->n, sizeof *all, ascending);
        assert_true(all[K - 1].s == knn->reach[q]);
        for (size_t k = 0; k < K; k++)
            out[q * K + k] = all[rank + k].row;
    }
    free(all);
}

TEST(the_truth_recalls_itself)
{
    uint32_t found[QUERIES * K];
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
        eb_dataset *ds = hostile_points(family, EB_F64, 300, 5, 2);
        eb_recall_truth knn = find(ds, 9);
        slow_answers(&knn, ds, 0, found);
        const eb_recall all = eb_recall_of(&knn, ds, found);
        assert_true(all.mean == 1 && all.high == 1 && fabs(all.low - (1 - 3.0 / QUERIES)) < 1e-12);
        eb_recall_truth_free(&knn);
        eb_dataset_free(ds);
    }
}

TEST(one_rank_too_far_is_one_neighbour_less)
{
    uint32_t found[QUERIES * K];
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 300, 5, 2);
    eb_recall_truth knn = find(ds, 9);
    slow_answers(&knn, ds, 1, found);
    assert_true(fabs(eb_recall_of(&knn, ds, found).mean - (K - 1.0) / K) < 1e-12);
    for (size_t q = 0; q < QUERIES / 2; q++) /* half of the queries find one neighbour only */
        for (size_t k = 1; k < K; k++)
            found[q * K + k] = UINT32_MAX;
    const eb_recall mixed = eb_recall_of(&knn, ds, found);
    const double half = 1.96 * ((K - 2.0) / K / 2) / sqrt(QUERIES - 1.0);
    assert_true(fabs(mixed.mean - (1.0 + K - 1) / (2 * K)) < 1e-12);
    assert_true(fabs(mixed.high - mixed.mean - half) < 1e-12 && fabs(mixed.mean - mixed.low - half) < 1e-12);
    eb_recall_truth_free(&knn);
    eb_dataset_free(ds);
}

/* If all points are equal, any rows are right. */
TEST(of_equally_near_rows_any_will_do)
{
    uint32_t found[QUERIES * K];
    eb_dataset *ds = hostile_points(HOSTILE_EQUAL, EB_F32, 300, 5, 2);
    eb_recall_truth knn = find(ds, 9);
    slow_answers(&knn, ds, 100, found);
    assert_true(eb_recall_of(&knn, ds, found).mean == 1);
    eb_recall_truth_free(&knn);
    eb_dataset_free(ds);
}

TEST(too_few_points_are_refused)
{
    static const size_t wrong[][2] = {{0, 1}, {20, 1}, {21, 1}, {10, 11}, {10, 0}};
    const eb_setup setup = setup_of(&reference, 1);
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 20, 2, 1);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        eb_recall_truth knn;
        eb_status status = {.message = ""};
        assert_int_equal(eb_recall_truth_find(&setup, ds, NULL, wrong[k][0], wrong[k][1], 1, NULL, &knn, &status),
                         EB_USAGE);
        assert_true(strlen(status.message) > 20);
    }
    eb_dataset_free(ds);
}

RUN_TESTS
