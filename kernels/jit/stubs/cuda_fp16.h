#ifndef EB_KERNELS_JIT_STUBS_CUDA_FP16_H
#define EB_KERNELS_JIT_STUBS_CUDA_FP16_H
struct alignas(2) __half {
    unsigned short bits;
};
#endif
