#include "kernels/ted/plan.h"
#include "core/engine/engine.h"
#include "kernels/parts/tile_order.h"
#include "kernels/ted/plan_paper.h"
#include "kernels/ted/shape.h"

enum { DEPTH = 4, STEPS = EB_ROW_BYTES / 32, WARPS = EB_TED_THREADS / 32 };

/* STATIC_BYTES: waiting hits and norms of the kernel that appends hits. REGISTERS_*: its registers by ptxas of CUDA
 * 13.0. */
enum { STATIC_BYTES = 6144, REGISTERS_80 = 190, REGISTERS_90 = 226 };

/* ---- shared-memory accesses of a block; `instance` numbers warps, groups of 8 rows and steps, steps fastest ---- */

static void load(const eb_kernel_plan *plan, int first_row, size_t instance, uint32_t address[EB_WARP])
{
    for (int lane = 0; lane < (int)EB_WARP; lane++)
        address[lane] = plan->misaligned + (uint32_t)((first_row + eb_f64_row(lane)) * EB_ROW_BYTES) +
                        (uint32_t)eb_f64_within(lane % 4) +
                        eb_f64_place((int)(instance % STEPS), eb_f64_row(lane), lane % 4);
}

static void load_a(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const int block = (int)instance / STEPS, blocks = EB_TED_WARP_ROWS / 8;
    load(plan, eb_ted_row(block / blocks) + block % blocks * 8, instance, address);
}

static void load_b(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const int block = (int)instance / STEPS, blocks = EB_TED_WARP_COLUMNS / 8;
    load(plan, EB_TED_TILE + eb_ted_column(block / blocks) + block % blocks * 8, instance, address);
}

static void fill(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const int warp = (int)instance % WARPS, r = (int)instance / WARPS * (EB_TED_THREADS / EB_ROW_CHUNKS);
    for (int lane = 0; lane < (int)EB_WARP; lane++) {
        const int thread = warp * (int)EB_WARP + lane, row = eb_filled_row(thread);
        address[lane] = plan->misaligned + (uint32_t)((row + r) * EB_ROW_BYTES) +
                        eb_chunk_place(EB_SWIZZLE_F64, row + r % 8, eb_filled_chunk(thread));
    }
}

/* ---- tiles: two blocks each, with consecutive numbers ---- */

static eb_worker_run run_of(const eb_kernel_plan *plan, uint64_t number)
{
    const uint32_t side = (uint32_t)((plan->n + EB_TED_TILE - 1) / EB_TED_TILE);
    const eb_block_tile at = eb_block_tile_at(number / EB_TED_HALVES, side, side, true, plan->symmetric);
    return (eb_worker_run){at.row, at.column * EB_TED_HALVES + (uint32_t)(number % EB_TED_HALVES), at.inside};
}

eb_code eb_plan_f64_tiles(size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out, eb_status *status)
{
    const uint32_t side = (uint32_t)((n + EB_TED_TILE - 1) / EB_TED_TILE);
    const size_t d_padded = (d + DEPTH - 1) / DEPTH * DEPTH, steps = (size_t)WARPS * STEPS;
    EB_TRY(eb_machine_needs_f64(machine, status));
    *out = (eb_kernel_plan){
        .title = "block tiles by FP64 mma.sync",
        .number = EB_F64_NUMBER,
        .products = 1,
        .compiled = true,
        .n = n,
        .d = d,
        .d_padded = d_padded,
        .point_bytes = d_padded * sizeof(double),
        .blocks = 1,
        .rows = EB_TED_TILE,
        .columns = EB_TED_COLUMNS,
        .warp_rows = EB_TED_WARP_ROWS,
        .warp_columns = EB_TED_WARP_COLUMNS,
        .alignment = EB_CHUNK_BYTES,
        .threads = EB_TED_THREADS,
        .shared_bytes = EB_TED_STAGES * EB_TED_STAGE_BYTES + STATIC_BYTES,
        .stages = EB_TED_STAGES,
        .registers = machine->compute >= 9 ? REGISTERS_90 : REGISTERS_80,
        .symmetric = true,
        .numbers = eb_block_tile_count(side, side, true, true) * EB_TED_HALVES,
        .run = run_of,
        .queued = true, /* blocks begin one after another, as SMs have room */
        .accesses = 3,
        .access = {{.key = "fill",
                    .title = "cp.async, points in",
                    .lanes = EB_WARP,
                    .bytes = EB_CHUNK_BYTES,
                    .instances = (size_t)(EB_TED_TILE + EB_TED_COLUMNS) * EB_ROW_CHUNKS / EB_WARP,
                    .addresses = fill},
                   {.key = "load_a",
                    .title = "ld.shared.f64, A",
                    .lanes = EB_WARP,
                    .bytes = sizeof(double),
                    .instances = steps * (EB_TED_WARP_ROWS / 8),
                    .loads = true,
                    .counted = true,
                    .addresses = load_a},
                   {.key = "load_b",
                    .title = "ld.shared.f64, B",
                    .lanes = EB_WARP,
                    .bytes = sizeof(double),
                    .instances = steps * (EB_TED_WARP_COLUMNS / 8),
                    .loads = true,
                    .counted = true,
                    .addresses = load_b}},
        /* fitted to runs of an H200 (core/model/machine_rows.h) */
        .selectivity = EB_PLAN_SELECTIVITY,
        .unhidden = 0.15,
        .tile_clocks = 1260,
    };
    return EB_OK;
}

eb_code eb_ted_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_ted_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                    eb_status *status)
{
    if (eb_option_choice(options, "kernel") == 0)
        return eb_plan_ted_paper(options, false, n, d, machine, out, status);
    return eb_plan_f64_tiles(n, d, machine, out, status);
}
