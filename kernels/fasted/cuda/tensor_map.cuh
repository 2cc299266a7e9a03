/* tensor_map: describes a panel's points to the TMA unit as a matrix, copied in boxes of 128 rows × 128 bytes. Rows
 * beyond the last are copied as zeros. The driver makes the map. */
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>

#include "kernels/device/gpu.cuh"

namespace eb {

/* True if the current device has wgmma and the TMA unit. */
bool has_warpgroups();

eb_code map_rows(const __half *points, uint32_t count, size_t d_padded, CUtensorMap *map, eb_status *status);
eb_code map_rows(const uint8_t *points, uint32_t count, size_t d_padded, CUtensorMap *map, eb_status *status);

} // namespace eb
