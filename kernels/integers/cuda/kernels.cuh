/* kernels: FASTED's best kernels with byte products (kernels/fasted/cuda/arithmetic.cuh). Each kind of instruction has
 * a translation unit. */
#pragma once

#include "kernels/fasted/cuda/arguments.cuh"
#include "kernels/fasted/cuda/tensor_map.cuh"
#include "kernels/fasted/thresholds.h"
#include "kernels/tiled/variant.cuh"

extern "C" {
#include "core/engine/device.h"
}

namespace eb {

using byte_arguments = tile_arguments<byte_numbers>;
using byte_panel = levelled_panel<byte_numbers>;
using byte_variant = tile_variant<byte_arguments>;

/* The kernel wanted. If not symmetric, the kernel that appends hits also counts them; its buffer has no room. */
struct byte_kernel {
    bool is_signed, symmetric;
    output writes;
};

/* Of so many rows of d bytes. hopper.cu: compute capability 9.0, not dense */
byte_variant byte_warpgroup_kernel(byte_kernel wanted, size_t d, size_t points);
byte_variant byte_mma_kernel(byte_kernel wanted); /* mma.cu */

/* The current device's kernels, as rules for byte points need them (tiled/engine.cuh). */
class byte_kernels {
  public:
    explicit byte_kernels(bool warpgroups) : warpgroups_(warpgroups && has_warpgroups()) {}

    bool symmetric() const { return true; }
    bool sorts(size_t points, size_t d_padded) const { return eb_order_is_faster(d_padded, points, warpgroups_); }
    bool waits_to_sort(size_t points, size_t d_padded) const
    {
        return eb_order_is_worth_waiting(d_padded, points, warpgroups_);
    }
    eb_limit limit() const { return warpgroups_ ? EB_LIMIT_WGMMA_I8 : EB_LIMIT_MMA_I8; }
    const char *instruction() const { return warpgroups_ ? "wgmma" : "mma.sync"; }

    byte_variant variant(byte_kernel wanted, size_t d, size_t points) const
    {
        if (!warpgroups_ || wanted.writes == output::dense)
            return byte_mma_kernel(wanted);
        return byte_warpgroup_kernel(wanted, d, points);
    }

    eb_code complete(const byte_variant &v, byte_arguments &args, eb_status *status)
    {
        return launches_.complete(v, args, true, status);
    }

  private:
    bool warpgroups_;
    warpgroup_launches launches_;
};

} // namespace eb
