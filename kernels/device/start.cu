/* start: initialises the driver, a device's context and NVML in a thread of its own while points are loaded. These
 * steps take a few tenths of a second. */
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <dirent.h>

#include <cuda_runtime.h>

extern "C" {
#include "core/base/thread.h"
#include "kernels/device/cuda.h"
}

extern "C" void eb_cuda_ready(int device)
{
    if (cudaSetDevice(device) == cudaSuccess)
        (void)cudaFree(nullptr);
    (void)cudaGetLastError();
}

namespace {

std::mutex lock; /* guards starter and joinable */
pthread_t starter;
bool joinable = false;
std::atomic<bool> started{false}, ending{false};

void *start(void *argument)
{
    const int device = (int)(std::intptr_t)argument;
    eb_cuda_ready(device);
    if (!ending) /* a short command does not wait for NVML, which it does not need */
        (void)eb_cuda_now(device);
    started = true;
    return nullptr;
}

} // namespace

extern "C" bool eb_cuda_seen(int device)
{
    if (std::getenv("CUDA_VISIBLE_DEVICES")) /* only CUDA knows how this variable renumbers the GPUs */
        return false;
    DIR *folder = opendir("/proc/driver/nvidia/gpus");
    if (!folder)
        return false;
    int gpus = 0;
    while (const dirent *entry = readdir(folder))
        gpus += entry->d_name[0] != '.';
    (void)closedir(folder);
    return device >= 0 && device < gpus;
}

extern "C" void eb_cuda_start(int device)
{
    const std::lock_guard<std::mutex> alone(lock);
    if (!joinable) /* without the thread, the first user of the device waits for the context */
        joinable = eb_thread_start(&starter, start, (void *)(std::intptr_t)device) == 0;
}

extern "C" bool eb_cuda_started(void) { return started; }

extern "C" void eb_cuda_stop(void)
{
    ending = true;
    const std::lock_guard<std::mutex> alone(lock);
    if (joinable)
        (void)pthread_join(starter, nullptr);
    joinable = false;
}
