#include "kernels/device/nvml.cuh"

extern "C" {
#include "kernels/device/cuda.h"
}

#include <cmath>
#include <mutex>

#include <dlfcn.h>

#include <cuda_runtime.h>

namespace eb {

namespace {

using nvml_device = void *;
constexpr int nvml_clock_sm = 1, nvml_temperature_gpu = 0;
constexpr int most_devices = 64;

/* Throttle reasons that hold the clock down: power cap, slowdown, thermal, power brake. "Idle" and "set by the user" do
 * not count. */
constexpr uint64_t held_down = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

struct nvml_utilization {
    unsigned gpu, memory; /* per cent */
};

struct nvml_memory {
    unsigned long long all, free, used; /* bytes */
};

struct library {
    int (*device_by_bus)(const char *, nvml_device *) = nullptr;
    int (*clock)(nvml_device, int, unsigned *) = nullptr;
    int (*power_mw)(nvml_device, unsigned *) = nullptr;
    int (*energy_mj)(nvml_device, unsigned long long *) = nullptr;
    int (*reasons)(nvml_device, unsigned long long *) = nullptr;
    int (*temperature)(nvml_device, int, unsigned *) = nullptr;
    int (*memory)(nvml_device, nvml_memory *) = nullptr;
    int (*utilization)(nvml_device, nvml_utilization *) = nullptr;
    std::mutex lock; /* guards device */
    nvml_device device[most_devices] = {};
    bool ready = false;
};

template <class function> bool look_up(void *handle, const char *name, function &out)
{
    out = reinterpret_cast<function>(dlsym(handle, name));
    return out != nullptr;
}

void load(library &l)
{
    void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)() = nullptr;
    if (!handle || !look_up(handle, "nvmlInit_v2", init) || init() != 0)
        return;
    l.ready = look_up(handle, "nvmlDeviceGetHandleByPciBusId_v2", l.device_by_bus);
    /* Old drivers lack some functions; each one may be null. */
    (void)look_up(handle, "nvmlDeviceGetClockInfo", l.clock);
    (void)look_up(handle, "nvmlDeviceGetPowerUsage", l.power_mw);
    (void)look_up(handle, "nvmlDeviceGetTotalEnergyConsumption", l.energy_mj);
    (void)look_up(handle, "nvmlDeviceGetCurrentClocksThrottleReasons", l.reasons);
    (void)look_up(handle, "nvmlDeviceGetTemperature", l.temperature);
    (void)look_up(handle, "nvmlDeviceGetMemoryInfo", l.memory);
    (void)look_up(handle, "nvmlDeviceGetUtilizationRates", l.utilization);
}

/* NVML and CUDA number devices differently; the PCI bus id names the same device in both. */
nvml_device device_of(library &l, int cuda_index)
{
    if (!l.ready || cuda_index < 0 || cuda_index >= most_devices)
        return nullptr;
    const std::lock_guard<std::mutex> alone(l.lock);
    if (!l.device[cuda_index]) {
        char bus[32] = "";
        if (cudaDeviceGetPCIBusId(bus, sizeof bus, cuda_index) != cudaSuccess ||
            l.device_by_bus(bus, &l.device[cuda_index]) != 0)
            l.device[cuda_index] = nullptr;
    }
    return l.device[cuda_index];
}

library &nvml()
{
    static library l;
    static std::once_flag once;
    std::call_once(once, load, std::ref(l));
    return l;
}

/* In hertz; NAN: unknown. */
double sm_clock(const library &l, nvml_device device)
{
    unsigned mhz = 0;
    return device && l.clock && l.clock(device, nvml_clock_sm, &mhz) == 0 ? 1e6 * mhz : NAN;
}

} // namespace

gpu_clock clock_of_gpu(int cuda_index)
{
    library &l = nvml();
    nvml_device device = device_of(l, cuda_index);
    gpu_clock now{sm_clock(l, device), 0};
    unsigned long long reasons = 0;
    if (device && l.reasons && l.reasons(device, &reasons) == 0)
        now.throttle = reasons & held_down;
    return now;
}

double energy_of_gpu(int cuda_index)
{
    library &l = nvml();
    nvml_device device = device_of(l, cuda_index);
    unsigned long long millijoules = 0;
    const bool told = device && l.energy_mj && l.energy_mj(device, &millijoules) == 0;
    return told ? 1e-3 * static_cast<double>(millijoules) : NAN;
}

} // namespace eb

extern "C" eb_gpu_now eb_cuda_now(int device)
{
    eb::library &l = eb::nvml();
    eb::nvml_device handle = eb::device_of(l, device);
    eb_gpu_now now{eb::sm_clock(l, handle), NAN, NAN, NAN};
    unsigned milliwatts = 0, celsius = 0;
    eb::nvml_utilization use{};
    if (handle && l.power_mw && l.power_mw(handle, &milliwatts) == 0)
        now.power_w = 1e-3 * milliwatts;
    if (handle && l.temperature && l.temperature(handle, eb::nvml_temperature_gpu, &celsius) == 0)
        now.temperature_c = celsius;
    if (handle && l.utilization && l.utilization(handle, &use) == 0)
        now.busy = 0.01 * use.gpu;
    return now;
}

extern "C" eb_gpu_memory eb_cuda_memory_now(int device)
{
    eb::library &l = eb::nvml();
    eb::nvml_device handle = eb::device_of(l, device);
    eb::nvml_memory memory{};
    if (!handle || !l.memory || l.memory(handle, &memory) != 0)
        return {NAN, NAN};
    return {static_cast<double>(memory.used), static_cast<double>(memory.all)};
}
