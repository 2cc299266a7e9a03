/* bands_probe: runs the kernels' numbering of tiles on the host, in squares and as runs in bands. Each tile of a
 * matrix, or of its triangle, must come exactly once. */
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/parts/tile_order.cuh"

namespace {

/* Number of tiles of a matrix, or of its triangle, not seen exactly once. */
size_t not_once(const std::vector<int> &seen, uint32_t rows, uint32_t columns, bool symmetric)
{
    size_t wrong = 0;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            wrong += seen[static_cast<size_t>(i) * columns + j] != (!symmetric || i <= j);
    return wrong;
}

/* Number of tiles that come not exactly once, or differ from those of their number, when `workers` share the numbers
 * from `first` on. */
template <bool squares, bool symmetric> size_t wrong_steps(uint32_t rows, uint32_t columns, uint32_t workers)
{
    const uint64_t tiles = eb_block_tile_count(rows, columns, squares, symmetric), first = tiles / 3;
    std::vector<int> seen(static_cast<size_t>(rows) * columns);
    size_t wrong = 0;
    const auto see = [&](const eb::tile &at) {
        if (at.inside)
            seen[static_cast<size_t>(at.row) * columns + at.column]++;
    };
    for (uint64_t number = 0; number < first; number++)
        see(eb::tile_at<squares, symmetric>(number, rows, columns, nullptr));
    for (uint64_t worker = 0; worker < workers; worker++) {
        eb::tile_steps<squares, symmetric> steps(first + worker, rows, columns);
        for (uint64_t number = first + worker; number < tiles; number += workers, steps.next(workers)) {
            const eb::tile at = steps.at(), wanted = eb::tile_at<squares, symmetric>(number, rows, columns, nullptr);
            wrong += at.row != wanted.row || at.column != wanted.column || at.inside != wanted.inside;
            see(at);
        }
    }
    return wrong + not_once(seen, rows, columns, symmetric);
}

/* Number of tiles that come not exactly once, or lie outside, when `workers` share the runs. */
template <uint32_t height, uint32_t chunk, bool symmetric>
size_t wrong_tiles(uint32_t rows, uint32_t columns, uint32_t workers)
{
    const uint64_t runs = eb_run_count(rows, columns, eb::tile_bands{height, chunk}, symmetric);
    std::vector<int> seen(static_cast<size_t>(rows) * columns);
    size_t wrong = 0;
    for (uint64_t worker = 0; worker < workers; worker++) {
        eb::run_walk<height, chunk, symmetric> walk(worker, rows, columns);
        for (uint64_t number = worker; number < runs; number += workers, walk.next(workers)) {
            const eb::tile_run run = walk.run();
            for (uint32_t k = 0; k < run.count; k++) {
                if (run.row < rows && run.column + k < columns)
                    seen[static_cast<size_t>(run.row) * columns + run.column + k]++;
                else
                    wrong++;
            }
        }
    }
    return wrong + not_once(seen, rows, columns, symmetric);
}

template <uint32_t height, uint32_t chunk> size_t wrong_of(uint32_t rows, uint32_t workers)
{
    return wrong_tiles<height, chunk, true>(rows, rows, workers) +
           wrong_tiles<height, chunk, false>(rows, 2 * rows + 3, workers);
}

} // namespace

/* Wrong tiles of the triangle of rows × rows tiles and of a matrix with more columns, in the kernels' bands. */
extern "C" size_t test_bands_wrong(uint32_t rows, uint32_t workers)
{
    return wrong_of<64, 8>(rows, workers) + wrong_of<16, 8>(rows, workers) + wrong_of<8, 1>(rows, workers) +
           wrong_of<2, 1>(rows, workers);
}

/* Wrong tiles of the same matrices in squares, and in plain order. */
extern "C" size_t test_steps_wrong(uint32_t rows, uint32_t workers)
{
    return wrong_steps<true, true>(rows, rows, workers) + wrong_steps<true, false>(rows, 2 * rows + 3, workers) +
           wrong_steps<false, true>(rows, rows, workers) + wrong_steps<false, false>(rows, 2 * rows + 3, workers);
}
