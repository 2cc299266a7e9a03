/* plan: the shapes of fasted's kernels as functions of their switches: sizes of tiles, stages and shared memory. The
 * kernels' templates (shape.cuh, warpgroup_shape.cuh) and the machine model (kernel_plan.c) use them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/fasted/switches.h"
#include "kernels/parts/places.h"
#include "kernels/parts/tile_order.h"

/* The switches that take effect on a device with or without wgmma. */
EB_BOTH uint32_t eb_fasted_switches_there(uint32_t switches, bool warpgroups)
{
    return warpgroups && switches & EB_WARPGROUP ? switches | EB_IN_WARPGROUP : switches & ~(uint32_t)EB_OF_WARPGROUP;
}

/* True for the best preset, with wgmma or without, for all pairs or for half of them. Other sets have no kernels for
 * padded rows, or for pairs of two panels where each pair counts once. */
EB_BOTH bool eb_fasted_is_best(uint32_t set)
{
    const uint32_t best = EB_PRESET_BEST, free = EB_OUTSIDE_KERNELS | EB_STRIPS | EB_FOUR_GROUPS | EB_SYMMETRIC;
    return ((set ^ (set & EB_WARPGROUP ? best : best & ~(uint32_t)EB_OF_WARPGROUP)) & ~free) == 0;
}

/* Sizes in bytes of the structs in shared memory besides the stages, for FP16. records.cuh and arguments.cuh define
 * these structs; static_asserts in the shapes compare the sizes. */
enum {
    EB_RECORD_BYTES = 48,
    EB_RECORDS_A_PAGE = 32,
    EB_WAITING_HITS_BYTES = 64 * 12,
    EB_LEVEL_BYTES = 8,
    EB_COLUMN_LEVELS_BYTES = 256 * 8 + 16,
    EB_TILE_NOTE_BYTES = 16,
    EB_BOOK_FILLED_BYTES = 16,
    EB_QUEUE_BYTES = 1024, /* without striding: the next tile's number, and padding for the stages' alignment */
};

EB_BOTH int eb_book_bytes(int pages) { return pages * EB_RECORDS_A_PAGE * EB_RECORD_BYTES + EB_BOOK_FILLED_BYTES; }

/* Shape of a block-tile kernel (kernel.cuh). */
typedef struct eb_block_shape {
    int warp_rows, warp_columns; /* of a warp tile, in pairs */
    int rows, columns;           /* of a block tile */
    int warps_across, warps, threads;
    int stages, stage_bytes;
    int resident;                      /* blocks per SM */
    int misaligned;                    /* offset in bytes of shared memory from a multiple of 128 */
    int levels, set_bytes, level_sets; /* a set: {h, s} of a tile's points, with row-constant also {the columns' least
                                          h, unused}; one set for each tile in flight or being tested */
    int books, queues;
    int shared_bytes;
    eb_swizzle swizzle;
    int row_blocks, column_blocks; /* fragments of a warp tile: 16 rows, 8 columns each */
} eb_block_shape;

/* Without residency a block requests more than half of an SM's shared memory, so that no second block fits. */
enum { EB_HALF_AN_SM = 116 * 1024 };

EB_BOTH eb_block_shape eb_block_shape_of(uint32_t set)
{
    eb_block_shape of = EB_ZEROED;
    const bool large = (set & EB_WARP_TILE) != 0, queued = (set & EB_CANDIDATE_QUEUE) != 0;
    const int side = set & EB_BLOCK_TILE ? 2 : 1; /* side of the block tile, in warp tiles */
    of.swizzle = set & EB_SWIZZLE ? EB_SWIZZLE_ROWS : EB_SWIZZLE_NONE;
    of.warp_rows = large ? 64 : 16;
    of.warp_columns = large ? 64 : 8;
    of.rows = side * of.warp_rows;
    of.columns = side * of.warp_columns;
    of.warps_across = of.columns / of.warp_columns;
    of.warps = of.rows / of.warp_rows * of.warps_across;
    of.threads = 32 * of.warps;
    of.stages = set & EB_PIPELINE ? 2 : 1;
    of.stage_bytes = (of.rows + of.columns) * EB_ROW_BYTES;
    of.resident = set & EB_RESIDENCY ? 2 : 1;
    of.misaligned = set & EB_ALIGNMENT ? 0 : EB_CHUNK_BYTES;
    of.levels = of.rows + of.columns;
    of.set_bytes = (of.levels + (set & EB_ROW_CONSTANT ? 2 : 0)) * EB_LEVEL_BYTES;
    of.level_sets = set & EB_EARLY_REFILL ? of.stages : of.stages + 1;
    of.books = queued ? of.warps : 0;
    of.queues = queued && set & EB_AGGREGATE ? of.warps : 0;
    of.shared_bytes = of.stages * of.stage_bytes + of.level_sets * of.set_bytes + of.books * eb_book_bytes(1) +
                      of.queues * EB_WAITING_HITS_BYTES + of.misaligned;
    if (of.resident == 1 && of.shared_bytes < EB_HALF_AN_SM && set & EB_BLOCK_TILE)
        of.shared_bytes = EB_HALF_AN_SM;
    of.row_blocks = of.warp_rows / 16;
    of.column_blocks = of.warp_columns / 8;
    return of;
}

/* Shape of the warpgroup kernel (warpgroup.cuh). A cluster of two blocks has a tile of side × side. */
typedef struct eb_group_shape {
    int cluster, rows, columns, side; /* rows, columns: size of a block's tile */
    int groups, threads;
    int group_rows, group_columns; /* a computing warpgroup's share of a block's tile */
    int copied_bytes;              /* of a row, at a time: four groups copy no more of it than they multiply */
    int stages, stage_bytes, a_bytes, b_bytes;
    int kept_slices, kept_bytes; /* strips: slices of A that stay in shared memory */
    int notes, books, pages, queues, barriers;
    int shared_bytes;
    eb_tile_bands bands;
} eb_group_shape;

/* last: steps of 32 bytes in a row's last slice (kernels/parts/depth.h). */
EB_BOTH eb_group_shape eb_group_shape_of(uint32_t set, int last)
{
    eb_group_shape of = EB_ZEROED;
    const bool strips = (set & EB_STRIPS) != 0, four = (set & EB_FOUR_GROUPS) != 0,
               queued = (set & EB_CANDIDATE_QUEUE) != 0, spared = queued && set & EB_SPARE_WARPS;
    of.cluster = 2;
    of.rows = 128;
    of.columns = 256;
    of.side = of.cluster * of.rows;
    of.groups = four ? 4 : 2;
    of.threads = 128 * (1 + of.groups);
    of.group_rows = 64;
    of.group_columns = of.columns / (of.groups / 2);
    of.copied_bytes = four ? 32 * last : (int)EB_ROW_BYTES;
    of.stages = of.copied_bytes < (int)EB_ROW_BYTES ? 8 : 4;
    of.a_bytes = of.rows * of.copied_bytes;
    of.b_bytes = of.columns * of.copied_bytes;
    of.stage_bytes = of.b_bytes + (strips ? 0 : of.a_bytes);
    of.kept_slices = four ? 2 : 4;
    of.kept_bytes = strips ? of.kept_slices * of.a_bytes : 0;
    of.notes = of.stages;      /* tiles announced ahead */
    of.books = 4 * of.groups;  /* one for each computing warp */
    of.pages = spared ? 2 : 1; /* per book */
    of.queues = spared ? 3 : queued ? of.books : 0;
    of.barriers = 2 * of.stages + 2 * of.kept_slices + 2 * of.notes + 2 * of.books * of.pages + of.groups;
    of.shared_bytes = of.stages * of.stage_bytes + of.kept_bytes + of.notes * EB_COLUMN_LEVELS_BYTES +
                      (queued ? of.books * eb_book_bytes(of.pages) : 0) + of.queues * EB_WAITING_HITS_BYTES +
                      of.notes * EB_TILE_NOTE_BYTES + of.barriers * 8;
    of.bands.height = (strips ? 64u : 8u) / (set & EB_BANDS ? 1 : 4);
    of.bands.chunk = strips ? 8u : 1u;
    return of;
}
