/* switches: FASTED's optimisations (paper §3.3, Table 5) and the ones epsbench adds. Each is an option of the engine
 * (fasted.c) and a bit of the mask that the kernels' templates take.
 *
 * X(bit, name, presets, needs, published, help): presets in which it is on; the switch it needs; the TFLOPS that Table
 * 5 gives without it (A100, d = 4096), 0: not in the paper.
 */
#ifndef EB_KERNELS_FASTED_SWITCHES_H
#define EB_KERNELS_FASTED_SWITCHES_H

#define EB_FASTED_SWITCHES(X)                                                                                          \
    X(EB_TILE_ORDER, "tile-order", "paper|best", NULL, 133,                                                            \
      "block tiles in 8 × 8 squares, so that running blocks share panels in L2")                                       \
    X(EB_BLOCK_TILE, "block-tile", "paper|best", NULL, 95.8, "four warps share one 128 × 128 tile in shared memory")   \
    X(EB_ASYNC_COPY, "async-copy", "paper|best", NULL, 48.6, "cp.async: global to shared memory without registers")    \
    X(EB_PIPELINE, "pipeline", "paper|best", "async-copy", 145,                                                        \
      "copy the next slice while the tensor cores work on this one")                                                   \
    X(EB_RESIDENCY, "residency", "paper|best", NULL, 110.8, "two blocks an SM hide each other's waits")                \
    X(EB_WARP_TILE, "warp-tile", "paper|best", NULL, 38.0,                                                             \
      "fragments stay in registers for a whole 64 × 64 warp tile")                                                     \
    X(EB_SWIZZLE, "swizzle", "paper|best", NULL, 120.8, "16-byte chunks XORed with the row: no bank conflicts")        \
    X(EB_ALIGNMENT, "alignment", "paper|best", NULL, 120.7, "shared memory aligned to 128 bytes")                      \
    X(EB_SYMMETRIC, "symmetric", "best", NULL, 0, "compute i < j only, write both orders")                             \
    X(EB_EARLY_TEST, "early-test", "best", NULL, 0, "one warp-wide any-hit test before looking at single pairs")       \
    X(EB_AGGREGATE, "aggregate", "best", NULL, 0, "one atomic a warp instead of one a hit")                            \
    X(EB_WARPGROUP, "warpgroup", "best", NULL, 0,                                                                      \
      "Hopper: wgmma from shared memory, copies shared by a cluster of two blocks")

/* How the norms s = Σ p² are summed, in the order of the option `norms`: as the authors' code does it, p² + q² of each
 * two neighbouring coordinates, then added to the sum, both in FP32 rounded toward zero; one after another, so rounded;
 * in FP64, rounded once. */
typedef enum eb_fasted_norms { EB_NORMS_AUTHORS, EB_NORMS_CHAIN, EB_NORMS_FP64 } eb_fasted_norms;

#define EB_SWITCH_PLACE(bit, name, presets, needs, published, help) bit##_PLACE,
enum { EB_FASTED_SWITCHES(EB_SWITCH_PLACE) EB_FASTED_SWITCH_COUNT };
#undef EB_SWITCH_PLACE

#ifdef __cplusplus
#define EB_SWITCH_BIT(bit, name, presets, needs, published, help) constexpr unsigned bit = 1u << bit##_PLACE;
EB_FASTED_SWITCHES(EB_SWITCH_BIT)
#undef EB_SWITCH_BIT

constexpr unsigned EB_PRESET_PAPER = 0x0ff, EB_PRESET_BEST = 0xfff;
#endif

#endif
