/* upload: points on the device: copied as stored, converted there, padded with zeros to whole tiles and slices.
 */
#ifndef EB_KERNELS_TILED_UPLOAD_CUH
#define EB_KERNELS_TILED_UPLOAD_CUH

#include <cuda_fp16.h>

#include "kernels/device/gpu.cuh"

namespace eb {

/* Rows [first, first + count) of ds into points: n_padded × d_padded. Adds to timing's upload_s and convert_s. An FP16
 * value that overflows is EB_BAD_VALUE with its row and column. */
eb_code upload_points(const eb_dataset *ds, size_t first, size_t count, size_t n_padded, size_t d_padded,
                      __half *points, cudaStream_t stream, eb_job *job, eb_timing *timing, eb_status *status);
eb_code upload_points(const eb_dataset *ds, size_t first, size_t count, size_t n_padded, size_t d_padded,
                      double *points, cudaStream_t stream, eb_job *job, eb_timing *timing, eb_status *status);

} // namespace eb

#endif
