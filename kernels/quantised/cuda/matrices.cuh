/* matrices: the little linear algebra of principal axes, FP64 on the device. Rows of a matrix are all of one length.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* out[r][c] = ⟨a[r], b[c]⟩, c < columns, by ted's tiles: rows of a come in whole ones, of b in halves; columns: even.
 */
eb_code multiply(const double *a, size_t rows, const double *b, size_t length, size_t columns, double *out,
                 cudaStream_t stream, eb_status *status);

/* out[k][r] = in[r][k], values not beyond `most`; zeros where there are no rows. out: columns × length. */
eb_code turn(const double *in, size_t rows, size_t in_length, size_t length, size_t columns, double most, double *out,
             cudaStream_t stream, eb_status *status);

/* From −1 to 1 in the first `columns` of the first `count` rows, else 0. */
eb_code fill_at_random(size_t count, size_t columns, size_t rows, size_t length, double *out, cudaStream_t stream,
                       eb_status *status);

/* The cosine transform's matrix, count × count of length × length, neighbouring frequencies far apart; else 0. */
eb_code fill_with_cosines(size_t count, size_t length, double *out, cudaStream_t stream, eb_status *status);

/* sums[0]: the trace, sums[1]: all squares, of d × d. */
eb_code sum_matrix(const double *square, size_t d, size_t length, double sums[2], cudaStream_t stream,
                   eb_status *status);

/* Adds to the diagonal, so that no vector vanishes in it. */
eb_code steady(double *square, size_t d, size_t length, double more, cudaStream_t stream, eb_status *status);

/* Gram and Schmidt's way, as it is stable: one vector after the other is taken out of all that follow. */
eb_code orthogonalise(double *vectors, size_t count, size_t length, cudaStream_t stream, eb_status *status);

eb_code divide(double *values, size_t count, double by, cudaStream_t stream, eb_status *status);

} // namespace eb
