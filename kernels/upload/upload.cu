#include "kernels/upload/upload.cuh"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/device/pinned.cuh"
#include "kernels/upload/convert.cuh"
#include "kernels/upload/gathering.cuh"

extern "C" {
#include "core/base/clock.h"
#include "core/base/parallel.h"
}

namespace eb {

namespace {

constexpr const char *uploading = "uploading points";

/* A host thread copies some 6 GB/s into its pinned slots; the link transfers 55. So there is one thread for each
 * megabyte of points, up to the number that fills the link: 16 threads were slower than 8 at every size. Each thread
 * has several slices, so that all end at about the same time. */
constexpr size_t most_lanes = 8, lane_bytes = size_t{1} << 20, slices_a_lane = 4, alignment = 256;
constexpr size_t least_slice_bytes = size_t{256} << 10, most_slice_bytes = size_t{4} << 20;

/* Of a team, whose threads' slots together must stay in the host's caches: 4 MiB took 1.3 to 1.5 times as long. */
constexpr size_t most_team_slice_bytes = size_t{1} << 20;

unsigned lanes_for(size_t bytes, unsigned threads)
{
    const size_t wanted = bytes / lane_bytes;
    return static_cast<unsigned>(std::clamp(wanted, size_t{1}, std::min<size_t>(threads, most_lanes)));
}

size_t rows_a_slice(size_t bytes, size_t row_bytes, unsigned lanes, bool team)
{
    const size_t most = team ? most_team_slice_bytes : most_slice_bytes;
    const size_t slice = std::clamp(bytes / (lanes * slices_a_lane), least_slice_bytes, most);
    static_assert(most_slice_bytes <= pinned_slot_bytes);
    return std::max<size_t>(slice / row_bytes, 1);
}

/* Marks rows that are uploaded as stored. */
enum class stored_byte : unsigned char {};

/* An upload of slices of rows by host threads with lanes: packed, copied and converted without waiting for each
 * other. */
template <class point> struct upload_work {
    const eb_dataset *ds;
    size_t first, count, row_bytes, d_padded, slice_rows, slice_bytes;
    point *points;
    int device;
    unsigned char *stored; /* on the device: slice_bytes for each lane, or the rows' destination if they stay stored */
    unsigned long long *first_bad;
    std::vector<borrowed_lane> lane;
    std::vector<size_t> slices;    /* per lane, so far */
    gathering *together = nullptr; /* with the other members of a team; nullptr: alone */
    slice_marks *marks = nullptr;

    upload_work(const eb_dataset *from, unsigned lanes) : ds(from), lane(lanes), slices(lanes) {}
};

void pack_rows(const eb_dataset *ds, size_t first, size_t rows, size_t row_bytes, unsigned char *to)
{
    if (ds->stride == row_bytes) {
        std::memcpy(to, eb_row(ds, first), rows * row_bytes);
        return;
    }
    for (size_t r = 0; r < rows; r++)
        std::memcpy(to + r * row_bytes, eb_row(ds, first + r), row_bytes);
}

template <class point> eb_code upload_slice(upload_work<point> &w, uint64_t task, unsigned thread, eb_status *status)
{
    uint64_t slice = task;
    if (w.together && !w.together->take(task, &slice))
        return EB_OK;
    const size_t begin = slice * w.slice_rows, rows = std::min(w.slice_rows, w.count - begin);
    EB_CUDA(cudaSetDevice(w.device), "choosing the GPU");
    EB_TRY(w.lane[thread].borrow(status));
    pinned_lane &lane = *w.lane[thread];
    const size_t slot = w.slices[thread]++ % pinned_slots;
    constexpr bool stays = std::is_same_v<point, stored_byte>;
    unsigned char *stored = stays ? w.stored + begin * w.row_bytes : w.stored + thread * w.slice_bytes;
    EB_CUDA(cudaEventSynchronize(lane.used[slot]), uploading);
    pack_rows(w.ds, w.first + begin, rows, w.row_bytes, lane.slot[slot]);
    eb_dataset_passed(w.ds, w.first + begin, rows);
    EB_CUDA(cudaMemcpyAsync(stored, lane.slot[slot], rows * w.row_bytes, cudaMemcpyHostToDevice, lane.stream),
            uploading);
    EB_CUDA(cudaEventRecord(lane.used[slot], lane.stream), uploading);
    if constexpr (stays)
        return w.marks ? w.marks->mark(slice, lane.stream, status) : EB_OK;
    else
        return convert_points(w.ds->dtype, stored, w.ds->d, w.d_padded, rows, (w.first + begin) * w.ds->d,
                              w.points + begin * w.d_padded, w.first_bad, lane.stream, status);
}

template <class point> eb_code upload_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    return guarded(status,
                   [&] { return upload_slice(*static_cast<upload_work<point> *>(context), task, thread, status); });
}

/* Waits for the copies, then for conversions still running. */
template <class point> eb_code wait_for_lanes(const upload_work<point> &w, double *uploaded_s, eb_status *status)
{
    for (size_t k = 0; k < w.lane.size(); k++)
        for (size_t slot = 0; slot < pinned_slots && slot < w.slices[k]; slot++)
            EB_CUDA(cudaEventSynchronize(w.lane[k]->used[slot]), uploading);
    *uploaded_s = eb_now_s();
    for (size_t k = 0; k < w.lane.size(); k++)
        if (w.slices[k] > 0)
            EB_CUDA(cudaStreamSynchronize(w.lane[k]->stream), "converting points");
    return EB_OK;
}

template <class point>
eb_code upload_slices(upload_work<point> &w, double *uploaded_s, const eb_context *context, eb_status *status)
{
    const uint64_t slices = (w.count + w.slice_rows - 1) / w.slice_rows;
    EB_TRY(eb_parallel(static_cast<unsigned>(w.lane.size()), slices, upload_task<point>, &w, context->job, status));
    return wait_for_lanes(w, uploaded_s, status);
}

/* The members of a team upload each slice once, and copy the others' from GPU to GPU. */
template <class point>
eb_code upload_together(upload_work<point> &w, size_t row_bytes, unsigned char *to, double *uploaded_s,
                        cudaStream_t stream, const eb_context *context, eb_status *status)
{
    gathering others({context->team, w.ds->rows, w.ds->stride, w.first, w.count, w.ds->d, row_bytes, w.slice_rows},
                     context, to);
    w.together = &others;
    for (bool all = false; !all;) {
        EB_TRY(upload_slices(w, uploaded_s, context, status));
        others.uploaded();
        EB_TRY(others.bring_others(stream, &all, context->figures, status));
    }
    others.leave();
    *uploaded_s = eb_now_s();
    return EB_OK;
}

/* row_bytes, to: of the rows on the device. */
template <class point>
eb_code run_upload(upload_work<point> &w, size_t row_bytes, unsigned char *to, cudaStream_t stream,
                   const eb_context *context, eb_status *status)
{
    constexpr size_t worth_sharing = size_t{8} << 20; /* bytes: a fifth of a millisecond of a link's time */
    const double start_s = eb_now_s();
    double uploaded_s = 0;
    if (context->team && w.count * w.row_bytes >= worth_sharing)
        EB_TRY(upload_together(w, row_bytes, to, &uploaded_s, stream, context, status));
    else
        EB_TRY(upload_slices(w, &uploaded_s, context, status));
    eb_figures_add(context->figures, &eb_figure_upload, uploaded_s - start_s);
    eb_figures_add(context->figures, &eb_figure_convert, eb_now_s() - uploaded_s);
    return EB_OK;
}

template <class point>
upload_work<point> work_for(const eb_dataset *ds, size_t first, size_t count, const eb_context *context)
{
    const size_t row_bytes = ds->d * eb_dtype_size(ds->dtype), bytes = count * row_bytes;
    upload_work<point> work(ds, lanes_for(bytes, context->threads));
    work.first = first;
    work.count = count;
    work.row_bytes = row_bytes;
    const unsigned lanes = static_cast<unsigned>(work.lane.size());
    work.slice_rows = std::min(rows_a_slice(bytes, row_bytes, lanes, context->team != nullptr), count);
    work.device = context->device->index;
    work.slice_bytes = round_up(work.slice_rows * row_bytes, alignment);
    return work;
}

eb_code refuse_overflow(const eb_dataset *ds, const uint32_t *number, unsigned long long at, eb_status *status)
{
    const size_t row = at / ds->d, column = at % ds->d, point = number ? number[row] : row;
    double value = 0;
    eb_to_f64(ds->dtype, eb_row(ds, row) + column * eb_dtype_size(ds->dtype), 1, &value);
    return eb_rounding_refuse(&eb_rounding_fp16, EB_DEVICE_CUDA, point, column, value, status);
}

} // namespace

eb_code upload_rows(const eb_dataset *ds, size_t first, size_t count, unsigned char *rows, cudaStream_t stream,
                    const eb_context *context, slice_marks *marks, eb_status *status)
{
    upload_work<stored_byte> work = work_for<stored_byte>(ds, first, count, context);
    work.stored = rows;
    work.marks = marks;
    if (marks)
        EB_TRY(marks->begin(count, work.slice_rows, status));
    EB_CUDA(cudaStreamSynchronize(stream), uploading); /* the lanes' streams are non-blocking */
    return run_upload(work, work.row_bytes, rows, stream, context, status);
}

template <class T>
eb_code upload_points(const eb_dataset *ds, const uint32_t *number, size_t first, size_t count, size_t n_padded,
                      size_t d_padded, T *points, cudaStream_t stream, const eb_context *context, eb_status *status)
{
    device_array<unsigned char> stored; /* outlives the lanes' copies in flight */
    device_array<unsigned long long> bad;
    upload_work<T> work = work_for<T>(ds, first, count, context);
    work.d_padded = d_padded;
    work.points = points;
    EB_TRY(stored.reserve(work.lane.size() * work.slice_bytes, uploading, status));
    EB_TRY(bad.reserve(1, uploading, status));
    work.stored = stored.get();
    work.first_bad = bad.get();
    EB_CUDA(cudaMemsetAsync(bad.get(), 0xff, sizeof(unsigned long long), stream), uploading);
    EB_CUDA(cudaMemsetAsync(points + count * d_padded, 0, (n_padded - count) * d_padded * sizeof(T), stream),
            "padding points");
    EB_CUDA(cudaStreamSynchronize(stream), uploading); /* the lanes' streams are non-blocking */
    EB_TRY(run_upload(work, d_padded * sizeof(T), reinterpret_cast<unsigned char *>(points), stream, context, status));
    unsigned long long first_bad = 0;
    EB_CUDA(cudaMemcpy(&first_bad, bad.get(), sizeof first_bad, cudaMemcpyDeviceToHost), "converting points");
    return first_bad == ~0ull ? EB_OK : refuse_overflow(ds, number, first_bad, status);
}

template eb_code upload_points(const eb_dataset *, const uint32_t *, size_t, size_t, size_t, size_t, __half *,
                               cudaStream_t, const eb_context *, eb_status *);
template eb_code upload_points(const eb_dataset *, const uint32_t *, size_t, size_t, size_t, size_t, double *,
                               cudaStream_t, const eb_context *, eb_status *);
template eb_code upload_points(const eb_dataset *, const uint32_t *, size_t, size_t, size_t, size_t, unsigned char *,
                               cudaStream_t, const eb_context *, eb_status *);

template <class point>
eb_code staged_rows<point>::expect(const eb_dataset *ds, size_t n_padded, size_t d_padded, point *points,
                                   unsigned char **rows, cudaStream_t stream, eb_status *status)
{
    EB_TRY(rows_.reserve(ds->n * ds->d * eb_dtype_size(ds->dtype), uploading, status));
    EB_TRY(bad_.reserve(1, uploading, status));
    EB_CUDA(cudaMemsetAsync(bad_.get(), 0xff, sizeof(unsigned long long), stream), uploading);
    EB_CUDA(cudaMemsetAsync(points + ds->n * d_padded, 0, (n_padded - ds->n) * d_padded * sizeof(point), stream),
            "padding points");
    *rows = rows_.get();
    return EB_OK;
}

template <class point>
eb_code staged_rows<point>::convert(const eb_dataset *ds, size_t first, size_t count, size_t d_padded, point *points,
                                    cudaStream_t stream, eb_status *status)
{
    const size_t at_once = (size_t{1} << 31) / d_padded, row_bytes = ds->d * eb_dtype_size(ds->dtype);
    unsigned long long bad = 0;
    for (size_t row = first; row < first + count; row += at_once)
        EB_TRY(convert_points(ds->dtype, rows_.get() + row * row_bytes, ds->d, d_padded,
                              std::min(at_once, first + count - row), row * ds->d, points + row * d_padded, bad_.get(),
                              stream, status));
    EB_CUDA(cudaMemcpyAsync(&bad, bad_.get(), sizeof bad, cudaMemcpyDeviceToHost, stream), "converting points");
    EB_CUDA(cudaStreamSynchronize(stream), "converting points");
    if (bad != ~0ull)
        return refuse_overflow(ds, nullptr, bad, status);
    if (first + count == ds->n)
        rows_.release();
    return EB_OK;
}

template class staged_rows<__half>;
template class staged_rows<unsigned char>;

} // namespace eb
