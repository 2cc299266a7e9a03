#include "kernels/tiled/upload.cuh"

extern "C" {
#include "core/base/clock.h"
}

namespace eb {

namespace {

constexpr size_t chunk_bytes = size_t{64} << 20; /* of stored rows on the device at a time */

/* Stored rows may be unaligned for their type (a header between rows): bytes are assembled. */
template <class T> __device__ T load_stored(const unsigned char *p)
{
    T value;
    memcpy(&value, p, sizeof value);
    return value;
}

__device__ double stored_value(const unsigned char *row, size_t k, eb_dtype dtype)
{
    switch (dtype) {
    case EB_F16: return static_cast<double>(__half2float(__ushort_as_half(load_stored<unsigned short>(row + 2 * k))));
    case EB_F32: return static_cast<double>(load_stored<float>(row + 4 * k));
    case EB_F64: return load_stored<double>(row + 8 * k);
    case EB_U8: return static_cast<double>(row[k]);
    case EB_I8: return static_cast<double>(static_cast<signed char>(row[k]));
    case EB_I16: return static_cast<double>(load_stored<short>(row + 2 * k));
    case EB_I32: return static_cast<double>(load_stored<int>(row + 4 * k));
    }
    return 0;
}

__device__ void convert(double value, __half &out) { out = __double2half(value); } /* one rounding, to nearest even */
__device__ void convert(double value, double &out) { out = value; }
__device__ bool overflows(__half value) { return __hisinf(value) != 0; }
__device__ bool overflows(double) { return false; }

/* One thread an element of the padded rows. first_bad: the smallest row · d + column that overflows. */
template <class T>
__global__ void convert_rows(const unsigned char *stored, size_t stride, eb_dtype dtype, size_t d, size_t d_padded,
                             size_t row0, size_t rows, T *points, unsigned long long *first_bad)
{
    const size_t total = rows * d_padded;
    for (size_t x = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; x < total;
         x += static_cast<size_t>(gridDim.x) * blockDim.x) {
        const size_t row = x / d_padded, k = x % d_padded;
        T value{};
        if (k < d) {
            convert(stored_value(stored + row * stride, k, dtype), value);
            if (overflows(value))
                atomicMin(first_bad, static_cast<unsigned long long>((row0 + row) * d + k));
        }
        points[x] = value;
    }
}

eb_code fail_overflow(const eb_dataset *ds, const uint32_t *number, unsigned long long at, eb_status *status)
{
    const size_t row = at / ds->d, column = at % ds->d, point = number ? number[row] : row;
    double value = 0;
    eb_to_f64(ds->dtype, eb_row(ds, row) + column * eb_dtype_size(ds->dtype), 1, &value);
    return eb_fail(status, EB_BAD_VALUE,
                   "row %zu, column %zu: %g exceeds FP16's largest finite value, 65504; scale the data", point, column,
                   value);
}

} // namespace

template <class T>
eb_code upload_points(const eb_dataset *ds, const uint32_t *number, size_t first, size_t count, size_t n_padded,
                      size_t d_padded, T *points, cudaStream_t stream, const eb_context *context, eb_status *status)
{
    const size_t chunk_rows = chunk_bytes / ds->stride > 0 ? chunk_bytes / ds->stride : 1;
    const size_t row_bytes_stored = ds->d * eb_dtype_size(ds->dtype);
    device_array<unsigned char> stored;
    device_array<unsigned long long> bad;
    EB_TRY(stored.reserve((chunk_rows < count ? chunk_rows : count) * ds->stride, "uploading points", status));
    EB_TRY(bad.reserve(1, "uploading points", status));
    EB_CUDA(cudaMemsetAsync(bad.get(), 0xff, sizeof(unsigned long long), stream), "uploading points");
    for (size_t done = 0; done < count; done += chunk_rows) {
        EB_TRY(eb_job_check(context->job, status));
        const size_t rows = count - done < chunk_rows ? count - done : chunk_rows;
        const double before = eb_now_s();
        /* The last row ends with its last element: what lies behind it may not be ours. */
        EB_CUDA(cudaMemcpyAsync(stored.get(), eb_row(ds, first + done), (rows - 1) * ds->stride + row_bytes_stored,
                                cudaMemcpyHostToDevice, stream),
                "uploading points");
        EB_CUDA(cudaStreamSynchronize(stream), "uploading points");
        const double between = eb_now_s();
        convert_rows<T><<<1024, 256, 0, stream>>>(stored.get(), ds->stride, ds->dtype, ds->d, d_padded, first + done,
                                                  rows, points + done * d_padded, bad.get());
        EB_CUDA(cudaGetLastError(), "converting points");
        EB_CUDA(cudaStreamSynchronize(stream), "converting points");
        eb_figures_add(context->figures, &eb_figure_upload, between - before);
        eb_figures_add(context->figures, &eb_figure_convert, eb_now_s() - between);
    }
    EB_CUDA(cudaMemsetAsync(points + count * d_padded, 0, (n_padded - count) * d_padded * sizeof(T), stream),
            "padding points");
    unsigned long long first_bad = 0;
    EB_CUDA(cudaMemcpyAsync(&first_bad, bad.get(), sizeof first_bad, cudaMemcpyDeviceToHost, stream),
            "converting points");
    EB_CUDA(cudaStreamSynchronize(stream), "converting points");
    return first_bad == ~0ull ? EB_OK : fail_overflow(ds, number, first_bad, status);
}

template eb_code upload_points(const eb_dataset *, const uint32_t *, size_t, size_t, size_t, size_t, __half *,
                               cudaStream_t, const eb_context *, eb_status *);
template eb_code upload_points(const eb_dataset *, const uint32_t *, size_t, size_t, size_t, size_t, double *,
                               cudaStream_t, const eb_context *, eb_status *);

} // namespace eb
