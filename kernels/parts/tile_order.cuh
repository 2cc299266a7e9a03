/* tile_order: which block tile of the distance matrix a number means.
 *
 * `rows` × `columns` block tiles. Row-major is the plain order. In squares: 8 × 8 block tiles are handed out together,
 * so that the blocks running at one time share 8 row panels and 8 column panels, which stay in L2 (FASTED §3.3.1).
 * Symmetric: only squares on or above the diagonal are numbered, row by row of squares; inside a diagonal square the
 * tiles below the diagonal exist but are skipped. A number may fall outside the matrix (ragged last squares): then
 * `inside` is false.
 */
#ifndef EB_KERNELS_PARTS_TILE_ORDER_CUH
#define EB_KERNELS_PARTS_TILE_ORDER_CUH

#include <cstdint>

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
 * r·s − r(r−1)/2. The FP64 root is within one of the answer for s < 2³¹; the loops make it exact. */
__host__ __device__ inline void upper_triangle(uint64_t t, uint64_t s, uint32_t &row, uint32_t &column)
{
    double b = 2.0 * static_cast<double>(s) + 1.0;
    double root = b * b - 8.0 * static_cast<double>(t);
    int64_t r = static_cast<int64_t>((b - sqrt(root > 0 ? root : 0)) / 2);
    int64_t n = static_cast<int64_t>(s), number = static_cast<int64_t>(t);
    while (r > 0 && r * n - r * (r - 1) / 2 > number)
        r--;
    while (r + 1 < n && (r + 1) * n - (r + 1) * r / 2 <= number)
        r++;
    row = static_cast<uint32_t>(r);
    column = static_cast<uint32_t>(number - (r * n - r * (r - 1) / 2) + r);
}

/* Symmetric needs rows == columns. */
template <bool squares, bool symmetric>
__host__ __device__ inline tile tile_at(uint64_t number, uint32_t rows, uint32_t columns)
{
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

} // namespace eb

#endif
