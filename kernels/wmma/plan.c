/* plan: describes the kernels of wmma and wmma-ref to the machine model (core/model/kernel.h). */
#include "kernels/ted/plan.h"
#include "core/engine/engine.h"
#include "core/model/kernel.h"
#include "kernels/parts/tile_order.h"
#include "kernels/wmma/shape.h"

enum {
    STEPS = EB_WMMA_SLICE / EB_WMMA_DEPTH,
    STRIPES = EB_WMMA_TILE / EB_WMMA_SIDE,
    ROWS_AT_ONCE = EB_WMMA_THREADS / (EB_WMMA_SLICE / 2),
    HITS_BYTES = 4096, /* waiting hits */
    REGISTERS_80 = 80, /* by ptxas of CUDA 13.0, of the kernel that appends hits */
    REGISTERS_90 = 64,
};

/* ---- shared memory; wmma's fragment loads are taken to be of a double a lane: row lane / 4, dimension lane mod 4 ----
 */

static void load(const eb_kernel_plan *plan, int panel, int first_row, size_t step, uint32_t address[EB_WARP])
{
    for (int lane = 0; lane < (int)EB_WARP; lane++)
        address[lane] = plan->misaligned + (uint32_t)(panel * EB_WMMA_PANEL_BYTES) +
                        8 * (uint32_t)((first_row + lane / EB_WMMA_DEPTH) * EB_WMMA_STRIDE + (int)step * EB_WMMA_DEPTH +
                                       lane % EB_WMMA_DEPTH);
}

/* `instance` numbers warps and steps, steps fastest; for B stripes, too. */
static void load_a(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    load(plan, 0, (int)(instance / STEPS) * EB_WMMA_SIDE, instance % STEPS, address);
}

static void load_b(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    load(plan, 1, (int)(instance / STEPS % STRIPES) * EB_WMMA_SIDE, instance % STEPS, address);
}

static void fill(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const int warp = (int)instance % EB_WMMA_WARPS, turn = (int)instance / EB_WMMA_WARPS;
    const int turns = EB_WMMA_TILE / ROWS_AT_ONCE, row = turn % turns * ROWS_AT_ONCE;
    for (int lane = 0; lane < (int)EB_WARP; lane++) {
        const int thread = warp * (int)EB_WARP + lane;
        address[lane] =
            plan->misaligned + (uint32_t)(turn / turns * EB_WMMA_PANEL_BYTES) +
            8 * (uint32_t)((row + eb_wmma_filled_row(thread)) * EB_WMMA_STRIDE + eb_wmma_filled_column(thread));
    }
}

static eb_worker_run run_of(const eb_kernel_plan *plan, uint64_t number)
{
    const uint32_t side = (uint32_t)((plan->n + EB_WMMA_TILE - 1) / EB_WMMA_TILE);
    const eb_block_tile at = eb_block_tile_at(number, side, side, true, plan->symmetric);
    return (eb_worker_run){at.row, at.column, at.inside};
}

eb_code eb_wmma_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);
eb_code eb_wmma_ref_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_wmma_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                     eb_status *status)
{
    const uint32_t side = (uint32_t)((n + EB_WMMA_TILE - 1) / EB_WMMA_TILE);
    const size_t d_padded = (d + EB_WMMA_SLICE - 1) / EB_WMMA_SLICE * EB_WMMA_SLICE;
    (void)options;
    EB_TRY(eb_machine_needs_f64(machine, status));
    *out = (eb_kernel_plan){
        .title = "block tiles by WMMA, FP64 m8n8k4",
        .number = EB_F64_NUMBER,
        .products = 1,
        .of_rate = machine->compute >= 9 ? 0.5 : 0, /* m8n8k4 has half the rate of Hopper's m16n8k16 */
        .compiled = true,
        .n = n,
        .d = d,
        .d_padded = d_padded,
        .point_bytes = d_padded * sizeof(double),
        .blocks = 1,
        .rows = EB_WMMA_TILE,
        .columns = EB_WMMA_TILE,
        .warp_rows = EB_WMMA_SIDE,
        .warp_columns = EB_WMMA_TILE,
        .alignment = 32,
        .threads = EB_WMMA_THREADS,
        .shared_bytes = 2 * EB_WMMA_PANEL_BYTES + EB_WMMA_TILE * EB_WMMA_PRODUCT_STRIDE * 8 + HITS_BYTES,
        .stages = 1,
        .registers = machine->compute >= 9 ? REGISTERS_90 : REGISTERS_80,
        .symmetric = true,
        .numbers = eb_block_tile_count(side, side, true, true),
        .run = run_of,
        .queued = true,
        .accesses = 3,
        .access = {{.key = "fill",
                    .title = "st.shared, points in",
                    .lanes = EB_WARP,
                    .bytes = 16,
                    .instances = 2 * EB_WMMA_TILE / ROWS_AT_ONCE * EB_WMMA_WARPS,
                    .counted = true,
                    .addresses = fill},
                   {.key = "load_a",
                    .title = "load_matrix_sync, A",
                    .lanes = EB_WARP,
                    .bytes = sizeof(double),
                    .instances = EB_WMMA_WARPS * STEPS,
                    .loads = true,
                    .counted = true,
                    .addresses = load_a},
                   {.key = "load_b",
                    .title = "load_matrix_sync, B",
                    .lanes = EB_WARP,
                    .bytes = sizeof(double),
                    .instances = EB_WMMA_WARPS * STRIPES * STEPS,
                    .loads = true,
                    .counted = true,
                    .addresses = load_b}},
        /* H200, 100,000 points (tests/bench/gpu.md): 439 clocks for slices of 260 and 224, 180 more per tile */
        .selectivity = EB_PLAN_SELECTIVITY,
        .unhidden = 0.8,
        .tile_clocks = 180,
    };
    return EB_OK;
}

/* ---- wmma-ref: ted's tiles write all distances, and a scan reads half of them ---- */

/* An SM's clocks for writing the 8192 distances of a block's tile, of which no product hides any: an H200 took 30 to 60
 * ms more than ted at 100,000 points and 64 to 512 dimensions, the scan included. */
static const double written_tile = 4300;

eb_code eb_wmma_ref_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                         eb_status *status)
{
    (void)options;
    EB_TRY(eb_plan_f64_tiles(n, d, machine, out, status));
    const uint32_t side = (uint32_t)((n + out->rows - 1) / out->rows);
    out->title = "block tiles by FP64 mma.sync that write all distances, then a scan";
    out->symmetric = false;
    out->numbers = eb_block_tile_count(side, side, true, false) * (out->rows / out->columns);
    out->tile_clocks = written_tile;
    out->pass_bytes = (double)n * (double)n * sizeof(double) / 2;
    out->assumes = "all n × n distances, of 8 bytes each, fit the GPU's memory; bytes from DRAM are those of the "
                   "points, without the distances";
    return EB_OK;
}
