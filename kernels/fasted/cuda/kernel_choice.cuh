/* kernel_choice: chooses the kernel that runs for a set of switches on the current device, and completes its arguments.
 * Used by engines whose points are FP16. */
#pragma once

#include "kernels/fasted/cuda/tensor_map.cuh"
#include "kernels/fasted/cuda/variants.cuh"

namespace eb {

class fasted_kernels {
  public:
    explicit fasted_kernels(uint32_t switches);

    /* Checks that there are kernels for these switches on devices with or without wgmma: in the build, or compiled at
     * run time. EB_NO_ENGINE if not. spec: the switches as typed. */
    static eb_code check(uint32_t switches, bool warpgroups, const char *spec, eb_status *status);

    /* Compiles the kernel if the build does not have it. Call it first if the switches come from a user. */
    eb_code begin(const char *spec, const eb_context &context, eb_status *status);

    bool symmetric() const { return (switches_ & EB_SYMMETRIC) != 0; }
    bool sorts(size_t points, size_t d_padded) const;
    bool has_rectangles() const { return eb_fasted_is_best(switches_); } /* for pairs of two panels */
    bool waits_to_sort(size_t points, size_t d_padded) const;            /* eb_order_is_worth_waiting */
    eb_limit limit() const { return switches_ & EB_WARPGROUP ? EB_LIMIT_WGMMA_F16 : EB_LIMIT_MMA_F16; }
    const char *instruction() const { return switches_ & EB_WARPGROUP ? "wgmma" : "mma.sync"; }

    /* If a set has no variant of the wanted symmetry, the best preset's variant is returned: its bits are the same. */
    tile_variant<fasted_arguments> variant(output writes, bool symmetric, size_t d, size_t points) const;
    eb_code complete(const tile_variant<fasted_arguments> &v, fasted_arguments &args, eb_status *status);

  private:
    uint32_t switches_;            /* the switches that take effect on this device */
    fasted_variant subset_{};      /* compiled at run time */
    device_array<uint32_t> queue_; /* queue of tiles (walk.cuh) */
    warpgroup_launches launches_;
};

} // namespace eb
