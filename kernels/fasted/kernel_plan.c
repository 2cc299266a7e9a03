/* kernel_plan: uses the functions that give the kernels their shapes, addresses and tiles. */
#include "kernels/fasted/kernel_plan.h"

#include <math.h>
#include <stdio.h>

#include "core/engine/engine.h"
#include "kernels/fasted/plan.h"
#include "kernels/fasted/thresholds.h"
#include "kernels/parts/depth.h"

enum { STEPS = EB_ROW_BYTES / 32 };

unsigned eb_fasted_switches(const eb_options *options)
{
    unsigned set = 0;
#define TAKE(bit, name, presets, needs, published, help) set |= eb_option_on(options, name) ? (unsigned)(bit) : 0;
    EB_FASTED_SWITCHES(TAKE)
#undef TAKE
    return set;
}

/* ---- shared-memory accesses of kernel.cuh's block ---- */

/* The place of instruction `instance`; its number counts warps, k-steps and fragments, fragments fastest. */
typedef struct place_of_instance {
    int warp_row, warp_column, step, fragment;
} place_of_instance;

static place_of_instance place_of(const eb_block_shape *of, size_t instance, int fragments)
{
    const int k = (int)instance, warp = k / (fragments * STEPS) % of->warps;
    return (place_of_instance){warp / of->warps_across * of->warp_rows, warp % of->warps_across * of->warp_columns,
                               k / fragments % STEPS, k % fragments};
}

static void load_a(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const eb_block_shape of = eb_block_shape_of((uint32_t)plan->variant);
    const bool alone = (plan->variant & EB_REGISTER_REUSE) == 0 && (plan->variant & EB_WARP_TILE) != 0;
    const int a_pair = alone ? of.column_blocks : 1; /* how often each fragment is loaded */
    const place_of_instance at = place_of(&of, instance, of.row_blocks * a_pair);
    for (int lane = 0; lane < (int)EB_WARP; lane++)
        address[lane] = plan->misaligned +
                        (uint32_t)((at.warp_row + at.fragment / a_pair * 16 + eb_a_row(lane)) * EB_ROW_BYTES) +
                        eb_a_place(of.swizzle, at.step, lane);
}

/* Loads two fragments at a time, or one with 16 lanes. */
static void load_b(const eb_kernel_plan *plan, const eb_block_shape *of, place_of_instance at, int first_row,
                   uint32_t address[EB_WARP])
{
    for (int lane = 0; lane < (int)EB_WARP; lane++)
        address[lane] = plan->misaligned +
                        (uint32_t)((of->rows + at.warp_column + first_row + eb_b_row(lane)) * EB_ROW_BYTES) +
                        eb_b_place(of->swizzle, at.step, lane);
}

static void load_b_once(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const eb_block_shape of = eb_block_shape_of((uint32_t)plan->variant);
    const int rows = (plan->variant & EB_WIDE_LOADS) != 0 && of.column_blocks > 1 ? 16 : 8;
    const place_of_instance at = place_of(&of, instance, of.column_blocks * 8 / rows);
    load_b(plan, &of, at, at.fragment * rows, address);
}

static void load_b_each(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const eb_block_shape of = eb_block_shape_of((uint32_t)plan->variant);
    const place_of_instance at = place_of(&of, instance, of.row_blocks * of.column_blocks);
    load_b(plan, &of, at, at.fragment % of.column_blocks / 2 * 16, address);
}

/* Every warp writes 4 rows at a time; the rows of B follow the rows of A. */
static void fill(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const eb_block_shape of = eb_block_shape_of((uint32_t)plan->variant);
    const int warp = (int)instance % of.warps, r = (int)instance / of.warps * (of.threads / EB_ROW_CHUNKS);
    for (int lane = 0; lane < (int)EB_WARP; lane++) {
        const int thread = warp * (int)EB_WARP + lane, row = eb_filled_row(thread);
        address[lane] = plan->misaligned + (uint32_t)((row + r) * EB_ROW_BYTES) +
                        eb_chunk_place(of.swizzle, row + r % 8, eb_filled_chunk(thread));
    }
}

static void plan_accesses(const eb_block_shape *of, eb_kernel_plan *plan)
{
    const uint32_t set = (uint32_t)plan->variant;
    const bool reuse = (set & EB_REGISTER_REUSE) != 0 || (set & EB_WARP_TILE) == 0;
    const bool wide = (set & EB_WIDE_LOADS) != 0 && of->column_blocks > 1;
    const size_t steps = (size_t)of->warps * STEPS, a = (size_t)of->row_blocks, b = (size_t)of->column_blocks;
    const bool async = (set & EB_ASYNC_COPY) != 0;
    plan->access[0] = (eb_shared_access){.key = "fill",
                                         .title = async ? "cp.async, points in" : "st.shared, points in",
                                         .lanes = EB_WARP,
                                         .bytes = EB_CHUNK_BYTES,
                                         .instances = (size_t)((of->rows + of->columns) * EB_ROW_CHUNKS) / EB_WARP,
                                         .counted = !async,
                                         .addresses = fill};
    plan->access[1] = (eb_shared_access){.key = "load_a",
                                         .title = "ldmatrix.x4, A",
                                         .lanes = EB_WARP,
                                         .bytes = EB_CHUNK_BYTES,
                                         .instances = steps * a * (reuse ? 1 : b),
                                         .loads = true,
                                         .counted = true,
                                         .matrix = true,
                                         .addresses = load_a};
    plan->access[2] = (eb_shared_access){.key = "load_b",
                                         .title = wide || !reuse ? "ldmatrix.x4, B" : "ldmatrix.x2, B",
                                         .lanes = wide || !reuse ? EB_WARP : EB_WARP / 2,
                                         .bytes = EB_CHUNK_BYTES,
                                         .instances = reuse ? steps * b / (wide ? 2 : 1) : steps * a * b,
                                         .loads = true,
                                         .counted = true,
                                         .matrix = true,
                                         .addresses = reuse ? load_b_once : load_b_each};
    plan->accesses = 3;
}

/* ---- shared-memory accesses of warpgroup.cuh: wgmma reads pieces of 8 rows × 16 bytes, once for each group that has
 * these rows; shorter rows are swizzled so that they have no conflicts either ---- */

static eb_group_shape group_shape(const eb_kernel_plan *plan)
{
    return eb_group_shape_of((uint32_t)plan->variant, eb_last_steps(plan->d * eb_number_type_of(plan->number)->bytes));
}

static void read_piece(size_t instance, uint32_t first, uint32_t address[EB_WARP])
{
    const int rows = (int)(instance / EB_ROW_CHUNKS) * 8, chunk = (int)(instance % EB_ROW_CHUNKS);
    for (int lane = 0; lane < 8; lane++)
        address[lane] = first + (uint32_t)((rows + lane) * EB_ROW_BYTES) + eb_chunk_place(EB_SWIZZLE_ROWS, lane, chunk);
}

static void read_a(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const eb_group_shape of = group_shape(plan);
    read_piece(instance % (size_t)(of.rows / 8 * EB_ROW_CHUNKS), (uint32_t)of.b_bytes, address);
}

static void read_b(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const eb_group_shape of = group_shape(plan);
    read_piece(instance % (size_t)(of.columns / 8 * EB_ROW_CHUNKS), 0, address);
}

/* ---- tiles ---- */

static uint32_t tiles_across(const eb_kernel_plan *plan, uint32_t side)
{
    return (uint32_t)((plan->n + side - 1) / side);
}

static eb_worker_run block_run(const eb_kernel_plan *plan, uint64_t number)
{
    const eb_block_tile at = eb_block_tile_at(number, tiles_across(plan, plan->rows), tiles_across(plan, plan->columns),
                                              (plan->variant & EB_TILE_ORDER) != 0, plan->symmetric);
    return (eb_worker_run){at.row, at.column, at.inside};
}

static eb_worker_run group_run(const eb_kernel_plan *plan, uint64_t number)
{
    const eb_tile_bands bands = group_shape(plan).bands;
    const uint32_t rows = tiles_across(plan, plan->rows), columns = tiles_across(plan, plan->columns);
    const uint64_t band = eb_band_of_run(number, (columns + bands.chunk - 1) / bands.chunk, bands, plan->symmetric);
    const uint64_t before = eb_runs_before(band, (columns + bands.chunk - 1) / bands.chunk, bands, plan->symmetric);
    const eb_tile_run run =
        eb_run_at((uint32_t)band, (uint32_t)(number - before), rows, columns, bands, plan->symmetric);
    return (eb_worker_run){run.row, run.column, run.count};
}

/* ---- plans ---- */

/* Fitted to runs of an H200, with their clocks (machine_rows.h); pair_*: to runs with and without pairs. tests_*:
 * clocks of an SM for a tile of 128 × 128 (wgmma: 128 × 256) beyond its slices. pair_*: clocks for each pair found.
 * behind_*: a slice takes the longer of two times, that of its products (769 clocks) and that of its wavefronts (768),
 * and this share of the shorter one. wait_*: clocks from the request of a slice until it arrives, and the latency of
 * the tests, measured with tiles of 32 × 16 and 16 × 8, which hardly compute. */
static const double tests_at_once = 7170, tests_of_records = 725, tests_of_groups = 985;
static const double pair_of_records = 44, pair_of_groups = 37;
static const double wait_for_slice = 566, wait_behind_copies = 1500, wait_behind_nothing = 1750, wait_for_tests = 1335;
static const double behind_pipeline = 0.41, behind_copies = 0.68, behind_nothing = 1;

/* Where points are in the order of their norms, row constants rule more tiles out. Groups test while others multiply: a
 * step of products (256 clocks) hides this much of it. */
static const double tests_of_four = 1260, tests_of_four_in_order = 580, tests_in_order = 840, least_in_order = 300,
                    hidden_by_step = 90;

static double tests_of(const eb_kernel_plan *plan)
{
    const size_t steps = eb_multiplied_bytes(plan->d * eb_number_type_of(plan->number)->bytes) / 32;
    const double hidden = hidden_by_step * (double)steps;
    const bool in_order = plan->symmetric && (plan->variant & EB_SORTED_NORMS) != 0 &&
                          eb_order_is_faster(plan->point_bytes, plan->n, true);
    if (plan->variant & EB_FOUR_GROUPS)
        return (in_order ? tests_of_four_in_order : tests_of_four) - hidden;
    return in_order ? fmax(tests_in_order - hidden, least_in_order) : tests_of_groups;
}

static void plan_blocks(uint32_t set, eb_kernel_plan *plan)
{
    const eb_block_shape of = eb_block_shape_of(set);
    const bool at_once = (set & (EB_EARLY_TEST | EB_CANDIDATE_QUEUE | EB_ROW_CONSTANT)) == 0;
    plan->title = "block tiles by mma.sync";
    plan->blocks = 1;
    plan->rows = (uint32_t)of.rows;
    plan->columns = (uint32_t)of.columns;
    plan->warp_rows = (uint32_t)of.warp_rows;
    plan->warp_columns = (uint32_t)of.warp_columns;
    plan->alignment = EB_CHUNK_BYTES;
    plan->misaligned = (unsigned)of.misaligned;
    plan->threads = (unsigned)of.threads;
    plan->shared_bytes = (unsigned)of.shared_bytes + (set & EB_STRIDING ? 0 : EB_QUEUE_BYTES);
    plan->stages = (unsigned)of.stages;
    plan->most_resident = set & EB_WARP_TILE ? 0 : (unsigned)of.resident;
    plan->registers = 65536u / (unsigned)(of.threads * of.resident);
    plan->registers = plan->registers > 255 ? 255 : plan->registers;
    plan->queued = (set & EB_STRIDING) == 0;
    plan->numbers = eb_block_tile_count(tiles_across(plan, plan->rows), tiles_across(plan, plan->columns),
                                        (set & EB_TILE_ORDER) != 0, plan->symmetric);
    plan->run = block_run;
    plan->unhidden = set & EB_PIPELINE ? behind_pipeline : set & EB_ASYNC_COPY ? behind_copies : behind_nothing;
    plan->tile_clocks =
        (at_once ? tests_at_once : tests_of_records) * (double)(plan->rows * plan->columns) / (128 * 128);
    plan->pair_clocks = at_once ? 0 : pair_of_records;
    plan->request_clocks = EB_REQUEST_CLOCKS;
    plan->slice_wait = set & EB_PIPELINE     ? wait_for_slice
                       : set & EB_ASYNC_COPY ? wait_behind_copies
                                             : wait_behind_nothing;
    plan->tile_wait = wait_for_tests;
    plan_accesses(&of, plan);
}

/* On compute capability 10.0 one instruction multiplies the whole tile and reads B once. */
static void plan_groups(uint32_t set, const eb_machine *machine, eb_kernel_plan *plan)
{
    const eb_group_shape of = group_shape(plan);
    const bool four = (set & EB_FOUR_GROUPS) != 0, wgmma = machine->compute < 10;
    const int readers_of_a = wgmma ? of.columns / of.group_columns : 1,
              readers_of_b = wgmma ? of.rows / of.group_rows : 1;
    plan->title = wgmma ? "cluster tiles by wgmma" : "cluster tiles by tcgen05";
    plan->warpgroups = true;
    plan->blocks = (unsigned)of.cluster;
    plan->rows = plan->columns = (uint32_t)of.side;
    plan->alignment = 8 * EB_ROW_BYTES;
    plan->warp_rows = (uint32_t)of.group_rows;
    plan->warp_columns = (uint32_t)of.group_columns;
    plan->keeps_rows = (set & EB_STRIPS) != 0;
    plan->threads = (unsigned)of.threads;
    plan->shared_bytes = (unsigned)of.shared_bytes;
    plan->stages = (unsigned)of.stages;
    plan->registers = four ? 96 : 168;
    plan->paced = (set & EB_IN_STEP) != 0 && eb_steps_are_kept(plan->point_bytes);
    plan->numbers =
        eb_run_count(tiles_across(plan, plan->rows), tiles_across(plan, plan->columns), of.bands, plan->symmetric);
    plan->run = group_run;
    plan->tile_clocks = tests_of(plan);
    plan->pair_clocks = pair_of_groups;
    plan->access[0] = (eb_shared_access){.key = "read_a",
                                         .title = "wgmma, A",
                                         .lanes = 8,
                                         .bytes = EB_CHUNK_BYTES,
                                         .instances = (size_t)(readers_of_a * of.rows / 8 * EB_ROW_CHUNKS),
                                         .loads = true,
                                         .addresses = read_a};
    plan->access[1] = (eb_shared_access){.key = "read_b",
                                         .title = "wgmma, B",
                                         .lanes = 8,
                                         .bytes = EB_CHUNK_BYTES,
                                         .instances = (size_t)(readers_of_b * of.columns / 8 * EB_ROW_CHUNKS),
                                         .loads = true,
                                         .addresses = read_b};
    plan->accesses = 2;
}

/* Finds the kernel's registers per thread; `compiled` stays false for a kernel that registers.h does not list. */
static void plan_registers(const eb_machine *machine, uint32_t set, eb_kernel_plan *plan)
{
    static const struct {
        uint32_t set;
        unsigned sm_80, sm_90;
    } row[] = {
#define ROW(set_, a, b) {(uint32_t)(set_), a, b},
#include "kernels/fasted/registers.h"
#undef ROW
    };
    const uint32_t paper = (uint32_t)EB_PRESET_PAPER,
                   outside = (uint32_t)(EB_OUTSIDE_KERNELS | EB_STRIPS | EB_FOUR_GROUPS);
    const bool subset = (set & ~(paper | outside)) == 0;
    if (subset) /* registers.h says which subsets share a row */
        set = (set & (EB_WARP_TILE | EB_REGISTER_REUSE)) == EB_WARP_TILE ? paper & ~(uint32_t)EB_REGISTER_REUSE
                                                                         : set | EB_RESIDENCY;
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        const uint32_t ignored = outside | (subset ? row[k].set & EB_ALIGNMENT : 0);
        if (((row[k].set ^ set) & ~ignored) == 0) {
            plan->compiled = true;
            if (!(set & EB_FOUR_GROUPS)) /* their number is the same for all sets */
                plan->registers = eb_machine_has_wgmma(machine) ? row[k].sm_90 : row[k].sm_80;
        }
    }
}

/* ---- arithmetic ---- */

/* An SM's clocks for adding one pair's sum to an FP32 sum: products wait meanwhile. DeepGEMM has 1113 TFLOPS with FP8
 * products that are promoted each 128, and 1696 are sustained without that: 677 clocks more for a slice of 128 × 256
 * pairs. */
static const double promotion_of_pair = 677.0 / (128 * 256);

static bool skips_padding(const eb_kernel_plan *plan)
{
    return plan->warpgroups && eb_fasted_is_best((uint32_t)plan->variant);
}

/* A slice of every part is multiplied with those of several parts. */
static void plan_arithmetic(const eb_arithmetic *arithmetic, eb_kernel_plan *plan)
{
    const double pairs = (double)plan->rows * (double)plan->columns / plan->blocks;
    const double products = (double)(plan->d_padded * plan->products) * EB_ROW_BYTES / (double)plan->point_bytes;
    for (size_t k = 0; k < plan->accesses; k++)
        if (plan->access[k].loads)
            plan->access[k].instances = plan->access[k].instances * arithmetic->products / arithmetic->parts;
    const size_t bytes = eb_number_type_of(arithmetic->number)->bytes;
    if (arithmetic->all_depths && skips_padding(plan)) {
        plan->d_multiplied = eb_multiplied_bytes(plan->d * bytes) / bytes;
        for (size_t k = 0; k < plan->accesses; k++)
            plan->access[k].instances = plan->access[k].instances * plan->d_multiplied / plan->d_padded;
    }
    if (arithmetic->promote > 0)
        plan->promotion_clocks = promotion_of_pair * pairs * products / arithmetic->promote;
}

/* Products of an instruction for 32 bytes of its points, a warp's share: m16n8 by mma.sync, m64n256 or, with four
 * groups, m64n128 by wgmma of four warps. */
static unsigned instruction_of(const eb_kernel_plan *plan, const eb_machine *machine)
{
    const unsigned pairs = plan->warpgroups ? plan->warp_rows / 4 * plan->warp_columns : 16 * 8;
    if (plan->warpgroups && !eb_machine_has_wgmma(machine))
        return 0;
    return pairs * (32 / (unsigned)eb_number_type_of(plan->number)->bytes);
}

eb_code eb_plan_tiles(uint32_t switches, const eb_arithmetic *arithmetic, size_t n, size_t d, const eb_machine *machine,
                      eb_kernel_plan *out, eb_status *status)
{
    if (machine->compute < 8)
        return eb_fail(status, EB_NO_ENGINE, "these kernels need compute capability 8.0, %s has %.1f", machine->title,
                       machine->compute);
    const size_t bytes = eb_number_type_of(arithmetic->number)->bytes, slice = EB_ROW_BYTES / bytes;
    const size_t d_padded = (d + slice - 1) / slice * slice, point_bytes = d_padded * bytes * arithmetic->parts;
    const uint32_t set = eb_fasted_set_for(switches, point_bytes, n);
    *out = (eb_kernel_plan){.variant = set,
                            .number = arithmetic->number,
                            .products = arithmetic->products,
                            .n = n,
                            .d = d,
                            .d_padded = d_padded,
                            .point_bytes = point_bytes,
                            .selectivity = EB_PLAN_SELECTIVITY,
                            .symmetric = (set & EB_SYMMETRIC) != 0};
    if (set & EB_WARPGROUP)
        plan_groups(set, machine, out);
    else
        plan_blocks(set, out);
    out->instruction = instruction_of(out, machine);
    plan_arithmetic(arithmetic, out);
    return EB_OK;
}

eb_code eb_plan_fasted(uint32_t switches, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                       eb_status *status)
{
    static const eb_arithmetic fp16 = {.number = EB_F16_NUMBER, .parts = 1, .products = 1, .all_depths = true};
    const uint32_t set = eb_fasted_switches_there(switches, eb_machine_has_wgmma(machine));
    EB_TRY(eb_plan_tiles(set, &fp16, n, d, machine, out, status));
    out->arrives =
        out->symmetric && eb_fasted_is_best(set) &&
        !((set & EB_SORTED_NORMS) != 0 && eb_order_is_worth_waiting(out->point_bytes, n, (set & EB_WARPGROUP) != 0));
    plan_registers(machine, (uint32_t)out->variant, out);
    return EB_OK;
}

void eb_fasted_source(const eb_kernel_plan *plan, eb_kernel_source *out);

/* Residency changes only how a kernel of the paper's switches is launched (cuda/subsets.cuh). */
void eb_fasted_source(const eb_kernel_plan *plan, eb_kernel_source *out)
{
    const uint32_t set = (uint32_t)plan->variant;
    const bool groups = (set & EB_WARPGROUP) != 0;
    (void)snprintf(out->file, sizeof out->file, "kernels/fasted/cuda/%s.cuh", groups ? "warpgroup" : "kernel");
    (void)snprintf(out->name, sizeof out->name, "eb::%s<eb::%s<%uu, eb::output::hits>>",
                   groups ? "fasted_warpgroups" : "fasted_tiles", groups ? "warpgroup_shape" : "fasted_shape",
                   set | EB_RESIDENCY);
}

eb_code eb_fasted_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_fasted_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                       eb_status *status)
{
    EB_TRY(eb_plan_fasted(eb_fasted_switches(options), n, d, machine, out, status));
    out->follows_switches = true;
    return EB_OK;
}
