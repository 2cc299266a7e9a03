/* tile_order: enumerates a worker's tiles in the order of tile_order.h, or from a list (core/engine/schedule.h) with
 * one tile per number. */
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/parts/tile_order.h"

namespace eb {

using tile = eb_block_tile;
using tile_bands = eb_tile_bands;
using tile_run = eb_tile_run;

/* Returns the tile of a number. Symmetric needs rows == columns, or a list with {row, column} of each number; nullptr:
 * no list. Without symmetry the list is ignored. */
template <bool squares, bool symmetric>
__host__ __device__ inline tile tile_at(uint64_t number, uint32_t rows, uint32_t columns, const uint2 *list)
{
    if (symmetric && list) {
        const uint2 listed = list[number];
        return {listed.x, listed.y, true};
    }
    return eb_block_tile_at(number, rows, columns, squares, symmetric);
}

/* A worker's tiles, every `step`-th from number `first` on, without a list. The position is updated step by step:
 * divisions and a root per number took longer than the tests of a small tile. */
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
            column_ -= across_ - (symmetric ? row_ + 1 : 0); /* the next row begins at its diagonal */
    }

  private:
    static constexpr uint32_t side = squares ? EB_SQUARE_SIDE : 1;
    uint32_t rows_, columns_, down_, across_, row_, column_, within_; /* down_, across_, row_, column_: in squares */
};

/* ---- bands ---- */

/* A worker's runs, every `step`-th from the first on. The position in the band is updated step by step: the copying
 * thread has no time for divisions; three per run took as long as a tile of 128 dimensions. */
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
    /* Runs of the current band; 0 beyond the last band. */
    __host__ __device__ uint32_t runs_of_band() const
    {
        return across_ > band_ * fewer ? height * (across_ - band_ * fewer) : 0;
    }
    uint32_t rows_, columns_, across_, band_, within_;
};

/* Decodes a listed run: the upper 8 bits of the row hold the number of further tiles. */
__host__ __device__ inline tile_run listed_run(uint2 listed)
{
    return {listed.x & 0xffffffu, listed.y, (listed.x >> 24) + 1};
}

} // namespace eb
