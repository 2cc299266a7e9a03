/* short_rows: what the warpgroups of a block do where rows have one slice of up to 128 bytes (switch four-groups).
 *
 *      one block: 128 × 256
 *      ┌──────────┬──────────┐
 *      │ group 0  │ group 1  │
 *      ├──────────┼──────────┤
 *      │ group 2  │ group 3  │
 *      └──────────┴──────────┘
 *
 * Four warpgroups of 64 × 128 pairs compute, so that each scheduler has four warps: while one waits, others test. A
 * stays in shared memory for a run of tiles. Its rows, the run and the columns' levels come with a slice of B, at one
 * barrier. A stage of B is free when its tile is tested. Only those bytes of a row are copied that are multiplied: 32,
 * 64 or 128.
 *
 * A tile has so few products that instructions between them count: while they are computed, a warp waits for the next
 * slice and finds its place. Groups that multiply in turn gain nothing here (tests/bench/gpu.md).
 */
#pragma once

#include "kernels/fasted/cuda/warpgroup_shape.cuh"

namespace eb {

template <class shape> class short_rows_copier {
  public:
    __device__ short_rows_copier(const typename shape::arguments &args, const warpgroup_places<shape> &at)
        : args_(args), at_(at), rank_(block_in_cluster())
    {
    }

    __device__ __forceinline__ void copy_all()
    {
        for_each_run<shape>(args_, [&](const tile_run &run) {
            if (run.count > 0)
                copy(run);
        });
        begin_run({0, 0, 0});
        barrier_wait(at_.empty + stage_.place() * 8, stage_.parity() ^ 1);
        barrier_announce(at_.full + stage_.place() * 8, 0);
    }

  private:
    static constexpr uint32_t levels_bytes = sizeof(typename shape::column_levels), row = shape::copied_bytes;

    __device__ __forceinline__ void begin_run(const tile_run &run)
    {
        barrier_wait(at_.kept_empty + kept_.place() * 8, kept_.parity() ^ 1);
        at_.run[kept_.place()] = run;
    }

    __device__ __forceinline__ void copy(const tile_run &run)
    {
        begin_run(run);
        for (uint32_t t = 0; t < run.count; t++)
            copy_tile(run, t);
        kept_.next();
    }

    __device__ __forceinline__ void copy_tile(const tile_run &run, uint32_t t)
    {
        constexpr uint32_t half = shape::columns / shape::cluster; /* of B's rows, for both blocks */
        const uint32_t place = stage_.place(), barrier = at_.full + place * 8, column = run.column + t;
        barrier_wait(at_.empty + place * 8, stage_.parity() ^ 1);
        barrier_announce(barrier, levels_bytes + row * shape::columns + (t == 0 ? row * shape::rows : 0));
        copy_box_to((1u << shape::cluster) - 1, at_.stages + place * shape::stage_bytes + rank_ * half * row,
                    &args_.b_map, 0, column * shape::side + rank_ * half, barrier);
        copy_bytes(shared_address(at_.levels + place), args_.b.columns + column, levels_bytes, barrier);
        if (t == 0)
            copy_box(at_.kept + kept_.place() * shape::a_bytes, &args_.a_map, 0,
                     run.row * shape::side + rank_ * shape::rows, barrier);
        stage_.next();
    }

    const typename shape::arguments &args_;
    const warpgroup_places<shape> &at_;
    uint32_t rank_;
    ring<shape::kept_slices> kept_;
    ring<shape::stages> stage_;
};

template <class shape> class short_rows_multiplier {
    using arithmetic = typename shape::arithmetic;
    using pair = typename shape::pair;

  public:
    __device__ short_rows_multiplier(const typename shape::arguments &args, const warpgroup_places<shape> &at,
                                     int group)
        : args_(args), at_(at), mine_{group, static_cast<int>(threadIdx.x) % 128}, lane_(mine_.thread % 32),
          rank_(block_in_cluster()), warp_(group * 4 + mine_.thread / 32),
          empty_there_(address_in_block(at.empty, static_cast<uint32_t>(lane_) % shape::cluster)),
          writer_(at.writer(warp_)), hits_(at.own_queue(warp_))
    {
    }

    __device__ __forceinline__ void compute_all()
    {
        barrier_wait(at_.full, 0);
        for (;;) {
            const eb_tile_run run = at_.run[kept_.place()];
            const uint32_t count = __shfl_sync(~0u, run.count, 0); /* ptxas knows that it is uniform */
            if (count == 0)
                break;
            compute(run, count);
            if (lane_ == 0)
                barrier_arrive(at_.kept_empty + kept_.place() * 8);
            kept_.next();
        }
        if constexpr (shape::queued)
            turn_page<shape>(args_, writer_, last_page, hits_, lane_);
        end_hits<shape>(args_, hits_, lane_);
    }

  private:
    /* Keeps the compiler from computing it again where it is used, before the products. */
    __device__ __forceinline__ static void computed_here(uint32_t &value) { asm volatile("" : "+r"(value)); }

    /* Both have come: the first tile's slices and the run. Then those of the next run's first tile have. */
    __device__ __forceinline__ void compute(const eb_tile_run &run, uint32_t count)
    {
        const uint32_t row = mine_.row_of(run.row, rank_);
        const pair upper = level_at(args_.a, row), lower = level_at(args_.a, row + 8);
        const uint32_t b =
            operand_place(at_.stages + static_cast<uint32_t>(mine_.first_column() * shape::copied_bytes));
        uint32_t a = operand_place(at_.kept + static_cast<uint32_t>(mine_.first_row() * shape::copied_bytes)) +
                     kept_.place() * (shape::a_bytes >> 4),
                 b_place = b + stage_.place() * (shape::stage_bytes >> 4),
                 column = run.column * shape::side + static_cast<uint32_t>(mine_.column());
        computed_here(a);
        for (uint32_t left = count; left > 0; left--) {
            typename shape::value d[shape::group_columns / 8][4];
            wgmma_fence();
#pragma unroll
            for (int step = 0; step < shape::last_steps; step++)
                arithmetic::multiply(d, operand_at<shape::copied_bytes>(a + step * operand_step),
                                     operand_at<shape::copied_bytes>(b_place + step * operand_step), step > 0);
            wgmma_commit();
            const uint32_t here = stage_.place();
            stage_.next();
            b_place = b + stage_.place() * (shape::stage_bytes >> 4);
            computed_here(b_place);
            barrier_wait(at_.full + stage_.place() * 8, stage_.parity());
            wgmma_wait<0>();
            const warpgroup_tile<arithmetic, shape::group_columns> tile = {at_.levels + here, upper, lower, row, column,
                                                                           mine_.column()};
            take_tile<shape>(args_, d, tile, exact_, writer_, hits_, lane_);
            __syncwarp();
            if (lane_ < shape::cluster)
                barrier_arrive_there(empty_there_ + here * 8);
            column += shape::side;
        }
    }

    const typename shape::arguments &args_;
    const warpgroup_places<shape> &at_;
    share_of_tile<shape> mine_;
    int lane_;
    uint32_t rank_;
    int warp_;
    uint32_t empty_there_; /* at_.empty in the block that this lane tells of free stages */
    ring<shape::kept_slices> kept_;
    ring<shape::stages> stage_;
    uint32_t exact_ = 0;
    record_writer<shape> writer_;
    hit_queue<shape> hits_;
};

} // namespace eb
