/* references: MiSTIC's reference points of a level. Half of them are those of four times as many random points in the
 * points' box whose distances to the first hundredth of the points deviate most from their mean; half are corners of
 * the box that this hundredth fills, told apart in the dimensions that the bits of a corner's number fall on.
 */
#pragma once

#include "kernels/indexed/spread.cuh"

namespace eb {

class reference_points {
  public:
    /* points: n × d, on the device; they outlive it. order: dimensions by their variance. */
    eb_code prepare(const double *points, size_t n, size_t d, const spread_of_points &spread,
                    const std::vector<uint32_t> &order, cudaStream_t stream, eb_status *status);
    eb_code make(uint32_t count, uint32_t level, cudaStream_t stream, eb_status *status);
    const double *get() const { return chosen_.get(); } /* [count][d], on the device */

  private:
    std::vector<double> at_random(uint32_t count, uint32_t level) const;
    eb_code measure(const std::vector<double> &random, uint32_t count, std::vector<double> *deviation,
                    cudaStream_t stream, eb_status *status);
    void add_corner(std::vector<double> &to, uint32_t number) const;

    const double *points_ = nullptr;
    size_t d_ = 0, sample_ = 0;
    std::vector<double> low_, high_;  /* of all points */
    std::vector<double> sample_high_; /* of the sample */
    std::vector<uint32_t> order_;
    device_array<double> random_, distance_, deviation_, chosen_;
};

} // namespace eb
