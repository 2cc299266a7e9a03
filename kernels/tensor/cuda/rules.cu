#include "kernels/tensor/cuda/rules.cuh"

#include <cmath>

namespace eb {

/* ---- the rung ---- */

eb_rung tensor_rung_here(const eb_options &options)
{
    int device = 0, major = 0, minor = 0;
    eb_rung rung{};
    eb_status ignored{};
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess)
        (void)eb_rung_on(&options, eb_core_of_architecture(10 * major + minor), &rung, &ignored);
    return rung;
}

bool multiplies_by_warpgroups(const eb_options &options)
{
    return eb_option_choice(&options, "path") != EB_PATH_MMA && has_warpgroups();
}

eb_limit tensor_limit(eb_number number, bool warpgroups)
{
    switch (number) {
    case EB_BF16: return warpgroups ? EB_LIMIT_WGMMA_BF16 : EB_LIMIT_MMA_BF16;
    case EB_TF32: return warpgroups ? EB_LIMIT_WGMMA_TF32 : EB_LIMIT_MMA_TF32;
    case EB_E4M3_NUMBER:
    case EB_E5M2_NUMBER: return warpgroups ? EB_LIMIT_WGMMA_FP8 : EB_LIMIT_MMA_FP8;
    case EB_S8: return warpgroups ? EB_LIMIT_WGMMA_I8 : EB_LIMIT_MMA_I8;
    case EB_F64_NUMBER: return EB_LIMIT_MMA_F64;
    default: return warpgroups ? EB_LIMIT_WGMMA_F16 : EB_LIMIT_MMA_F16;
    }
}

/* A promotion after the last coordinate changes nothing. */
chain_loop tensor_loop(const eb_rung &rung, size_t d, uint32_t *span)
{
    const bool f16 = rung.adder.rounding == EB_SUM_F16,
               promotes = rung.promote > 0 && rung.promote < prepared_products(rung, d);
    const uint32_t steps = rung.promote * eb_number_type_of(rung.number)->bytes / 32;
    *span = promotes ? steps : 0;
    return f16                                                                          ? chain_loop::f16
           : !promotes                                                                  ? chain_loop::plain
           : steps == steps_a_slice                                                     ? chain_loop::eighths
           : steps % steps_a_slice == 0 && steps <= longest_halved_span * steps_a_slice ? chain_loop::halves
           : steps <= 2                                                                 ? chain_loop::brief
                                                                                        : chain_loop::spans;
}

/* ---- what is told ---- */

int describe_tensor(const eb_rung &rung, const point_preparer &points, bool warpgroups, size_t coordinates,
                    char *buffer, size_t size)
{
    const bool f16 = rung.adder.rounding == EB_SUM_F16, s8 = rung.number == EB_S8, f64 = rung.number == EB_F64_NUMBER;
    char promoted[64] = "", power[EB_FRAME_TEXT], saturated[64] = "";
    if (eb_rung_is_float(&rung) && rung.promote > 0)
        (void)std::snprintf(promoted, sizeof promoted, " promoted every %u coordinates", rung.promote);
    if (points.beyond() > 0)
        (void)std::snprintf(saturated, sizeof saturated, "; %.3g %% of coordinates saturate",
                            100 * static_cast<double>(points.beyond()) / static_cast<double>(coordinates));
    return std::snprintf(buffer, size, "%s, %s sums%s (%s)%s%s%s", eb_number_type_of(rung.number)->title,
                         s8    ? "exact"
                         : f64 ? "FP64"
                         : f16 ? "FP16"
                               : "FP32",
                         promoted, f64 || !warpgroups ? "mma.sync" : "wgmma", eb_frame_text(&points.frame(), power),
                         points.moved() == 0 ? "; the type holds every coordinate exactly" : "", saturated);
}

/* ---- norms of integers ---- */

namespace {

constexpr const char *checking = "preparing the norms";

__global__ void make_whole(const double *square, size_t count, float *norm)
{
    const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (i < count)
        norm[i] = __int_as_float(static_cast<int>(square[i]));
}

/* A warp a row: the greatest sum of squares of its first run. */
__global__ void find_greatest(const uint8_t *rows, size_t count, size_t run_bytes, uint32_t *greatest)
{
    const size_t row = blockIdx.x * static_cast<size_t>(blockDim.x / 32) + threadIdx.x / 32;
    if (row >= count)
        return;
    const int *words = reinterpret_cast<const int *>(rows + row * 3 * run_bytes);
    int sum = 0;
    for (size_t k = threadIdx.x % 32; k < run_bytes / 4; k += 32)
        sum = __dp4a(words[k], words[k], sum);
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0)
        atomicMax(greatest, static_cast<uint32_t>(sum));
}

} // namespace

eb_code whole_norms(const double *square, size_t count, float *norm, cudaStream_t stream, eb_status *status)
{
    make_whole<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(square, count, norm);
    EB_CUDA(cudaGetLastError(), checking);
    return EB_OK;
}

eb_code check_slices(const uint8_t *rows, size_t count, size_t run_bytes, size_t d, cudaStream_t stream,
                     eb_status *status)
{
    device_array<uint32_t> greatest;
    uint32_t upper = 0;
    EB_TRY(greatest.reserve(1, checking, status));
    EB_CUDA(cudaMemsetAsync(greatest.get(), 0, sizeof upper, stream), checking);
    find_greatest<<<static_cast<unsigned>((count + 7) / 8), 256, 0, stream>>>(rows, count, run_bytes, greatest.get());
    EB_CUDA(cudaGetLastError(), checking);
    EB_CUDA(cudaMemcpyAsync(&upper, greatest.get(), sizeof upper, cudaMemcpyDeviceToHost, stream), checking);
    EB_CUDA(cudaStreamSynchronize(stream), checking);
    /* Of lower levels, at most 64 each, a crossed sum has the products with the other point's upper levels. */
    const double most = 128.0 * upper + 2 * std::sqrt(static_cast<double>(upper) * 4096 * static_cast<double>(d));
    if (most < 0x1p31)
        return EB_OK;
    return eb_fail(
        status, EB_BAD_VALUE,
        "type=s8,parts=2: sums of products can reach %.3g, and the GPU's have 32 bits; add device=cpu, or take "
        "parts=1",
        most);
}

} // namespace eb
