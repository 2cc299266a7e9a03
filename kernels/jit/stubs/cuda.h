#ifndef EB_JIT_CUDA_H
#define EB_JIT_CUDA_H
struct alignas(64) CUtensorMap {
    unsigned long opaque[16];
};
#endif
