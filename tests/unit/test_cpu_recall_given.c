/* Tests of neighbours that a file gives as recall's ground truth. For all kinds of points their reach equals that of
 * computed neighbours, FP64 verification accepts them, and it detects neighbours that are not the nearest. */

#include "core/experiment/recall.h"
#include "core/knn/knn.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/test.h"

extern const eb_engine eb_engine_ref64;
static const cpu_variant reference = {&eb_engine_ref64, ""};

enum { QUERIES = 24, K = 7 };

/* A file's neighbours: the nearest after the first `skipped`, with or without distances. */
static eb_ground_truth *file_of(const eb_dataset *ds, const eb_dataset *set, size_t skipped, bool distances)
{
    const eb_setup setup = setup_of(&reference, 2);
    const eb_knn_request request = {.setup = &setup, .base = ds, .queries = set, .k = K + skipped, .seed = 1};
    eb_status status = {.message = ""};
    eb_knn nearest;
    if (eb_knn_find(&request, NULL, &nearest, &status))
        fail_msg("%s", status.message);
    eb_ground_truth *truth = eb_ground_truth_new("gt", set->n, K, distances);
    assert_non_null(truth);
    for (size_t q = 0; q < set->n; q++)
        for (size_t j = 0; j < K; j++) {
            const eb_near_row *near = &nearest.near[q * (K + skipped) + skipped + j];
            truth->id[q * K + j] = near->row;
            if (distances)
                truth->distance[q * K + j] = (float)near->far;
        }
    eb_knn_free(&nearest);
    return truth;
}

static eb_recall_truth computed(const eb_dataset *ds, const eb_dataset *set, size_t k)
{
    const eb_setup setup = setup_of(&reference, 2);
    eb_status status = {.message = ""};
    eb_recall_truth found;
    if (eb_recall_truth_find(&setup, ds, set, set->n, k, 1, NULL, &found, &status))
        fail_msg("%s", status.message);
    return found;
}

static eb_recall_truth given(const eb_ground_truth *truth, const eb_dataset *ds, const eb_dataset *set, size_t k)
{
    eb_recall_truth found;
    assert_int_equal(eb_recall_truth_given(truth, ds, set, k, NULL, &found, NULL), EB_OK);
    assert_int_equal(found.queries, set->n);
    assert_int_equal(found.n, ds->n);
    return found;
}

TEST(neighbours_reach_as_far_as_computed_ones)
{
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
        eb_dataset *ds = hostile_points(family, EB_F64, 200, 5, 2),
                   *set = hostile_points(family, EB_F64, QUERIES, 5, 3);
        eb_ground_truth *truth = file_of(ds, set, 0, false);
        eb_status status = {.message = ""};
        if (eb_ground_truth_verify(truth, ds, set, 2, NULL, &status))
            fail_msg("family %d: %s", (int)family, status.message);
        for (size_t k = 1; k <= K; k += K - 1) {
            eb_recall_truth theirs = given(truth, ds, set, k), ours = computed(ds, set, k);
            assert_memory_equal(theirs.reach, ours.reach, QUERIES * sizeof *ours.reach);
            assert_int_equal(eb_recall_truth_agree(&theirs, &ours), QUERIES);
            eb_recall_truth_free(&theirs);
            eb_recall_truth_free(&ours);
        }
        eb_ground_truth_free(truth);
        eb_dataset_free(set);
        eb_dataset_free(ds);
    }
}

TEST(those_that_are_not_the_nearest_are_told)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 200, 5, 2),
               *set = hostile_points(HOSTILE_RANDOM, EB_F32, QUERIES, 5, 3);
    eb_ground_truth *truth = file_of(ds, set, 0, true), *behind = file_of(ds, set, 1, true);
    assert_int_equal(eb_ground_truth_verify(behind, ds, set, 2, NULL, NULL),
                     EB_OK); /* in order, with the distances as stated */
    assert_int_equal(behind->stated, EB_STATED_PLAIN);
    for (size_t q = 0; q < 3; q++)
        memcpy(truth->id + q * K, behind->id + q * K, K * sizeof *truth->id);
    eb_recall_truth theirs = given(truth, ds, set, K), ours = computed(ds, set, K);
    assert_int_equal(eb_recall_truth_agree(&theirs, &ours), QUERIES - 3);
    for (size_t q = 0; q < QUERIES; q++)
        assert_true(q < 3 ? theirs.reach[q] > ours.reach[q] : theirs.reach[q] == ours.reach[q]);
    eb_recall_truth_free(&theirs);
    eb_recall_truth_free(&ours);
    eb_ground_truth_free(truth);
    eb_ground_truth_free(behind);
    eb_dataset_free(set);
    eb_dataset_free(ds);
}

RUN_TESTS
