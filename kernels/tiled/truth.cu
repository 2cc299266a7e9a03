#include "kernels/tiled/truth.cuh"

#include "kernels/upload/convert.cuh"

namespace eb {

namespace {

constexpr int truth_warps = 4, pairs_a_warp = 32, dimensions_at_once = 32, rows_at_once = 8;

/* A warp's shared memory: the rows of its pairs, and differences with one column more than dimensions, so that lanes
 * that read one row each read different banks. */
template <class stored> struct pairs_of_warp {
    const stored *row[pairs_a_warp][2];
    double difference[pairs_a_warp][dimensions_at_once + 1];
};

template <class stored> __device__ const stored *row_of(const stored_points &of, uint32_t number)
{
    const uint32_t k = number - of.first;
    return reinterpret_cast<const stored *>(static_cast<const unsigned char *>(of.rows) +
                                            (of.point ? of.point[k] : k) * of.row_bytes);
}

/* Each lane reads its dimension k of all pairs, if k < d. */
template <class stored>
__device__ __forceinline__ void take_differences(pairs_of_warp<stored> &pairs, uint32_t k, uint32_t d, int lane)
{
    for (int base = 0; base < pairs_a_warp; base += rows_at_once) {
        stored p[rows_at_once] = {}, q[rows_at_once] = {};
#pragma unroll
        for (int r = 0; r < rows_at_once; r++)
            if (k < d) {
                p[r] = pairs.row[base + r][0][k];
                q[r] = pairs.row[base + r][1][k];
            }
#pragma unroll
        for (int r = 0; r < rows_at_once; r++)
            pairs.difference[base + r][lane] =
                __dsub_rn(static_cast<double>(wide(p[r])), static_cast<double>(wide(q[r])));
    }
}

/* pair nullptr: all pairs of rows × columns. */
template <class stored>
__global__ void __launch_bounds__(32 * truth_warps)
    measure(const uint2 *pair, uint64_t count, const unsigned long long *counted, stored_points a, stored_points b,
            uint32_t columns, double *s)
{
    __shared__ pairs_of_warp<stored> all[truth_warps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const uint64_t first = (static_cast<uint64_t>(blockIdx.x) * truth_warps + warp) * pairs_a_warp;
    const uint64_t end = counted && *counted < count ? *counted : count;
    if (first >= end)
        return;
    pairs_of_warp<stored> &pairs = all[warp];
    const uint64_t x = first + lane < end ? first + lane : first;
    const uint2 mine =
        pair ? pair[x]
             : make_uint2(a.first + static_cast<uint32_t>(x / columns), b.first + static_cast<uint32_t>(x % columns));
    pairs.row[lane][0] = row_of<stored>(a, mine.x);
    pairs.row[lane][1] = row_of<stored>(b, mine.y);
    double sum = 0;
    for (uint32_t k = 0; k < a.d; k += dimensions_at_once) {
        __syncwarp();
        take_differences(pairs, k + lane, a.d, lane);
        __syncwarp();
#pragma unroll 8
        for (int c = 0; c < dimensions_at_once; c++) { /* from d on they are 0, which does not change the sum */
            const double t = pairs.difference[lane][c];
            sum = __fma_rn(t, t, sum);
        }
    }
    if (first + lane < end)
        s[first + lane] = sum;
}

template <class stored>
void start(const uint2 *pair, uint64_t count, const unsigned long long *counted, const stored_points &a,
           const stored_points &b, uint32_t columns, double *s, cudaStream_t stream)
{
    constexpr uint64_t a_block = truth_warps * pairs_a_warp;
    measure<stored>
        <<<static_cast<unsigned>((count + a_block - 1) / a_block), 32 * truth_warps, 0, stream>>>(pair, count, counted,
                                                                                                  a, b, columns, s);
}

eb_code start_any(const uint2 *pair, uint64_t count, const unsigned long long *counted, const stored_points &a,
                  const stored_points &b, uint32_t columns, double *s, cudaStream_t stream, eb_status *status)
{
    if (count == 0)
        return EB_OK;
#define EB_MEASURE(stored) start<stored>(pair, count, counted, a, b, columns, s, stream)
    switch (a.dtype) {
    case EB_F16: EB_MEASURE(f16_bits); break;
    case EB_F32: EB_MEASURE(float); break;
    case EB_F64: EB_MEASURE(double); break;
    case EB_U8: EB_MEASURE(unsigned char); break;
    case EB_I8: EB_MEASURE(signed char); break;
    case EB_I16: EB_MEASURE(short); break;
    case EB_I32: EB_MEASURE(int); break;
    }
#undef EB_MEASURE
    EB_CUDA(cudaGetLastError(), "measuring pairs by the truth");
    return EB_OK;
}

} // namespace

eb_code measure_pairs(const uint2 *pair, uint64_t count, const unsigned long long *counted, const stored_points &a,
                      const stored_points &b, double *s, cudaStream_t stream, eb_status *status)
{
    return start_any(pair, count, counted, a, b, 1, s, stream, status);
}

eb_code measure_all(const stored_points &a, size_t rows, const stored_points &b, size_t columns, double *s,
                    cudaStream_t stream, eb_status *status)
{
    return start_any(nullptr, rows * columns, nullptr, a, b, static_cast<uint32_t>(columns), s, stream, status);
}

} // namespace eb
