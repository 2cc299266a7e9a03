#include "tests/bench/cublas_peer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <dlfcn.h>

#include <cuda_fp16.h>

#include "kernels/device/gpu.cuh"

namespace {

using eb::device_array;

/* The part of cuBLAS's interface in use; numbers as in cublas_api.h and library_types.h. */
struct cublas {
    using handle = void *;
    static constexpr int transposed = 1, as_it_is = 0, its_choice = -1;
    int (*create)(handle *);
    int (*destroy)(handle);
    int (*multiply)(handle, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                    const void *, void *, int, int, int, int);
};

eb_code load(cublas *out, eb_status *status)
{
    void *library = nullptr;
    for (const char *name : {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"})
        library = library ? library : dlopen(name, RTLD_NOW);
    if (!library)
        return eb_fail(status, EB_NO_ENGINE, "cuBLAS was looked for as libcublas.so.13 and .12, and is not here: %s",
                       dlerror());
    out->create = reinterpret_cast<decltype(out->create)>(dlsym(library, "cublasCreate_v2"));
    out->destroy = reinterpret_cast<decltype(out->destroy)>(dlsym(library, "cublasDestroy_v2"));
    out->multiply = reinterpret_cast<decltype(out->multiply)>(dlsym(library, "cublasGemmEx"));
    if (out->create && out->destroy && out->multiply)
        return EB_OK;
    return eb_fail(status, EB_NO_ENGINE, "this cuBLAS has no cublasCreate_v2, cublasDestroy_v2 or cublasGemmEx");
}

/* Both types keep 11 bits: their FP32 sums, and FP16 outputs, leave errors of at most 2^-9. */
struct f16_product {
    using number = __half;
    static constexpr int data = 2, sums = 68;
    static __host__ __device__ number of(float x) { return __float2half_rn(x); }
    static __host__ __device__ double value(number x) { return static_cast<double>(__half2float(x)); }
};

struct tf32_product {
    using number = float;
    static constexpr int data = 0, sums = 77;
    static __device__ number of(float x)
    {
        uint32_t bits;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
        return __uint_as_float(bits);
    }
    static __host__ __device__ double value(number x) { return static_cast<double>(x); }
};

template <class type> __global__ void round_to(const float *from, size_t count, typename type::number *to)
{
    for (size_t k = blockIdx.x * size_t{blockDim.x} + threadIdx.x; k < count; k += size_t{gridDim.x} * blockDim.x)
        to[k] = type::of(from[k]);
}

/* FP64 products of one point with every point, one thread per point. */
template <class type>
__global__ void row_in_f64(const typename type::number *points, size_t n, size_t d, size_t row, double *out)
{
    const size_t j = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (j >= n)
        return;
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += type::value(points[row * d + k]) * type::value(points[j * d + k]);
    out[j] = sum;
}

/* n points on the device, and memory for their products. */
template <class type> struct product {
    using number = typename type::number;
    const eb_dataset *ds;
    int n, d;
    device_array<number> points, products;

    eb_code prepare(eb_status *status)
    {
        const size_t values = static_cast<size_t>(n) * static_cast<size_t>(d), row = ds->d * sizeof(float);
        device_array<float> stored;
        EB_TRY(eb::keep_device_memory(0, status));
        EB_TRY(stored.reserve(values, "uploading points for cuBLAS", status));
        EB_TRY(points.reserve(values, "uploading points for cuBLAS", status));
        EB_TRY(products.reserve(static_cast<size_t>(n) * static_cast<size_t>(n), "making room for cuBLAS", status));
        EB_CUDA(cudaMemcpy2D(stored.get(), row, ds->rows, ds->stride, row, static_cast<size_t>(n),
                             cudaMemcpyHostToDevice),
                "uploading points for cuBLAS");
        round_to<type><<<1024, 256>>>(stored.get(), values, points.get());
        EB_CUDA(cudaDeviceSynchronize(), "rounding points for cuBLAS");
        return EB_OK;
    }

    /* Row-major points are the columns of a d × n matrix M: Mᵀ · M. */
    eb_code compute(const cublas &by, cublas::handle handle, eb_status *status)
    {
        const float one = 1, zero = 0;
        const int failed = by.multiply(handle, cublas::transposed, cublas::as_it_is, n, n, d, &one, points.get(),
                                       type::data, d, points.get(), type::data, d, &zero, products.get(), type::data, n,
                                       type::sums, cublas::its_choice);
        return failed ? eb_fail(status, EB_INTERNAL, "cublasGemmEx failed with status %d", failed) : EB_OK;
    }

    /* Compares one row with FP64 on the rounded points. */
    eb_code check(eb_status *status) const
    {
        const char *what = "looking at cuBLAS's products";
        const size_t columns = static_cast<size_t>(n), row = columns / 3;
        std::vector<number> found(columns);
        std::vector<double> truth(columns);
        device_array<double> of_row;
        EB_TRY(of_row.reserve(columns, what, status));
        row_in_f64<type>
            <<<static_cast<unsigned>(columns + 127) / 128, 128>>>(points.get(), columns, ds->d, row, of_row.get());
        EB_CUDA(cudaMemcpy(truth.data(), of_row.get(), columns * sizeof(double), cudaMemcpyDeviceToHost), what);
        EB_CUDA(cudaMemcpy(found.data(), products.get() + row * columns, columns * sizeof(number),
                           cudaMemcpyDeviceToHost),
                what);
        for (size_t j = 0; j < columns; j++) {
            const double got = type::value(found[j]);
            if (!(std::fabs(got - truth[j]) <= 0x1p-9 * std::fabs(truth[j])))
                return eb_fail(status, EB_INTERNAL, "cuBLAS's product of points %zu and %zu is %g; expected %g", row, j,
                               got, truth[j]);
        }
        return EB_OK;
    }
};

/* As time_asking() of bench_gpu.h: each product timed by itself, after the GPU has worked for a while. */
template <class type>
eb_code time_products(const cublas &by, cublas::handle handle, const eb_dataset *ds, size_t n, double warm_up_s,
                      unsigned trials, double *seconds, eb_status *status)
{
    product<type> p{ds, static_cast<int>(n), static_cast<int>(ds->d), {}, {}};
    std::vector<double> taken;
    EB_TRY(p.prepare(status));
    EB_TRY(p.compute(by, handle, status));
    EB_TRY(p.check(status));
    eb::stopwatch watch;
    for (double worked = 0; taken.size() < trials;) {
        double now = 0;
        EB_TRY(watch.start(nullptr, status));
        EB_TRY(p.compute(by, handle, status));
        EB_TRY(watch.stop(nullptr, &now, status));
        if (worked >= warm_up_s)
            taken.push_back(now);
        worked += now;
    }
    std::sort(taken.begin(), taken.end());
    *seconds = taken[taken.size() / 2];
    return p.check(status);
}

} // namespace

eb_code cublas_product_s(const eb_dataset *ds, cublas_type type, size_t n, double warm_up_s, unsigned trials,
                         double *seconds, eb_status *status)
{
    cublas by{};
    cublas::handle handle = nullptr;
    if (ds->dtype != EB_F32 || n > ds->n)
        return eb_fail(status, EB_USAGE, "cuBLAS is given FP32 points, %zu of them; found %zu", n, ds->n);
    EB_TRY(load(&by, status));
    if (const int failed = by.create(&handle))
        return eb_fail(status, EB_NO_ENGINE, "cublasCreate failed with status %d", failed);
    const auto time = type == CUBLAS_F16 ? time_products<f16_product> : time_products<tf32_product>;
    const eb_code failed = time(by, handle, ds, n, warm_up_s, trials, seconds, status);
    (void)by.destroy(handle);
    return failed;
}
