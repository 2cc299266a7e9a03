/* tile_order: which block tile of the distance matrix a number means.
 *
 * `rows` × `columns` block tiles. Row-major is the plain order. In squares: 8 × 8 block tiles are handed out together,
 * so that the blocks running at one time share 8 row panels and 8 column panels, which stay in L2 (FASTED §3.3.1).
 * Symmetric: only squares on or above the diagonal are numbered, row by row of squares; inside a diagonal square the
 * tiles below the diagonal exist but are skipped. A number may fall outside the matrix (ragged last squares): then
 * `inside` is false. A list (core/engine/schedule.h) says which tiles there are, one a number.
 *
 * In bands: a number is a run of up to `chunk` tiles next to each other in a row. `height` rows make a band, which is
 * walked chunk by chunk from left to right: workers that run at one time have the rows of a band and few columns.
 */
#ifndef EB_KERNELS_PARTS_TILE_ORDER_CUH
#define EB_KERNELS_PARTS_TILE_ORDER_CUH

#include <cstdint>

#include <cuda_runtime.h>

namespace eb {

struct tile {
    uint32_t row, column;
    bool inside;
};

constexpr uint32_t square_side = 8;

__host__ __device__ inline uint64_t tile_count(uint32_t rows, uint32_t columns, bool squares, bool symmetric)
{
    uint64_t r = squares ? (rows + square_side - 1) / square_side : rows;
    uint64_t c = squares ? (columns + square_side - 1) / square_side : columns;
    return (symmetric ? r * (r + 1) / 2 : r * c) * (squares ? square_side * square_side : 1);
}

/* Row and column of number t in the upper triangle of an s × s matrix, diagonal included, row by row. Row r begins at
 * r·s − r(r−1)/2. The FP32 root is within one of the answer for s < 2²², and FP64's takes a tenth of a small tile's
 * time; the loops make it exact. */
__host__ __device__ inline void upper_triangle(uint64_t t, uint64_t s, uint32_t &row, uint32_t &column)
{
    const uint64_t b = 2 * s + 1;
    const float root = sqrtf(static_cast<float>(b * b - 8 * t));
    const float guess = (static_cast<float>(b) - root) * 0.5f;
    uint32_t r = guess > 0 ? static_cast<uint32_t>(guess) : 0;
    const auto begin = [s](uint32_t of) { return of * s - static_cast<uint64_t>(of) * (of - uint64_t{1}) / 2; };
    while (begin(r) > t)
        r--;
    while (begin(r + 1) <= t)
        r++;
    row = r;
    column = static_cast<uint32_t>(t - begin(r)) + r;
}

/* Symmetric needs rows == columns, or a list: {row, column} of each number; nullptr: none. Where each pair is looked at
 * from both ends there is none to ask for. */
template <bool squares, bool symmetric>
__host__ __device__ inline tile tile_at(uint64_t number, uint32_t rows, uint32_t columns, const uint2 *list)
{
    if (symmetric && list) {
        const uint2 listed = list[number];
        return {listed.x, listed.y, true};
    }
    constexpr uint32_t side = squares ? square_side : 1;
    const uint64_t big = number / (side * side);
    const uint32_t within = static_cast<uint32_t>(number % (side * side));
    const uint32_t across = (columns + side - 1) / side;
    tile at{0, 0, true};
    if constexpr (symmetric) {
        upper_triangle(big, across, at.row, at.column);
    } else {
        at.row = static_cast<uint32_t>(big / across);
        at.column = static_cast<uint32_t>(big % across);
    }
    at.row = at.row * side + within / side;
    at.column = at.column * side + within % side;
    at.inside = at.row < rows && at.column < columns && (!symmetric || at.row <= at.column);
    return at;
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
    static constexpr uint32_t side = squares ? square_side : 1;
    uint32_t rows_, columns_, down_, across_, row_, column_, within_; /* down, across, row, column: of squares */
};

/* ---- bands ---- */

struct tile_bands {
    uint32_t height, chunk; /* height is a multiple of chunk; 0: no bands */
};

struct tile_run {
    uint32_t row, column, count; /* 0 tiles: outside the matrix */
};

/* Runs before band `band`, of bands that have `across` chunks and, symmetric, height/chunk fewer each time. */
__host__ __device__ inline uint64_t runs_before(uint64_t band, uint64_t across, tile_bands bands, bool symmetric)
{
    const uint64_t fewer = symmetric ? bands.height / bands.chunk : 0;
    return bands.height * (band * across - fewer * (band * (band - (band > 0)) / 2));
}

__host__ __device__ inline uint64_t run_count(uint32_t rows, uint32_t columns, tile_bands bands, bool symmetric)
{
    const uint64_t across = (columns + bands.chunk - 1) / bands.chunk;
    return runs_before((rows + bands.height - 1) / bands.height, across, bands, symmetric);
}

/* The band that run t is in: with f chunks fewer each time it solves f/2·b² − (across + f/2)·b + t/height = 0. The
 * loops make it exact. */
__host__ __device__ inline uint64_t band_of_run(uint64_t t, uint64_t across, tile_bands bands, bool symmetric)
{
    if (!symmetric)
        return t / (bands.height * across);
    const float fewer = static_cast<float>(bands.height / bands.chunk), middle = static_cast<float>(across) + fewer / 2;
    const float inner = middle * middle - 2 * fewer * static_cast<float>(t / bands.height);
    const float guess = (middle - sqrtf(inner > 0 ? inner : 0)) / fewer;
    uint64_t band = guess > 0 ? static_cast<uint64_t>(guess) : 0;
    while (band > 0 && runs_before(band, across, bands, true) > t)
        band--;
    while (runs_before(band + 1, across, bands, true) <= t)
        band++;
    return band;
}

/* The runs of a worker, every `step`-th from the first on. Where it is in which band is carried along: a thread that
 * has bytes to copy has no time for divisions, three a run took as long as a tile of 128 dimensions. */
template <uint32_t height, uint32_t chunk, bool symmetric> class run_walk {
  public:
    __host__ __device__ run_walk(uint64_t first, uint32_t rows, uint32_t columns)
        : rows_(rows), columns_(columns), across_((columns + chunk - 1) / chunk)
    {
        constexpr tile_bands bands = {height, chunk};
        const uint64_t before = band_of_run(first, across_, bands, symmetric);
        band_ = static_cast<uint32_t>(before);
        within_ = static_cast<uint32_t>(first - runs_before(before, across_, bands, symmetric));
    }

    __host__ __device__ tile_run run() const
    {
        const uint32_t row = band_ * height + within_ % height;
        const uint32_t first = (within_ / height + band_ * fewer) * chunk;
        const uint32_t column = symmetric && row > first ? row : first;
        const uint32_t end = columns_ - first < chunk ? columns_ : first + chunk;
        return {row, column, row < rows_ && column < end ? end - column : 0};
    }

    __host__ __device__ void next(uint32_t step)
    {
        within_ += step;
        for (uint32_t runs = runs_of_band(); within_ >= runs && runs > 0; runs = runs_of_band()) {
            within_ -= runs;
            band_++;
        }
    }

  private:
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

#endif
