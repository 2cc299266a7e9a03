/* warpgroup_shape: derives the shape of a warpgroup kernel from the switches: its sizes, its layout of shared memory,
 * and the tiles of a cluster. */
#pragma once

#include "kernels/fasted/cuda/records.cuh"
#include "kernels/fasted/plan.h"
#include "kernels/parts/tile_order.cuh"
#include "kernels/parts/wgmma.cuh"

namespace eb {

/* The part of a tile that one warp tests (records.cuh): 16 rows of its warpgroup's tile. columns: of that tile. */
template <class arithmetic_, int columns> struct warpgroup_tile {
    using arithmetic = arithmetic_;
    using level = typename arithmetic::level;
    using pair = typename arithmetic::pair;
    static constexpr int groups_across = columns / 16;
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
struct alignas(16) tile_note {
    uint32_t row, column; /* in tiles */
    bool first, last;     /* first, last of its run */
    bool end;             /* no tile: there are no more */
};

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

    /* Rows have one slice (short_rows.cuh). */
    static constexpr bool one_slice = on(EB_FOUR_GROUPS);
    static constexpr eb_group_shape of = eb_group_shape_of(set, last);
    static constexpr int copied_bytes = of.copied_bytes;
    static constexpr int cluster = of.cluster, rows = of.rows, columns = of.columns, side = of.side;
    static constexpr int slice = arithmetic::slice, stages = of.stages, groups = of.groups;
    static constexpr int group_rows = of.group_rows, group_columns = of.group_columns;
    static constexpr int threads = of.threads, books = of.books;
    /* Registers of a thread that copies or tests, and of one that multiplies: together at most those at the launch. */
    static constexpr int spare_registers = spared ? 56 : 40, own_registers = groups == 4 ? 104 : spared ? 224 : 232;
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
    static_assert(!one_slice || (strips && fetched), "four groups keep A, and have its run and the levels copied");
    static_assert(!one_slice || (stages == notes && kept_slices <= notes),
                  "there are levels for each stage, and a note for each buffer of A");
    static_assert(128 * (spare_registers + groups * own_registers) <= 65536 / threads / 8 * 8 * threads,
                  "the registers that a block has at its launch");
    static_assert(shared_bytes <= 227 * 1024, "most shared memory of a block");
};

/* The layout of shared memory, and its barriers. */
template <class shape> struct warpgroup_places {
    using levels_type = typename shape::column_levels;
    using book_type = record_book<typename shape::value, shape::pages>;
    static constexpr uint32_t kept_at = shape::stages * shape::stage_bytes, levels_at = kept_at + shape::kept_bytes,
                              books_at = levels_at + shape::notes * sizeof(levels_type),
                              hits_at = books_at + (shape::queued ? shape::books : 0) * sizeof(book_type),
                              notes_at = hits_at + shape::queues * sizeof(typename shape::waiting),
                              barriers_at = notes_at + shape::notes * sizeof(tile_note);

    uint32_t stages, kept; /* shared addresses */
    uint32_t full, empty, kept_full, kept_empty, note_full, note_empty, page_full, page_empty, turn;
    levels_type *levels;
    book_type *books;
    typename shape::waiting *hits;
    tile_note *note;
    eb_tile_run *run; /* one_slice: of each buffer of A, in the notes' place; count 0: there are no more */

    __device__ explicit warpgroup_places(unsigned char *shared)
        : levels(reinterpret_cast<levels_type *>(shared + levels_at)),
          books(reinterpret_cast<book_type *>(shared + books_at)),
          hits(reinterpret_cast<typename shape::waiting *>(shared + hits_at)),
          note(reinterpret_cast<tile_note *>(shared + notes_at)),
          run(reinterpret_cast<eb_tile_run *>(shared + notes_at))
    {
        /* ptxas keeps what a shuffle gives in a uniform register; it would compute the address again each time. */
        stages = __shfl_sync(~0u, shared_address(shared), 0);
        kept = stages + kept_at;
        full = stages + barriers_at;
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
        if (!shape::one_slice) {
            make(note_full, shape::notes, 1);
            make(note_empty, shape::notes, shape::books);
        }
        make(page_full, shape::books * shape::pages, 32);
        make(page_empty, shape::books * shape::pages, 32);
        make(turn, shape::groups, 4);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }

    __device__ hit_queue<shape> queue(int which) const { return {hits + which, 0, 0}; }
    /* The hits of a computing warp, if no spare warps take them. */
    __device__ hit_queue<shape> own_queue(int warp) const { return queue(shape::queued && !shape::spared ? warp : 0); }
    __device__ record_writer<shape> writer(int warp) const
    {
        const uint32_t book = static_cast<uint32_t>(warp), pages = book * shape::pages * 8;
        return {books + book, page_full + pages, page_empty + pages, 0, 0, 0};
    }

  private:
    __device__ static void make(uint32_t first, int count, uint32_t arrivals)
    {
        for (int b = 0; b < count; b++)
            barrier_make(first + static_cast<uint32_t>(b) * 8, arrivals);
    }
};

/* A place in a ring of `length` or `of` places, a power of two; parity: of the number of times that it was passed. */
template <uint32_t length> struct ring {
    uint32_t count = 0;
    static_assert((length & (length - 1)) == 0, "a power of two");
    __device__ uint32_t place(uint32_t of = length) const { return count & (of - 1); }
    __device__ uint32_t parity(uint32_t of = length) const { return (count & of) != 0; }
    __device__ void next() { count++; }
};

/* A thread's share of its block's tile: two rows of its warpgroup's, and columns from column() on. */
template <class shape> struct share_of_tile {
    static constexpr int across = shape::columns / shape::group_columns;
    int group, thread; /* warpgroup of the block, thread of the warpgroup */

    __device__ int first_row() const { return group / across * shape::group_rows; } /* of the warpgroup */
    __device__ int first_column() const { return group % across * shape::group_columns; }
    __device__ int column() const { return first_column() + thread % 4 * 2; }
    /* Its first row of a cluster's tile, in the panel. */
    __device__ uint32_t row_of(uint32_t tile, uint32_t block) const
    {
        return tile * shape::side + block * shape::rows +
               static_cast<uint32_t>(first_row() + thread / 32 * 16 + thread % 32 / 4);
    }
};

/* Returns {h, s} of a point; never() beyond the panel's last point. */
template <class numbers>
__device__ __forceinline__ typename numbers::pair level_at(const levelled_panel<numbers> &panel, uint32_t at)
{
    return at < panel.count ? panel.level[at] : numbers::never();
}

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
    return {run.row, run.column + t, t == 0, t + 1 == run.count, false};
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
