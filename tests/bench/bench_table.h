/* bench_table: speed of neighbour tables on their way to the host, into fresh memory and into reused memory, beside the
 * link. Included by bench_gpu.c. */
#pragma once

#include "bench_gpu.h"
#include "core/base/pool.h"

static inline eb_code keep_table(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    *(eb_neighbours **)context = batch;
    return EB_OK;
}

/* Seconds of a join without its kernels and without the upload. */
static inline double deliver_once(eb_opened *opened, const eb_join_plan *plan, uint64_t *entries, double *kernel_s,
                                  double *before_s)
{
    eb_status status = {.message = ""};
    eb_join_result result;
    eb_neighbours *table = NULL;
    opened->figures.count = 0;
    stop_on(eb_join_run(opened, plan, keep_table, &table, &result, &status), &status, "table");
    must_agree("tables", opened->problem.left->d, *entries ? *entries : result.pairs, result.pairs);
    *entries = result.pairs;
    eb_neighbours_free(table);
    *kernel_s = eb_figures_value(&opened->figures, "kernel_s");
    *before_s = eb_figures_value(&opened->figures, "table_s");
    return *before_s + eb_figures_value(&opened->figures, "download_s");
}

/* Medians with fresh memory and with the memory of the last table. */
static inline void deliver_table(eb_opened *opened, const char *kept, eb_join_plan plan, double selectivity)
{
    enum { TIMES = 3 };
    double fresh[TIMES], reused[TIMES], kernel_s, before_s;
    uint64_t entries = 0;
    for (size_t k = 0; k < TIMES; k++) {
        eb_pool_empty();
        fresh[k] = deliver_once(opened, &plan, &entries, &kernel_s, &before_s);
        reused[k] = deliver_once(opened, &plan, &entries, &kernel_s, &before_s);
    }
    double bytes = (double)eb_neighbours_bytes(opened->problem.left->n, entries, plan.distances),
           fresh_s = eb_summarise(fresh, TIMES).median, reused_s = eb_summarise(reused, TIMES).median;
    (void)printf("| %g | %s | %.3f | %.4f | %.4f | %.1f | %.4f | %.4f | %.1f | %.2f |\n", selectivity, kept,
                 1e-9 * bytes, kernel_s, fresh_s, 1e-9 * bytes / fresh_s, reused_s, before_s, 1e-9 * bytes / reused_s,
                 reused_s * gpu.limit[EB_LIMIT_DOWNLOAD] / bytes);
    (void)fflush(stdout);
}

static inline void table_of_deliveries(void)
{
    static const double selectivities[] = {64, 256, 1024};
    static const struct {
        const char *name;
        eb_distances kept;
    } kinds[] = {{"f64", EB_DISTANCES_F64}, {"f32", EB_DISTANCES_F32}, {"none", EB_DISTANCES_NONE}};
    eb_status status;
    eb_opened opened;
    eb_dataset *ds = NULL;
    stop_on(eb_synth(EB_SYNTH_UNIFORM, 500000, 128, 42, NULL, &ds, &status), &status, "synth");
    const eb_setup setup = setup_of("fasted");
    const eb_problem problem = eb_self_join(ds);
    (void)printf("\n| S | distances | table GB | kernels s | fresh s | GB/s | reused s | of it before the first chunk "
                 "| GB/s | × link |\n"
                 "|---|---|---|---|---|---|---|---|---|---|\n");
    stop_on(eb_problem_open(&setup, &problem, NULL, &opened, &status), &status, "fasted");
    for (size_t s = 0; s < sizeof selectivities / sizeof selectivities[0]; s++) {
        eb_join_plan plan = {.question.eps = eps_of("fasted", ds, selectivities[s]), .whole = true};
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            plan.distances = kinds[k].kept;
            deliver_table(&opened, kinds[k].name, plan, selectivities[s]);
        }
    }
    eb_problem_close(&opened);
    eb_dataset_free(ds);
}
