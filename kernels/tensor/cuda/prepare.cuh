/* prepare: prepares points for the tensor cores in a rung's number type, on the device: in the frame (cpu/frame.h),
 * rounded (cpu/round.h), as operands in the order in which kernels multiply them, with their norms (cpu/distance.h).
 * All bits are those of the CPU's preparation.
 *
 * A row holds the operands of a point. Floating-point types: the chain (cpu/points.h), section after section, FP8 in
 * its stored order on every path. S8: the levels; with two slices three runs of them, [upper | upper | lower], each
 * padded to whole slices of 128 bytes. FP64: the coordinates. If pairs multiply different parts, the columns of a
 * product have rows of their own: crossed sections with exchanged halves, and S8's runs as [upper | lower | upper].
 *
 *   stored rows ── frame ──▶ y (FP64, a few thousand rows at a time) ── round ──▶ operands
 *                                                                    └─ measure ─▶ norms, one lane a point, k ascending
 */
#pragma once

#include "kernels/tensor/cuda/frame.cuh"
#include "kernels/tensor/cuda/rows.cuh"

namespace eb {

/* True if columns have rows of their own. */
inline bool exchanges(const eb_rung &rung) { return rung.parts > 1; }

/* Where prepared points are written, on the device. */
struct prepared_rows {
    unsigned char *rows, *columns; /* [padded × prepared_row_bytes]; columns nullptr unless the rung exchanges */
    size_t padded;                 /* rows from count on are zeros */
    float *norm;    /* [padded] n of distance.h where steps are FP32, 0 past count; nullptr: not wanted */
    double *square; /* [padded] n of S8 with one step, likewise */
    float *step;    /* [padded] S8 with a step a point, likewise */
};

/* Rows of a set on the device, as stored, packed. */
class stored_chunk {
  public:
    /* *rows: rows [first, first + count), until the next call. They are uploaded unless they are there. */
    eb_code bring(const eb_dataset *from, size_t first, size_t count, const eb_context *context, cudaStream_t stream,
                  const unsigned char **rows, eb_status *status);
    bool holds(const eb_dataset *from, size_t first, size_t count) const
    {
        return from == from_ && first >= first_ && first + count <= first_ + count_;
    }
    void release();

  private:
    const eb_dataset *from_ = nullptr;
    size_t first_ = 0, count_ = 0;
    device_array<unsigned char> rows_;
};

/* Bytes on the device that preparing a set's points needs beside what it writes; at most 320 MB unless a row is longer.
 */
size_t preparing_bytes(const eb_dataset *points);

class point_preparer {
  public:
    /* Finds the frame of the problem's points and, if the rung says so, κ. Passes over the points that the rung does
     * not need are left out: greatest and least of the frame are then 0 and INFINITY. engine: its name, for messages.
     * The arguments must outlive this object. Call once. EB_NO_MEMORY. */
    eb_code begin(const eb_rung *rung, const char *engine, const eb_problem *problem, const eb_context *context,
                  cudaStream_t stream, eb_status *status);

    /* Uploads and prepares rows [first, first + count) of a set, which may be other rows than the problem's. Adds to
     * upload_s, convert_s and norms_s. Waits for the stream. EB_BAD_VALUE with row and column if a coordinate overflows
     * a type that does not saturate; number: the point of each row of the set; nullptr: row k is point k. */
    eb_code load(const eb_dataset *from, const uint32_t *number, size_t first, size_t count, const prepared_rows &to,
                 cudaStream_t stream, eb_status *status);

    const eb_frame &frame() const { return frame_; }
    double unit() const { return unit_; }     /* s = q · unit, as in cpu/state.h */
    double debias() const { return debias_; } /* κ; 0 without debias */

    /* Of all points loaded: coordinates that saturated, points that rounding moved. */
    uint64_t beyond() const { return beyond_; }
    uint64_t moved() const { return moved_; }

    point_preparer() = default;
    point_preparer(const point_preparer &) = delete;
    point_preparer &operator=(const point_preparer &) = delete;
    ~point_preparer() { eb_frame_free(&frame_); }

  private:
    eb_code find_centre(cudaStream_t stream, eb_status *status);
    eb_code find_frame(cudaStream_t stream, eb_status *status);
    eb_code load_batch(const eb_dataset *from, const unsigned char *stored, size_t first, size_t count,
                       const prepared_rows &to, size_t at, cudaStream_t stream, eb_status *status);
    eb_code take_counts(const eb_dataset *from, const uint32_t *number, cudaStream_t stream, eb_status *status);

    const eb_problem *problem_ = nullptr;
    const eb_context *context_ = nullptr;
    const char *engine_ = nullptr;
    eb_frame frame_{};
    double unit_ = 1, debias_ = 0;
    uint64_t beyond_ = 0, moved_ = 0;
    stored_chunk stored_; /* a whole set of the problem that begin() brought, until it is loaded */
    device_frame framer_;
    row_rounder rounder_;
    device_array<double> y_; /* while points are prepared */
    device_array<row_counts> counts_;
};

} // namespace eb
