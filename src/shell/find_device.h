/* find_device: the device, or the team of devices, that a name means on this machine. */
#pragma once

#include "core/engine/device.h"

#define EB_MOST_CUDA_DEVICES 64

/* "cpu", "cuda:0", "cuda:0,1", "cuda:all" (core/engine/device.h); measured limits are not looked up. EB_USAGE for other
 * texts, EB_NO_DEVICE with the reason if there is no such device or a team's have different architectures. */
eb_code eb_device_find(const char *name, eb_device *out, eb_status *status);
