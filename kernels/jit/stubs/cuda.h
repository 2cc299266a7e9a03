#ifndef EB_KERNELS_JIT_STUBS_CUDA_H
#define EB_KERNELS_JIT_STUBS_CUDA_H
struct alignas(64) CUtensorMap {
    unsigned long opaque[16];
};
#endif
