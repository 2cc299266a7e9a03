#include "core/model/predict.h"

#include <math.h>

/* Factors for a block alone on its SM: no other block multiplies while it tests or waits (H200:
 * fasted[paper,-residency]). */
static const double alone_tile = 2.08, alone_unhidden = 0.62;

/* Multiply-adds of tensor cores, or instructions of CUDA cores, a clock and SM. */
static double products_a_clock(const eb_kernel_plan *plan, const eb_machine *machine)
{
    const eb_rate rate = eb_rate_of(plan->number);
    const double share = plan->of_rate > 0 ? plan->of_rate : 1;
    if (plan->instructions > 0)
        return share * eb_machine_cores(machine, eb_number_type_of(plan->number)->bytes);
    return plan->warpgroups ? machine->wgmma[rate] : share * machine->mma[rate];
}

/* Products, or instructions, for a dimension of a pair, and their FLOP. */
static double work_of_dimension(const eb_kernel_plan *plan)
{
    return plan->instructions > 0 ? plan->instructions : plan->products;
}

static double flops_of_dimension(const eb_kernel_plan *plan)
{
    return plan->instructions > 0 ? plan->flops : 2.0 * plan->products;
}

/* Share of all pairs that an index leaves. */
static double share_left(const eb_kernel_plan *plan)
{
    return plan->candidates > 0 ? fmin(plan->candidates / (double)plan->n, 1) : 1;
}

static double dimensions_multiplied(const eb_kernel_plan *plan)
{
    return (double)(plan->d_multiplied > 0 ? plan->d_multiplied : plan->d_padded);
}

/* Pairs of one block's share of a tile. */
static double pairs_of_block(const eb_kernel_plan *plan)
{
    return (double)plan->rows * (double)plan->columns / plan->blocks;
}

static double slices_of(const eb_kernel_plan *plan) { return ceil((double)plan->point_bytes / 128); }

static void predict_clocks(const eb_kernel_plan *plan, const eb_machine *machine, eb_prediction *p)
{
    const double products = pairs_of_block(plan) * dimensions_multiplied(plan) * work_of_dimension(plan) / p->slices;
    const double found = plan->selectivity * pairs_of_block(plan) / (double)plan->n;
    const bool alone = p->occupancy.blocks == 1 && plan->blocks == 1 && !plan->apart;
    p->products_clocks = products / products_a_clock(plan, machine);
    p->shared_clocks = (double)p->banks.wavefronts;
    const double unhidden = plan->unhidden + (alone ? alone_unhidden : 0);
    p->slice_clocks = fmax(p->products_clocks, p->shared_clocks) +
                      fmin(p->products_clocks, p->shared_clocks) * (plan->unhidden > 0 ? fmin(unhidden, 1) : 0);
    if (plan->requests > 0)
        p->slice_clocks = fmax(p->slice_clocks, plan->requests * plan->request_clocks);
    p->slice_clocks += plan->promotion_clocks;
    p->slice_clocks += plan->request_clocks * (double)((eb_asks_a_byte(plan) - 1) * (plan->rows + plan->columns));
    p->slice_clocks = fmax(p->slice_clocks, plan->slice_wait / p->occupancy.blocks);
    p->end_clocks = (plan->tile_clocks + found * plan->pair_clocks) * (alone ? alone_tile : 1);
    p->end_clocks = fmax(p->end_clocks, plan->tile_wait / p->occupancy.blocks);
    p->tile_clocks = p->slices * p->slice_clocks + p->end_clocks;
}

static void predict_reuse(const eb_kernel_plan *plan, eb_prediction *p)
{
    eb_reuse *of = &p->reuse;
    const double flops_of_slice =
        pairs_of_block(plan) * dimensions_multiplied(plan) * flops_of_dimension(plan) / p->slices;
    double loaded = 0; /* bytes read from shared memory */
    for (size_t k = 0; k < plan->accesses; k++)
        if (plan->access[k].loads)
            loaded += (double)(plan->access[k].instances * plan->access[k].lanes * plan->access[k].bytes);
    of->block_rows = plan->columns;
    of->block_columns = plan->rows;
    of->warp_rows = plan->warp_columns;
    of->warp_columns = plan->warp_rows;
    of->shared_intensity = loaded > 0 ? flops_of_slice / loaded : NAN;
    of->l2_intensity = p->executed_flops / p->cache.l2_bytes;
    of->dram_intensity = p->executed_flops / p->cache.dram_bytes;
}

/* Clocks of the SMs with the most tiles. */
static double sm_clocks(const eb_prediction *p)
{
    return ceil(p->tiles / p->occupancy.workers) * p->occupancy.blocks * p->tile_clocks;
}

/* Bytes that are not modelled take no power. */
static double known(double bytes) { return isnan(bytes) ? 0 : bytes; }

static void predict_clock(const eb_kernel_plan *plan, const eb_machine *machine, double given_hz, eb_prediction *p)
{
    p->load = (eb_exertion){.cores = plan->instructions > 0,
                            .rate = eb_rate_of(plan->number),
                            .flops = plan->instructions > 0 ? 0 : p->executed_flops,
                            .l2_bytes = known(p->cache.l2_bytes),
                            .dram_bytes = known(p->cache.dram_bytes),
                            .clocks = fmax(sm_clocks(p), p->cache.l2_bytes / machine->l2_bytes_clock),
                            .dram_s = p->cache.dram_bytes / machine->memory_bytes_s};
    p->clock_given = given_hz > 0;
    p->clock = p->clock_given ? (eb_likely){given_hz, given_hz, given_hz} : eb_clock_under(machine, &p->load);
    p->clock_hz = p->clock.likely;
}

static void predict_time(const eb_kernel_plan *plan, const eb_machine *machine, eb_prediction *p)
{
    p->sm_s = sm_clocks(p) / p->clock_hz;
    p->l2_s = p->cache.l2_bytes / (machine->l2_bytes_clock * p->clock_hz);
    p->dram_s = p->load.dram_s;
    p->kernel_s = fmax(p->sm_s, fmax(p->l2_s, p->dram_s));
    p->pass_s = plan->pass_bytes / machine->memory_bytes_s;
    p->bound = p->kernel_s == p->sm_s ? "SMs" : p->kernel_s == p->l2_s ? "L2" : "DRAM";
    p->kernel_s += p->pass_s;
    p->kernel.low = (fmax(p->load.clocks / p->clock.high, p->dram_s) + p->pass_s) * (1 - EB_CLOCKS_OFF);
    p->kernel.likely = p->kernel_s;
    p->kernel.high = (fmax(p->load.clocks / p->clock.low, p->dram_s) + p->pass_s) * (1 + EB_CLOCKS_OFF);
    p->roof_flops = flops_of_dimension(plan) / work_of_dimension(plan) * products_a_clock(plan, machine) *
                    machine->sms * p->clock_hz;
    p->memory_roof_flops = machine->memory_bytes_s * p->reuse.dram_intensity;
}

/* Wavefronts that the counter of shared memory's throughput sees; wgmma's, which it does not see, if it sees none. */
static void predict_shares(const eb_kernel_plan *plan, const eb_machine *machine, eb_prediction *p)
{
    const double wavefronts = (double)(p->counted.wavefronts ? p->counted : p->banks).wavefronts;
    const double sm_clocks_in_all = machine->sms * p->clock_hz * p->kernel_s;
    const double sheet = machine->sheet_bytes_s > 0 ? machine->sheet_bytes_s : machine->memory_bytes_s;
    p->dram_share = p->cache.dram_bytes / p->kernel_s / sheet;
    p->shared_share = wavefronts > 0 ? wavefronts * p->slices * p->tiles * plan->blocks / sm_clocks_in_all : NAN;
    p->tensor_share = plan->instructions > 0 ? NAN : p->executed_flops / p->kernel_s / p->roof_flops;
}

eb_code eb_predict(const eb_kernel_plan *plan, const eb_machine *machine, double clock_hz, eb_job *job,
                   eb_prediction *out, eb_status *status)
{
    eb_prediction p = {.occupancy = eb_occupancy_of(plan, machine),
                       .banks = eb_slice_use(plan, EB_ALL_ACCESSES),
                       .counted = eb_slice_use(plan, EB_COUNTED_ACCESSES),
                       .matrix = eb_slice_use(plan, EB_MATRIX_ACCESSES)};
    if (p.occupancy.workers == 0)
        return eb_fail(status, EB_NO_DEVICE,
                       "a block of this kernel does not fit an SM of %s, by %s: it takes %u bytes of shared memory, "
                       "a block may have %.0f",
                       machine->title, p.occupancy.limit, plan->shared_bytes, machine->block_shared_bytes);
    p.slices = slices_of(plan);
    predict_clocks(plan, machine, &p);
    const eb_pace pace = {.workers = p.occupancy.workers,
                          .slice_clocks = p.slice_clocks * p.occupancy.blocks,
                          .tile_clocks = p.end_clocks * p.occupancy.blocks};
    if (plan->through_l1)
        p.cache = (eb_cache_use){NAN, NAN, NAN, NAN, 1, NAN};
    else
        EB_TRY(eb_cache_replay(plan, machine, pace, job, &p.cache, status));
    p.tiles = eb_tiles_inside(plan) * share_left(plan);
    p.conflicts_a_wavefront = p.counted.wavefronts ? (double)p.counted.conflicts / (double)p.counted.wavefronts : 0;
    p.executed_flops = p.tiles * plan->rows * plan->columns * dimensions_multiplied(plan) * flops_of_dimension(plan);
    p.derived_flops = 2 * (double)plan->n * (double)plan->n * (double)plan->d;
    predict_reuse(plan, &p);
    predict_clock(plan, machine, clock_hz, &p);
    predict_time(plan, machine, &p);
    predict_shares(plan, machine, &p);
    *out = p;
    return EB_OK;
}
