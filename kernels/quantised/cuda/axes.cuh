/* axes: finds principal axes of points on the device, from a sample, and rounds points to 8-bit images along them
 * (axes.h). Any axes are correct; with good ones the images keep most of the distances.
 *
 * The axes are those of Σ y·yᵀ over the sample, by subspace iteration from random vectors. Three products are enough if
 * a few axes dominate. The axes are then mixed by the cosine transform's matrix with its frequencies in another order.
 * Unmixed coordinates differ far more between points along the first axes than along the last, so that one step for all
 * would be coarse. Mixed coordinates are alike, and rounding moves a point half as far (measured).
 */
#pragma once

#include "kernels/parts/pick.h"
#include "kernels/quantised/axes.h"
#include "kernels/tiled/truth.cuh"

namespace eb {

/* Points as they are stored, and their frame: y = (x − centre)·2^exponent. */
struct framed_points {
    stored_points stored;
    size_t count;
    const double *centre; /* [d], on the device */
    int exponent;
};

/* Seeds of samples: axes are evaluated on other points than those they were found from. */
constexpr unsigned for_axes = 0, for_looking = 1;

class principal_axes {
  public:
    static constexpr size_t most_d = 4096; /* Σ y·yᵀ is d × d */

    principal_axes() = default;
    principal_axes(const principal_axes &) = delete;
    principal_axes &operator=(const principal_axes &) = delete;

    /* Computes Σ y·yᵀ of a sample. *alike: the number of equally strong axes that would give its trace and its norm. */
    eb_code sample(const framed_points &of, double *alike, cudaStream_t stream, eb_status *status);

    /* Finds `wanted` axes of the sample, at most d, and the step of the images. */
    eb_code find(const framed_points &of, size_t wanted, cudaStream_t stream, eb_status *status);

    size_t columns() const { return axes_ + 1; } /* numbers in an image */
    size_t padded() const { return padded_; }    /* bytes in an image's row */
    double scale() const { return std::ldexp(step_, exponent_); }
    eb_quantised_bound bound_of(double eps) const
    {
        return eb_quantised_bound_short(eps, scale(), static_cast<unsigned>(d_), static_cast<unsigned>(columns()));
    }

    /* Writes images of points, padded with zeros. key: eb_quantised_key. */
    eb_code round(const framed_points &of, const eb_pick &pick, size_t rows, uint8_t *points, eb_quantised_point *known,
                  float *key, cudaStream_t stream, eb_status *status);

    /* Frees the device memory. columns(), padded(), scale() and bound_of() stay valid. */
    void release();

  private:
    eb_code start(size_t wanted, cudaStream_t stream, eb_status *status);
    eb_code mix(cudaStream_t stream, eb_status *status);
    eb_code measure_defect(double *defect, cudaStream_t stream, eb_status *status);
    eb_code shorten(cudaStream_t stream, eb_status *status);
    eb_code choose_step(const framed_points &of, cudaStream_t stream, eb_status *status);
    eb_code project(const framed_points &of, const eb_pick &pick, size_t rows, cudaStream_t stream, eb_status *status);
    size_t rows_at_once() const;

    size_t d_ = 0, wide_ = 0;      /* dimensions; values in an FP64 row */
    size_t axes_ = 0, padded_ = 0; /* number of axes; axes + 1 rounded up to a multiple of 128 */
    int exponent_ = 0;
    double step_ = 0, rest_ = 0;           /* images are step_·(z, ρ − rest_) */
    device_array<double> square_;          /* Σ y·yᵀ: whole tiles of rows × wide_ */
    device_array<double> axis_, other_;    /* padded_ × wide_ */
    device_array<double> turned_, little_; /* wide_ rounded up × padded_; padded_ × padded_ */
    device_array<double> y_, length_, z_;  /* of some points: rows × wide_, ‖y‖², rows × padded_ */
};

} // namespace eb
