/* plan: describes ref64's kernels to the machine model (core/model/kernel.h), as they are when they append hits. */
#include "core/engine/engine.h"
#include "core/model/kernel.h"
#include "kernels/parts/tile_order.h"
#include "kernels/ref64/shape.h"

enum { WARPS = EB_REF64_THREADS / 32, HITS_BYTES = 1024 /* waiting hits of a warp */ };

/* Registers by ptxas of CUDA 13.0. */
enum { REGISTERS_80 = 200, REGISTERS_90 = 208 };
static const unsigned char few_registers_80[EB_REF64_FEW_MOST_D] = {80,  80,  88,  98,  105, 114, 128, 140,
                                                                    138, 145, 167, 172, 180, 192, 194, 208},
                           few_registers_90[EB_REF64_FEW_MOST_D] = {79,  80,  89,  99,  106, 118, 135, 140,
                                                                    138, 154, 167, 184, 185, 198, 193, 214};

/* An SM's clocks for a tile beside its slices, measured on an H200 (tests/bench/gpu.md, 200,000 points). */
static const double end_of_tile = 500, end_of_few = 130;

/* ---- shared memory: points of more than 16 dimensions; `instance` numbers warps, chunks and a thread's rows ---- */

static void load(const eb_kernel_plan *plan, int first_row, int thread_row, int chunk, int lane,
                 uint32_t address[EB_WARP])
{
    address[lane] = plan->misaligned + (uint32_t)((first_row + thread_row) * EB_ROW_BYTES) +
                    eb_chunk_place(EB_SWIZZLE_F64, thread_row, chunk);
}

static int of_warp(size_t instance) { return (int)instance / (EB_ROW_CHUNKS * EB_REF64_PAIRS); }
static int of_chunk(size_t instance) { return (int)instance / EB_REF64_PAIRS % EB_ROW_CHUNKS; }
static int of_pair(size_t instance) { return (int)instance % EB_REF64_PAIRS; }

static void load_rows(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    for (int lane = 0; lane < (int)EB_WARP; lane++)
        load(plan, of_pair(instance) * 16, eb_ref64_row(of_warp(instance) * 32 + lane), of_chunk(instance), lane,
             address);
}

static void load_columns(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    for (int lane = 0; lane < (int)EB_WARP; lane++)
        load(plan, EB_REF64_TILE + of_pair(instance) * 8, eb_ref64_column(of_warp(instance) * 32 + lane),
             of_chunk(instance), lane, address);
}

static void fill(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const int warp = (int)instance % WARPS, r = (int)instance / WARPS * (EB_REF64_THREADS / EB_ROW_CHUNKS);
    for (int lane = 0; lane < (int)EB_WARP; lane++) {
        const int thread = warp * (int)EB_WARP + lane;
        load(plan, r, eb_filled_row(thread), eb_filled_chunk(thread), lane, address);
    }
}

/* ---- shared memory: few dimensions; columns are stored as in global memory, all lanes read the same one ---- */

static void few_fill(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    for (uint32_t lane = 0; lane < EB_WARP; lane++)
        address[lane] = plan->misaligned + ((uint32_t)instance * EB_REF64_FEW_THREADS + lane) * EB_CHUNK_BYTES;
}

static void few_load(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    for (uint32_t lane = 0; lane < EB_WARP; lane++)
        address[lane] = plan->misaligned + (uint32_t)instance * EB_CHUNK_BYTES;
}

/* ---- tiles ---- */

static eb_worker_run run_of(const eb_kernel_plan *plan, uint64_t number)
{
    const uint32_t side = (uint32_t)((plan->n + EB_REF64_TILE - 1) / EB_REF64_TILE);
    const uint32_t parts = plan->rows / plan->columns; /* of a tile, with consecutive numbers */
    const eb_block_tile at = eb_block_tile_at(number / parts, side, side, true, plan->symmetric);
    return (eb_worker_run){at.row, at.column * parts + (uint32_t)(number % parts), at.inside};
}

/* ---- plans ---- */

static eb_shared_access access_of(const char *key, const char *title, int instances,
                                  void (*addresses)(const eb_kernel_plan *, size_t, uint32_t *))
{
    return (eb_shared_access){.key = key,
                              .title = title,
                              .lanes = EB_WARP,
                              .bytes = EB_CHUNK_BYTES,
                              .instances = (size_t)instances,
                              .loads = addresses != fill && addresses != few_fill,
                              .counted = addresses != fill && addresses != few_fill,
                              .addresses = addresses};
}

static void plan_tiles(bool hopper, eb_kernel_plan *out)
{
    const int loads = WARPS * EB_ROW_CHUNKS * EB_REF64_PAIRS;
    out->title = "block tiles on CUDA cores";
    out->columns = EB_REF64_COLUMNS;
    out->warp_rows = 4 * EB_REF64_PAIRS;
    out->warp_columns = EB_REF64_COLUMNS;
    out->threads = EB_REF64_THREADS;
    out->shared_bytes = EB_REF64_STAGES * EB_REF64_STAGE_BYTES + WARPS * HITS_BYTES;
    out->stages = EB_REF64_STAGES;
    out->registers = hopper ? REGISTERS_90 : REGISTERS_80;
    out->tile_clocks = end_of_tile;
    out->accesses = 3;
    out->access[0] = access_of("fill", "cp.async, points in",
                               (EB_REF64_TILE + EB_REF64_COLUMNS) * EB_ROW_CHUNKS / (int)EB_WARP, fill);
    out->access[1] = access_of("load_rows", "ld.shared.v2.f64, rows", loads, load_rows);
    out->access[2] = access_of("load_columns", "ld.shared.v2.f64, columns", loads, load_columns);
}

static void plan_few(bool hopper, eb_kernel_plan *out)
{
    const int chunks = eb_ref64_few_chunks((int)out->d);
    out->title = "block tiles of a warp on CUDA cores, rows in registers";
    out->columns = EB_REF64_TILE;
    out->warp_rows = out->warp_columns = EB_REF64_TILE;
    out->threads = EB_REF64_FEW_THREADS;
    out->shared_bytes = (unsigned)eb_ref64_few_shared_bytes((int)out->d) + HITS_BYTES;
    out->stages = 1;
    out->registers = (hopper ? few_registers_90 : few_registers_80)[out->d - 1];
    out->tile_clocks = end_of_few;
    out->accesses = 2;
    out->access[0] = access_of("fill", "cp.async, columns in", EB_REF64_TILE * chunks / (int)EB_WARP, few_fill);
    out->access[1] = access_of("load_columns", "ld.shared.v2.f64, columns", EB_REF64_TILE * chunks, few_load);
}

eb_code eb_ref64_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_ref64_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                      eb_status *status)
{
    const uint32_t side = (uint32_t)((n + EB_REF64_TILE - 1) / EB_REF64_TILE);
    const bool few = d <= EB_REF64_FEW_MOST_D;
    (void)options;
    EB_TRY(eb_machine_needs_cores(machine, sizeof(double), status));
    *out = (eb_kernel_plan){
        .number = EB_F64_NUMBER,
        .products = 1,
        .instructions = 2, /* a subtraction and an FMA */
        .flops = 3,
        .compiled = true,
        .n = n,
        .d = d,
        .d_padded = few ? d : (d + 1) / 2 * 2,
        .point_bytes = (d + 1) / 2 * 2 * sizeof(double),
        .blocks = 1,
        .rows = EB_REF64_TILE,
        .alignment = EB_CHUNK_BYTES,
        .symmetric = true,
        .numbers = eb_block_tile_count(side, side, true, true) * (few ? 1 : EB_REF64_HALVES),
        .run = run_of,
        .queued = true, /* blocks begin one after another, as SMs have room */
        .selectivity = EB_PLAN_SELECTIVITY,
    };
    if (few)
        plan_few(machine->compute >= 9, out);
    else
        plan_tiles(machine->compute >= 9, out);
    return EB_OK;
}
