/* tensor_map: a panel's points as a matrix that the TMA unit copies boxes of 128 rows × 128 bytes from: rows behind the
 * last come as zeros. The driver makes it. */
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>

#include "kernels/device/gpu.cuh"

namespace eb {

/* Whether the current device has wgmma, and boxes for it. */
bool has_warpgroups();

eb_code map_rows(const __half *points, uint32_t count, size_t d_padded, CUtensorMap *map, eb_status *status);
eb_code map_rows(const uint8_t *points, uint32_t count, size_t d_padded, CUtensorMap *map, eb_status *status);

} // namespace eb
