/* fleet: the plan of joins against runs measured on H200s (tests/bench/gpu.md, tests/bench/plan.md), end to end: on one
 * GPU, on two and on four, within a fifth or two milliseconds; those that are further off are named with what they are
 * off by. */
#include <math.h>

#include "core/data/dataset.h"
#include "core/model/fleet.h"
#include "tests/unit/machines.h"

typedef struct measured {
    const char *spec; /* of the kernels; an engine that chooses took these */
    size_t n, d;
    double value_bytes, selectivity, distance_bytes;
    bool counts, chooses;
    unsigned gpus;
    double kernels_s, total_s; /* 0: not measured */
    double off, off_beside;    /* how far the plan is known to be off, beyond a fifth, and without the kernels; 0: it
                                * is not */
} measured;

#define FASTED "fasted"
#define BY_FP16 "exact[way=fp16]"
#define BY_INT8 "exact[way=int8]"
#define BY_INTEGERS "exact[way=integers]"

static const measured runs[] = {
    /* 2026-11-26, two H200 of one host */
    {FASTED, 300000, 128, 4, 64, 0, true, false, 1, 0.0179, 0, 0, 0},
    {FASTED, 300000, 128, 4, 64, 0, true, false, 2, 0.0107, 0, 0, 0},
    {BY_FP16, 300000, 128, 4, 64, 0, true, true, 1, 0, 0.0330, -0.22, 0},
    {BY_FP16, 300000, 128, 4, 64, 0, true, true, 2, 0, 0.0221, -0.28, 0},
    /* 2026-11-22 to 25, one */
    {FASTED, 200000, 128, 4, 64, 8, false, false, 1, 0.0084, 0.0170, 0, 0},
    {BY_FP16, 200000, 128, 4, 64, 8, false, true, 1, 0.00885, 0.0194, 0, 0},
    {FASTED, 100000, 784, 4, 64, 8, false, false, 1, 0.01095, 0.0222, 0, 0},
    {FASTED, 500000, 128, 4, 64, 0, true, false, 1, 0.0527, 0.0605, 0, 0},
    {FASTED, 500000, 128, 4, 64, 8, false, false, 1, 0.0523, 0.0716, 0, 0},
    {FASTED, 500000, 128, 4, 1024, 8, false, false, 1, 0.0997, 0.249, -0.25,
     0}, /* kernels took 75.1 ms later that day */
    {FASTED, 500000, 128, 4, 1024, 0, false, false, 1, 0.0997, 0.165, -0.25, 0},
    {FASTED, 500000, 128, 4, 1024, 8, false, false, 1, 0.0751, 0, 0, 0},
    {BY_INTEGERS, 400000, 128, 1, 69.9, 8, false, true, 1, 0.0224, 0.0351, 0, 0},
    {BY_INTEGERS, 400000, 128, 1, 69.9, 0, false, true, 1, 0.0223, 0.0320, 0, 0},
    {BY_INTEGERS, 60000, 784, 1, 57.2, 8, false, true, 1, 0.0023, 0.0070, 0, 0},
    /* 2026-11-27, two and four of one host (tests/bench/team.md) */
    {BY_INTEGERS, 100000, 128, 1, 64, 0, true, true, 1, 0.00178, 0.00304, 0, 0},
    {BY_INTEGERS, 100000, 128, 1, 64, 0, true, true, 2, 0.00094, 0.00221, 0, 0},
    {BY_INTEGERS, 100000, 128, 1, 64, 0, true, true, 4, 0.00049, 0.00179, 0, 0},
    {BY_INTEGERS, 100000, 128, 1, 64, 8, false, true, 2, 0.00093, 0.00561, 0, 0},
    {BY_INTEGERS, 100000, 128, 1, 64, 8, false, true, 4, 0.00049, 0.00498, 0, 0},
    {BY_INTEGERS, 2000000, 128, 1, 61, 0, true, true, 1, 0.5089, 0.5207, 0, -0.28},
    {BY_INTEGERS, 2000000, 128, 1, 61, 0, true, true, 2, 0.2546, 0.2654, 0, 0},
    {BY_INTEGERS, 2000000, 128, 1, 61, 0, true, true, 4, 0.1276, 0.1387, 0, 0},
    {BY_INTEGERS, 2000000, 128, 1, 61, 8, false, true, 1, 0.5019, 0.6018, 0, -0.55},
    {BY_INTEGERS, 2000000, 128, 1, 61, 8, false, true, 2, 0.2511, 0.3150, 0, 0},
    {BY_INTEGERS, 2000000, 128, 1, 61, 8, false, true, 4, 0.1262, 0.1827, 0, 0},
    {BY_INT8, 500000, 128, 4, 47, 0, true, true, 1, 0.0354, 0.0497, 0, -0.51},
    {BY_INT8, 500000, 128, 4, 47, 0, true, true, 2, 0.0185, 0.0327, 0, 0},
    {BY_INT8, 500000, 128, 4, 47, 0, true, true, 4, 0, 0.0223, -0.23, 0},
    {BY_INT8, 500000, 128, 4, 47, 8, false, true, 2, 0.0184, 0.0425, -0.26, 0},
    {BY_INT8, 500000, 128, 4, 47, 8, false, true, 4, 0.0099, 0.0325, -0.32, 0},
    {FASTED, 500000, 128, 4, 47, 0, true, false, 2, 0.0265, 0.0347, 0, 0},
    {FASTED, 500000, 128, 4, 47, 0, true, false, 4, 0.0128, 0.0200, 0, 0},
    {FASTED, 200000, 1024, 4, 70, 0, true, false, 1, 0.0594, 0.0772, 0, 0},
    {FASTED, 200000, 1024, 4, 70, 0, true, false, 2, 0.0282, 0.0455, 0, 0},
    {FASTED, 200000, 1024, 4, 70, 0, true, false, 4, 0.0134, 0.0301, 0, 0},
    {BY_INT8, 200000, 1024, 4, 70, 0, true, true, 1, 0.0282, 0.0846, -0.43, -0.64},
    {BY_INT8, 200000, 1024, 4, 70, 0, true, true, 2, 0, 0.0518, -0.34, 0},
    {BY_FP16, 200000, 4096, 4, 64, 0, true, true, 1, 0.2569, 0.3490, 0, -0.22},
    {BY_FP16, 200000, 4096, 4, 64, 0, true, true, 2, 0.1282, 0.2065, 0, 0},
    {BY_FP16, 200000, 4096, 4, 64, 0, true, true, 4, 0.0601, 0.1484, 0, 0},
    {BY_FP16, 200000, 4096, 4, 64, 8, false, true, 2, 0.1290, 0.2297, 0, 0},
    {BY_FP16, 200000, 4096, 4, 64, 8, false, true, 4, 0.0607, 0.1650, 0, 0},
    {FASTED, 200000, 4096, 4, 65, 0, true, false, 2, 0.1211, 0.1745, 0, 0},
    {FASTED, 200000, 4096, 4, 65, 0, true, false, 4, 0.0561, 0.1214, 0, 0},
};

static eb_fleet_cost plan_of(const measured *run, const eb_machine *machine, double kernels_s)
{
    eb_status status = {.message = ""};
    eb_spec spec;
    eb_kernel_plan kernel;
    eb_prediction predicted;
    eb_fleet_cost cost;
    assert_int_equal(eb_spec_parse(run->spec, NULL, &spec, &status), EB_OK);
    assert_int_equal(spec.engine->plan(&spec.options, run->n, run->d, machine, &kernel, &status), EB_OK);
    kernel.selectivity = run->selectivity;
    assert_int_equal(eb_predict(&kernel, machine, 0, NULL, &predicted, &status), EB_OK);
    const eb_fleet_work work = {.n = (double)run->n,
                                .d = (double)run->d,
                                .selectivity = run->selectivity,
                                .value_bytes = run->value_bytes,
                                .stored_bytes = (double)kernel.point_bytes,
                                .kernels_s = kernels_s > 0 ? kernels_s : predicted.kernel_s,
                                .distance_bytes = run->distance_bytes,
                                .squared_bytes = run->distance_bytes / 2,
                                .chooses = run->chooses,
                                .counts = run->counts};
    const eb_fleet fleet = {.hosts = 1, .gpus = run->gpus, .machine = machine, .link_bytes_s = 1, .disk_bytes_s = 1};
    eb_fleet_predict(&work, &fleet, &eb_fleet_usual, &cost);
    return cost;
}

static void check_within(size_t k, const char *what, double planned, double seen, double off)
{
    const double ratio = planned / seen - 1;
    printf("run %zu: %s %.4g s planned, %.4g measured: %+.1f %%\n", k, what, planned, seen, 100 * ratio);
    const bool near = fabs(ratio) <= 0.2 || fabs(planned - seen) <= 0.0025;
    if (off < 0 ? !(ratio > off - 0.02 && ratio < 0) : !near)
        fail_msg("run %zu: %s %.4g s planned, %.4g measured", k, what, planned, seen);
}

TEST(plans_are_within_a_fifth_of_measured_runs)
{
    const eb_machine *h200 = eb_machine_find(machines, machine_count, "h200");
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        const eb_fleet_cost cost = plan_of(&runs[k], h200, 0);
        if (runs[k].kernels_s > 0)
            check_within(k, "kernels", cost.seconds[EB_FLEET_KERNELS], runs[k].kernels_s, runs[k].off);
        if (runs[k].total_s > 0)
            check_within(k, "all", cost.total_s, runs[k].total_s, runs[k].off);
    }
}

/* With kernels as measured, what is left are links, rows and the set-up. */
TEST(what_is_beside_the_kernels_is_within_a_fifth)
{
    const eb_machine *h200 = eb_machine_find(machines, machine_count, "h200");
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++)
        if (runs[k].kernels_s > 0 && runs[k].total_s > 0 && runs[k].gpus == 1) {
            const eb_fleet_cost cost = plan_of(&runs[k], h200, runs[k].kernels_s);
            check_within(k, "all but kernels", cost.total_s - runs[k].kernels_s, runs[k].total_s - runs[k].kernels_s,
                         runs[k].off_beside);
        }
}

RUN_TESTS_WITH(begin, end)
