/* frame: finds and applies the frame of engine tensor (cpu/frame.h) on the device, with the CPU's bits.
 *
 * Every operation is an IEEE one, without contraction, in the CPU's order. A sum over rows belongs to one thread, whose
 * block loads ahead of it: one addition in some 16 cycles. Greatest and least values need no order.
 */
#pragma once

#include "kernels/device/gpu.cuh"

extern "C" {
#include "kernels/tensor/cpu/frame.h"
}

namespace eb {

/* Sizes of coordinates before scaling. They are bits of doubles ≥ 0, which have the order of the doubles. */
struct frame_sizes {
    unsigned long long greatest, least, longest; /* |y|: greatest, least above 0; the greatest ‖y‖ */
};

/* Adds `count` stored rows, packed, to sums: [d], row after row. */
eb_code add_rows(eb_dtype dtype, const unsigned char *rows, size_t count, size_t d, double *sums, cudaStream_t stream,
                 eb_status *status);

/* Joins the sizes of y: [count × d] to *sizes, on the device; longest only if `lengths`. Fewer than 2^32 coordinates.
 */
eb_code take_sizes(const double *y, size_t count, size_t d, bool lengths, frame_sizes *sizes, cudaStream_t stream,
                   eb_status *status);

/* A frame's tables on the device. */
class device_frame {
  public:
    /* Waits for the stream. The frame must outlive this object; its power may change after the call. */
    eb_code copy(const eb_frame *frame, cudaStream_t stream, eb_status *status);

    /* y: [count × d] of stored rows, packed. scaled: times the power of two. Fewer than 2^32 coordinates. */
    eb_code apply(eb_dtype dtype, const unsigned char *rows, size_t count, bool scaled, double *y, cudaStream_t stream,
                  eb_status *status) const;

  private:
    const eb_frame *frame_ = nullptr;
    device_array<double> centre_, signs_; /* [d] */
};

} // namespace eb
