/* assigner: finds lists and codes of points on a GPU while an inverted file is built (eb_assigner). */
#include "kernels/device/implementation.cuh"
#include "kernels/inverted/cuda/filter.cuh"
#include "kernels/upload/upload.cuh"

extern "C" {
#include "kernels/inverted/cuda.h"
}

namespace eb {
namespace {

/* From this many vectors and coordinates on the filter takes less time than FP32. */
constexpr size_t worth_filtering = 64, least_filtered = 16;

struct finder {
    finder(const eb_device *on, unsigned host_threads) : device(on), threads(host_threads) {}
    const eb_device *device;
    unsigned threads;
    size_t count = 0, d = 0;
    device_array<float> points, vectors, books, s;
    device_array<uint32_t> place;
    device_array<uint8_t> codes;
    near_filter filter;
    bool filtered = false; /* the filter has taken the points */
};

template <class doing> eb_code entered(void *state, eb_status *status, doing call)
{
    return guarded(status, [&]() -> eb_code {
        finder &f = *static_cast<finder *>(state);
        EB_CUDA(cudaSetDevice(f.device->index), "choosing the GPU");
        return call(f);
    });
}

eb_code take(void *state, const float *points, size_t count, size_t d, eb_status *status)
{
    return entered(state, status, [&](finder &f) -> eb_code {
        f.count = count, f.d = d;
        f.filtered = false;
        EB_TRY(f.points.reserve(count * d, "points to assign", status));
        EB_TRY(f.place.reserve(count, "lists of points", status));
        EB_TRY(f.s.reserve(count, "distances of points", status));
        eb_dataset rows = {};
        rows.n = count, rows.d = d, rows.dtype = EB_F32, rows.stride = d * sizeof *points;
        rows.rows = reinterpret_cast<const unsigned char *>(points);
        eb_context by = {};
        by.device = f.device, by.devices = 1, by.threads = f.threads;
        return upload_rows(&rows, 0, count, reinterpret_cast<unsigned char *>(f.points.get()), cudaStreamLegacy, &by,
                           nullptr, status);
    });
}

eb_code find_there(finder &f, const f32_rows &points, const f32_rows &vectors, float *s, eb_status *status)
{
    if (vectors.count < worth_filtering || f.d < least_filtered)
        return launch_nearest(points, vectors, f.place.get(), s, status);
    if (!f.filtered)
        EB_TRY(f.filter.take(points, status));
    f.filtered = true;
    return f.filter.find(points, vectors, f.place.get(), s, status);
}

eb_code find(void *state, const float *vectors, size_t k, uint32_t *place, float *s, eb_status *status)
{
    return entered(state, status, [&](finder &f) -> eb_code {
        EB_TRY(f.vectors.reserve(k * f.d, "centroids", status));
        EB_CUDA(cudaMemcpy(f.vectors.get(), vectors, k * f.d * sizeof *vectors, cudaMemcpyHostToDevice),
                "copying centroids");
        EB_TRY(
            find_there(f, {f.points.get(), f.count, f.d}, {f.vectors.get(), k, f.d}, s ? f.s.get() : nullptr, status));
        EB_CUDA(cudaMemcpy(place, f.place.get(), f.count * sizeof *place, cudaMemcpyDeviceToHost), "copying lists");
        if (s)
            EB_CUDA(cudaMemcpy(s, f.s.get(), f.count * sizeof *s, cudaMemcpyDeviceToHost), "copying distances");
        return EB_OK;
    });
}

eb_code encode(void *state, const float *books, size_t m, uint8_t *codes, eb_status *status)
{
    return entered(state, status, [&](finder &f) -> eb_code {
        EB_TRY(f.books.reserve(EB_BOOK_ENTRIES * f.d, "books", status));
        EB_TRY(f.codes.reserve(f.count * m, "codes", status));
        EB_CUDA(cudaMemcpy(f.books.get(), books, EB_BOOK_ENTRIES * f.d * sizeof *books, cudaMemcpyHostToDevice),
                "copying books");
        EB_TRY(launch_codes({f.points.get(), f.count, f.d, m, f.place.get(), f.vectors.get(), f.books.get(),
                             f.codes.get()},
                            status));
        EB_CUDA(cudaMemcpy(codes, f.codes.get(), f.count * m, cudaMemcpyDeviceToHost), "copying codes");
        return EB_OK;
    });
}

} // namespace
} // namespace eb

extern "C" eb_code eb_assigner_cuda_open(const eb_device *device, unsigned threads, eb_assigner *out, eb_status *status)
{
    *out = eb_assigner{};
    const eb_options none = {};
    EB_TRY(eb::probe_architecture(device, &none, status));
    return eb::guarded(status, [&]() -> eb_code {
        EB_CUDA(cudaSetDevice(device->index), "choosing the GPU");
        EB_TRY(eb::keep_device_memory(device->index, status));
        *out = eb_assigner{new eb::finder(device, threads), eb::take, eb::find, eb::encode};
        return EB_OK;
    });
}

extern "C" void eb_assigner_cuda_close(eb_assigner *nearest)
{
    eb::finder *f = static_cast<eb::finder *>(nearest->state);
    if (f)
        (void)cudaSetDevice(f->device->index);
    delete f;
    nearest->state = nullptr;
}
