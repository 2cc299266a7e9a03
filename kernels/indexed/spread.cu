#include "kernels/indexed/spread.cuh"

#include <algorithm>
#include <numeric>

namespace eb {

namespace {

constexpr const char *looking = "looking at the spread of the points";
constexpr unsigned most_parts = 1024; /* parts of the rows, each summed by itself */

struct partial {
    double low, high, sum;
};

/* A thread takes one dimension of one part of the rows. mean nullptr: sums values; otherwise sums squared differences
 * to the mean. */
__global__ void look(const double *points, size_t n, size_t d, const double *mean, partial *out)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    const size_t begin = n * blockIdx.y / gridDim.y, end = n * (blockIdx.y + 1) / gridDim.y;
    if (k >= d)
        return;
    partial p = {INFINITY, -INFINITY, 0};
    for (size_t i = begin; i < end; i++) {
        const double x = points[i * d + k];
        p.low = fmin(p.low, x);
        p.high = fmax(p.high, x);
        p.sum += mean ? (x - mean[k]) * (x - mean[k]) : x;
    }
    out[blockIdx.y * d + k] = p;
}

eb_code add_up(const double *points, size_t n, size_t d, const double *mean, device_array<partial> &partials,
               std::vector<partial> &out, cudaStream_t stream, eb_status *status)
{
    const unsigned parts = static_cast<unsigned>(std::min<size_t>(n, most_parts));
    std::vector<partial> all(parts * d);
    EB_TRY(partials.reserve(all.size(), looking, status));
    look<<<dim3(static_cast<unsigned>((d + 31) / 32), parts), 32, 0, stream>>>(points, n, d, mean, partials.get());
    EB_CUDA(cudaGetLastError(), looking);
    EB_CUDA(cudaMemcpyAsync(all.data(), partials.get(), all.size() * sizeof(partial), cudaMemcpyDeviceToHost, stream),
            looking);
    EB_CUDA(cudaStreamSynchronize(stream), looking);
    out.assign(d, {INFINITY, -INFINITY, 0});
    for (size_t x = 0; x < all.size(); x++) {
        partial &p = out[x % d];
        p.low = std::min(p.low, all[x].low);
        p.high = std::max(p.high, all[x].high);
        p.sum += all[x].sum;
    }
    return EB_OK;
}

} // namespace

eb_code find_spread(const double *points, size_t n, size_t d, spread_of_points *out, cudaStream_t stream,
                    eb_status *status)
{
    device_array<partial> partials;
    device_array<double> mean;
    std::vector<partial> seen;
    EB_TRY(add_up(points, n, d, nullptr, partials, seen, stream, status));
    out->low.clear();
    out->high.clear();
    out->variance.clear();
    std::vector<double> means;
    for (const partial &p : seen) {
        out->low.push_back(p.low);
        out->high.push_back(p.high);
        means.push_back(p.sum / static_cast<double>(n));
    }
    EB_TRY(mean.reserve(d, looking, status));
    EB_CUDA(cudaMemcpyAsync(mean.get(), means.data(), d * sizeof(double), cudaMemcpyHostToDevice, stream), looking);
    EB_TRY(add_up(points, n, d, mean.get(), partials, seen, stream, status));
    for (const partial &p : seen)
        out->variance.push_back(p.sum / static_cast<double>(n));
    return EB_OK;
}

std::vector<uint32_t> as_stored(size_t d)
{
    std::vector<uint32_t> order(d);
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

std::vector<uint32_t> by_variance(const spread_of_points &spread)
{
    std::vector<uint32_t> order = as_stored(spread.variance.size());
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return spread.variance[a] > spread.variance[b]; });
    return order;
}

} // namespace eb
