/* tile_order: which tiles a worker takes, in the order of tile_order.h; or by a list (core/engine/schedule.h), which
 * says which tiles there are, one a number.
 */
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/parts/tile_order.h"

namespace eb {

using tile = eb_block_tile;
using tile_bands = eb_tile_bands;
using tile_run = eb_tile_run;

/* Symmetric needs rows == columns, or a list: {row, column} of each number; nullptr: none. Where each pair is looked at
 * from both ends there is none to ask for. */
template <bool squares, bool symmetric>
__host__ __device__ inline tile tile_at(uint64_t number, uint32_t rows, uint32_t columns, const uint2 *list)
{
    if (symmetric && list) {
        const uint2 listed = list[number];
        return {listed.x, listed.y, true};
    }
    return eb_block_tile_at(number, rows, columns, squares, symmetric);
}

/* The tiles of a worker in that order, every `step`-th from number `first` on, carried along: with divisions and a root
 * a number took longer than the tests of a small tile. No list. */
template <bool squares, bool symmetric> class tile_steps {
  public:
    __host__ __device__ tile_steps(uint64_t first, uint32_t rows, uint32_t columns)
        : rows_(rows), columns_(columns), down_((rows + side - 1) / side), across_((columns + side - 1) / side),
          within_(static_cast<uint32_t>(first % (side * side)))
    {
        const tile at = tile_at<squares, symmetric>(first - within_, rows, columns, nullptr);
        row_ = at.row / side;
        column_ = at.column / side;
    }

    __host__ __device__ tile at() const
    {
        const uint32_t row = row_ * side + within_ / side, column = column_ * side + within_ % side;
        return {row, column, row < rows_ && column < columns_ && (!symmetric || row <= column)};
    }

    __host__ __device__ void next(uint32_t step)
    {
        within_ += step;
        column_ += within_ / (side * side);
        within_ %= side * side;
        for (; column_ >= across_ && row_ < down_; row_++)
            column_ -= across_ - (symmetric ? row_ + 1 : 0); /* the row behind begins at its diagonal */
    }

  private:
    static constexpr uint32_t side = squares ? EB_SQUARE_SIDE : 1;
    uint32_t rows_, columns_, down_, across_, row_, column_, within_; /* down, across, row, column: of squares */
};

/* ---- bands ---- */

/* The runs of a worker, every `step`-th from the first on. Where it is in which band is carried along: a thread that
 * has bytes to copy has no time for divisions, three a run took as long as a tile of 128 dimensions. */
template <uint32_t height, uint32_t chunk, bool symmetric> class run_walk {
  public:
    __host__ __device__ run_walk(uint64_t first, uint32_t rows, uint32_t columns)
        : rows_(rows), columns_(columns), across_((columns + chunk - 1) / chunk)
    {
        const uint64_t before = eb_band_of_run(first, across_, bands, symmetric);
        band_ = static_cast<uint32_t>(before);
        within_ = static_cast<uint32_t>(first - eb_runs_before(before, across_, bands, symmetric));
    }

    __host__ __device__ tile_run run() const { return eb_run_at(band_, within_, rows_, columns_, bands, symmetric); }

    __host__ __device__ void next(uint32_t step)
    {
        within_ += step;
        for (uint32_t runs = runs_of_band(); within_ >= runs && runs > 0; runs = runs_of_band()) {
            within_ -= runs;
            band_++;
        }
    }

  private:
    static constexpr tile_bands bands = {height, chunk};
    static constexpr uint32_t fewer = symmetric ? height / chunk : 0;
    /* 0 behind the last one. */
    __host__ __device__ uint32_t runs_of_band() const
    {
        return across_ > band_ * fewer ? height * (across_ - band_ * fewer) : 0;
    }
    uint32_t rows_, columns_, across_, band_, within_;
};

/* A listed run: the row has the number of further tiles in its upper 8 bits. */
__host__ __device__ inline tile_run listed_run(uint2 listed)
{
    return {listed.x & 0xffffffu, listed.y, (listed.x >> 24) + 1};
}

} // namespace eb
