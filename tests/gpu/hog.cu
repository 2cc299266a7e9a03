/* hog: allocates a GPU's memory, as another program would. */
#include <vector>

#include <cuda_runtime.h>

static std::vector<void *> taken;

/* Leaves about `bytes` bytes free; false if fewer were free. */
extern "C" bool hog_all_but(size_t bytes)
{
    constexpr size_t step = size_t{2} << 20;
    size_t available = 0, total = 0;
    void *piece = nullptr;
    cudaMemPool_t pool = nullptr;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) ==
        cudaSuccess) /* memory cached by this process would still be free to it */
        (void)cudaMemPoolTrimTo(pool, 0);
    if (cudaMemGetInfo(&available, &total) != cudaSuccess || available < bytes)
        return false;
    for (size_t wanted = available - bytes; wanted >= step; wanted = available > bytes ? available - bytes : 0) {
        while (wanted >= step && cudaMalloc(&piece, wanted) != cudaSuccess)
            wanted -= step;
        (void)cudaGetLastError();
        if (wanted < step)
            break;
        taken.push_back(piece);
        if (cudaMemGetInfo(&available, &total) != cudaSuccess)
            break;
    }
    return true;
}

extern "C" void hog_nothing(void)
{
    for (void *piece : taken)
        (void)cudaFree(piece);
    taken.clear();
}
