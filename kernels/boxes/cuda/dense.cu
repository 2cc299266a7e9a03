#include "kernels/boxes/cuda/dense.cuh"

#include "kernels/boxes/cuda/order.cuh"
#include "kernels/boxes/cuda/verdicts.cuh"

namespace eb {

namespace {

constexpr unsigned threads = 256, queries_a_thread = 8;

/* A thread has one place and eight queries. */
__global__ void __launch_bounds__(threads)
    distances(leaf_view v, const double *queries, size_t count, size_t n, double *out)
{
    const uint32_t place = blockIdx.x * threads + threadIdx.x;
    const size_t first = blockIdx.y * size_t{queries_a_thread};
    const uint32_t point = place < v.boxes[0] * EB_LEAF ? v.point[place] : no_point;
    if (point == no_point)
        return;
    double s[queries_a_thread] = {};
    for (uint32_t k = 0; k < v.d; k++) {
        const double p = v.coordinate[eb_at_dimension(place, k, v.d)];
#pragma unroll
        for (unsigned q = 0; q < queries_a_thread; q++)
            s[q] = add_square(s[q], queries[min(first + q, count - 1) * v.d + k], p);
    }
#pragma unroll
    for (unsigned q = 0; q < queries_a_thread; q++)
        if (first + q < count)
            out[(first + q) * n + point] = s[q];
}

} // namespace

eb_code find_distances(const leaf_view &leaves, const double *queries, size_t count, size_t n, double *out,
                       cudaStream_t stream, eb_status *status)
{
    const dim3 grid(static_cast<unsigned>((leaves.boxes[0] * EB_LEAF + threads - 1) / threads),
                    static_cast<unsigned>((count + queries_a_thread - 1) / queries_a_thread));
    distances<<<grid, threads, 0, stream>>>(leaves, queries, count, n, out);
    EB_CUDA(cudaGetLastError(), "computing distances from queries");
    return EB_OK;
}

} // namespace eb
