#include "kernels/tiled/points.cuh"

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

/* Resident points may take three quarters of the budget, each of two streamed blocks a third. The rest is for results,
 * staging of uploads and sorting. */
eb_code choose_block_rows(size_t rows, size_t bytes_a_row, uint64_t budget, size_t *block_rows, eb_status *status)
{
    constexpr size_t step = 256; /* a multiple of every kernel's tile side */
    const double row = static_cast<double>(bytes_a_row), all = static_cast<double>(budget);
    *block_rows = rows;
    if ((static_cast<double>(rows) + 2 * step) * row <= 0.75 * all)
        return EB_OK;
    const double fitting = all / 3 / row - step; /* less the padding of a block */
    if (fitting < static_cast<double>(step))
        return eb_fail(status, EB_NO_MEMORY,
                       "two blocks of %zu points need %.0f bytes on the GPU; it has room for %llu", step,
                       2 * 3 * step * row, static_cast<unsigned long long>(budget));
    const size_t streamed = static_cast<size_t>(fitting) / step * step;
    *block_rows = streamed < rows ? streamed : rows;
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
