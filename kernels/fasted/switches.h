/* switches: FASTED's optimisations (paper §3.3, Table 5) and those that epsbench adds. Each is an option of the engine
 * (fasted.c) and a bit of the kernels' template mask.
 *
 * X(bit, name, presets, needs, published, help). presets: the presets that turn the switch on; needs: the switch that
 * it depends on; published: TFLOPS of Table 5 without the switch (A100, d = 4096), 0 if the paper has no number.
 */
#pragma once

#define EB_FASTED_SWITCHES(X)                                                                                          \
    X(EB_TILE_ORDER, "tile-order", "paper|best", NULL, 133,                                                            \
      "block tiles run in 8 × 8 squares, so that blocks that run together share panels in L2")                         \
    X(EB_BLOCK_TILE, "block-tile", "paper|best", NULL, 95.8, "four warps share one 128 × 128 tile in shared memory")   \
    X(EB_ASYNC_COPY, "async-copy", "paper|best", NULL, 48.6,                                                           \
      "cp.async copies global to shared memory without registers")                                                     \
    X(EB_PIPELINE, "pipeline", "paper|best", "async-copy", 145,                                                        \
      "the next slice is copied while this one is multiplied")                                                         \
    X(EB_RESIDENCY, "residency", "paper|best", NULL, 110.8, "two blocks on each SM hide each other's waits")           \
    X(EB_WARP_TILE, "warp-tile", "paper|best", NULL, 38.0,                                                             \
      "a warp computes 64 × 64 pairs; off: one fragment of 16 × 8, in block tiles of 32 × 16")                         \
    X(EB_SWIZZLE, "swizzle", "paper|best", NULL, 120.8, "16-byte chunks XORed with the row: no bank conflicts")        \
    X(EB_ALIGNMENT, "alignment", "paper|best", NULL, 120.7,                                                            \
      "shared memory begins at a multiple of 128 bytes; off: 16 bytes later, without bank conflicts")                  \
    X(EB_REGISTER_REUSE, "register-reuse", "paper|best", "warp-tile", 0,                                               \
      "fragments stay in registers for the whole warp tile; off: for one mma")                                         \
    X(EB_WIDE_LOADS, "wide-loads", "best", NULL, 0, "mma.sync: one ldmatrix loads two fragments of B; off: one")       \
    X(EB_FRAGMENT_BUFFER, "fragment-buffer", "best", NULL, 0,                                                          \
      "mma.sync: fragments of the next step load while those of this step are multiplied")                             \
    X(EB_EARLY_REFILL, "early-refill", "best", NULL, 0,                                                                \
      "mma.sync: a stage is refilled while the other is multiplied, with one barrier a slice; off: two")               \
    X(EB_STRIDING, "striding", "best", NULL, 0,                                                                        \
      "mma.sync: each block takes tiles at a fixed stride; off: the next tile of a queue")                             \
    X(EB_RUN_AHEAD, "run-ahead", "best", "striding", 0,                                                                \
      "mma.sync: points of the next tile are copied while pairs of this tile are tested")                              \
    X(EB_SYMMETRIC, "symmetric", "best", NULL, 0, "compute pairs with i < j only; write both orders")                  \
    X(EB_EARLY_TEST, "early-test", "best", NULL, 0,                                                                    \
      "one warp-wide test for any hit comes before tests of single pairs")                                             \
    X(EB_CANDIDATE_QUEUE, "candidate-queue", "best", NULL, 0,                                                          \
      "pairs that pass a cheap test wait in shared memory for the exact test")                                         \
    X(EB_AGGREGATE, "aggregate", "best", NULL, 0, "one atomic for all hits of a warp; off: one for each hit")          \
    X(EB_WARPGROUP, "warpgroup", "best", NULL, 0,                                                                      \
      "Hopper: wgmma reads shared memory; a cluster of two blocks shares its copies")                                  \
    X(EB_FETCH_AHEAD, "fetch-ahead", "best", NULL, 0,                                                                  \
      "Hopper: the copying warp finds the next tile and copies the norms of its columns")                              \
    X(EB_STRIPS, "strips", "best", NULL, 0,                                                                            \
      "Hopper, 64 < d <= 256, n >= 262,144: rows stay in shared memory for 8 tiles")                                   \
    X(EB_BANDS, "bands", "best", NULL, 0,                                                                              \
      "Hopper: tiles run in bands of 8 rows of tiles (strips: 64); off: a quarter as many rows")                       \
    X(EB_IN_TURN, "in-turn", "best", NULL, 0,                                                                          \
      "Hopper, 64 < d <= 256: one warpgroup tests its pairs while the other multiplies")                               \
    X(EB_ROW_CONSTANT, "row-constant", "best", NULL, 0,                                                                \
      "pairs are first tested with the least norm of the tile's columns")                                              \
    X(EB_SORTED_NORMS, "sorted-norms", "best", "row-constant", 0,                                                      \
      "points sorted by norm: row-constant rules out more; d <= 256, n >= 131,072 (mma.sync 65,536)")                  \
    X(EB_SPARE_WARPS, "spare-warps", "best", "candidate-queue", 0,                                                     \
      "Hopper: warps that do not multiply test candidates, and count or write hits")                                   \
    X(EB_FOUR_GROUPS, "four-groups", "best", "fetch-ahead", 0,                                                         \
      "Hopper, d <= 64, n >= 32,768: four warpgroups compute, not two; more warps test")                               \
    X(EB_IN_STEP, "in-step", "best", NULL, 0,                                                                          \
      "Hopper, d >= 512: all clusters copy the same slices at the same time, so that L2 still has them")

/* Switches that change nothing in the warpgroup kernel, which has its own form of each. */
#define EB_IN_WARPGROUP (EB_WIDE_LOADS | EB_FRAGMENT_BUFFER | EB_EARLY_REFILL | EB_STRIDING | EB_RUN_AHEAD)
/* Switches of the warpgroup kernel alone. */
#define EB_OF_WARPGROUP                                                                                                \
    (EB_WARPGROUP | EB_FETCH_AHEAD | EB_STRIPS | EB_BANDS | EB_IN_TURN | EB_SPARE_WARPS | EB_FOUR_GROUPS | EB_IN_STEP)
/* Switches that do not change a kernel's code. */
#define EB_OUTSIDE_KERNELS (EB_SORTED_NORMS | EB_IN_STEP)

/* How the norms s = Σ p² are summed, in the order of the option `norms`. Authors: as in the authors' code, p² + q² of
 * two neighbouring coordinates is computed and then added to the sum; both additions are FP32 rounded toward zero.
 * Chain: one square after another, FP32 rounded toward zero. FP64: in FP64, rounded to FP32 once. */
typedef enum eb_fasted_norms { EB_NORMS_AUTHORS, EB_NORMS_CHAIN, EB_NORMS_FP64 } eb_fasted_norms;

#define EB_SWITCH_PLACE(bit, name, presets, needs, published, help) bit##_PLACE,
enum { EB_FASTED_SWITCHES(EB_SWITCH_PLACE) EB_FASTED_SWITCH_COUNT };
#undef EB_SWITCH_PLACE

#ifdef __cplusplus
#define EB_SWITCH_BIT(bit, name, presets, needs, published, help) constexpr unsigned bit = 1u << bit##_PLACE;
EB_FASTED_SWITCHES(EB_SWITCH_BIT)
constexpr unsigned EB_PRESET_PAPER = (1u << EB_WIDE_LOADS_PLACE) - 1,
                   EB_PRESET_BEST = (1u << EB_FASTED_SWITCH_COUNT) - 1;
#else
#define EB_SWITCH_BIT(bit, name, presets, needs, published, help) bit = 1 << bit##_PLACE,
enum {
    EB_FASTED_SWITCHES(EB_SWITCH_BIT) EB_PRESET_PAPER = (1 << EB_WIDE_LOADS_PLACE) - 1,
    EB_PRESET_BEST = (1 << EB_FASTED_SWITCH_COUNT) - 1
};
#endif
#undef EB_SWITCH_BIT

struct eb_options;

#ifdef __cplusplus
extern "C"
#endif
    /* Returns the options' switches as a mask (kernel_plan.c). */
    unsigned
    eb_fasted_switches(const struct eb_options *options);
