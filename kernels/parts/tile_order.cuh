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

/* A worker's runs, every `step`-th of a part's from number `first` on. Of `parts` parts each has every parts-th chunk
 * of columns of a band, and begins one chunk further in each band: tiles with many pairs are next to each other. The
 * position in the band is updated step by step: the copying thread has no time for divisions; three per run took as
 * long as a tile of 128 dimensions. */
template <uint32_t height, uint32_t chunk, bool symmetric> class run_walk {
  public:
    __host__ __device__ run_walk(uint64_t first, uint32_t worker, uint32_t rows, uint32_t columns, uint32_t parts,
                                 uint32_t part)
        : rows_(rows), columns_(columns), parts_(parts)
    {
        const uint32_t across = (columns + chunk - 1) / chunk;
        band_ = static_cast<uint32_t>(eb_band_of_run(first, across, bands, symmetric));
        before_ = eb_runs_before(band_, across, bands, symmetric);
        chunks_ = across > band_ * fewer ? across - band_ * fewer : 0;
        skipped_ = (part + parts - band_ % parts) % parts;
        count_own();
        const uint32_t within = static_cast<uint32_t>(first - before_), before = within / height;
        const uint32_t passed = before > skipped_ ? (before - skipped_ + parts - 1) / parts : 0;
        own_ = passed * height + (skipped_ + passed * parts == before ? within % height : 0);
        next(worker);
    }

    __host__ __device__ uint64_t number() const { return before_ + within(); }
    __host__ __device__ tile_run run() const { return eb_run_at(band_, within(), rows_, columns_, bands, symmetric); }

    __host__ __device__ void next(uint32_t step)
    {
        for (own_ += step; own_ >= runs_ && chunks_ > 0; count_own()) {
            own_ -= runs_;
            before_ += static_cast<uint64_t>(height) * chunks_;
            band_++;
            chunks_ = chunks_ > fewer && band_ * height < rows_ ? chunks_ - fewer : 0;
            skipped_ = skipped_ > 0 ? skipped_ - 1 : parts_ - 1;
        }
    }

  private:
    static constexpr tile_bands bands = {height, chunk};
    static constexpr uint32_t fewer = symmetric ? height / chunk : 0;
    __host__ __device__ uint32_t within() const { return (skipped_ + own_ / height * parts_) * height + own_ % height; }
    __host__ __device__ void count_own()
    {
        runs_ = chunks_ > skipped_ ? (chunks_ - skipped_ + parts_ - 1) / parts_ * height : 0;
    }
    uint64_t before_; /* runs of earlier bands */
    uint32_t rows_, columns_, parts_, band_;
    uint32_t chunks_, skipped_, runs_, own_; /* of the band: all (0: beyond the last), before the part's first, the
                                                part's runs, the present one */
};

/* Number of the part's k-th tile or run of a list: each part has every parts-th eight. */
__host__ __device__ inline uint64_t dealt_number(uint64_t k, uint32_t parts, uint32_t part)
{
    return (k / 8 * parts + part) * 8 + k % 8;
}

/* How many of the numbers below `number` are the part's. */
__host__ __device__ inline uint64_t dealt_before(uint64_t number, uint32_t parts, uint32_t part)
{
    const uint64_t round = number / (8ull * parts), rest = number % (8ull * parts), first = 8ull * part;
    return round * 8 + (rest < first ? 0 : rest < first + 8 ? rest - first : 8);
}

/* Decodes a listed run: the upper 8 bits of the row hold the number of further tiles. */
__host__ __device__ inline tile_run listed_run(uint2 listed)
{
    return {listed.x & 0xffffffu, listed.y, (listed.x >> 24) + 1};
}

} // namespace eb
