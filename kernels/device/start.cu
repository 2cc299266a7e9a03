/* start: the driver, a device's context and NVML take some tenths of a second to wake up. A thread of its own waits for
 * them while points are loaded. */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <dirent.h>

#include <cuda_runtime.h>

extern "C" {
#include "core/base/job.h"
#include "kernels/device/cuda.h"
}

extern "C" void eb_cuda_ready(int device)
{
    if (cudaSetDevice(device) == cudaSuccess)
        (void)cudaFree(nullptr);
    (void)cudaGetLastError();
}

namespace {

std::mutex lock; /* guards starter */
std::thread starter;
std::atomic<bool> started{false}, ending{false};

void start(int device)
{
    eb_cuda_ready(device);
    if (!ending) /* a short command is not kept waiting for NVML, which it did not need */
        (void)eb_cuda_now(device);
    started = true;
}

} // namespace

extern "C" bool eb_cuda_seen(int device)
{
    if (std::getenv("CUDA_VISIBLE_DEVICES")) /* its numbers are CUDA's business */
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
    if (starter.joinable())
        return;
    sigset_t before;
    eb_block_signals(&before);
    try {
        starter = std::thread(start, device);
    } catch (...) { /* whoever needs it first waits for it, then */
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

extern "C" bool eb_cuda_started(void) { return started; }

extern "C" void eb_cuda_stop(void)
{
    ending = true;
    const std::lock_guard<std::mutex> alone(lock);
    if (starter.joinable())
        starter.join();
}
