/* convert: converts stored rows, packed, to rows of FP16, FP64 or bytes that are padded with zeros.
 *
 * A thread makes 8 coordinates if the padded length is a multiple of 8 (16 bytes of FP16), else one. If d is a multiple
 * of 8, too, its reads are aligned and use words of up to 16 bytes. Each value is rounded once.
 */
#pragma once

#include <cuda_fp16.h>

#include "kernels/device/gpu.cuh"

namespace eb {

/* A stored FP16 number. */
struct f16_bits {
    unsigned short bits;
};

/* Types that FP32 holds exactly are widened to FP32, the others to FP64. */
__device__ inline float wide(f16_bits x) { return __half2float(__ushort_as_half(x.bits)); }
__device__ inline float wide(float x) { return x; }
__device__ inline float wide(unsigned char x) { return static_cast<float>(x); }
__device__ inline float wide(signed char x) { return static_cast<float>(x); }
__device__ inline float wide(short x) { return static_cast<float>(x); }
__device__ inline double wide(int x) { return static_cast<double>(x); }
__device__ inline double wide(double x) { return x; }

/* Calls f with a value of the type that points of this dtype are stored in. */
template <class function> void with_stored_type(eb_dtype dtype, function f)
{
    switch (dtype) {
    case EB_F16: f(f16_bits{}); break;
    case EB_F32: f(float{}); break;
    case EB_F64: f(double{}); break;
    case EB_U8: f(static_cast<unsigned char>(0)); break;
    case EB_I8: f(static_cast<signed char>(0)); break;
    case EB_I16: f(short{}); break;
    case EB_I32: f(int{}); break;
    }
}

inline unsigned blocks_for(uint64_t items, uint64_t a_block)
{
    return static_cast<unsigned>((items + a_block - 1) / a_block);
}

__device__ inline void convert(float x, __half &out) { out = __float2half_rn(x); }
__device__ inline void convert(double x, __half &out) { out = __double2half(x); } /* to nearest even */
__device__ inline void convert(double x, double &out) { out = x; }
__device__ inline void convert(double x, unsigned char &out) /* an integer's low byte */
{
    out = static_cast<unsigned char>(static_cast<long long>(x));
}
__device__ inline void convert(float x, unsigned char &out)
{
    out = static_cast<unsigned char>(static_cast<long long>(x));
}
__device__ inline bool overflows(__half x) { return __hisinf(x) != 0; }
__device__ inline bool overflows(double) { return false; }
__device__ inline bool overflows(unsigned char) { return false; }

template <class T, uint32_t count> struct alignas(sizeof(T) * count < 16 ? sizeof(T) * count : 16) word {
    T value[count];
};

/* Converts rows × d values to rows × d_padded points. first_bad: gets the smallest first_value + row · d + column that
 * overflows. */
template <class stored, class point, uint32_t at_once, bool whole>
__global__ void convert_rows(const stored *from, uint32_t d, uint32_t d_padded, uint32_t rows, uint64_t first_value,
                             point *points, unsigned long long *first_bad)
{
    const uint32_t words = d_padded / at_once, x = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t row = x / words, k = x % words * at_once;
    if (row >= rows)
        return;
    const size_t at = static_cast<size_t>(row) * d + k;
    word<stored, at_once> in{};
    word<point, at_once> out{};
    if (whole && k < d)
        in = *reinterpret_cast<const word<stored, at_once> *>(from + at);
#pragma unroll
    for (uint32_t c = 0; c < at_once; c++) {
        if (k + c >= d)
            continue;
        convert(wide(whole ? in.value[c] : from[at + c]), out.value[c]);
        if (overflows(out.value[c]))
            atomicMin(first_bad, static_cast<unsigned long long>(first_value + at + c));
    }
    *reinterpret_cast<word<point, at_once> *>(points + static_cast<size_t>(row) * d_padded + k) = out;
}

template <class stored, class point>
void convert_stored(const void *from, size_t d, size_t d_padded, size_t rows, uint64_t first_value, point *points,
                    unsigned long long *first_bad, cudaStream_t stream)
{
    constexpr uint32_t most = 8, threads = 256;
    const uint32_t at_once = d_padded % most == 0 ? most : 1;
    const size_t wanted = rows * (d_padded / at_once);
    const auto kernel = at_once == 1    ? convert_rows<stored, point, 1, true>
                        : d % most == 0 ? convert_rows<stored, point, most, true>
                                        : convert_rows<stored, point, most, false>;
    kernel<<<static_cast<unsigned>((wanted + threads - 1) / threads), threads, 0, stream>>>(
        static_cast<const stored *>(from), static_cast<uint32_t>(d), static_cast<uint32_t>(d_padded),
        static_cast<uint32_t>(rows), first_value, points, first_bad);
}

/* convert_stored for any type of element; fewer than 2^32 padded coordinates per call. */
template <class point>
eb_code convert_points(eb_dtype dtype, const void *from, size_t d, size_t d_padded, size_t rows, uint64_t first_value,
                       point *points, unsigned long long *first_bad, cudaStream_t stream, eb_status *status)
{
#define EB_CONVERT(stored) convert_stored<stored>(from, d, d_padded, rows, first_value, points, first_bad, stream)
    switch (dtype) {
    case EB_F16: EB_CONVERT(f16_bits); break;
    case EB_F32: EB_CONVERT(float); break;
    case EB_F64: EB_CONVERT(double); break;
    case EB_U8: EB_CONVERT(unsigned char); break;
    case EB_I8: EB_CONVERT(signed char); break;
    case EB_I16: EB_CONVERT(short); break;
    case EB_I32: EB_CONVERT(int); break;
    }
#undef EB_CONVERT
    EB_CUDA(cudaGetLastError(), "converting points");
    return EB_OK;
}

} // namespace eb
