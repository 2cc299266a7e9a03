/* kernel: FASTED's block-tile kernel (ICPP'25, Table 2) with every optimisation of §3.3 as a template switch.
 *
 *            block tile 128 × 128 of the distance matrix, 4 warps          one warp: 64 × 64, as 4 × 8 mma tiles
 *            ┌─────────────┬─────────────┐
 *   A rows   │  warp 0     │  warp 1     │   k runs in slices of 128 bytes; a stage of shared memory holds
 *   (points) │  64 × 64    │  64 × 64    │   128 + 128 points × 64 FP16 = 32 KB, filled by cp.async while the tensor
 *            ├─────────────┼─────────────┤   cores multiply the stage before.
 *            │  warp 2     │  warp 3     │
 *            └─────────────┴─────────────┘
 *
 * Data path: global (L2, tiles in 8 × 8 squares) → cp.async 16 B → shared (stage.cuh) → ldmatrix.x4 → mma.sync. The sum
 * over k ascends in every variant, so all variants give the same bits.
 *
 * Blocks are persistent. With run-ahead the slices of a block's tiles form one stream, so that the next tile's copies
 * run while this tile's pairs are tested (records.cuh). As published, each tile begins with an empty stage, and pairs
 * are tested in registers (epilogue.cuh).
 *
 * Registers: 128 accumulators + 16 + 16 of fragments, twice with the fragment buffer; two blocks per SM leave 255 for
 * each thread. What limits it: at d ≥ 1024 the issue of mma.sync and, after a while, the power limit; below that the
 * epilogue. Rates are in tests/bench/gpu.md.
 */
#pragma once

#include "kernels/fasted/cuda/epilogue.cuh"
#include "kernels/fasted/cuda/multiply.cuh"
#include "kernels/fasted/cuda/shape.cuh"
#include "kernels/fasted/cuda/walk.cuh"

namespace eb {

/* The part of a block tile that one warp tests (records.cuh): its warp tile of 64 × 64 pairs. */
template <class arithmetic_> struct warp_tile {
    using arithmetic = arithmetic_;
    using level = typename arithmetic::level;
    using pair = typename arithmetic::pair;
    static constexpr int groups_across = 4;
    const pair *rows, *columns; /* {h, s} in shared memory, from this lane's first row or column on */
    const pair *bounds;         /* {least h, greatest s} of the columns */
    uint32_t row, column;
    uint32_t row_count; /* rows of the panel; rows beyond a row range's end are real points, not padding */

    __device__ bool has_row(int r) const { return row + static_cast<uint32_t>(8 * r) < row_count; }
    __device__ level row_h(int r) const { return rows[8 * r].x; }
    __device__ level row_s(int r) const { return has_row(r) ? rows[8 * r].y : arithmetic::never().y; }
    __device__ pair levels_of_row(int r) const { return rows[8 * r]; }
    __device__ pair two_h(int c) const { return {columns[8 * c].x, columns[8 * c + 1].x}; }
    __device__ pair two_s(int c) const { return {columns[8 * c].y, columns[8 * c + 1].y}; }
    __device__ level least() const { return bounds->x; }
    __device__ level most() const { return bounds->y; }
};

/* Copies slices of a block's tiles into the ring of stages: with run-ahead those of all tiles in order, else those of
 * the tile given to begin(). */
template <class shape> class slice_feeder {
  public:
    __device__ slice_feeder(const typename shape::arguments &args, uint32_t stages, uint32_t levels, int thread)
        : args_(args), walk_(args, blockIdx.x, gridDim.x), stages_(stages), levels_(levels), thread_(thread),
          slices_(static_cast<int>(args.d_padded) / shape::slice), slice_(shape::ahead ? 0 : slices_),
          stride_(static_cast<size_t>(args.d_padded) * sizeof(typename shape::arithmetic::point))
    {
        if constexpr (shape::ahead)
            turn_to(walk_.at);
    }

    __device__ __forceinline__ void begin(const tile &at)
    {
        slice_ = 0;
        turn_to(at);
    }

    /* Copies the next slice, if there is one, into the next stage. */
    __device__ __forceinline__ void feed()
    {
        if (has_more()) {
            const uint32_t to = stages_ + static_cast<uint32_t>(place_ * shape::stage_bytes);
            fill_rows<shape::rows, shape::threads, typename shape::places, shape::async>(a_, stride_, to, thread_);
            fill_rows<shape::columns, shape::threads, typename shape::places, shape::async>(b_, stride_,
                                                                                            to +
                                                                                                shape::rows * row_bytes,
                                                                                            thread_);
            a_ += row_bytes;
            b_ += row_bytes;
            if (slice_ == 0)
                feed_levels();
            if (++slice_ == slices_) {
                set_ = set_ + 1 == shape::level_sets ? 0 : set_ + 1;
                if constexpr (shape::ahead) {
                    walk_.next();
                    begin(walk_.at);
                }
            }
            place_ = place_ + 1 == shape::stages ? 0 : place_ + 1;
        }
        copy_commit();
    }

  private:
    __device__ __forceinline__ bool has_more() const
    {
        if constexpr (shape::ahead)
            return !walk_.done();
        else
            return slice_ < slices_;
    }

    __device__ __forceinline__ void turn_to(const tile &at)
    {
        const size_t row0 = static_cast<size_t>(at.row) * shape::rows,
                     column0 = static_cast<size_t>(at.column) * shape::columns;
        column_ = at.column;
        row_levels_ = args_.a.level + row0;
        column_levels_ = args_.b.level + column0;
        a_ = thread_source(reinterpret_cast<const unsigned char *>(args_.a.points) + row0 * stride_, stride_, thread_);
        b_ = thread_source(reinterpret_cast<const unsigned char *>(args_.b.points) + column0 * stride_, stride_,
                           thread_);
    }

    __device__ __forceinline__ void feed_levels()
    {
        const uint32_t to = levels_ + static_cast<uint32_t>(set_ * shape::set_bytes);
#pragma unroll
        for (int k = thread_; k < shape::levels; k += shape::threads)
            copy_async_8(to + static_cast<uint32_t>(k * 8),
                         k < shape::rows ? row_levels_ + k : column_levels_ + (k - shape::rows));
        if (shape::coarse && thread_ == 0)
            copy_async_8(to + shape::levels * 8, &args_.b.columns[column_ / 2].least);
    }

    const typename shape::arguments &args_;
    std::conditional_t<shape::ahead, tile_walk<shape>, no_walk> walk_; /* at the tile that is being copied */
    const typename shape::pair *row_levels_ = nullptr, *column_levels_ = nullptr;
    const unsigned char *a_ = nullptr, *b_ = nullptr; /* the next chunks that this thread copies */
    uint32_t stages_, levels_, column_ = 0;           /* column_: in tiles */
    int thread_, slices_, slice_, place_ = 0, set_ = 0;
    size_t stride_;
};

/* A warp's tests and the hits they found. memory: books and waiting hits of all warps. */
template <class shape> class tile_tester {
  public:
    __device__ tile_tester(const typename shape::arguments &args, unsigned char *memory, int warp, int lane)
        : args_(args), lane_(lane)
    {
        auto *books = reinterpret_cast<record_book<typename shape::value, shape::pages> *>(memory);
        writer_ = {books + warp, 0, 0, 0, 0, 0};
        hits_ = {reinterpret_cast<typename shape::waiting *>(books + shape::books) + warp, 0, 0};
    }

    __device__ __forceinline__ void take(typename shape::value (&d)[shape::row_blocks][shape::column_blocks][4],
                                         const typename shape::pair *levels, uint32_t row0, uint32_t column0,
                                         int warp_row, int warp_column)
    {
        static_assert(shape::row_blocks == 4 && shape::column_blocks == 8, "128 accumulators a lane");
        const int row = warp_row + lane_ / 4, column = warp_column + lane_ % 4 * 2;
        const warp_tile<typename shape::arithmetic> tile = {levels + row,
                                                            levels + shape::rows + column,
                                                            levels + shape::levels,
                                                            row0 + static_cast<uint32_t>(row),
                                                            column0 + static_cast<uint32_t>(column),
                                                            args_.a.count};
        take_tile<shape>(args_, reinterpret_cast<typename shape::value(&)[32][4]>(d), tile, exact_, writer_, hits_,
                         lane_);
    }

    __device__ __forceinline__ void finish()
    {
        if constexpr (shape::queued && shape::writes != output::dense)
            turn_page<shape>(args_, writer_, last_page, hits_, lane_);
        if constexpr (!shape::at_once && shape::writes != output::dense)
            end_hits<shape>(args_, hits_, lane_);
    }

  private:
    const typename shape::arguments &args_;
    int lane_;
    uint32_t exact_ = 0; /* tiles still to be tested against each column's level */
    record_writer<shape> writer_;
    hit_queue<shape> hits_;
};

/* Between the slices of S8's products. */
template <class shape>
__device__ __forceinline__ void multiply_by_128(typename shape::value (&d)[shape::row_blocks][shape::column_blocks][4])
{
#pragma unroll
    for (int m = 0; m < shape::row_blocks; m++)
#pragma unroll
        for (int c = 0; c < shape::column_blocks; c++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                d[m][c][e] *= 128;
}

template <class shape>
__global__ void __launch_bounds__(shape::threads, shape::resident) fasted_tiles(const typename shape::arguments args)
{
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    unsigned char *shared = shared_raw + shape::misaligned;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int warp_row = warp / shape::warps_across * shape::warp_rows;
    const int warp_column = warp % shape::warps_across * shape::warp_columns;

    const uint32_t stages = shared_address(shared);
    const unsigned char *levels = shared + shape::stages * shape::stage_bytes;
    tile_tester<shape> tester(args, shared + shape::stages * shape::stage_bytes + shape::level_sets * shape::set_bytes,
                              warp, lane);

    slice_feeder<shape> feeder(args, stages, shared_address(levels), thread);
    auto fill = [&] {
#pragma unroll
        for (int s = 0; s < (shape::refills_early ? shape::stages - 1 : shape::stages); s++)
            feeder.feed();
    };
    if constexpr (shape::ahead)
        fill();

    /* Offset of this lane's row of A and of B (mma.cuh) from the start of a stage, in bytes. */
    const uint32_t a_lane = static_cast<uint32_t>((warp_row + eb_a_row(lane)) * row_bytes);
    const uint32_t b_lane = static_cast<uint32_t>((shape::rows + warp_column + eb_b_row(lane)) * row_bytes);
    const int slices = static_cast<int>(args.d_padded) / shape::slice;
    constexpr int pending = shape::stages - (shape::refills_early && shape::stages > 1 ? 2 : 1);
    int reading = 0, set = 0;
    typename shape::outer outer;
    auto walk = walk_of<shape>(args);
    for (; !walk.done(); walk.next()) {
        if constexpr (!shape::ahead) {
            if constexpr (shape::striding)
                __syncthreads(); /* all threads are done with the previous tile */
            feeder.begin(walk.at);
            fill();
        }
        typename shape::value d[shape::row_blocks][shape::column_blocks][4] = {};
        if constexpr (shape::arithmetic::chained)
            outer.begin();
        for (int k = 0; k < slices; k++) {
            if constexpr (shape::arithmetic::shifts)
                if (k > 0 && k == static_cast<int>(args.shift))
                    multiply_by_128<shape>(d);
            if constexpr (shape::refills_early && shape::stages == 1) {
                __syncthreads();
                feeder.feed();
            }
            copy_wait<pending>();
            __syncthreads(); /* slice k has arrived; with early refill, all threads are also done with the stage to be
                                refilled */
            const uint32_t stage = stages + static_cast<uint32_t>(reading * shape::stage_bytes);
            multiply_slice<shape>(args, d, outer, stage + a_lane, stage + b_lane, lane, [&] {
                if constexpr (shape::refills_early && shape::stages > 1)
                    feeder.feed();
            });
            if constexpr (!shape::refills_early) {
                __syncthreads();
                feeder.feed();
            }
            reading = reading + 1 == shape::stages ? 0 : reading + 1;
        }
        if constexpr (shape::arithmetic::chained)
            outer.finish(d);
        const uint32_t row0 = walk.at.row * shape::rows, column0 = walk.at.column * shape::columns;
        const auto *tile_levels = reinterpret_cast<const typename shape::pair *>(levels + set * shape::set_bytes);
        if constexpr (shape::writes == output::dense)
            write_dense<shape>(args, d, row0, column0, warp_row, warp_column, lane);
        else if constexpr (shape::at_once)
            emit_at_once<shape>(args, d, tile_levels, row0, column0, warp_row, warp_column, lane);
        else
            tester.take(d, tile_levels, row0, column0, warp_row, warp_column);
        set = set + 1 == shape::level_sets ? 0 : set + 1;
    }
    walk.leave();
    tester.finish();
}

} // namespace eb
