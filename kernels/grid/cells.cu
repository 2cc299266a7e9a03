#include "kernels/grid/cells.cuh"

namespace eb {

namespace {

constexpr const char *indexing = "making the grid";

unsigned blocks_for(size_t items) { return static_cast<unsigned>((items + 255) / 256); }

__device__ __forceinline__ size_t thread_number() { return blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; }

__global__ void number_points(eb_grid grid, const double *points, size_t n, size_t d, grid_axes axes, uint64_t *key,
                              uint32_t *point)
{
    const size_t i = thread_number();
    if (i >= n)
        return;
    double x[EB_GRID_MOST] = {0};
    for (uint32_t a = 0; a < grid.k; a++)
        x[a] = points[i * d + axes.dimension[a]];
    key[i] = eb_grid_number(&grid, x);
    point[i] = static_cast<uint32_t>(i);
}

/* Keys that sort the most crowded cells first. A float distinguishes sizes up to 2^24; larger cells whose sizes round
 * to the same float stay in the order of their numbers. */
__global__ void rank_cells(const uint32_t *size, uint32_t cells, uint32_t *cell, float *descending)
{
    const size_t c = thread_number();
    if (c >= cells)
        return;
    cell[c] = static_cast<uint32_t>(c);
    descending[c] = -static_cast<float>(size[c]);
}

__global__ void end_cells(uint32_t *first, const uint32_t *cells, uint32_t n) { first[*cells] = n; }

} // namespace

eb_code grid_cells::make(const eb_grid &grid, const double *points, size_t n, size_t d, const grid_axes &axes,
                         uint32_t a_group, bool crowded_first, cudaStream_t stream, eb_status *status)
{
    int bits = 1;
    while (bits < 62 && grid.numbers >> bits)
        bits++;
    grid_ = grid;
    EB_TRY(key_.reserve(n, indexing, status));
    EB_TRY(sorted_.reserve(n, indexing, status));
    EB_TRY(number_of_point_.reserve(n, indexing, status));
    EB_TRY(point_.reserve(n, indexing, status));
    number_points<<<blocks_for(n), 256, 0, stream>>>(grid, points, n, d, axes, key_.get(), number_of_point_.get());
    EB_CUDA(cudaGetLastError(), indexing);
    EB_TRY(sort_pairs(key_.get(), sorted_.get(), number_of_point_.get(), point_.get(), n, bits, scratch_, indexing,
                      stream, status));
    EB_TRY(find_cells(n, stream, status));
    return make_groups(a_group, crowded_first, stream, status);
}

eb_code grid_cells::find_cells(size_t n, cudaStream_t stream, eb_status *status)
{
    device_array<uint32_t> found;
    EB_TRY(number_.reserve(n, indexing, status));
    EB_TRY(size_.reserve(n + 1, indexing, status));
    EB_TRY(first_.reserve(n + 1, indexing, status));
    EB_TRY(found.reserve(1, indexing, status));
    EB_TRY(find_runs(sorted_.get(), number_.get(), size_.get(), found.get(), n, scratch_, indexing, stream, status));
    EB_CUDA(cudaMemcpyAsync(&cells_, found.get(), sizeof cells_, cudaMemcpyDeviceToHost, stream), indexing);
    EB_CUDA(cudaStreamSynchronize(stream), indexing);
    EB_TRY(sum_before(size_.get(), first_.get(), cells_, scratch_, indexing, stream, status));
    end_cells<<<1, 1, 0, stream>>>(first_.get(), found.get(), static_cast<uint32_t>(n));
    EB_CUDA(cudaGetLastError(), indexing);
    EB_CUDA(cudaStreamSynchronize(stream), indexing); /* before `found` is freed */
    return EB_OK;
}

eb_code grid_cells::make_groups(uint32_t a_group, bool crowded_first, cudaStream_t stream, eb_status *status)
{
    device_array<float> descending, sorted;
    EB_TRY(cell_.reserve(cells_, indexing, status));
    EB_TRY(order_.reserve(cells_, indexing, status));
    EB_TRY(descending.reserve(cells_, indexing, status));
    EB_TRY(sorted.reserve(cells_, indexing, status));
    if (crowded_first) {
        rank_cells<<<blocks_for(cells_), 256, 0, stream>>>(size_.get(), cells_, cell_.get(), descending.get());
        EB_CUDA(cudaGetLastError(), indexing);
        EB_TRY(sort_pairs(descending.get(), sorted.get(), cell_.get(), order_.get(), cells_, scratch_, indexing, stream,
                          status));
    }
    const eb_code failed = groups_.make(size_.get(), first_.get(), crowded_first ? order_.get() : nullptr, cells_,
                                        a_group, stream, status);
    EB_CUDA(cudaStreamSynchronize(stream), indexing); /* before the local arrays are freed */
    return failed;
}

} // namespace eb
