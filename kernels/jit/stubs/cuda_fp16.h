#ifndef EB_KERNELS_JIT_STUBS_CUDA_FP16_H
#define EB_KERNELS_JIT_STUBS_CUDA_FP16_H
struct alignas(2) __half {
    unsigned short bits;
};
inline float __half2float(__half x)
{
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
#endif
