/* tensor_map: what launches of the warpgroup kernel need beside the points: tensor maps, which describe a panel's
 * points to the TMA unit as a matrix, copied in boxes of 128 rows × 128, 64 or 32 bytes, and the counters by which
 * clusters keep in step. Rows beyond the last are copied as zeros. The driver makes the maps. */
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>

#include "kernels/tiled/variant.cuh"

namespace eb {

/* True if the current device has wgmma and the TMA unit. */
bool has_warpgroups();

/* box_bytes: bytes of a row that a box has. */
eb_code map_rows(const __half *points, uint32_t count, size_t d_padded, int box_bytes, CUtensorMap *map,
                 eb_status *status);
eb_code map_rows(const uint8_t *points, uint32_t count, size_t d_padded, int box_bytes, CUtensorMap *map,
                 eb_status *status);

class warpgroup_launches {
  public:
    /* Completes the arguments of a launch of this variant. in_step: clusters keep in step if the rows are long enough.
     * Launches that share this object must not overlap. */
    template <class arguments>
    eb_code complete(const tile_variant<arguments> &v, arguments &args, bool in_step, eb_status *status)
    {
        if (v.cluster == 1)
            return EB_OK;
        EB_TRY(map_rows(args.a.points, args.a.count, args.d_padded, v.copied_bytes, &args.a_map, status));
        EB_TRY(map_rows(args.b.points, args.b.count, args.d_padded, v.copied_bytes, &args.b_map, status));
        return counters(in_step ? args.d_padded * sizeof *args.a.points : 0, &args.begun, status);
    }

  private:
    eb_code counters(size_t row_bytes, uint32_t **begun, eb_status *status);

    device_array<uint32_t> begun_;
};

} // namespace eb
