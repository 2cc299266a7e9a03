/* plan: describes the scan of lists on a GPU (inverted/cuda/scan.cuh) to the machine model (core/model/kernel.h).
 *
 * A tile is a list and the queries whose tables lie side by side. Beside its look-ups, which are the tile's slices, a
 * block makes the tables. Both take instructions, and the way to L1 and shared memory: look-ups by the bank conflicts
 * of chance codes (core/model/lookup.h), codes and books by their lines.
 */
#include <math.h>

#include "core/base/random.h"
#include "core/model/lookup.h"
#include "kernels/indexed/plan.h"
#include "kernels/inverted/shape.h"
#include "kernels/ivfpq/settings.h"

enum { PIECE = 2, SUBSPACES = EB_CODES_AT_ONCE, LINE = 128, LANES = EB_WARP, SCHEDULERS = 4 };

/* What a table format costs, read off the machine code of sm_90 (nvcc 13.0) for pieces of two coordinates.
 * sums: a warp's instructions for look-ups in 16 subspaces; of u8, whose integer additions half of the lanes' pipes
 * take, as many slots. tables: for a subspace's 256 entries of all queries, rounding included. Each for tables plain,
 * summed in FP16, and packed; 0: there is no such kernel. registers: per thread, for pieces of two coordinates and of
 * others, the more of sm_80 and sm_90. */
enum { PLAIN, F16_SUMS, PACKED, KINDS };
static const struct {
    unsigned short sums[KINDS], tables[KINDS];
    unsigned char registers[KINDS][2];
} costs[EB_TABLE_FORMATS] = {
    [EB_TABLE_F32] = {{76, 108, 0}, {67, 67, 0}, {{40, 56}, {40, 48}}},
    [EB_TABLE_F16] = {{92, 124, 124}, {71, 71, 128}, {{40, 52}, {40, 48}, {48, 64}}},
    [EB_TABLE_E5M3] = {{76, 108, 254}, {122, 122, 380}, {{40, 54}, {32, 48}, {56, 78}}},
    [EB_TABLE_E4M4] = {{76, 108, 254}, {122, 122, 380}, {{40, 54}, {32, 48}, {56, 78}}},
    [EB_TABLE_E4M3] = {{76, 108, 254}, {146, 146, 520}, {{40, 54}, {32, 48}, {54, 79}}},
    [EB_TABLE_E5M2] = {{76, 108, 254}, {146, 146, 520}, {{40, 54}, {32, 48}, {54, 79}}},
    [EB_TABLE_U8] = {{57, 0, 192}, {171, 0, 588}, {{46, 61}, {0, 0}, {60, 80}}},
};

/* Share of a scheduler's clocks in which it begins an instruction where these are the limit, and share of the shorter
 * of instructions and L1's way that the longer does not hide. Fitted together to the kernels of `recall` with seven
 * tables on an H200 (tests/bench/recall.md). */
static const double issued = 0.7, unhidden = 0.1;

typedef struct scan {
    eb_inverted_question question;
    eb_inverted_shape shape;
    unsigned kind, queries, bytes; /* bytes: of what one look-up reads, an entry or a word of entries */
    size_t piece;                  /* coordinates of a piece */
    double blocks;                 /* of 32 points of a list */
} scan;

static double together(double instructions, double lines)
{
    return instructions > lines ? instructions + unhidden * lines : lines + unhidden * instructions;
}

/* ---- the layout that the search chooses (inverted/cuda/search.cu) ---- */

static unsigned shared_bytes(const scan *s, size_t d)
{
    const size_t m = s->shape.m, table = m * EB_BOOK_ENTRIES * (s->question.pad ? sizeof(float) : s->bytes);
    return (unsigned)(table + eb_scan_room((unsigned)d, (unsigned)m, s->queries) * sizeof(float));
}

static void set_layout(scan *s, bool packed)
{
    const unsigned entry = (unsigned)eb_table_entry_bytes(s->question.lut);
    s->kind = packed ? PACKED : s->question.f16_sums && s->question.lut != EB_TABLE_U8 ? F16_SUMS : PLAIN;
    s->queries = packed ? (unsigned)sizeof(float) / entry : 1;
    s->bytes = packed ? (unsigned)sizeof(float) : entry;
}

static void choose_layout(scan *s, size_t n, size_t d, const eb_machine *machine)
{
    const size_t nlist = s->shape.nlist, by_room = EB_SCAN_BATCH_DISTANCES / nlist,
                 most = by_room < EB_SCAN_BATCH ? by_room : EB_SCAN_BATCH, batch = n < most ? n : most;
    const eb_table_layout layout = s->question.layout;
    set_layout(s, layout == EB_LAYOUT_PACKED ||
                      (layout == EB_LAYOUT_USUAL && eb_inverted_check_packed(&s->question, NULL) == EB_OK &&
                       batch * s->question.nprobe >= EB_SCAN_WORTH_PACKING * nlist));
    if (layout == EB_LAYOUT_USUAL && shared_bytes(s, d) > machine->block_shared_bytes)
        set_layout(s, false);
}

/* ---- clocks ---- */

/* An SM's clocks for the tables of a tile, and for reading its codes. More coordinates of a piece are a difference, a
 * square and a sum for each entry and query, and two loads. */
static double clocks_beside_sums(const scan *s)
{
    const double passes = s->question.lut == EB_TABLE_U8 ? 2 : 1; /* over the books; the first finds the ranges */
    const double m = (double)s->shape.m, piece = (double)s->piece,
                 groups = m * EB_BOOK_ENTRIES / (LANES * EB_SCAN_LOADED);
    const double more = passes * groups / m * (piece - PIECE) * (3 * EB_SCAN_LOADED * s->queries + 2);
    const double instructions = m * (costs[s->question.lut].tables[s->kind] + more) / (SCHEDULERS * issued);
    const double book_lines = piece * LANES * EB_SCAN_LOADED * sizeof(float) / LINE;
    const double residuals = piece * s->queries; /* a number for all lanes each */
    const double stores = (double)LANES * EB_SCAN_LOADED * s->bytes / LINE;
    const double books = groups * (passes * (book_lines * EB_REQUEST_CLOCKS + residuals) + stores);
    const double codes = s->blocks * ceil(m / SUBSPACES) * LANES * SUBSPACES / LINE * EB_REQUEST_CLOCKS;
    return together(instructions, books + codes);
}

/* Example: chance codes of 32 points in a subspace. */
static void look_up(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const uint32_t bytes = plan->access[0].bytes, subspace = (uint32_t)(instance % plan->d_padded);
    uint64_t state = instance;
    for (uint32_t lane = 0; lane < EB_WARP; lane++)
        address[lane] = (subspace * EB_BOOK_ENTRIES + (uint32_t)eb_random_below(&state, EB_BOOK_ENTRIES)) * bytes;
}

/* ---- the plan ---- */

/* Measured were tables of FP32, FP16, E5M3, E4M4 and u8, summed in FP32, of pieces of two coordinates. */
static const char *unmeasured(const scan *s)
{
    const eb_table_format lut = s->question.lut;
    return s->piece != PIECE                              ? "pieces of one coordinate, or of more than two"
           : lut == EB_TABLE_E4M3 || lut == EB_TABLE_E5M2 ? "lut=e4m3 or lut=e5m2"
           : s->kind == F16_SUMS                          ? "accumulate=f16"
                                                          : NULL;
}

static eb_kernel_plan plan_of(const scan *s, size_t n, size_t d, const eb_machine *machine)
{
    const size_t m = s->shape.m, code_bytes = (m + SUBSPACES - 1) / SUBSPACES * SUBSPACES,
                 slices = (code_bytes + LINE - 1) / LINE, points = (n + s->shape.nlist - 1) / s->shape.nlist;
    const double sum_clocks = costs[s->question.lut].sums[s->kind] / (SCHEDULERS * issued) / SUBSPACES; /* of a warp */
    const unsigned entry = (unsigned)eb_table_entry_bytes(s->question.lut);
    return (eb_kernel_plan){
        .title = s->kind == PACKED ? "lists by look-up tables packed into words" : "lists by look-up tables",
        .number = EB_TF32,
        .products = 1,
        .instructions = 1, /* adds an entry; of_rate has those beside it */
        .flops = 1,
        .of_rate = LANES * s->queries / (sum_clocks * eb_machine_cores(machine, sizeof(float))),
        .compiled = true,
        .n = n,
        .d = d,
        .d_padded = m,
        .point_bytes = code_bytes,
        .blocks = 1,
        .rows = (uint32_t)points,
        .columns = s->queries,
        .warp_rows = LANES,
        .warp_columns = s->queries,
        .alignment = 1,
        .threads = eb_scan_threads(entry, s->queries),
        .shared_bytes = shared_bytes(s, d),
        .stages = 1,
        .registers = costs[s->question.lut].registers[s->kind][s->piece != PIECE],
        .numbers = s->shape.nlist,
        .run = eb_whole_row,
        .queued = true,
        .candidates = (double)points * (double)s->question.nprobe,
        .assumes =
            "all lists are as long as their mean, a query scans nprobe of them, and all codes are equally likely; "
            "lists near many points are longer: candidates= sets how many points a query scans",
        .assumes_given =
            "lists as long as their mean, and codes that are all equally likely; choosing lists, making the "
            "index and taking pairs are not in the time",
        .through_l1 = "books and codes",
        .unmeasured = unmeasured(s),
        .accesses = 1,
        .access = {{.key = "look_up",
                    .title = "ld.shared, entries",
                    .lanes = LANES,
                    .bytes = s->bytes,
                    .instances = (size_t)s->blocks * ((m + slices - 1) / slices),
                    .loads = true,
                    .counted = true,
                    .mean = eb_lookup_wavefronts(s->bytes),
                    .addresses = look_up}},
        .unhidden = unhidden,
        .tile_clocks = clocks_beside_sums(s),
        .selectivity = EB_PLAN_SELECTIVITY,
    };
}

eb_code eb_ivfpq_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_ivfpq_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                      eb_status *status)
{
    const eb_dataset points = {.n = n, .d = d};
    const eb_ivfpq_settings settings = eb_ivfpq_settings_of(options, EB_DEVICE_CUDA, &points, NULL);
    scan s = {.question = settings.question, .shape = settings.request.shape};
    EB_TRY(eb_inverted_check(&s.shape, n, d, status));
    EB_TRY(eb_inverted_check_question(&s.question, s.shape.nlist, EB_DEVICE_CUDA, status));
    EB_TRY(eb_machine_needs_cores(machine, sizeof(float), status));
    s.piece = d / s.shape.m;
    s.blocks = ceil((double)n / (double)s.shape.nlist / EB_LIST_BLOCK);
    choose_layout(&s, n, d, machine);
    *out = plan_of(&s, n, d, machine);
    return EB_OK;
}
