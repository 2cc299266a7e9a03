/* plan: describes the verdicts on pairs of leaves (cuda/verdicts.cuh) to the machine model (core/model/kernel.h). The
 * order of the points and the list of leaf pairs are made before them and are not in the time.
 *
 * A tile is the leaf pairs of a block. Each warp reads a leaf, tests its points against the other leaf's box, stores
 * them, and reads those near the box point by point, for all lanes at once. What such a join takes are FP64
 * instructions, and the way to L1 and shared memory.
 */
#include <math.h>

#include "core/engine/engine.h"
#include "core/model/kernel.h"
#include "kernels/boxes/shape.h"
#include "kernels/indexed/plan.h"

/* Points of a leaf that are near the box of a leaf near it: 3 to 21 in eleven joins of nine sets (tests/bench/gpu.md),
 * this many in the middle one. Beyond 16 dimensions two neighbouring points are computed if one is near. */
enum { NEAR = 13, NEAR_DEEP = 21 };

/* Instructions of the FP64 pipe for a dimension of a box (two differences, two comparisons, an FMA), and a point's
 * comparison with the threshold. */
enum { OF_BOX = 5, OF_POINT = 1, OF_DIMENSION = 2 };

enum { LINE = 128, CHUNK = 16 };

/* Registers by ptxas of CUDA 13.0, the more of sm_80 and sm_90; [0]: more than 16 dimensions. */
static const unsigned char registers[EB_VERDICT_REGISTERS + 1] = {160, 32, 40,  45,  48,  60,  64,  76, 80,
                                                                  92,  96, 108, 116, 124, 128, 140, 148};

/* Share of the shorter of instructions and L1's way that the longer does not hide; fitted to the verdicts of those
 * eleven joins on an H200. */
static const double unhidden = 0.35;

typedef struct work {
    uint32_t d, slice, chunks, warps, pairs; /* chunks: of 16 bytes of a point, a slice; pairs: of leaves, a block */
    double slices, computed;                 /* computed: of a leaf's points, by all lanes */
} work;

static work work_of(size_t d)
{
    const bool deep = d > EB_VERDICT_REGISTERS;
    work w = {.d = (uint32_t)d,
              .slice = deep ? EB_VERDICT_REGISTERS : (uint32_t)d,
              .warps = eb_verdict_warps((uint32_t)d),
              .slices = ceil((double)d / EB_VERDICT_REGISTERS),
              .computed = deep ? NEAR_DEEP : NEAR};
    w.chunks = (w.slice + 1) / 2;
    w.pairs = w.warps * EB_VERDICT_PAIRS;
    return w;
}

/* ---- shared memory; `instance` numbers points and their chunks, chunks fastest ---- */

static uint32_t words_of(const eb_kernel_plan *plan) { return eb_verdict_words((uint32_t)work_of(plan->d).slice); }

static void store(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const uint32_t chunk = (uint32_t)instance % work_of(plan->d).chunks;
    for (uint32_t lane = 0; lane < EB_WARP; lane++)
        address[lane] = (lane * words_of(plan) + chunk) * CHUNK;
}

static void load(const eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP])
{
    const uint32_t chunks = work_of(plan->d).chunks, point = (uint32_t)instance / chunks % EB_LEAF;
    for (uint32_t lane = 0; lane < EB_WARP; lane++)
        address[lane] = (point * words_of(plan) + (uint32_t)instance % chunks) * CHUNK;
}

/* Lines that a pair of leaves asks L1 for: the other leaf's coordinates and the box, in slices the coordinates of both
 * again; a leaf's own coordinates serve a warp's pairs. */
static double lines_of(const work *w)
{
    const double leaf = (double)(EB_LEAF * sizeof(double)) / LINE,
                 again = w->slices > 1 ? 2 * leaf : leaf / EB_VERDICT_PAIRS;
    return w->d * (leaf + 1 + again);
}

/* ---- the plan ---- */

static eb_shared_access access_of(const char *key, const char *title, double instances, bool loads,
                                  void (*addresses)(const eb_kernel_plan *, size_t, uint32_t[EB_WARP]))
{
    return (eb_shared_access){.key = key,
                              .title = title,
                              .lanes = EB_WARP,
                              .bytes = CHUNK,
                              .instances = (size_t)instances,
                              .loads = loads,
                              .counted = true,
                              .addresses = addresses};
}

eb_code eb_boxes_plan(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

eb_code eb_boxes_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                      eb_status *status)
{
    const work w = work_of(d);
    const double useful = NEAR * (double)OF_DIMENSION * w.d,
                 executed = w.computed * (OF_DIMENSION * (double)w.d + w.slices * OF_POINT) + OF_BOX * (double)w.d;
    (void)options;
    EB_TRY(eb_machine_needs_cores(machine, sizeof(double), status));
    *out = (eb_kernel_plan){
        .title = "pairs of leaves on CUDA cores",
        .number = EB_F64_NUMBER,
        .products = 1,
        .of_rate = useful / executed,
        .instructions = OF_DIMENSION, /* a difference and an FMA */
        .flops = 3,
        .compiled = true,
        .n = n,
        .d = d,
        .d_padded = d,
        .point_bytes = d * sizeof(double),
        .blocks = 1,
        .rows = EB_LEAF,
        .columns = w.pairs * NEAR,
        .warp_rows = EB_LEAF,
        .warp_columns = NEAR,
        .alignment = CHUNK,
        .threads = w.warps * EB_WARP,
        .shared_bytes = w.warps * EB_LEAF * eb_verdict_words(w.slice) * CHUNK + CHUNK,
        .stages = 1,
        .apart = true,
        .registers = registers[d > EB_VERDICT_REGISTERS ? 0 : d],
        .numbers = (n + EB_LEAF - 1) / EB_LEAF,
        .run = eb_whole_row,
        .queued = true,
        .candidates = (double)n / 2 * NEAR / EB_LEAF,
        .assumes =
            "all leaves are near each other, and 13 of a leaf's 32 points are near the other leaf's box (measured: "
            "3 to 21): both depend on the points and on ε; candidates= sets how many distances are computed a point",
        .assumes_given =
            "of a near leaf's 32 points 13 near the other leaf's box (measured: 3 to 21), and sums over all "
            "dimensions; the order and the list of leaf pairs are not in the time",
        .through_l1 = "leaves and boxes",
        .accesses = 2,
        .access = {access_of("load", "ld.shared.v2.f64, a point for all lanes", w.pairs * w.computed * w.chunks, true,
                             load),
                   access_of("store", "st.shared.v2.f64, a leaf", w.pairs * w.chunks, false, store)},
        .unhidden = unhidden,
        .tile_clocks = w.pairs * lines_of(&w) * EB_REQUEST_CLOCKS,
        .selectivity = EB_PLAN_SELECTIVITY,
    };
    return EB_OK;
}
