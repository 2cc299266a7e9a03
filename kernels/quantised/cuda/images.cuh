/* images: chooses the 8-bit images of the points that the filter multiplies: images of all coordinates, or images along
 * principal axes (axes.cuh). The option `axes` decides, or the number of candidates among sampled pairs with either
 * image.
 */
#pragma once

#include "kernels/quantised/cuda/axes.cuh"

namespace eb {

/* Images of all points' coordinates, and the scale of their frame. */
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

    /* Sets axes(). points: as many as `of`, or more, of which it has a sample of 4096 or more. With axes=auto, axes are
     * found unless a sample shows at once that none dominate, and used if they save a tenth of the time or more. */
    eb_code choose(const framed_points &of, const byte_images &plain, size_t points, const eb_question &question,
                   const eb_context &context, cudaStream_t stream, eb_status *status);
    principal_axes *axes() const { return chosen_; } /* nullptr: images of all coordinates */

  private:
    eb_code compare(const framed_points &of, const byte_images &plain, size_t points, const eb_question &question,
                    const eb_context &context, cudaStream_t stream, eb_status *status);

    int wanted_; /* number of axes; 0: none; −1: whatever is fastest */
    principal_axes few_, many_;
    principal_axes *chosen_ = nullptr;
};

} // namespace eb
