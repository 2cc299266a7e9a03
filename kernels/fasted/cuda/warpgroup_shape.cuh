/* warpgroup_shape: derives the shape of a warpgroup kernel from the switches: its sizes, its layout of shared memory,
 * and the tiles of a cluster. */
#pragma once

#include "kernels/fasted/cuda/records.cuh"
#include "kernels/fasted/plan.h"
#include "kernels/parts/tile_order.cuh"
#include "kernels/parts/wgmma.cuh"

namespace eb {

/* The part of a tile that one warp tests (records.cuh): 16 rows of its warpgroup's tile. */
template <class arithmetic_> struct warpgroup_tile {
    using arithmetic = arithmetic_;
    using level = typename arithmetic::level;
    using pair = typename arithmetic::pair;
    static constexpr int groups_across = 16;
    const levels_of_columns<level> *levels; /* of the tile's 256 columns, in shared memory */
    pair upper, lower;                      /* {h, s} of rows g and g + 8 */
    uint32_t row, column;
    int first; /* this lane's first column of the tile */

    __device__ static constexpr bool has_row(int) { return true; } /* missing rows are zeros with the level never() */
    __device__ level row_h(int r) const { return r ? lower.x : upper.x; }
    __device__ level row_s(int r) const { return r ? lower.y : upper.y; }
    __device__ pair levels_of_row(int r) const { return r ? lower : upper; }
    __device__ pair two_h(int c) const { return two_of(levels->h, c); }
    __device__ pair two_s(int c) const { return two_of(levels->s, c); }
    __device__ level least() const { return levels->least; }
    __device__ level most() const { return levels->most; }

  private:
    __device__ pair two_of(const level *of, int c) const { return *reinterpret_cast<const pair *>(of + 8 * c + first); }
};

/* A tile, as the copying thread announces it. */
struct tile_note {
    uint32_t row, column; /* in tiles; row no_tile: no more tiles */
    bool first, last;     /* first, last of its run */
};
constexpr uint32_t no_tile = ~0u;

/* last: the steps of 32 bytes in a row's last slice that are multiplied; the others are padding. */
template <uint32_t set, output output_, class arithmetic_ = f16_products, int last = 4> struct warpgroup_shape {
    static constexpr int last_steps = last;
    using arithmetic = arithmetic_;
    using value = typename arithmetic::value;
    using pair = typename arithmetic::pair;
    using squared = typename arithmetic::squared;
    using arguments = tile_arguments<typename arithmetic::numbers>;
    using column_levels = levels_of_columns<typename arithmetic::level>;
    using waiting = waiting_if_small<squared>;
    static constexpr bool on(uint32_t bit) { return (set & bit) == bit; }
    static constexpr output writes = output_;
    static constexpr bool symmetric = on(EB_SYMMETRIC), early = on(EB_EARLY_TEST), aggregate = on(EB_AGGREGATE),
                          queued = on(EB_CANDIDATE_QUEUE), spared = queued && on(EB_SPARE_WARPS),
                          coarse = on(EB_ROW_CONSTANT), fetched = on(EB_FETCH_AHEAD), strips = on(EB_STRIPS),
                          in_turn = on(EB_IN_TURN);

    static constexpr eb_group_shape of = eb_group_shape_of(set);
    static constexpr int cluster = of.cluster, rows = of.rows, columns = of.columns, side = of.side;
    static constexpr int slice = arithmetic::slice, stages = of.stages, groups = of.groups, group_rows = rows / groups;
    static constexpr int threads = of.threads, books = of.books;
    static constexpr int a_bytes = of.a_bytes, b_bytes = of.b_bytes;
    static constexpr int kept_slices = of.kept_slices;
    static constexpr uint32_t turn_slices = stages; /* groups multiply in turn if a tile has at most so many slices */
    static constexpr int stage_bytes = of.stage_bytes, kept_bytes = of.kept_bytes;
    static constexpr tile_bands bands = of.bands;
    static constexpr int notes = of.notes, pages = of.pages, queues = of.queues, shared_bytes = of.shared_bytes;
    static_assert(sizeof(column_levels) == EB_COLUMN_LEVELS_BYTES && sizeof(tile_note) == EB_TILE_NOTE_BYTES &&
                      sizeof(record_book<value, pages>) == eb_book_bytes(pages) &&
                      sizeof(waiting) == EB_WAITING_HITS_BYTES,
                  "plan.h has the same sizes");
    static_assert(side == columns, "a cluster's tile is square");
    static_assert(shared_bytes <= 227 * 1024, "most shared memory of a block");
};

/* The layout of shared memory, and its barriers. */
template <class shape> struct warpgroup_places {
    uint32_t stages, kept; /* shared addresses */
    uint32_t full, empty, kept_full, kept_empty, note_full, note_empty, page_full, page_empty, turn;
    typename shape::column_levels *levels;
    record_book<typename shape::value, shape::pages> *books;
    typename shape::waiting *hits;
    tile_note *notes;

    __device__ explicit warpgroup_places(unsigned char *shared)
    {
        stages = shared_address(shared);
        kept = stages + shape::stages * shape::stage_bytes;
        unsigned char *at = shared + shape::stages * shape::stage_bytes + shape::kept_bytes;
        levels = reinterpret_cast<decltype(levels)>(at);
        books = reinterpret_cast<decltype(books)>(levels + shape::notes);
        hits = reinterpret_cast<decltype(hits)>(books + (shape::queued ? shape::books : 0));
        notes = reinterpret_cast<tile_note *>(hits + shape::queues);
        full = shared_address(notes + shape::notes);
        empty = full + shape::stages * 8;
        kept_full = empty + shape::stages * 8;
        kept_empty = kept_full + shape::kept_slices * 8;
        note_full = kept_empty + shape::kept_slices * 8;
        note_empty = note_full + shape::notes * 8;
        page_full = note_empty + shape::notes * 8;
        page_empty = page_full + shape::books * shape::pages * 8;
        turn = page_empty + shape::books * shape::pages * 8;
    }

    __device__ void make_barriers() const
    {
        make(full, shape::stages, 1);
        make(empty, shape::stages, shape::cluster * shape::books);
        make(kept_full, shape::kept_slices, 1);
        make(kept_empty, shape::kept_slices, shape::books);
        make(note_full, shape::notes, 1);
        make(note_empty, shape::notes, shape::books);
        make(page_full, shape::books * shape::pages, 32);
        make(page_empty, shape::books * shape::pages, 32);
        make(turn, shape::groups, 4);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }

    __device__ hit_queue<shape> queue(int which) const { return {hits + which, 0, 0}; }

  private:
    __device__ static void make(uint32_t first, int count, uint32_t arrivals)
    {
        for (int b = 0; b < count; b++)
            barrier_make(first + static_cast<uint32_t>(b) * 8, arrivals);
    }
};

/* A place in a ring, and how many times the ring was passed. */
template <int length> struct ring {
    uint32_t place = 0, round = 0;
    __device__ void next(uint32_t of = length)
    {
        if (++place == of) {
            place = 0;
            round++;
        }
    }
};

/* Calls take() with every run of the cluster, in order; some have no tiles. */
template <class shape, class doing>
__device__ __forceinline__ void for_each_run(const typename shape::arguments &args, doing take)
{
    const uint32_t worker = blockIdx.x / shape::cluster, workers = gridDim.x / shape::cluster;
    const bool listed = shape::symmetric && args.list;
    uint64_t k = listed ? dealt_before(args.first_tile, args.parts, args.part) + worker : 0;
    run_walk<shape::bands.height, shape::bands.chunk, shape::symmetric> walk(listed ? 0 : args.first_tile, worker,
                                                                             args.tile_rows, args.tile_columns,
                                                                             args.parts, args.part);
    for (;; k += workers, walk.next(workers)) {
        const uint64_t number = listed ? dealt_number(k, args.parts, args.part) : walk.number();
        if (number >= args.end_tile)
            return;
        take(listed ? listed_run(args.list[number]) : walk.run());
    }
}

__device__ __forceinline__ tile_note tile_of(const tile_run &run, uint32_t t)
{
    return {run.row, run.column + t, t == 0, t + 1 == run.count};
}

/* Calls take() with every tile of the cluster, in order. */
template <class shape, class doing>
__device__ __forceinline__ void for_each_tile(const typename shape::arguments &args, doing take)
{
    for_each_run<shape>(args, [&](const tile_run &run) {
        for (uint32_t t = 0; t < run.count; t++)
            take(tile_of(run, t));
    });
}

} // namespace eb
