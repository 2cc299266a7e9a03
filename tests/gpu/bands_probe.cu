/* Runs of tiles in bands, as the kernels number them, on the host: each tile of a matrix, or of its triangle, once. */
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/parts/tile_order.cuh"

/* The tiles that come not once, or lie outside. */
extern "C" size_t test_bands_wrong(uint32_t rows, uint32_t columns, uint32_t height, uint32_t chunk, bool symmetric)
{
    const eb::tile_bands bands{height, chunk};
    std::vector<int> seen(static_cast<size_t>(rows) * columns);
    size_t wrong = 0;
    for (uint64_t t = 0; t < eb::run_count(rows, columns, bands, symmetric); t++) {
        const eb::tile_run run = eb::run_at(t, rows, columns, bands, symmetric, nullptr);
        for (uint32_t k = 0; k < run.count; k++) {
            if (run.row < rows && run.column + k < columns)
                seen[static_cast<size_t>(run.row) * columns + run.column + k]++;
            else
                wrong++;
        }
    }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            wrong += seen[static_cast<size_t>(i) * columns + j] != (!symmetric || i <= j);
    return wrong;
}
