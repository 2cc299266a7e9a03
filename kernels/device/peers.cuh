/* peers: several GPUs of one host that read each other's memory. */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* Lets a device read the memory pool of another, over NVLink or the bus; where it can't, copies between them go through
 * the host. Cheap if it was done before. */
void open_to_peer(int owner, int reader);

/* Copies between devices, or within one. */
eb_code copy_from_peer(void *to, int device, const void *from, int owner, size_t bytes, const char *what,
                       cudaStream_t stream, eb_status *status);

} // namespace eb
