#include "kernels/quantised/cuda/axes.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/filters/filter.cuh"
#include "kernels/quantised/cuda/matrices.cuh"
#include "kernels/ted/cuda/kernel.cuh"

extern "C" {
#include "kernels/quantised/frame.h"
}

namespace eb {

namespace {

constexpr const char *finding = "finding principal axes";
constexpr int rows_a_block = 8; /* one for each warp */
constexpr size_t most_sampled = 2048, tile_rows = ted_tile, bytes_a_slice = 128;
constexpr int products_taken = 3;
constexpr double largest_sampled = 0x1p20; /* limits the influence of outliers on the axes */

/* ---- points in FP64 ---- */

/* Writes rows of y, padded with zeros, and their ‖y‖². */
template <class stored>
__global__ void __launch_bounds__(32 * rows_a_block)
    widen_rows(const stored *rows, uint32_t d, uint32_t wide, eb_pick pick, uint32_t count, const double *centre,
               double unit, double *y, double *length)
{
    const uint32_t lane = threadIdx.x % 32, row = blockIdx.x * rows_a_block + threadIdx.x / 32;
    if (row >= count)
        return;
    const stored *x = rows + eb_pick_row(pick, row) * d;
    double *out = y + static_cast<size_t>(row) * wide, sum = 0;
    for (uint32_t k = lane; k < wide; k += 32) {
        const double value = k < d ? (static_cast<double>(eb::wide(x[k])) - centre[k]) * unit : 0;
        out[k] = value;
        sum = __fma_rn(value, value, sum);
    }
    sum = add_over_warp(sum);
    if (lane == 0)
        length[row] = sum;
}

eb_code widen(const framed_points &of, const eb_pick &pick, size_t rows, size_t wide, double *y, double *length,
              cudaStream_t stream, eb_status *status)
{
    with_stored_type(of.stored.dtype, [&](auto value) {
        widen_rows<<<blocks_for(rows, rows_a_block), 32 * rows_a_block, 0, stream>>>(
            static_cast<const decltype(value) *>(of.stored.rows), of.stored.d, static_cast<uint32_t>(wide), pick,
            static_cast<uint32_t>(rows), of.centre, std::ldexp(1.0, of.exponent), y, length);
    });
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

/* ---- images ---- */

/* Each warp rounds one image: m coordinates of z, then ρ. */
__global__ void __launch_bounds__(32 * rows_a_block)
    round_images(const double *z, const double *length, uint32_t count, uint32_t m, uint32_t d, uint32_t padded,
                 double step, double rest, uint8_t *points, eb_quantised_point *known, float *key)
{
    const uint32_t lane = threadIdx.x % 32, row = blockIdx.x * rows_a_block + threadIdx.x / 32;
    if (row >= count)
        return;
    const double *mine = z + static_cast<size_t>(row) * padded, squared = length[row];
    double along = 0;
    for (uint32_t k = lane; k < m; k += 32)
        along = __fma_rn(mine[k], mine[k], along);
    const double left = eb_axes_rest(squared, add_over_warp(along)) - rest;
    eb_quantised_sums sums{};
    for (uint32_t k = 4 * lane; k < padded; k += 128) {
        uchar4 out = make_uchar4(0, 0, 0, 0);
        uint8_t *const byte = &out.x;
#pragma unroll
        for (uint32_t c = 0; c < 4; c++)
            if (k + c <= m) {
                const double y = (k + c < m ? mine[k + c] : left) * step, near = eb_quantised_near(y);
                eb_quantised_add(&sums, y, near);
                byte[c] = static_cast<uint8_t>(static_cast<int>(near));
            }
        *reinterpret_cast<uchar4 *>(points + static_cast<size_t>(row) * padded + k) = out;
    }
    sums = {add_over_warp(sums.error), add_over_warp(sums.length), __reduce_add_sync(~0u, sums.square)};
    if (lane == 0) {
        known[row] = eb_axes_point_of(sums, m, d, squared, step);
        key[row] = eb_quantised_key(known[row]);
    }
}

} // namespace

/* ---- finding the axes ---- */

eb_code principal_axes::sample(const framed_points &of, double *alike, cudaStream_t stream, eb_status *status)
{
    const size_t sampled = std::min(of.count, most_sampled), length = round_up(sampled, 16);
    device_array<double> turned;
    double both[2] = {0, 0};
    d_ = of.stored.d;
    wide_ = round_up(d_, 16);
    exponent_ = of.exponent;
    const size_t rows = round_up(d_, tile_rows);
    EB_TRY(y_.reserve(round_up(sampled, tile_rows) * wide_, finding, status));
    EB_TRY(length_.reserve(round_up(sampled, tile_rows), finding, status));
    EB_TRY(turned.reserve(rows * length, finding, status));
    EB_TRY(square_.reserve(rows * wide_, finding, status));
    EB_TRY(widen(of, eb_pick_spread(of.count, sampled, for_axes), sampled, wide_, y_.get(), length_.get(), stream,
                 status));
    EB_TRY(turn(y_.get(), sampled, wide_, length, rows, largest_sampled, turned.get(), stream, status));
    EB_TRY(multiply(turned.get(), rows, turned.get(), length, wide_, square_.get(), stream, status));
    EB_TRY(sum_matrix(square_.get(), d_, wide_, both, stream, status));
    *alike = both[1] > 0 ? both[0] * both[0] / both[1] : 0;
    return steady(square_.get(), d_, wide_, both[0] > 0 ? 1e-9 * both[0] / static_cast<double>(d_) : 1, stream, status);
}

eb_code principal_axes::find(const framed_points &of, size_t wanted, cudaStream_t stream, eb_status *status)
{
    EB_TRY(start(wanted, stream, status));
    for (int k = 0; k < products_taken; k++) {
        EB_TRY(multiply(axis_.get(), padded_, square_.get(), wide_, wide_, other_.get(), stream, status));
        axis_.swap(other_);
    }
    EB_TRY(orthogonalise(axis_.get(), axes_, wide_, stream, status));
    EB_TRY(mix(stream, status));
    EB_TRY(shorten(stream, status));
    return choose_step(of, stream, status);
}

eb_code principal_axes::start(size_t wanted, cudaStream_t stream, eb_status *status)
{
    axes_ = std::min(wanted, d_);
    padded_ = round_up(axes_ + 1, bytes_a_slice);
    const size_t rows = round_up(d_, tile_rows);
    EB_TRY(axis_.reserve(padded_ * wide_, finding, status));
    EB_TRY(other_.reserve(padded_ * wide_, finding, status));
    EB_TRY(turned_.reserve(rows * padded_, finding, status));
    EB_TRY(little_.reserve(padded_ * padded_, finding, status));
    return fill_at_random(axes_, d_, padded_, wide_, axis_.get(), stream, status);
}

eb_code principal_axes::mix(cudaStream_t stream, eb_status *status)
{
    const size_t rows = round_up(d_, tile_rows);
    EB_TRY(fill_with_cosines(axes_, padded_, little_.get(), stream, status));
    EB_TRY(turn(axis_.get(), axes_, wide_, padded_, rows, INFINITY, turned_.get(), stream, status));
    EB_TRY(multiply(little_.get(), padded_, turned_.get(), padded_, wide_, other_.get(), stream, status));
    axis_.swap(other_);
    return EB_OK;
}

/* ‖G − I‖_F */
eb_code principal_axes::measure_defect(double *defect, cudaStream_t stream, eb_status *status)
{
    std::vector<double> gram(padded_ * padded_);
    double squares = 0;
    EB_TRY(multiply(axis_.get(), padded_, axis_.get(), wide_, padded_, little_.get(), stream, status));
    EB_CUDA(cudaMemcpyAsync(gram.data(), little_.get(), gram.size() * sizeof(double), cudaMemcpyDeviceToHost, stream),
            finding);
    EB_CUDA(cudaStreamSynchronize(stream), finding);
    for (size_t a = 0; a < axes_; a++)
        for (size_t b = 0; b < axes_; b++) {
            const double off = gram[a * padded_ + b] - (a == b ? 1 : 0);
            squares += off * off;
        }
    *defect = std::sqrt(squares);
    return EB_OK;
}

/* Divides the axes so that ‖Qᵀ‖ ≤ 1 (axes.h, step 1). If the points span few dimensions, most vectors consist of
 * rounding errors and are not yet orthogonal; a second pass makes them so. */
eb_code principal_axes::shorten(cudaStream_t stream, eb_status *status)
{
    constexpr double orthogonal = 1e-3;
    double defect = 0;
    EB_TRY(measure_defect(&defect, stream, status));
    if (!(defect <= orthogonal)) {
        EB_TRY(orthogonalise(axis_.get(), axes_, wide_, stream, status));
        EB_TRY(measure_defect(&defect, stream, status));
    }
    return divide(axis_.get(), padded_ * wide_,
                  eb_axes_divisor(defect, static_cast<unsigned>(axes_), static_cast<unsigned>(d_)), stream, status);
}

/* Chooses the step from some points' images, as frame.h chooses the scale of points. */
eb_code principal_axes::choose_step(const framed_points &of, cudaStream_t stream, eb_status *status)
{
    constexpr size_t values = 1 << 14, fewest = 64;
    const size_t rows = std::min({of.count, std::max(values / columns(), fewest), size_t{EB_QUANTISED_ROWS}});
    std::vector<double> z(rows * padded_), length(rows);
    std::vector<float> image(rows * columns());
    EB_TRY(project(of, eb_pick_spread(of.count, rows, for_looking), rows, stream, status));
    EB_CUDA(cudaMemcpyAsync(z.data(), z_.get(), z.size() * sizeof(double), cudaMemcpyDeviceToHost, stream), finding);
    EB_CUDA(cudaMemcpyAsync(length.data(), length_.get(), rows * sizeof(double), cudaMemcpyDeviceToHost, stream),
            finding);
    EB_CUDA(cudaStreamSynchronize(stream), finding);
    double sum = 0;
    size_t summed = 0;
    for (size_t r = 0; r < rows; r++) {
        double along = 0;
        for (size_t k = 0; k < axes_; k++) {
            image[r * columns() + k] = static_cast<float>(z[r * padded_ + k]);
            along += z[r * padded_ + k] * z[r * padded_ + k];
        }
        const double left = eb_axes_rest(length[r], along);
        image[r * columns() + axes_] = static_cast<float>(left);
        if (left < largest_sampled) {
            sum += left;
            summed++;
        }
    }
    rest_ = summed > 0 ? sum / static_cast<double>(summed) : 0;
    for (size_t r = 0; r < rows; r++)
        image[r * columns() + axes_] -= static_cast<float>(rest_);
    eb_quantised_frame frame{};
    eb_quantised_frame_scale(image.data(), rows, columns(), &frame);
    step_ = std::fmin(frame.scale, 0x1p30);
    return EB_OK;
}

void principal_axes::release()
{
    for (device_array<double> *room : {&square_, &axis_, &other_, &turned_, &little_, &y_, &length_, &z_})
        room->release();
}

/* ---- images ---- */

size_t principal_axes::rows_at_once() const
{
    constexpr size_t values = size_t{1} << 24; /* 128 MiB */
    return std::max(values / wide_ / tile_rows, size_t{1}) * tile_rows;
}

eb_code principal_axes::project(const framed_points &of, const eb_pick &pick, size_t rows, cudaStream_t stream,
                                eb_status *status)
{
    const size_t whole = round_up(rows, tile_rows);
    EB_TRY(y_.reserve(whole * wide_, finding, status));
    EB_TRY(length_.reserve(whole, finding, status));
    EB_TRY(z_.reserve(whole * padded_, finding, status));
    EB_TRY(widen(of, pick, rows, wide_, y_.get(), length_.get(), stream, status));
    return multiply(y_.get(), whole, axis_.get(), wide_, padded_, z_.get(), stream, status);
}

eb_code principal_axes::round(const framed_points &of, const eb_pick &pick, size_t rows, uint8_t *points,
                              eb_quantised_point *known, float *key, cudaStream_t stream, eb_status *status)
{
    for (size_t first = 0; first < rows; first += rows_at_once()) {
        const size_t count = std::min(rows_at_once(), rows - first);
        EB_TRY(project(of, eb_pick_behind(pick, first), count, stream, status));
        round_images<<<blocks_for(count, rows_a_block), 32 * rows_a_block, 0, stream>>>(z_.get(), length_.get(),
                                                                                        static_cast<uint32_t>(count),
                                                                                        static_cast<uint32_t>(axes_),
                                                                                        static_cast<uint32_t>(d_),
                                                                                        static_cast<uint32_t>(padded_),
                                                                                        step_, rest_,
                                                                                        points + first * padded_,
                                                                                        known + first, key + first);
        EB_CUDA(cudaGetLastError(), finding);
    }
    return EB_OK;
}

} // namespace eb
