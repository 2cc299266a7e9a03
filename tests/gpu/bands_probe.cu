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

/* Number of tiles that come not exactly once, lie outside, or come in another launch than their run's, when `parts`
 * parts share the runs and `workers` each part. */
template <uint32_t height, uint32_t chunk, bool symmetric>
size_t wrong_tiles(uint32_t rows, uint32_t columns, uint32_t workers, uint32_t parts)
{
    const uint64_t runs = eb_run_count(rows, columns, eb::tile_bands{height, chunk}, symmetric);
    const uint64_t launches[] = {0, runs / 3, runs - runs / 4, runs};
    std::vector<int> seen(static_cast<size_t>(rows) * columns);
    size_t wrong = 0;
    const auto see = [&](const eb::tile_run &run) {
        for (uint32_t k = 0; k < run.count; k++) {
            if (run.row < rows && run.column + k < columns)
                seen[static_cast<size_t>(run.row) * columns + run.column + k]++;
            else
                wrong++;
        }
    };
    for (uint32_t part = 0; part < parts; part++)
        for (int launch = 0; launch < 3; launch++)
            for (uint32_t worker = 0; worker < workers; worker++) {
                eb::run_walk<height, chunk, symmetric> walk(launches[launch], worker, rows, columns, parts, part);
                for (; walk.number() < launches[launch + 1]; walk.next(workers)) {
                    wrong += walk.number() < launches[launch];
                    see(walk.run());
                }
            }
    return wrong + not_once(seen, rows, columns, symmetric);
}

/* The same for `count` numbers of a list; and the largest part may have eight more than the smallest. */
size_t wrong_numbers(uint64_t count, uint32_t workers, uint32_t parts)
{
    const uint64_t launches[] = {0, count / 3, count - count / 4, count};
    std::vector<int> seen(count);
    uint64_t most = 0, least = count;
    size_t wrong = 0;
    for (uint32_t part = 0; part < parts; part++) {
        uint64_t own = 0;
        for (int launch = 0; launch < 3; launch++)
            for (uint32_t worker = 0; worker < workers; worker++) {
                uint64_t k = eb::dealt_before(launches[launch], parts, part) + worker, number;
                for (; (number = eb::dealt_number(k, parts, part)) < launches[launch + 1]; k += workers, own++) {
                    wrong += number < launches[launch];
                    seen[number]++;
                }
            }
        most = own > most ? own : most;
        least = own < least ? own : least;
    }
    for (const int times : seen)
        wrong += times != 1;
    return wrong + (most > least + 8);
}

template <uint32_t height, uint32_t chunk> size_t wrong_of(uint32_t rows, uint32_t workers)
{
    size_t wrong = 0;
    for (const uint32_t parts : {1u, 2u, 3u, 9u})
        wrong += wrong_tiles<height, chunk, true>(rows, rows, workers, parts) +
                 wrong_tiles<height, chunk, false>(rows, 2 * rows + 3, workers, parts) +
                 wrong_numbers(uint64_t{rows} * rows, workers, parts);
    return wrong;
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
