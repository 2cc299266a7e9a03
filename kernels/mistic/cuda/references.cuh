/* references: MiSTIC's reference points of a level. For one half, four times as many random points in the points' box
 * are tried, and those are taken whose distances to a sample, the first hundredth of the points, vary most. The other
 * half are corners of the sample's box; the bits of a corner's number choose between low and high in some dimensions.
 */
#pragma once

#include "kernels/indexed/spread.cuh"

namespace eb {

class reference_points {
  public:
    /* points: n × d, on the device, valid as long as this object. order: dimensions by variance. */
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
    std::vector<double> low_, high_;  /* the box of all points */
    std::vector<double> sample_high_; /* the sample's box */
    std::vector<uint32_t> order_;
    device_array<double> random_, distance_, deviation_, chosen_;
};

} // namespace eb
