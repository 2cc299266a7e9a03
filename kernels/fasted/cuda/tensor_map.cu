#include "kernels/fasted/cuda/tensor_map.cuh"

#include "kernels/fasted/cuda/pace.cuh"
#include "kernels/fasted/thresholds.h"

namespace eb {

namespace {

constexpr uint32_t box_rows = 128;

eb_code map_any(CUtensorMapDataType type, size_t bytes, const void *points, uint32_t count, size_t d_padded,
                int box_bytes, CUtensorMap *map, eb_status *status)
{
    const CUtensorMapSwizzle swizzle = box_bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : box_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                         : CU_TENSOR_MAP_SWIZZLE_32B;
    using encode = decltype(&cuTensorMapEncodeTiled);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    EB_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found),
            "asking the driver for tensor maps");
    if (found != cudaDriverEntryPointSuccess || !entry)
        return eb_fail(status, EB_NO_DEVICE, "the NVIDIA driver is too old for this GPU's tensor maps; update it");
    const cuuint64_t size[] = {d_padded, count}, stride[] = {d_padded * bytes};
    const cuuint32_t box[] = {static_cast<cuuint32_t>(static_cast<size_t>(box_bytes) / bytes), box_rows},
                     step[] = {1, 1};
    const CUresult result = reinterpret_cast<encode>(
        entry)(map, type, 2, const_cast<void *>(points), size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
               swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS
               ? EB_OK
               : eb_fail(status, EB_INTERNAL, "the driver makes no tensor map of %u × %zu points: error %d", count,
                         d_padded, static_cast<int>(result));
}

} // namespace

bool has_warpgroups()
{
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major == 9;
}

eb_code map_rows(const __half *points, uint32_t count, size_t d_padded, int box_bytes, CUtensorMap *map,
                 eb_status *status)
{
    return map_any(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, sizeof *points, points, count, d_padded, box_bytes, map, status);
}

eb_code map_rows(const uint8_t *points, uint32_t count, size_t d_padded, int box_bytes, CUtensorMap *map,
                 eb_status *status)
{
    return map_any(CU_TENSOR_MAP_DATA_TYPE_UINT8, sizeof *points, points, count, d_padded, box_bytes, map, status);
}

eb_code warpgroup_launches::counters(size_t row_bytes, uint32_t **begun, eb_status *status)
{
    *begun = nullptr;
    if (!eb_steps_are_kept(row_bytes))
        return EB_OK;
    if (!begun_.get()) {
        EB_TRY(begun_.reserve(pacer::counters, "making counters of steps", status));
        EB_CUDA(cudaMemset(begun_.get(), 0, pacer::counters * sizeof(uint32_t)), "making counters of steps");
    }
    *begun = begun_.get();
    return EB_OK;
}

} // namespace eb
