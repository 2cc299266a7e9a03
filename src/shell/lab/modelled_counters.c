/* modelled_counters: what the machine model knows of a kernel's hardware counters.
 *
 * The model counts a tile's slices: copies, loads and products. Tests, hits and norms beside them have counters that
 * it does not know, and the copies pass by L1's cache. */
#include <math.h>
#include <string.h>

#include "core/model/predict.h"
#include "kernels/device/counters.h"
#include "shell/lab/modelled_times.h"

typedef struct known {
    const char *key;
    double value;
} known;

static void put_known(const known *from, size_t count, double *values)
{
    for (size_t k = 0; k < eb_counter_count(); k++)
        for (size_t j = 0; j < count; j++)
            if (strcmp(eb_counter_at(k)->key, from[j].key) == 0)
                values[k] = from[j].value;
}

/* Shared memory's wavefronts by loads and stores. Without such accesses in a slice (wgmma reads by itself) only tests
 * make wavefronts. */
static void put_shared(const eb_kernel_plan *plan, const eb_prediction *p, double *values)
{
    if (plan->accesses > 0)
        put_known((known[]){{"bank_conflicts", p->conflicts_a_wavefront}}, 1, values);
    if (p->counted.wavefronts > 0)
        put_known((known[]){{"shared_throughput", p->shared_share}}, 1, values);
    if (p->matrix.wavefronts > 0)
        put_known((known[]){{"ldmatrix_conflicts", (double)p->matrix.conflicts / (double)p->matrix.wavefronts}}, 1,
                  values);
}

/* A cluster asks L2 once for columns that arrive in each of its blocks; the counter counts arrivals. */
static double arriving_bytes(const eb_kernel_plan *plan, const eb_prediction *p)
{
    const double columns = p->tiles * (double)plan->columns * (double)plan->point_bytes;
    return p->cache.l2_bytes + (plan->blocks - 1) * columns;
}

static void put_memory(const eb_kernel_plan *plan, const eb_prediction *p, double *values)
{
    put_known((known[]){{"dram_throughput", p->dram_share},
                        {"l2_hit_rate", p->cache.hit_rate},
                        {"l2_to_l1_bytes", arriving_bytes(plan, p)},
                        {"dram_to_l2_bytes", p->cache.dram_bytes},
                        {"sm_clock_hz", p->clock_hz},
                        {"gpu_time_s", p->kernel_s},
                        {"occupancy", p->occupancy.share}},
              7, values);
}

/* Names of the counters of one number type: the pipe's time, its instructions, operations of wgmma. */
typedef struct type_counters {
    const char *active, *instructions, *operations;
} type_counters;

static const type_counters *counters_of(const eb_kernel_plan *plan)
{
    static const type_counters f16 = {"tensor_f16_active", "hmma_instructions", "hgmma_ops"},
                               s8 = {"tensor_s8_active", "imma_instructions", "igmma_ops"},
                               f64 = {"tensor_f64_active", "dmma_instructions", ""};
    const eb_rate rate = eb_rate_of(plan->number);
    return rate == EB_RATE_F16 ? &f16 : rate == EB_RATE_S8 ? &s8 : rate == EB_RATE_F64 ? &f64 : NULL;
}

/* The tensor pipe's share of the time. mma.sync does not fill Hopper's pipe in types that have wgmma, and how its
 * counter counts then is not known. */
static double active_of(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *p)
{
    const eb_rate rate = eb_rate_of(plan->number);
    const double full = plan->warpgroups ? machine->wgmma[rate] : machine->mma[rate];
    if (!plan->warpgroups && eb_machine_has_wgmma(machine) && machine->wgmma[rate] > 0)
        return NAN;
    return fmin(p->executed_flops / (2 * full * machine->sms * p->clock_hz * p->kernel_s), 1);
}

/* A kernel uses one pipe, so that the others are idle. Half2 arithmetic beside the slices counts as hmma, too: what
 * other kernels than FP16's have of it is not known. */
static void put_pipes(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *p, double *values)
{
    const type_counters *of = counters_of(plan);
    put_known((known[]){{"tensor_f16_active", 0},
                        {"tensor_s8_active", 0},
                        {"tensor_f64_active", 0},
                        {"imma_instructions", 0},
                        {"dmma_instructions", 0},
                        {"gmma_instructions", 0},
                        {"hgmma_ops", 0},
                        {"igmma_ops", 0}},
              8, values);
    if (plan->instructions > 0 || !of)
        return;
    const double instructions = plan->instruction > 0 ? p->executed_flops / 2 / plan->instruction : NAN;
    put_known((known[]){{of->active, active_of(plan, machine, p)},
                        {of->instructions, instructions},
                        {"gmma_instructions", plan->warpgroups ? instructions : 0},
                        {of->operations, plan->warpgroups ? p->executed_flops : 0}},
              4, values);
}

eb_code eb_modelled_counters(const eb_engine *engine, const eb_options *options, size_t n, size_t d, double selectivity,
                             const eb_machine *machine, eb_job *job, double *values, eb_status *status)
{
    eb_kernel_plan plan;
    eb_prediction p;
    for (size_t k = 0; k < eb_counter_count(); k++)
        values[k] = NAN;
    if (!engine->plan)
        return eb_fail(status, EB_NO_ENGINE, "the model does not know the kernels of %s", engine->name);
    EB_TRY(engine->plan(options, n, d, machine, &plan, status));
    plan.selectivity = selectivity;
    EB_TRY(eb_predict(&plan, machine, 0, job, &p, status));
    put_memory(&plan, &p, values);
    put_shared(&plan, &p, values);
    if (plan.instructions > 0 || counters_of(&plan))
        put_pipes(&plan, machine, &p, values);
    return EB_OK;
}
