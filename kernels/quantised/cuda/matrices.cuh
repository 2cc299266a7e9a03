/* matrices: the linear algebra that principal axes need, in FP64 on the device. Matrices are row-major. */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* out[r][c] = ⟨a[r], b[c]⟩, c < columns, by ted's tiles: a has whole tiles of rows, b whole half tiles; columns is
 * even.
 */
eb_code multiply(const double *a, size_t rows, const double *b, size_t length, size_t columns, double *out,
                 cudaStream_t stream, eb_status *status);

/* Transposes: out[k][r] = in[r][k], clamped to ±most; zeros where `in` has no element. out: columns × length. */
eb_code turn(const double *in, size_t rows, size_t in_length, size_t length, size_t columns, double most, double *out,
             cudaStream_t stream, eb_status *status);

/* Writes random numbers from −1 to 1 in the first `columns` columns of the first `count` rows, zeros elsewhere. */
eb_code fill_at_random(size_t count, size_t columns, size_t rows, size_t length, double *out, cudaStream_t stream,
                       eb_status *status);

/* Writes the cosine transform's count × count matrix, with consecutive frequencies far apart; zeros elsewhere in
 * length × length. */
eb_code fill_with_cosines(size_t count, size_t length, double *out, cudaStream_t stream, eb_status *status);

/* sums[0]: the trace, sums[1]: the sum of squares of a d × d matrix. */
eb_code sum_matrix(const double *square, size_t d, size_t length, double sums[2], cudaStream_t stream,
                   eb_status *status);

/* Adds `more` to the diagonal, so that the product with a vector is not 0. */
eb_code steady(double *square, size_t d, size_t length, double more, cudaStream_t stream, eb_status *status);

/* The modified Gram-Schmidt process: each vector's direction is subtracted from all that follow. */
eb_code orthogonalise(double *vectors, size_t count, size_t length, cudaStream_t stream, eb_status *status);

eb_code divide(double *values, size_t count, double by, cudaStream_t stream, eb_status *status);

} // namespace eb
