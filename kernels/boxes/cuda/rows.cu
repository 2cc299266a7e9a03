#include "kernels/boxes/cuda/rows.cuh"

#include "kernels/boxes/cuda/fill.cuh"
#include "kernels/rows/delivery.cuh"
#include "kernels/rows/made_rows.cuh"
#include "kernels/sort/sort.cuh"

namespace eb {

namespace {

constexpr const char *building = "building the neighbour table";
constexpr unsigned long long no_row = ~0ull;
enum { longest_row_there, bad_row, states }; /* indices into state_ */

/* places: a multiple of 32, so that all lanes of a warp take part. */
__global__ void degrees_of_rows(const uint32_t *point, const uint32_t *degree, size_t places, size_t row_begin,
                                size_t row_end, unsigned long long *of_row, unsigned long long *longest)
{
    const size_t place = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (place == 0)
        of_row[row_end - row_begin] = 0;
    if (place >= places)
        return;
    const size_t row = point[place];
    const bool wanted = row >= row_begin && row < row_end;
    const uint32_t most = __reduce_max_sync(~0u, wanted ? degree[place] : 0);
    if (wanted)
        of_row[row - row_begin] = degree[place];
    if (threadIdx.x % 32 == 0 && most > *longest) /* *longest may be stale, and is then too low */
        atomicMax(longest, static_cast<unsigned long long>(most));
}

} // namespace

eb_code box_rows::count(eb_status *status)
{
    const size_t places = leaves_.count() * size_t{EB_LEAF};
    sort_room scratch;
    EB_TRY(offset_.reserve(rows() + 1, building, status));
    EB_TRY(state_.reserve(states, building, status));
    EB_CUDA(cudaMemsetAsync(state_.get() + longest_row_there, 0, sizeof no_row, stream_), building);
    EB_CUDA(cudaMemsetAsync(state_.get() + bad_row, 0xff, sizeof no_row, stream_), building);
    unsigned long long *const longest = state_.get() + longest_row_there;
    degrees_of_rows<<<static_cast<unsigned>((places + 255) / 256), 256, 0, stream_>>>(leaves_.view().point,
                                                                                      masks_.degrees(), places,
                                                                                      share_.row_begin, share_.row_end,
                                                                                      offset_.get(), longest);
    EB_CUDA(cudaGetLastError(), building);
    EB_TRY(sum_before(offset_.get(), offset_.get(), rows() + 1, scratch, building, stream_, status));
    EB_CUDA(cudaMemcpyAsync(&longest_, longest, sizeof longest_, cudaMemcpyDeviceToHost, stream_), building);
    EB_CUDA(cudaStreamSynchronize(stream_), building);
    return download_offsets(status);
}

/* Downloads with deliver(), as rows are: the offsets of a million rows are 8 MB. */
eb_code box_rows::download_offsets(eb_status *status)
{
    static_assert(sizeof(unsigned long long) == sizeof(uint64_t));
    offsets_.reset(static_cast<uint64_t *>(eb_pool_take((rows() + 1) * sizeof(uint64_t))));
    if (!offsets_)
        return eb_fail_memory(status, "where rows begin", (rows() + 1) * sizeof(uint64_t));
    delivered_rows all;
    all.arrays.push_back(
        {{offset_.get(), nullptr}, reinterpret_cast<unsigned char *>(offsets_.get()), sizeof(uint64_t)});
    all.begin = {0, rows() + 1};
    all.fresh = eb_pool_is_fresh(offsets_.get());
    all.stream = stream_;
    all.make = [](size_t, eb_status *) { return EB_OK; };
    return deliver(all, context_, status);
}

size_t box_rows::bytes_an_entry(size_t distance_bytes) const
{
    const size_t squared = distance_bytes > 0 ? sizeof(double) : 0;
    return 3 * sizeof(uint32_t) + squared + 2 * distance_bytes + row_sorter::bytes_an_entry(longest_);
}

eb_code box_rows::prepare(uint64_t most, size_t distance_bytes, double unit, eb_status *status)
{
    distance_bytes_ = distance_bytes;
    unit_ = unit;
    column_.release(); /* an earlier, larger try may have left memory allocated */
    squared_.release();
    for (int b = 0; b < 2; b++) {
        column_out_[b].release();
        distance_out_[b].release();
    }
    EB_TRY(filled_.reserve(rows(), building, status));
    EB_TRY(column_.reserve(most, building, status));
    EB_TRY(squared_.reserve(distance_bytes > 0 ? most : 0, building, status));
    for (int b = 0; b < 2; b++) {
        EB_TRY(column_out_[b].reserve(most, building, status));
        EB_TRY(distance_out_[b].reserve(most * distance_bytes, building, status));
    }
    return sorter_.prepare(most, longest_, distance_bytes, status);
}

eb_code box_rows::make(size_t first, size_t end, size_t buffer, eb_status *status)
{
    fill_work fill{};
    fill.leaves = leaves_.view();
    fill.row_begin = share_.row_begin + first;
    fill.row_end = share_.row_begin + end;
    fill.offset = offset_.get() + first;
    fill.filled = filled_.get();
    fill.column = column_.get();
    fill.squared = squared_.get();
    fill.bad = state_.get() + bad_row;
    fill.bad_base = fill.row_begin;
    EB_CUDA(cudaMemsetAsync(filled_.get(), 0, (end - first) * sizeof(uint32_t), stream_), building);
    EB_TRY(masks_.visit(0, masks_.pairs(), masks_.pairs(), stream_, status, [&](const list_part &part) {
        fill.pair = part.pair;
        fill.mask = part.mask;
        fill.pairs = part.count;
        return fill_entries(fill, stream_, status);
    }));
    unsorted_rows rows{};
    rows.offset = fill.offset;
    rows.filled = filled_.get();
    rows.rows = static_cast<uint32_t>(end - first);
    rows.columns = static_cast<uint32_t>(points_);
    rows.column = column_.get();
    rows.squared = squared_.get();
    rows.unit = unit_;
    rows.distance_bytes = distance_bytes_;
    rows.column_out = column_out_[buffer].get();
    rows.distance_out = distance_out_[buffer].get();
    rows.bad = state_.get() + bad_row;
    rows.bad_base = fill.row_begin;
    EB_TRY(sorter_.sort(rows, offsets() + first, stream_, status));
    advanced_(static_cast<double>(end) / static_cast<double>(this->rows()));
    return EB_OK;
}

eb_code box_rows::check(eb_status *status)
{
    unsigned long long bad = no_row;
    EB_CUDA(cudaMemcpyAsync(&bad, state_.get() + bad_row, sizeof bad, cudaMemcpyDeviceToHost, stream_), building);
    EB_CUDA(cudaStreamSynchronize(stream_), building);
    if (bad == no_row)
        return EB_OK;
    return eb_fail(status, EB_INTERNAL,
                   "the engine's row %llu is not ascending, or not of as many entries as were counted", bad);
}

} // namespace eb
