/* Tests that load, tune and join work as a library, without shell, log or screen. */

#include "core/experiment/measure.h"
#include "core/tune/tune.h"
#include "io/load.h"
#include "tests/unit/test.h"

static eb_code find_host(void *context, const char *name, eb_device *out, eb_status *status)
{
    (void)context, (void)name, (void)status;
    return eb_device_cpu(out), EB_OK;
}

static void load_tune_join(void **state)
{
    eb_dataset *points = *state = NULL;
    eb_setup truth;
    eb_curve curve = {.points = 0};
    eb_target target = {.wanted = 64};
    eb_run run;
    unsigned passes;
    assert_int_equal(eb_load("demo", NULL, &points, NULL), EB_OK);
    assert_int_equal(eb_setup_truth("cpu", NULL, find_host, NULL, &truth, NULL), EB_OK);
    assert_int_equal(eb_tune_dataset(&truth, points, 0, 42, &curve, &target, 1, &passes, NULL, NULL), EB_OK);
    const eb_measure_request join = {&truth, eb_self_join(points), target.eps, EB_RUN_TABLE, 1, EB_WARM_UP_NONE,
                                     {0},    EB_DISTANCES_F64,     NULL};
    assert_int_equal(eb_measure(&join, NULL, NULL, &run, NULL), EB_OK);
    assert_int_equal(run.table->offsets[points->n], 260000);
    eb_run_free(&run);
    eb_curve_free(&curve);
    eb_dataset_free(points);
}

int main(void) { return cmocka_run_group_tests(((struct CMUnitTest[]){cmocka_unit_test(load_tune_join)}), NULL, NULL); }
