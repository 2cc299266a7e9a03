#include "kernels/tensor/cuda/prepare.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/upload/upload.cuh"

namespace eb {

namespace {

constexpr const char *preparing = "preparing points";

/* Stored rows on the device at once, and the FP64 coordinates that are prepared at once. */
constexpr size_t chunk_bytes = size_t{256} << 20, batch_bytes = size_t{64} << 20;

/* Rows of a batch: many enough for the lanes, few enough for 2^32 operands. */
size_t batch_rows(size_t d)
{
    return std::clamp(batch_bytes / (d * sizeof(double)), size_t{32}, size_t{1} << 20) / 32 * 32;
}

size_t row_bytes(const eb_dataset *of) { return of->d * eb_dtype_size(of->dtype); }

size_t chunk_rows(const eb_dataset *of) { return std::max(chunk_bytes / row_bytes(of), size_t{1}); }

/* Calls f(at, count) for pieces of [0, all). */
template <class function> eb_code in_pieces(size_t all, size_t most, function f)
{
    for (size_t at = 0; at < all; at += most)
        EB_TRY(f(at, std::min(most, all - at)));
    return EB_OK;
}

/* Calls f(stored rows, at, count) for chunks of rows [first, first + all) of a set. */
template <class function>
eb_code in_chunks(stored_chunk &stored, const eb_dataset *from, size_t first, size_t all, const eb_context *context,
                  cudaStream_t stream, eb_status *status, function f)
{
    return in_pieces(all, chunk_rows(from), [&](size_t at, size_t count) {
        const unsigned char *rows = nullptr;
        EB_TRY(stored.bring(from, first + at, count, context, stream, &rows, status));
        return f(rows, at, count);
    });
}

/* Runs f, and adds the stream's time to a figure. */
template <class function>
eb_code timed(const eb_figure *figure, const eb_context *context, cudaStream_t stream, eb_status *status, function f)
{
    stopwatch watch;
    double seconds = 0;
    EB_TRY(watch.start(stream, status));
    EB_TRY(f());
    EB_TRY(watch.stop(stream, &seconds, status));
    eb_figures_add(context->figures, figure, seconds);
    return EB_OK;
}

double number_of(unsigned long long bits)
{
    double x;
    static_assert(sizeof x == sizeof bits);
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

template <class T> eb_code fetch(const T *from, T *to, size_t count, cudaStream_t stream, eb_status *status)
{
    EB_CUDA(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream), preparing);
    EB_CUDA(cudaStreamSynchronize(stream), preparing);
    return EB_OK;
}

/* One element on the device. */
template <class T> eb_code put(const T &value, device_array<T> &to, cudaStream_t stream, eb_status *status)
{
    EB_TRY(to.reserve(1, preparing, status));
    EB_CUDA(cudaMemcpyAsync(to.get(), &value, sizeof value, cudaMemcpyHostToDevice, stream), preparing);
    EB_CUDA(cudaStreamSynchronize(stream), preparing);
    return EB_OK;
}

} // namespace

size_t preparing_bytes(const eb_dataset *points)
{
    return std::min(chunk_rows(points), points->n) * row_bytes(points) +
           std::min(batch_rows(points->d), points->n) * points->d * sizeof(double);
}

/* ---- stored rows ---- */

eb_code stored_chunk::bring(const eb_dataset *from, size_t first, size_t count, const eb_context *context,
                            cudaStream_t stream, const unsigned char **rows, eb_status *status)
{
    const size_t bytes = row_bytes(from);
    if (!holds(from, first, count)) {
        from_ = nullptr;
        EB_TRY(rows_.reserve(count * bytes, preparing, status));
        EB_TRY(upload_rows(from, first, count, rows_.get(), stream, context, nullptr, status));
        from_ = from;
        first_ = first;
        count_ = count;
    }
    *rows = rows_.get() + (first - first_) * bytes;
    return EB_OK;
}

void stored_chunk::release()
{
    from_ = nullptr;
    rows_.release();
}

/* ---- the frame ---- */

eb_code point_preparer::find_centre(cudaStream_t stream, eb_status *status)
{
    const eb_dataset *points = problem_->right;
    device_array<double> sums;
    EB_TRY(sums.reserve(points->d, preparing, status));
    EB_CUDA(cudaMemsetAsync(sums.get(), 0, points->d * sizeof(double), stream), preparing);
    EB_TRY(in_chunks(stored_, points, 0, points->n, context_, stream, status,
                     [&](const unsigned char *rows, size_t, size_t count) {
                         return timed(&eb_figure_convert, context_, stream, status, [&] {
                             return add_rows(points->dtype, rows, count, points->d, sums.get(), stream, status);
                         });
                     }));
    EB_TRY(fetch(sums.get(), frame_.centre, points->d, stream, status));
    for (size_t k = 0; k < points->d; k++)
        frame_.centre[k] /= static_cast<double>(points->n);
    return EB_OK;
}

/* The sizes of a set's coordinates before scaling. */
static eb_code add_sizes(const eb_dataset *points, const eb_frame &frame, const device_frame &framer,
                         stored_chunk &stored, double *y, frame_sizes *sizes, const eb_context *context,
                         cudaStream_t stream, eb_status *status)
{
    const bool lengths = frame.rung->adder.rounding == EB_SUM_F16;
    const auto take = [&](const unsigned char *rows, size_t count) {
        return in_pieces(count, batch_rows(frame.d), [&](size_t at, size_t here) {
            EB_TRY(framer.apply(points->dtype, rows + at * row_bytes(points), here, false, y, stream, status));
            return take_sizes(y, here, frame.d, lengths, sizes, stream, status);
        });
    };
    return in_chunks(stored, points, 0, points->n, context, stream, status,
                     [&](const unsigned char *rows, size_t, size_t count) {
                         return timed(&eb_figure_convert, context, stream, status, [&] { return take(rows, count); });
                     });
}

eb_code point_preparer::find_frame(cudaStream_t stream, eb_status *status)
{
    const eb_rung &rung = *frame_.rung;
    const bool one_step = rung.number == EB_S8 && !rung.step_a_point, self = eb_is_self_join(problem_);
    frame_sizes found = {0, 0x7ff0000000000000ull, 0};
    if (frame_.centre)
        EB_TRY(find_centre(stream, status));
    EB_TRY(framer_.copy(&frame_, stream, status));
    if (rung.exponent != EB_EXPONENT_NONE || one_step) {
        device_array<frame_sizes> sizes;
        EB_TRY(put(found, sizes, stream, status));
        EB_TRY(y_.reserve(std::min(batch_rows(frame_.d), std::max(problem_->left->n, problem_->right->n)) * frame_.d,
                          preparing, status));
        for (const eb_dataset *points : {problem_->right, problem_->left})
            if (!self || points == problem_->left)
                EB_TRY(add_sizes(points, frame_, framer_, stored_, y_.get(), sizes.get(), context_, stream, status));
        EB_TRY(fetch(sizes.get(), &found, 1, stream, status));
    }
    eb_frame_scale(&frame_, number_of(found.greatest), number_of(found.least), number_of(found.longest));
    return eb_frame_widen(&frame_, problem_->left, self ? nullptr : problem_->right, context_->threads, context_->job,
                          status);
}

eb_code point_preparer::begin(const eb_rung *rung, const char *engine, const eb_problem *problem,
                              const eb_context *context, cudaStream_t stream, eb_status *status)
{
    engine_ = engine;
    problem_ = problem;
    context_ = context;
    frame_.d = problem->left->d;
    frame_.rung = rung;
    if (rung->centred) {
        frame_.centre = static_cast<double *>(std::calloc(frame_.d, sizeof(double)));
        if (!frame_.centre)
            return eb_fail_memory(status, "the mean of the points", frame_.d * sizeof(double));
    }
    EB_TRY(find_frame(stream, status));
    if (rung->debiased)
        EB_TRY(eb_debias_factor(&frame_, problem->right, &debias_, status));
    unit_ = eb_rounding_unit(&frame_);
    y_.release();
    if (!stored_.holds(problem->left, 0, problem->left->n) && !stored_.holds(problem->right, 0, problem->right->n))
        stored_.release();
    return rounder_.begin(&frame_, debias_, stream, status);
}

/* ---- points ---- */

eb_code point_preparer::load_batch(const eb_dataset *from, const unsigned char *stored, size_t first, size_t count,
                                   const prepared_rows &to, size_t at, cudaStream_t stream, eb_status *status)
{
    const eb_rung &rung = *frame_.rung;
    const size_t bytes = prepared_row_bytes(rung, frame_.d);
    const row_measures measures = {to.norm ? to.norm + at : nullptr, to.square ? to.square + at : nullptr,
                                   to.step ? to.step + at : nullptr};
    EB_TRY(timed(&eb_figure_convert, context_, stream, status, [&] {
        EB_TRY(framer_.apply(from->dtype, stored, count, true, y_.get(), stream, status));
        return rounder_.round(y_.get(), count, to.rows + at * bytes, to.columns ? to.columns + at * bytes : nullptr,
                              stream, status);
    }));
    if (rung.number == EB_F64_NUMBER)
        return EB_OK;
    return timed(&eb_figure_norms, context_, stream, status,
                 [&] { return rounder_.measure(y_.get(), count, first, measures, counts_.get(), stream, status); });
}

eb_code point_preparer::take_counts(const eb_dataset *from, const uint32_t *number, cudaStream_t stream,
                                    eb_status *status)
{
    row_counts counts;
    EB_TRY(fetch(counts_.get(), &counts, 1, stream, status));
    beyond_ += counts.beyond;
    moved_ += counts.moved;
    if (counts.first_beyond == ~0ull)
        return EB_OK;
    std::vector<double> y(frame_.d);
    eb_frame_apply(&frame_, from, counts.first_beyond, y.data());
    return eb_round_refuse(&frame_, engine_, from, number ? number[counts.first_beyond] : counts.first_beyond, y.data(),
                           status);
}

/* Zeros for rows [count, padded). */
static eb_code pad_rows(const eb_rung &rung, size_t d, const prepared_rows &to, size_t count, cudaStream_t stream,
                        eb_status *status)
{
    const size_t bytes = prepared_row_bytes(rung, d), rest = to.padded - count;
    const auto clear = [&](void *first, size_t size) {
        return rest > 0 ? cudaMemsetAsync(static_cast<unsigned char *>(first) + count * size, 0, rest * size, stream)
                        : cudaSuccess;
    };
    EB_CUDA(clear(to.rows, bytes), "padding points");
    if (to.columns)
        EB_CUDA(clear(to.columns, bytes), "padding points");
    if (to.norm)
        EB_CUDA(clear(to.norm, sizeof *to.norm), "padding points");
    if (to.square)
        EB_CUDA(clear(to.square, sizeof *to.square), "padding points");
    if (to.step)
        EB_CUDA(clear(to.step, sizeof *to.step), "padding points");
    return EB_OK;
}

eb_code point_preparer::load(const eb_dataset *from, const uint32_t *number, size_t first, size_t count,
                             const prepared_rows &to, cudaStream_t stream, eb_status *status)
{
    const size_t most = batch_rows(frame_.d);
    const bool own = from == problem_->left || from == problem_->right; /* another set may change between calls */
    stored_chunk passing;
    stored_chunk &stored = own && stored_.holds(from, first, count) ? stored_ : passing;
    EB_TRY(put(row_counts{0, 0, ~0ull}, counts_, stream, status));
    EB_TRY(y_.reserve(std::min(most, count) * frame_.d, preparing, status));
    EB_TRY(in_chunks(stored, from, first, count, context_, stream, status,
                     [&](const unsigned char *rows, size_t at, size_t here) {
                         return in_pieces(here, most, [&](size_t next, size_t some) {
                             return load_batch(from, rows + next * row_bytes(from), first + at + next, some, to,
                                               at + next, stream, status);
                         });
                     }));
    EB_TRY(pad_rows(*frame_.rung, frame_.d, to, count, stream, status));
    y_.release();
    if (own && first + count == from->n && stored_.holds(from, 0, from->n))
        stored_.release();
    return take_counts(from, number, stream, status);
}

} // namespace eb
