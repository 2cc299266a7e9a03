/* kernel_choice: which kernel runs for a set of switches on the current device, and what it wants to know beside
 * points and levels. For engines whose points are FP16. */
#pragma once

#include "kernels/fasted/cuda/tensor_map.cuh"
#include "kernels/fasted/cuda/variants.cuh"
#include "kernels/tiled/variant.cuh"

namespace eb {

class fasted_kernels {
  public:
    explicit fasted_kernels(uint32_t switches);

    /* Whether there are kernels for these switches, on devices with or without wgmma: in the build, or to be compiled.
     * EB_NO_ENGINE. spec: as the person knows them. */
    static eb_code check(uint32_t switches, bool warpgroups, const char *spec, eb_status *status);

    /* Comes first where the switches are a person's: compiles the kernel that the build does not have. */
    eb_code begin(const char *spec, const eb_context &context, eb_status *status);

    bool symmetric() const { return (switches_ & EB_SYMMETRIC) != 0; }
    bool sorts(size_t points, size_t d_padded) const;
    eb_limit limit() const { return switches_ & EB_WARPGROUP ? EB_LIMIT_WGMMA_F16 : EB_LIMIT_MMA_F16; }
    const char *instruction() const { return switches_ & EB_WARPGROUP ? "wgmma" : "mma.sync"; }

    /* Where a set has no variant of the wanted symmetry, the best preset's: the bits are the same. */
    tile_variant<fasted_arguments> variant(output writes, bool symmetric, size_t d, size_t points) const;
    eb_code complete(const tile_variant<fasted_arguments> &v, fasted_arguments &args, eb_status *status);

  private:
    uint32_t switches_;            /* as this device can use them */
    fasted_variant subset_{};      /* compiled at run time */
    device_array<uint32_t> queue_; /* of tiles (shape.cuh) */
};

} // namespace eb
