#include "core/model/pipeline.h"

#include <math.h>

/* Clocks of a block's copy of a slice: an SM's share of L2's or DRAM's time, whichever is longer. */
static double copy_clocks(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *p)
{
    const double copies = p->tiles * p->slices * plan->blocks, dram_clock = machine->memory_bytes_s / p->clock_hz;
    return machine->sms * fmax(p->cache.l2_bytes / machine->l2_bytes_clock, p->cache.dram_bytes / dram_clock) / copies;
}

static double load_clocks(const eb_kernel_plan *plan)
{
    double wavefronts = 0;
    for (size_t k = 0; k < plan->accesses; k++)
        if (plan->access[k].loads)
            wavefronts += (double)eb_access_use(plan, &plan->access[k]).wavefronts;
    return wavefronts;
}

eb_pipeline eb_pipeline_of(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *prediction)
{
    eb_pipeline p = {.blocks = prediction->occupancy.blocks,
                     .stages = plan->stages,
                     .copy = copy_clocks(plan, machine, prediction),
                     .load = load_clocks(plan),
                     .multiply = prediction->products_clocks,
                     .work = prediction->slice_clocks};
    p.slice = fmax(p.work, p.copy);
    if (p.blocks == 1 && p.stages == 1) {
        p.copy = fmin(p.copy, p.slice - fmax(p.load, p.multiply));
        p.work = p.slice - p.copy;
    }
    return p;
}

/* Blocks take turns slice by slice, first come first served. */
void eb_pipeline_run(const eb_pipeline *p, size_t slices, eb_slice_time *time)
{
    double way_free = 0, cores_free = 0;
    for (size_t k = 0; k < slices; k++)
        for (size_t b = 0; b < p->blocks; b++) {
            const double stage_free = k >= p->stages ? time[(k - p->stages) * p->blocks + b].multiply.end : 0;
            const double copied_from = fmax(stage_free, way_free), copied = copied_from + p->copy;
            const double begin = fmax(copied, cores_free), end = begin + p->work;
            time[k * p->blocks + b] =
                (eb_slice_time){{copied_from, copied}, {begin, begin + p->load}, {end - p->multiply, end}};
            way_free = copied;
            cores_free = end;
        }
}
