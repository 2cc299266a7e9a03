/* warpgroup: FASTED's kernel with Hopper's instructions: wgmma from shared memory, copies by the TMA unit (wgmma.cuh).
 *
 *        cluster tile 256 × 256: two blocks          one block: 128 × 256; two warpgroups of 64 × 256 compute; in a
 *      ┌───────────────────────────┐ A 0             third, one warp copies and three warps test (records.cuh).
 *      │  block 0                  │                 A stage: A 128 × 64 and B 256 × 64 FP16 = 48 KB; four stages.
 *      ├───────────────────────────┤                 Each block copies its own A, and half of B for both blocks
 *      │  block 1                  │ A 1             (multicast): 32 KB from L2 for 128 · 256 · 64 products, half of
 *      └───────────────────────────┘                 what the mma.sync kernel's tiles need.
 *        B, shared by both
 *
 * The operands have the layout of stage.cuh in shared memory, which wgmma requires, too. The sums are mma.sync's, bit
 * for bit.
 *
 * The copying thread waits until all 16 computing warps of the cluster have released a stage (`empty`), announces its
 * bytes and starts the copies. The computing warps wait for them (`full`), keep one slice of wgmma in flight, and
 * release the previous slice. Tiles are announced in the same way, block by block: the copying thread writes down the
 * next tile's place and copies its columns' levels well ahead (fetch-ahead).
 *
 * Tiles come in runs of neighbours in a row of tiles (tile_order.cuh). If rows are short (strips), a run's A stays in
 * shared memory: beside B's stages there is room for four slices of A, divided into as many buffers as fit. A stage
 * then holds B alone. wgmma reads 80 KB of shared memory per slice; 32 KB of it are written per slice instead of 48.
 *
 * If rows are long, the clusters copy in step (pace.cuh). If they have one slice, four groups of 64 × 128 compute
 * (short_rows.cuh).
 *
 * Of a row's last slice only those steps of 32 bytes are multiplied that are not all padding (kernels/parts/depth.h).
 *
 * The two groups multiply in turn if a tile's slices fit the stages (in-turn). Otherwise they would multiply at the
 * same time, each half as fast, and test at the same time while the tensor cores idle. A group passes the turn on when
 * all but the last half slice is done.
 *
 * What limits it: at 64 < d ≤ 128 the latency of tests that find candidates; above, soon, the power limit. Rates, and
 * the parts of a tile's time: tests/bench/gpu.md.
 */
#pragma once

#include "kernels/fasted/cuda/pace.cuh"
#include "kernels/fasted/cuda/short_rows.cuh"

namespace eb {

/* Device code has cluster dimensions from sm_90 on; below that the kernel has no body. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define EB_PAIRS_OF_BLOCKS __cluster_dims__(2, 1, 1)
#else
#define EB_PAIRS_OF_BLOCKS
#endif

/* ---- the copying thread ---- */

template <class shape> class copier {
  public:
    __device__ copier(const typename shape::arguments &args, const warpgroup_places<shape> &at)
        : args_(args), at_(at), rank_(block_in_cluster()), slices_(args.d_padded / shape::slice),
          buffers_(shape::kept_slices / slices_),
          pace_(!shape::strips && rank_ == 0 ? args.begun : nullptr, gridDim.x / shape::cluster)
    {
    }

    __device__ __forceinline__ void copy_all()
    {
        for_each_run<shape>(args_, [&](const tile_run &run) {
            for (uint32_t t = 0; t < run.count; t++)
                copy(tile_of(run, t));
            if (run.count == 0)
                pace_.pass(slices_);
        });
        pace_.leave();
        if (!shape::fetched)
            return;
        barrier_wait(at_.note_empty + note_.place() * 8, note_.parity() ^ 1);
        at_.note[note_.place()].end = true;
        barrier_announce(at_.note_full + note_.place() * 8, 0);
    }

  private:
    static constexpr uint32_t levels_bytes = sizeof(typename shape::column_levels);

    /* First of this block's rows in a cluster's tile. */
    __device__ uint32_t row_of(uint32_t row) const { return row * shape::side + rank_ * shape::rows; }

    __device__ __forceinline__ void copy(const tile_note &tile)
    {
        if (shape::fetched)
            note(tile);
        if (shape::strips && tile.first)
            keep(tile.row);
        for (uint32_t k = 0; k < slices_; k++) {
            pace_.slice();
            copy_slice(tile, k);
        }
    }

    __device__ __forceinline__ void note(const tile_note &tile)
    {
        const uint32_t barrier = at_.note_full + note_.place() * 8;
        barrier_wait(at_.note_empty + note_.place() * 8, note_.parity() ^ 1);
        at_.note[note_.place()] = tile;
        barrier_announce(barrier, levels_bytes);
        copy_bytes(shared_address(at_.levels + note_.place()), args_.b.columns + tile.column, levels_bytes, barrier);
        note_.next();
    }

    __device__ __forceinline__ void keep(uint32_t row)
    {
        const uint32_t barrier = at_.kept_full + kept_.place(buffers_) * 8;
        barrier_wait(at_.kept_empty + kept_.place(buffers_) * 8, kept_.parity(buffers_) ^ 1);
        barrier_announce(barrier, slices_ * shape::a_bytes);
        for (uint32_t k = 0; k < slices_; k++)
            copy_box(at_.kept + (kept_.place(buffers_) * slices_ + k) * shape::a_bytes, &args_.a_map, k * shape::slice,
                     row_of(row), barrier);
        kept_.next();
    }

    __device__ __forceinline__ void copy_slice(const tile_note &tile, uint32_t k)
    {
        const uint32_t stage = at_.stages + stage_.place() * shape::stage_bytes,
                       barrier = at_.full + stage_.place() * 8;
        const uint32_t half = rank_ * (shape::columns / shape::cluster);
        barrier_wait(at_.empty + stage_.place() * 8, stage_.parity() ^ 1);
        barrier_announce(barrier, shape::stage_bytes);
        if (!shape::strips)
            copy_box(stage + shape::b_bytes, &args_.a_map, k * shape::slice, row_of(tile.row), barrier);
        copy_box_to((1u << shape::cluster) - 1, stage + rank_ * (shape::b_bytes / shape::cluster), &args_.b_map,
                    k * shape::slice, tile.column * shape::side + half, barrier);
        stage_.next();
    }

    const typename shape::arguments &args_;
    const warpgroup_places<shape> &at_;
    uint32_t rank_, slices_, buffers_;
    ring<shape::notes> note_;
    ring<shape::kept_slices> kept_;
    ring<shape::stages> stage_;
    pacer pace_; /* block 0's; block 1 can copy no further than block 0 */
};

/* ---- a computing warpgroup: 64 rows of every tile ---- */

template <class shape> class multiplier {
    using arithmetic = typename shape::arithmetic;
    using value = typename shape::value;
    using level = typename arithmetic::level;
    using levels_type = typename shape::column_levels;
    using sums_type = value[shape::group_columns / 8][4];

  public:
    __device__ multiplier(const typename shape::arguments &args, const warpgroup_places<shape> &at, int group)
        : args_(args), at_(at), group_(group), thread_(static_cast<int>(threadIdx.x) % 128), lane_(thread_ % 32),
          mine_{group, thread_}, rank_(block_in_cluster()), slices_(args.d_padded / shape::slice),
          buffers_(shape::kept_slices / slices_),
          empty_there_(address_in_block(at.empty, static_cast<uint32_t>(lane_ % shape::cluster))),
          hits_(at.own_queue(group * 4 + thread_ / 32))
    {
        writer_ = at.writer(group * 4 + thread_ / 32);
    }

    __device__ __forceinline__ void compute_all()
    {
        if constexpr (shape::fetched) {
            ring<shape::notes> note;
            tile_note tile = read_note(note);
            while (!__any_sync(~0u, tile.end)) {
                const ring<shape::notes> here = note;
                tile_note next;
                note.next();
                compute(tile, at_.levels + here.place(), [&] { next = read_note(note); }, [] {});
                __syncwarp();
                if (lane_ == 0)
                    barrier_arrive(at_.note_empty + here.place() * 8);
                tile = next;
            }
        } else {
            levels_type *levels = at_.levels + group_;
            for_each_tile<shape>(args_, [&](const tile_note &tile) {
                const levels_type &of = args_.b.columns[tile.column];
                const level h[2] = {of.h[thread_], of.h[thread_ + 128]}, s[2] = {of.s[thread_], of.s[thread_ + 128]};
                const level least = of.least, most = of.most;
                compute(
                    tile, levels, [] {},
                    [&] {
                        group_barrier(1 + group_, 128); /* all threads are done with the previous tile's levels */
                        for (int k = 0; k < 2; k++) {
                            levels->h[thread_ + 128 * k] = h[k];
                            levels->s[thread_ + 128 * k] = s[k];
                        }
                        levels->least = least;
                        levels->most = most;
                        group_barrier(1 + group_, 128);
                    });
            });
        }
        finish();
    }

    /* ---- for arithmetic types that have loops of their own (kernels/tensor/cuda/chain.cuh) ---- */

    struct slice_operands {
        uint64_t a, b; /* descriptors */
        uint32_t rows; /* shared address of a */
    };

    __device__ uint32_t slices() const { return slices_; }

    /* Waits for slice k of the tile, fewer than `stages` after the first one that is not released. */
    __device__ __forceinline__ slice_operands await(uint32_t k) const
    {
        const ring<shape::stages> at = {stage_.count + (k - slice_)};
        barrier_wait(at_.full + at.place() * 8, at.parity());
        return operands(k, at.place());
    }

    /* Releases the first slice not released. wgmma is done with it. */
    __device__ __forceinline__ void release()
    {
        leave(stage_.place());
        stage_.next();
        slice_ = slice_ + 1 == slices_ ? 0 : slice_ + 1;
    }

    /* Multiplies all slices of the tile, in flight one after the other. */
    template <class instruction, class sums, class doing>
    __device__ __forceinline__ void multiply_by(sums &d, doing meanwhile)
    {
        const bool in_turn = shape::in_turn && slices_ <= shape::turn_slices;
        uint32_t before = 0;
        if (in_turn)
            take_turn();
        constexpr bool padded = shape::last_steps < slice_steps;
        for (uint32_t k = 0; k < slices_ - padded; k++)
            multiply_slice<instruction, slice_steps>(d, k, before);
        if constexpr (padded)
            multiply_slice<instruction, shape::last_steps>(d, slices_ - 1, before);
        meanwhile();
        /* Sums that are unpacked at once have one wait: ptxas moved their first uses up between the two. */
        constexpr bool unpacked = !std::is_same_v<sums, sums_type>;
        wgmma_wait<unpacked ? 0 : 1>();
        if (in_turn)
            pass_turn();
        if constexpr (!unpacked)
            wgmma_wait<0>();
        leave(before);
    }

  private:
    static constexpr int slice_steps = row_bytes / 32;

    /* Multiplies `steps` times 32 bytes of the tile's slice k, and releases the slice `before`. */
    template <class instruction, int steps, class sums>
    __device__ __forceinline__ void multiply_slice(sums &d, uint32_t k, uint32_t &before)
    {
        constexpr int half = (steps + 1) / 2;
        barrier_wait(at_.full + stage_.place() * 8, stage_.parity());
        const slice_operands slice = operands(k, stage_.place());
        if constexpr (instruction::shifts)
            if (k > 0 && k == args_.shift)
                shift(d);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < steps; step++) {
            instruction::multiply(d, slice.a + step * operand_step, slice.b + step * operand_step, k > 0 || step > 0);
            if (step + 1 == half)
                wgmma_commit();
        }
        wgmma_commit();
        if (k > 0) {
            wgmma_wait<2>();
            leave(before);
        }
        before = stage_.place();
        stage_.next();
    }

    __device__ __forceinline__ tile_note read_note(const ring<shape::notes> &note) const
    {
        barrier_wait(at_.note_full + note.place() * 8, note.parity());
        return at_.note[note.place()];
    }

    /* meanwhile() runs while the last products are computed, prepare() before the tests. */
    template <class doing, class preparing>
    __device__ __forceinline__ void compute(const tile_note &at, const levels_type *levels, doing meanwhile,
                                            preparing prepare)
    {
        const uint32_t row = mine_.row_of(at.row, rank_);
        if (shape::strips && at.first)
            barrier_wait(at_.kept_full + kept_.place(buffers_) * 8, kept_.parity(buffers_));
        sums_type d;
        multiply(d, [&] {
            if (at.first) {
                upper_ = level_at(args_.a, row);
                lower_ = level_at(args_.a, row + 8);
            }
            meanwhile();
        });
        if (shape::strips && at.last) {
            if (lane_ == 0)
                barrier_arrive(at_.kept_empty + kept_.place(buffers_) * 8);
            kept_.next();
        }
        const int first = mine_.column();
        if constexpr (shape::writes == output::dense) {
            write(d, row, at.column * shape::side + static_cast<uint32_t>(first));
        } else {
            prepare();
            const warpgroup_tile<arithmetic, shape::group_columns> tile =
                {levels, upper_, lower_, row, at.column * shape::side + static_cast<uint32_t>(first), first};
            take_tile<shape>(args_, d, tile, exact_, writer_, hits_, lane_);
        }
    }

    template <class doing> __device__ __forceinline__ void multiply(sums_type &d, doing meanwhile)
    {
        if constexpr (arithmetic::chained)
            arithmetic::multiply_tile(*this, args_, d, meanwhile);
        else
            multiply_by<arithmetic>(d, meanwhile);
    }

    /* Releases the stage to the copying threads of both blocks. */
    __device__ __forceinline__ void leave(uint32_t stage) const
    {
        if (lane_ < shape::cluster)
            barrier_arrive_there(empty_there_ + stage * 8);
    }

    __device__ __forceinline__ void finish()
    {
        if constexpr (shape::queued)
            turn_page<shape>(args_, writer_, last_page, hits_, lane_);
        if constexpr (shape::writes != output::dense)
            end_hits<shape>(args_, hits_, lane_);
    }

    /* Writes the tile's squared distances. */
    __device__ __forceinline__ void write(const sums_type &d, uint32_t row, uint32_t column) const
    {
#pragma unroll
        for (int c = 0; c < shape::group_columns / 8; c++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const uint32_t i = row + static_cast<uint32_t>(e / 2 * 8),
                               j = column + static_cast<uint32_t>(8 * c + e % 2);
                if (i < args_.a.count && j < args_.b.count)
                    args_.dense[static_cast<size_t>(i) * args_.b.count + j] =
                        arithmetic::at_least_zero(squared_of<shape>(args_, i, j, d[c][e]));
            }
    }

    __device__ __forceinline__ slice_operands operands(uint32_t k, uint32_t place) const
    {
        const uint32_t stage = at_.stages + place * shape::stage_bytes;
        const uint32_t a_slice =
            shape::strips ? at_.kept + (kept_.place(buffers_) * slices_ + k) * shape::a_bytes : stage + shape::b_bytes;
        const uint32_t rows = a_slice + static_cast<uint32_t>(mine_.first_row() * row_bytes);
        return {operand(rows), operand(stage + static_cast<uint32_t>(mine_.first_column() * row_bytes)), rows};
    }

    /* The groups take turns: each waits for its own, and passes it on. */
    __device__ __forceinline__ void take_turn() const
    {
        barrier_wait(at_.turn + group_ * 8, turns_ & 1 ^ (group_ == 0));
    }
    __device__ __forceinline__ void pass_turn()
    {
        if (lane_ == 0)
            barrier_arrive(at_.turn + (group_ + 1) % shape::groups * 8);
        turns_++;
    }

    /* Multiplies the sums by 128. */
    __device__ __forceinline__ static void shift(sums_type &d)
    {
        wgmma_wait<0>();
#pragma unroll
        for (int c = 0; c < shape::group_columns / 8; c++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                d[c][e] *= 128;
    }

    const typename shape::arguments &args_;
    const warpgroup_places<shape> &at_;
    int group_, thread_, lane_;
    share_of_tile<shape> mine_;
    uint32_t rank_, slices_, buffers_, turns_ = 0;
    uint32_t empty_there_; /* at_.empty in the block that this lane tells of free stages */
    ring<shape::stages> stage_;
    uint32_t slice_ = 0; /* of the tile, at stage_ */
    ring<shape::kept_slices> kept_;
    typename shape::pair upper_, lower_; /* levels of its two rows */
    uint32_t exact_ = 0;
    record_writer<shape> writer_;
    hit_queue<shape> hits_;
};

template <class shape>
__global__ void EB_PAIRS_OF_BLOCKS __launch_bounds__(shape::threads, 1)
    fasted_warpgroups(const __grid_constant__ typename shape::arguments args)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char shared[];
    const warpgroup_places<shape> at(shared);
    const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), role = warp / 4; /* uniform */
    if (threadIdx.x == 0)
        at.make_barriers();
    cluster_barrier();
    if (role == 0) {
        give_registers<shape::spare_registers>();
        if (threadIdx.x == 0) {
            if constexpr (shape::one_slice)
                short_rows_copier<shape>(args, at).copy_all();
            else
                copier<shape>(args, at).copy_all();
        } else if (shape::spared && warp > 0) {
            hit_queue<shape> hits = at.queue(warp - 1);
            settle_books<shape>(args, at.books, at.page_full, at.page_empty, warp - 1, hits,
                                static_cast<int>(threadIdx.x) % 32);
        }
    } else {
        take_registers<shape::own_registers>();
        if constexpr (shape::one_slice)
            short_rows_multiplier<shape>(args, at, role - 1).compute_all();
        else
            multiplier<shape>(args, at, role - 1).compute_all();
    }
    __syncwarp();
    cluster_barrier(); /* no block exits while the other may still write to its shared memory */
#endif
}

} // namespace eb
