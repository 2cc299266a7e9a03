/* images: which 8-bit images of the points the filter multiplies: of all their coordinates, or along principal axes
 * (axes.cuh). The option `axes` says, or a sample of pairs does: how many would be candidates either way.
 */
#pragma once

#include "kernels/quantised/cuda/axes.cuh"

namespace eb {

/* Images of all points, and the frame they are in. */
struct byte_images {
    const uint8_t *points;
    const eb_quantised_point *known;
    size_t d_padded;
    double scale;
};

class image_choice {
  public:
    explicit image_choice(const eb_options &options);

    bool always() const { return wanted_ > 0; }
    bool never() const { return wanted_ == 0; }

    /* nullptr: all coordinates. Where nobody said, axes are found if a sample does not say at once that there are none,
     * and taken where they save a tenth of the time or more. */
    eb_code choose(const framed_points &of, const byte_images &plain, const eb_question &question,
                   const eb_context &context, cudaStream_t stream, eb_status *status);
    principal_axes *axes() const { return chosen_; }

  private:
    eb_code compare(const framed_points &of, const byte_images &plain, const eb_question &question,
                    const eb_context &context, cudaStream_t stream, eb_status *status);

    int wanted_; /* −1: whatever is fastest */
    principal_axes few_, many_;
    principal_axes *chosen_ = nullptr;
};

} // namespace eb
