#ifndef EB_JIT_CUDA_FP16_H
#define EB_JIT_CUDA_FP16_H
struct alignas(2) __half {
    unsigned short bits;
};
#endif
