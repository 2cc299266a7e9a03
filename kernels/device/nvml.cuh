/* nvml: clock, power, energy and throttle reasons of a GPU, through the driver's management library when it is there.
 *
 * The library is loaded on first use, so the program runs without it; then every value is unknown (NAN, no reasons).
 * The functions and constants used are declared in nvml.cu from the library's stable C interface. Source of the values:
 * "nvml".
 */
#pragma once

#include <cstdint>

namespace eb {

/* Each answer takes the library some milliseconds. */
struct gpu_clock {
    double sm_clock_hz;
    uint64_t throttle; /* clock-event reasons, 0: none or unknown */
};

gpu_clock clock_of_gpu(int cuda_index);
double energy_of_gpu(int cuda_index); /* joules since the driver was loaded */

} // namespace eb
