/* axes: the principal axes of points on the device, found in a sample of them, and points' 8-bit images along them
 * (axes.h). Any axes are right; good ones leave little of what tells points apart to the rest.
 *
 * The axes are those of Σ y·yᵀ over the sample, by subspace iteration from random vectors: three products, which are
 * enough where some axes count and the others do not. They are then mixed, by the cosine transform's matrix with its
 * frequencies in another order: what lies along the first of them differs far more between points than what lies along
 * the last, and one step for all would be coarse; mixed they are alike, and a point is moved no farther than by as many
 * coordinates as it had (measured: half as far as unmixed).
 */
#pragma once

#include "kernels/quantised/axes.h"
#include "kernels/quantised/pick.h"
#include "kernels/tiled/truth.cuh"

namespace eb {

/* Points as they are stored, and where they are put: y = (x − centre)·2^exponent. */
struct framed_points {
    stored_points stored;
    size_t count;
    const double *centre; /* [d], on the device */
    int exponent;
};

/* Seeds of samples: axes are tried on points that they were not found in. */
constexpr unsigned for_axes = 0, for_looking = 1;

class principal_axes {
  public:
    static constexpr size_t most_d = 4096; /* Σ y·yᵀ is d × d */

    principal_axes() = default;
    principal_axes(const principal_axes &) = delete;
    principal_axes &operator=(const principal_axes &) = delete;

    /* Σ y·yᵀ of a sample. *alike: of how many axes as strong as each other it might be, by its trace and its length. */
    eb_code sample(const framed_points &of, double *alike, cudaStream_t stream, eb_status *status);

    /* So many of the sample's, or d, where there are no more; and the step of the images. */
    eb_code find(const framed_points &of, size_t wanted, cudaStream_t stream, eb_status *status);

    size_t columns() const { return axes_ + 1; } /* of an image */
    size_t padded() const { return padded_; }    /* of its row */
    double scale() const { return std::ldexp(step_, exponent_); }
    eb_quantised_bound bound_of(double eps) const
    {
        return eb_quantised_bound_short(eps, scale(), static_cast<unsigned>(d_), static_cast<unsigned>(columns()));
    }

    /* Images of points, zeros behind their columns; key: eb_quantised_key. */
    eb_code round(const framed_points &of, const eb_pick &pick, size_t rows, uint8_t *points, eb_quantised_point *known,
                  float *key, cudaStream_t stream, eb_status *status);

    /* What they were found and images are made with; what is told of them stays. */
    void release();

  private:
    eb_code start(size_t wanted, cudaStream_t stream, eb_status *status);
    eb_code mix(cudaStream_t stream, eb_status *status);
    eb_code measure_defect(double *defect, cudaStream_t stream, eb_status *status);
    eb_code shorten(cudaStream_t stream, eb_status *status);
    eb_code choose_step(const framed_points &of, cudaStream_t stream, eb_status *status);
    eb_code project(const framed_points &of, const eb_pick &pick, size_t rows, cudaStream_t stream, eb_status *status);
    size_t rows_at_once() const;

    size_t d_ = 0, wide_ = 0;      /* of a point; a row of FP64's */
    size_t axes_ = 0, padded_ = 0; /* of them; multiple of 128 */
    int exponent_ = 0;
    double step_ = 0, rest_ = 0;           /* images are step_·(z, ρ − rest_) */
    device_array<double> square_;          /* Σ y·yᵀ: whole tiles of rows × wide_ */
    device_array<double> axis_, other_;    /* padded_ × wide_ */
    device_array<double> turned_, little_; /* wide_ rounded up × padded_; padded_ × padded_ */
    device_array<double> y_, length_, z_;  /* of some points: rows × wide_, ‖y‖², rows × padded_ */
};

} // namespace eb
