/* settle: tests the FP64 kernels' squared distances and counts, stores or writes them, up to 32 of a lane at a time.
 *
 * Nearly all pairs are far apart, and the FP64 pipe is the limit, so the first test uses no FP64 instruction. Doubles s
 * ≥ 0 are ordered as their bits. The upper halves are compared as if they were floats, one instruction per pair, and
 * one vote shows whether a warp has no near pair. Large doubles whose upper half is an FP32 NaN, and the negative s of
 * an expansion, count as near. Near pairs are decided exactly.
 *
 * Hits wait in shared memory until there are enough of them or the kernel ends. Counts stay in their lane.
 */
#pragma once

#include "kernels/parts/hits.cuh"
#include "kernels/parts/tile_order.cuh"

namespace eb {

/* One side of the join: points row-major, padded with zeros to whole tiles of 128 points and to the rules' depth. */
struct f64_panel {
    const double *points;
    const double *norm; /* ‖p‖², for expansions */
    uint32_t count;     /* number of points, padding excluded */
    uint32_t first;     /* number of the panel's first point in the dataset */
};

struct f64_arguments {
    f64_panel a, b;
    uint32_t d_padded, tile_rows, tile_columns;
    uint64_t first_tile, end_tile;
    const uint2 *list; /* the tiles to visit; nullptr: all, or the triangle */
    bool symmetric;    /* each pair once, i < j */
    double threshold;  /* fl(ε·ε) */
    hit_buffer<double> out;
    double *dense; /* dense variant: s of every pair, row-major, b.count per row */
};

/* Returns this worker's tile. */
__device__ __forceinline__ tile tile_of(const f64_arguments &args, uint64_t worker)
{
    const uint64_t number = args.first_tile + worker;
    return args.symmetric ? tile_at<true, true>(number, args.tile_rows, args.tile_columns, args.list)
                          : tile_at<true, false>(number, args.tile_rows, args.tile_columns, args.list);
}

__device__ __forceinline__ float upper_half(double x) { return __int_as_float(__double2hiint(x)); }

/* An upper half above this belongs to a double above x ≥ 0. Limited to FP32's infinity: a NaN would make every pair
 * near. */
__device__ __forceinline__ float far_above(double x) { return __int_as_float(min(__double2hiint(x), 0x7f800000)); }

/* An expansion may round to a negative number. */
__device__ __forceinline__ double at_least_zero(double s) { return __double2hiint(s) < 0 ? 0.0 : s; }

/* A warp's tester. All lanes call its functions together. */
template <output writes> class settler {
  public:
    /* hits: this warp's; used only if hits are written. */
    __device__ __forceinline__ settler(const f64_arguments &args, waiting_hits<double> *hits, int lane)
        : args_(args), hits_(hits), lane_(lane), far_(far_above(args.threshold))
    {
    }

    /* s[m][c] belongs to row row_of(m) and column column_of(c), as the panels number them. */
    template <int rows, int columns, class row_type, class column_type>
    __device__ __forceinline__ void take(const double (&s)[rows][columns], row_type row_of, column_type column_of)
    {
        static_assert(rows * columns <= 32);
        if constexpr (writes == output::dense) {
            write(s, row_of, column_of);
        } else {
            if (all_far(s))
                return;
            const uint32_t verdicts = decide(s, row_of, column_of);
            if constexpr (writes == output::count)
                counted_ += __popc(verdicts);
            else
                record(s, verdicts, row_of, column_of);
        }
    }

    __device__ __forceinline__ void finish()
    {
        if constexpr (writes == output::count)
            add_count(args_.out.found, __reduce_add_sync(~0u, counted_), lane_);
        if constexpr (writes == output::hits)
            if (waiting_ > 0)
                (void)flush(0);
    }

  private:
    /* The place where hits are stored: shared memory, or the buffer. */
    struct places {
        uint2 *pair;
        double *squared;
        uint32_t room;
    };

    template <int rows, int columns> __device__ __forceinline__ bool all_far(const double (&s)[rows][columns]) const
    {
        bool far = true;
#pragma unroll
        for (int m = 0; m < rows; m++)
#pragma unroll
            for (int c = 0; c < columns; c++)
                far &= upper_half(s[m][c]) > far_;
        return __all_sync(~0u, far);
    }

    /* Returns one bit per pair, set for hits. */
    template <int rows, int columns, class row_type, class column_type>
    __device__ __forceinline__ uint32_t decide(const double (&s)[rows][columns], row_type row_of,
                                               column_type column_of) const
    {
        uint32_t verdicts = 0;
#pragma unroll
        for (int m = 0; m < rows; m++) {
            const uint32_t row = row_of(m), i = args_.a.first + row, from = args_.symmetric ? i : 0;
#pragma unroll
            for (int c = 0; c < columns; c++) {
                const uint32_t column = column_of(c), j = args_.b.first + column;
                const bool hit =
                    s[m][c] <= args_.threshold && row < args_.a.count && column < args_.b.count && j >= from && j != i;
                verdicts |= hit ? 1u << (m * columns + c) : 0u;
            }
        }
        return verdicts;
    }

    /* Appends hits to the waiting ones; if they do not all fit, all waiting hits are written first. */
    template <int rows, int columns, class row_type, class column_type>
    __device__ __forceinline__ void record(const double (&s)[rows][columns], uint32_t verdicts, row_type row_of,
                                           column_type column_of)
    {
        const uint32_t mine = __popc(verdicts), through = sum_through(mine);
        const uint32_t found = __shfl_sync(~0u, through, 31);
        if (found == 0)
            return;
        places to{hits_->pair, hits_->squared, hits_->room};
        uint32_t at = waiting_ + through - mine;
        if (waiting_ + found > hits_->room) {
            to = flush(found);
            at = through - mine;
        } else {
            waiting_ += found;
        }
#pragma unroll
        for (int m = 0; m < rows; m++) {
#pragma unroll
            for (int c = 0; c < columns; c++) {
                if (!(verdicts >> (m * columns + c) & 1))
                    continue;
                if (at < to.room) {
                    to.pair[at] = make_uint2(args_.a.first + row_of(m), args_.b.first + column_of(c));
                    to.squared[at] = at_least_zero(s[m][c]);
                }
                at++;
            }
        }
    }

    /* Returns the sum of lanes 0 … this one. */
    __device__ __forceinline__ uint32_t sum_through(uint32_t mine) const
    {
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const uint32_t before = __shfl_up_sync(~0u, mine, step);
            mine += lane_ >= step ? before : 0;
        }
        return mine;
    }

    /* Writes the waiting hits. Returns the place for `more` hits after them, with as much room as the buffer has. */
    __device__ __forceinline__ places flush(uint32_t more)
    {
        const unsigned long long at = write_waiting(args_.out, *hits_, waiting_, more, lane_);
        waiting_ = 0;
        const uint64_t room = at < args_.out.capacity ? args_.out.capacity - at : 0;
        return {args_.out.pair + at, args_.out.squared + at, static_cast<uint32_t>(room < more ? room : more)};
    }

    template <int rows, int columns, class row_type, class column_type>
    __device__ __forceinline__ void write(const double (&s)[rows][columns], row_type row_of, column_type column_of)
    {
#pragma unroll
        for (int m = 0; m < rows; m++)
#pragma unroll
            for (int c = 0; c < columns; c++)
                if (row_of(m) < args_.a.count && column_of(c) < args_.b.count)
                    args_.dense[static_cast<size_t>(row_of(m)) * args_.b.count + column_of(c)] = at_least_zero(s[m][c]);
    }

    const f64_arguments &args_;
    waiting_hits<double> *hits_;
    int lane_;
    float far_; /* an upper half above this is beyond the threshold */
    uint32_t waiting_ = 0, counted_ = 0;
};

} // namespace eb
