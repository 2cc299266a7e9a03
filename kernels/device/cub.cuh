/* cub: CUB's two calls: how much room, then the work. */
#ifndef EB_KERNELS_DEVICE_CUB_CUH
#define EB_KERNELS_DEVICE_CUB_CUH

#include "kernels/device/gpu.cuh"

/* scratch: a device_array<unsigned char>, used until the next such call. */
#define EB_CUB(scratch, what, call, ...)                                                                               \
    do {                                                                                                               \
        size_t eb_bytes = 0;                                                                                           \
        EB_CUDA(call(nullptr, eb_bytes, __VA_ARGS__), what);                                                           \
        EB_TRY((scratch).reserve(eb_bytes, what, status));                                                             \
        EB_CUDA(call((scratch).get(), eb_bytes, __VA_ARGS__), what);                                                   \
    } while (0)

#endif
