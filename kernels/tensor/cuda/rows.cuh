/* rows: rounds points of a frame on the device: their operands, and what is measured of them, with the CPU's bits
 * (cpu/round.h, cpu/distance.h).
 *
 * A table says for each place of a row which coordinate stands there, and which of its parts; a thread makes 4 bytes of
 * operands, of 8 for FP64. What is measured is a sum over the coordinates, k ascending: a warp takes 32 points, rounds
 * 32 coordinates of each at a time, and each lane adds those of its own point. Rounding again is cheaper than to store
 * what was rounded.
 */
#pragma once

#include "kernels/tensor/cuda/rounding.cuh"

namespace eb {

/* Bytes of a point's row, padded to whole slices of 128 bytes. */
size_t prepared_row_bytes(const eb_rung &rung, size_t d);

/* Products of numbers for a pair: the row's length without the padding at its end. */
size_t prepared_products(const eb_rung &rung, size_t d);

/* Counts over all points so far, on the device. */
struct row_counts {
    unsigned long long beyond, moved; /* coordinates beyond the type; points that rounding moved */
    unsigned long long first_beyond;  /* first row with a coordinate that overflows; ~0: none */
};

/* Where what is measured of points is written; nullptr: it is not wanted. */
struct row_measures {
    float *norm;
    double *square;
    float *step;
};

class row_rounder {
  public:
    /* κ: debias of distance.h. The frame must outlive this object. Waits for the stream. */
    eb_code begin(const eb_frame *frame, double debias, cudaStream_t stream, eb_status *status);

    /* Writes the rows of y: [count × d], and if columns is not nullptr their columns. */
    eb_code round(const double *y, size_t count, unsigned char *rows, unsigned char *columns, cudaStream_t stream,
                  eb_status *status);

    /* Measures the same points, rounded last; the first is row `first` of its set. Not for FP64. */
    eb_code measure(const double *y, size_t count, size_t first, const row_measures &to, row_counts *counts,
                    cudaStream_t stream, eb_status *status) const;

  private:
    const eb_frame *frame_ = nullptr;
    double debias_ = 0;
    number_rounding rounding_{};
    device_array<uint32_t> table_; /* [places of a row] */
    device_array<float> steps_;
};

} // namespace eb
