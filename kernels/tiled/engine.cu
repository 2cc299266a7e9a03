#include "kernels/tiled/engine.cuh"

#include <cstring>

namespace eb {

eb_code free_device_bytes(uint64_t *bytes, eb_status *status)
{
    const char *what = "asking for the GPU's free memory";
    size_t available = 0, total = 0;
    int device = 0;
    cudaMemPool_t pool = nullptr;
    uint64_t reserved = 0, used = 0;
    EB_CUDA(cudaMemGetInfo(&available, &total), what);
    EB_CUDA(cudaGetDevice(&device), what);
    EB_CUDA(cudaDeviceGetDefaultMemPool(&pool, device), what);
    EB_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), what);
    EB_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), what);
    *bytes = available + (reserved - used);
    return EB_OK;
}

/* Three quarters for points where they stay, a third for each of two blocks where they stream; the rest is for results,
 * the staging of uploads and sorting. */
eb_code choose_block_rows(size_t rows, size_t bytes_a_row, uint64_t budget, size_t *block_rows, eb_status *status)
{
    constexpr size_t step = 256; /* a whole number of any kernel's tiles */
    const double row = static_cast<double>(bytes_a_row), all = static_cast<double>(budget);
    *block_rows = rows;
    if ((static_cast<double>(rows) + 2 * step) * row <= 0.75 * all)
        return EB_OK;
    const double fitting = all / 3 / row - step; /* beside the padding of a block */
    if (fitting < static_cast<double>(step))
        return eb_fail(status, EB_NO_MEMORY,
                       "two blocks of %zu points need %.0f bytes on the GPU; it has room for %llu", step,
                       2 * 3 * step * row, static_cast<unsigned long long>(budget));
    const size_t streamed = static_cast<size_t>(fitting) / step * step;
    *block_rows = streamed < rows ? streamed : rows;
    return EB_OK;
}

/* The list is sorted into squares as a whole; the tiles of a pair of blocks keep that sequence. */
eb_code listed_tiles::place(const eb_schedule &schedule, const eb_order *order, size_t side, size_t a, size_t rows,
                            size_t b, size_t columns, unsigned chunk, cudaStream_t stream, eb_status *status)
{
    const char *what = "uploading a list of tiles";
    if (side_ != side) {
        forget();
        EB_TRY(eb_tile_list_make(&schedule, order, side, side, EB_TILES_IN_SQUARES, &all_, status));
        side_ = side;
    }
    const uint32_t row = static_cast<uint32_t>(a / side), column = static_cast<uint32_t>(b / side);
    const uint32_t end_row = row + static_cast<uint32_t>((rows + side - 1) / side);
    const uint32_t end_column = column + static_cast<uint32_t>((columns + side - 1) / side);
    constexpr uint32_t one_more = 1u << 24;
    uint2 next{}; /* the tile that would make the last run longer */
    uint32_t length = 0;
    here_.clear();
    tiles_ = 0;
    for (uint64_t k = 0; k < all_.count; k++) {
        const eb_tile &t = all_.tile[k];
        if (t.row < row || t.row >= end_row || t.column < column || t.column >= end_column)
            continue;
        const uint2 at = make_uint2(t.row - row, t.column - column);
        tiles_++;
        if (length > 0 && length < chunk && at.x == next.x && at.y == next.y) {
            here_.back().x += one_more;
            length++;
        } else {
            here_.push_back(at);
            length = 1;
        }
        next = make_uint2(at.x, at.y + 1);
    }
    EB_TRY(on_device_.reserve(here_.size(), what, status));
    EB_CUDA(cudaMemcpyAsync(on_device_.get(), here_.data(), here_.size() * sizeof(uint2), cudaMemcpyHostToDevice,
                            stream),
            what);
    return EB_OK;
}

void gathered_rows::gather(const eb_dataset *ds, const uint32_t *rows, size_t m)
{
    const size_t row_bytes = ds->d * eb_dtype_size(ds->dtype);
    bytes_.resize(m * row_bytes);
    for (size_t k = 0; k < m; k++)
        std::memcpy(bytes_.data() + k * row_bytes, eb_row(ds, rows[k]), row_bytes);
    dataset_ = eb_dataset{};
    dataset_.n = m;
    dataset_.d = ds->d;
    dataset_.dtype = ds->dtype;
    dataset_.stride = row_bytes;
    dataset_.rows = bytes_.data();
}

} // namespace eb
