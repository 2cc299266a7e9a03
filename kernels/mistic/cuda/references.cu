#include "kernels/mistic/cuda/references.cuh"

#include <algorithm>
#include <cmath>

extern "C" {
#include "core/base/random.h"
}

namespace eb {

namespace {

constexpr const char *choosing = "choosing reference points";
constexpr int threads = 256;
constexpr uint32_t tried = 4; /* random points tried for each reference point taken */

/* Returns to all threads the sum of their values, added in a fixed order. */
__device__ double add_up(double value, double *of_thread)
{
    of_thread[threadIdx.x] = value;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
        __syncthreads();
    }
    const double sum = of_thread[0];
    __syncthreads();
    return sum;
}

/* A block computes Σ(distance − mean)² for a reference point. */
__global__ void __launch_bounds__(threads)
    measure_deviation(const double *points, size_t count, size_t d, const double *reference, double *distance,
                      double *deviation)
{
    __shared__ double of_thread[threads];
    const double *r = reference + blockIdx.x * d;
    double *own = distance + blockIdx.x * count, sum = 0, squares = 0;
    for (size_t i = threadIdx.x; i < count; i += threads) {
        double s = 0;
        for (size_t k = 0; k < d; k++)
            s = __fma_rn(points[i * d + k] - r[k], points[i * d + k] - r[k], s);
        own[i] = sqrt(s);
        sum += own[i];
    }
    const double mean = add_up(sum, of_thread) / static_cast<double>(count);
    for (size_t i = threadIdx.x; i < count; i += threads)
        squares += (own[i] - mean) * (own[i] - mean);
    squares = add_up(squares, of_thread);
    if (threadIdx.x == 0)
        deviation[blockIdx.x] = squares;
}

} // namespace

eb_code reference_points::prepare(const double *points, size_t n, size_t d, const spread_of_points &spread,
                                  const std::vector<uint32_t> &order, cudaStream_t stream, eb_status *status)
{
    spread_of_points of_sample;
    points_ = points;
    d_ = d;
    sample_ = std::max<size_t>(n / 100, std::min<size_t>(n, 100));
    low_ = spread.low;
    high_ = spread.high;
    order_ = order;
    EB_TRY(find_spread(points, sample_, d, &of_sample, stream, status));
    sample_high_ = of_sample.high;
    return EB_OK;
}

std::vector<double> reference_points::at_random(uint32_t count, uint32_t level) const
{
    std::vector<double> points;
    uint64_t seed = 1000 + level;
    for (uint32_t r = 0; r < count; r++)
        for (size_t k = 0; k < d_; k++) {
            const double x = static_cast<double>(eb_random(&seed) >> 11) * 0x1p-53;
            points.push_back(low_[k] * (1 - x) + high_[k] * x);
        }
    return points;
}

eb_code reference_points::measure(const std::vector<double> &random, uint32_t count, std::vector<double> *deviation,
                                  cudaStream_t stream, eb_status *status)
{
    deviation->resize(count);
    EB_TRY(random_.reserve(random.size(), choosing, status));
    EB_TRY(distance_.reserve(count * sample_, choosing, status));
    EB_TRY(deviation_.reserve(count, choosing, status));
    EB_CUDA(cudaMemcpyAsync(random_.get(), random.data(), random.size() * sizeof(double), cudaMemcpyHostToDevice,
                            stream),
            choosing);
    measure_deviation<<<count, threads, 0, stream>>>(points_, sample_, d_, random_.get(), distance_.get(),
                                                     deviation_.get());
    EB_CUDA(cudaGetLastError(), choosing);
    EB_CUDA(cudaMemcpyAsync(deviation->data(), deviation_.get(), count * sizeof(double), cudaMemcpyDeviceToHost,
                            stream),
            choosing);
    EB_CUDA(cudaStreamSynchronize(stream), choosing);
    for (double &x : *deviation)
        x = std::isnan(x) ? 0 : x; /* distances overflowed */
    return EB_OK;
}

/* Corner 0 is high in all dimensions. Corner c is high in dimension j if bit j of c · 2^(d − 6) is set. */
void reference_points::add_corner(std::vector<double> &to, uint32_t number) const
{
    const size_t from = to.size();
    to.insert(to.end(), low_.begin(), low_.end());
    for (size_t j = 0; j < d_; j++) {
        const bool high = number == 0 || (d_ >= 6 && j + 6 >= d_ && (number >> (j + 6 - d_) & 1));
        if (high)
            to[from + order_[j]] = sample_high_[order_[j]];
    }
}

eb_code reference_points::make(uint32_t count, uint32_t level, cudaStream_t stream, eb_status *status)
{
    const uint32_t corners = count / 2, wanted = count - corners, all = tried * wanted;
    std::vector<double> points, deviation;
    if (count == 0)
        return EB_OK;
    const std::vector<double> random = at_random(all, level);
    EB_TRY(measure(random, all, &deviation, stream, status));
    std::vector<uint32_t> best = as_stored(all);
    std::stable_sort(best.begin(), best.end(), [&](uint32_t a, uint32_t b) { return deviation[a] > deviation[b]; });
    for (uint32_t k = 0; k < wanted; k++)
        points.insert(points.end(), random.begin() + static_cast<std::ptrdiff_t>(best[k] * d_),
                      random.begin() + static_cast<std::ptrdiff_t>((best[k] + 1) * d_));
    for (uint32_t c = 0; c < corners; c++)
        add_corner(points, c);
    EB_TRY(chosen_.reserve(points.size(), choosing, status));
    EB_CUDA(cudaMemcpyAsync(chosen_.get(), points.data(), points.size() * sizeof(double), cudaMemcpyHostToDevice,
                            stream),
            choosing);
    EB_CUDA(cudaStreamSynchronize(stream), choosing);
    return EB_OK;
}

} // namespace eb
