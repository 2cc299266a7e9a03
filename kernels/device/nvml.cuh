/* nvml: clock, throttle reasons and energy of a GPU, from the driver's management library.
 *
 * The library is loaded on first use, so the program runs without it; then every value is unknown (NAN, no reasons).
 * nvml.cu declares the functions and constants of the library's stable C interface that it uses. Source of the values:
 * "nvml".
 */
#pragma once

#include <cstdint>

namespace eb {

/* A call takes some milliseconds. */
struct gpu_clock {
    double sm_clock_hz;
    uint64_t throttle; /* clock-event reasons; 0: none or unknown */
};

gpu_clock clock_of_gpu(int cuda_index);
double energy_of_gpu(int cuda_index); /* joules since the driver was loaded; NAN: unknown */

} // namespace eb
