#include "kernels/inverted/cuda/refine.cuh"

#include "kernels/upload/convert.cuh"

extern "C" {
#include "core/inverted/inverted.h"
}

namespace eb {
namespace {

constexpr unsigned threads = 128;

/* A thread takes a whole point, whose bytes stay in L1: the sum must run over the coordinates in order. */
template <class stored> __device__ double distance2(const refine_task &t, const float *query, const stored *point)
{
    double s = 0;
    for (unsigned k = 0; k < t.d; k++) {
        double x = static_cast<double>(wide(point[k]));
        if (t.exponent)
            x = ldexp(x, t.exponent);
        const double away = __dsub_rn(static_cast<double>(query[k]), x);
        s = __fma_rn(away, away, s);
    }
    return s;
}

/* A block refines a query. */
template <class stored> __global__ void __launch_bounds__(threads) refine(refine_task t)
{
    const size_t q = blockIdx.x;
    const unsigned count = t.found_count[q];
    const near_key *found = t.found + q * t.among;
    double *s = t.s + q * t.among;
    for (unsigned i = threadIdx.x; i < count; i += threads)
        s[i] = distance2<stored>(t, t.queries + q * t.d,
                                 reinterpret_cast<const stored *>(t.points) +
                                     static_cast<size_t>(static_cast<uint32_t>(found[i])) * t.d);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += threads) {
        const uint32_t row = static_cast<uint32_t>(found[i]);
        unsigned rank = 0;
        for (unsigned j = 0; j < count && rank < t.k; j++)
            rank += s[j] < s[i] || (s[j] == s[i] && static_cast<uint32_t>(found[j]) < row);
        if (rank < t.k) {
            t.rows[q * t.k + rank] = row;
            t.nearest[q * t.k + rank] = s[i];
        }
    }
    for (unsigned i = count + threadIdx.x; i < t.k; i += threads)
        t.rows[q * t.k + i] = EB_NO_POINT;
}

} // namespace

eb_code launch_refine(const refine_task &task, size_t queries, eb_status *status)
{
#define EB_REFINE(stored) refine<stored><<<static_cast<unsigned>(queries), threads>>>(task)
    switch (task.dtype) {
    case EB_F16: EB_REFINE(f16_bits); break;
    case EB_F32: EB_REFINE(float); break;
    case EB_F64: EB_REFINE(double); break;
    case EB_U8: EB_REFINE(unsigned char); break;
    case EB_I8: EB_REFINE(signed char); break;
    case EB_I16: EB_REFINE(short); break;
    case EB_I32: EB_REFINE(int); break;
    }
#undef EB_REFINE
    EB_CUDA(cudaGetLastError(), "starting the refinement");
    return EB_OK;
}

} // namespace eb
