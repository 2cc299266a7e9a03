#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/device/gpu.cuh"
#include "kernels/fasted/cuda/tensor_map.cuh"
#include "kernels/jit/kernels.cuh"

extern "C" {
#include "core/data/rounding.h"
#include "kernels/fasted/cpu/norms.h"
#include "kernels/ladder/ladder.h"
}

namespace eb {

namespace {

constexpr uint32_t d_multiple = 64, n_multiple = 256, square = 1024;

/* Launch parameters of a rung over n points, as the head of its file says. */
struct launch {
    dim3 grid, block;
    uint32_t shared_bytes;
};

launch launch_of(const eb_rung &rung, uint32_t n)
{
    auto blocks = [n](uint32_t tile) { return dim3((n + tile - 1) / tile, (n + tile - 1) / tile); };
    const uint32_t squares = (n + square - 1) / square * ((n + square - 1) / square);
    const std::string name = rung.name;
    if (name == "naive")
        return {blocks(16), dim3(16, 16), 0};
    if (name == "tiles")
        return {blocks(64), dim3(16, 16), 0};
    if (name == "fasted")
        return {dim3(64 * squares), dim3(128), 4 * 128 * 64 * sizeof(__half)};
    if (name == "wgmma")
        return {dim3(32 * squares), dim3(384), 4 * 3 * 128 * 128 + 1024};
    return {blocks(128), dim3(128), 0};
}

/* The points on the device: FP16 rows of a multiple of 64 dimensions, zero rows beyond the last point up to a multiple
 * of 256; |p|² summed as FASTED's authors do, +Inf beyond the last point. */
struct problem {
    uint32_t n, d;
    device_array<__half> rows;
    device_array<float> norms;
    device_array<uint32_t> neighbours;
    CUtensorMap map{};
};

eb_code refuse(const eb_dataset &points, size_t i, size_t k, eb_status *status)
{
    double value = 0;
    eb_to_f64(points.dtype, points.rows + i * points.stride + k * eb_dtype_size(points.dtype), 1, &value);
    return eb_rounding_refuse(&eb_rounding_fp16, EB_DEVICE_CUDA, i, k, value, status);
}

eb_code upload(const eb_dataset &points, problem *p, eb_status *status)
{
    p->n = static_cast<uint32_t>(points.n);
    p->d = static_cast<uint32_t>(round_up(points.d, d_multiple));
    const size_t n_padded = round_up(points.n, n_multiple);
    std::vector<uint16_t> half(n_padded * p->d, 0);
    std::vector<float> norm(n_padded, INFINITY);
    std::vector<double> rounded(p->d);
    for (size_t i = 0; i < points.n; i++) {
        uint16_t *row = half.data() + i * p->d;
        eb_to_f16(points.dtype, points.rows + i * points.stride, points.d, row);
        for (size_t k = 0; k < points.d; k++)
            if (!std::isfinite(__half2float(__ushort_as_half(row[k]))))
                return refuse(points, i, k, status);
        eb_to_f64(EB_F16, row, p->d, rounded.data());
        norm[i] = eb_fasted_norm(rounded.data(), p->d, EB_NORMS_AUTHORS);
    }
    const char *what = "taking the points to the GPU";
    EB_TRY(p->rows.reserve(half.size(), what, status));
    EB_TRY(p->norms.reserve(n_padded, what, status));
    EB_TRY(p->neighbours.reserve(n_padded, what, status));
    EB_CUDA(cudaMemcpy(p->rows.get(), half.data(), 2 * half.size(), cudaMemcpyHostToDevice), what);
    EB_CUDA(cudaMemcpy(p->norms.get(), norm.data(), sizeof(float) * n_padded, cudaMemcpyHostToDevice), what);
    return EB_OK;
}

/* Runs the kernel once: clears the counts, then measures the kernel alone. */
eb_code run(const eb_rung &rung, cudaKernel_t kernel, problem *p, float limit, double *seconds, eb_status *status)
{
    stopwatch watch;
    const launch l = launch_of(rung, p->n);
    const __half *rows = p->rows.get();
    const float *norms = p->norms.get();
    uint32_t *neighbours = p->neighbours.get();
    void *first = rung.architecture == 90 ? static_cast<void *>(&p->map) : static_cast<void *>(&rows);
    void *arguments[] = {first, &norms, &p->n, &p->d, &limit, &neighbours};
    EB_CUDA(cudaMemset(neighbours, 0, sizeof *neighbours * round_up(p->n, n_multiple)), "clearing counts");
    EB_TRY(watch.start(cudaStreamLegacy, status));
    EB_CUDA(cudaLaunchKernel(reinterpret_cast<const void *>(kernel), l.grid, l.block, arguments, l.shared_bytes,
                             cudaStreamLegacy),
            "starting a kernel");
    return watch.stop(cudaStreamLegacy, seconds, status);
}

eb_code load(const eb_rung &rung, const eb_device &device, cudaKernel_t *kernel, eb_status *status)
{
    const uint32_t shared_bytes = launch_of(rung, 1).shared_bytes;
    const std::string kernel_name = std::string("ladder_") + rung.name;
    const std::string checks =
        shared_bytes > 0 ? "static_assert(" + kernel_name + "_bytes == " + std::to_string(shared_bytes) + ");" : "";
    const jit_wanted wanted{rung.source, kernel_name, checks, rung.name};
    EB_TRY(jit_prepare({wanted}, device.index, 1, nullptr, status));
    EB_TRY(jit_loaded(wanted, kernel, status));
    if (shared_bytes > 0)
        EB_CUDA(cudaKernelSetAttributeForDevice(*kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                static_cast<int>(shared_bytes), device.index),
                "taking shared memory");
    return EB_OK;
}

eb_code climb(const eb_rung &rung, const eb_device &device, const eb_dataset &points, double eps, unsigned trials,
              uint32_t *neighbours, eb_climb *out, eb_status *status)
{
    cudaKernel_t kernel = nullptr;
    problem p;
    EB_CUDA(cudaSetDevice(device.index), "taking the GPU");
    if (rung.architecture == 90 && !has_warpgroups())
        return eb_fail(status, EB_NO_ENGINE, "%s needs a GPU with wgmma (sm_90), which %s is not", rung.name,
                       device.model);
    EB_TRY(load(rung, device, &kernel, status));
    EB_TRY(upload(points, &p, status));
    if (rung.architecture == 90)
        EB_TRY(map_rows(p.rows.get(), static_cast<uint32_t>(round_up(p.n, n_multiple)), p.d, 128, &p.map, status));
    float limit = static_cast<float>(eps * eps);
    if (limit > eps * eps)
        limit = std::nextafterf(limit, -INFINITY);
    out->kernel_s = INFINITY;
    for (unsigned t = 0; t <= trials; t++) {
        double seconds = 0;
        EB_TRY(run(rung, kernel, &p, limit, &seconds, status));
        if (t > 0)
            out->kernel_s = std::min(out->kernel_s, seconds);
    }
    std::vector<uint32_t> counts(p.n);
    EB_CUDA(cudaMemcpy(counts.data(), p.neighbours.get(), sizeof(uint32_t) * p.n, cudaMemcpyDeviceToHost),
            "taking counts to the host");
    out->pairs = 0;
    for (uint32_t c : counts)
        out->pairs += c;
    if (neighbours)
        std::copy(counts.begin(), counts.end(), neighbours);
    return EB_OK;
}

} // namespace

} // namespace eb

extern "C" eb_code eb_ladder_climb(const eb_rung *rung, const eb_device *device, const eb_dataset *points, double eps,
                                   unsigned trials, uint32_t *neighbours, eb_climb *out, eb_status *status)
{
    return eb::guarded(status,
                       [&] { return eb::climb(*rung, *device, *points, eps, trials, neighbours, out, status); });
}
