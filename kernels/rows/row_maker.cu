#include "kernels/rows/row_maker.cuh"

#include "kernels/sort/cub.cuh"

#include <cub/block/block_scan.cuh>

namespace eb {

namespace {

constexpr const char *building = "building the neighbour table";
constexpr int threads = 256, pairs_a_thread = 4;
constexpr unsigned long long no_row = ~0ull;

enum state { gathered, bad_row, states };
enum fault { twice, beyond, miscounted, faults }; /* bad_row: row · faults + fault, the smallest found */

int bits_for(uint64_t values) /* bits for the numbers 0 … values − 1 */
{
    int bits = 1;
    while (bits < 63 && (uint64_t{1} << bits) < values)
        bits++;
    return bits;
}

unsigned blocks_for(uint64_t items, uint64_t a_block = threads)
{
    return static_cast<unsigned>((items + a_block - 1) / a_block);
}

__device__ uint64_t thread_number() { return blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x; }

__global__ void begin_degrees(uint64_t rows, unsigned long long selves, unsigned long long *degree)
{
    const uint64_t r = thread_number();
    if (r <= rows)
        degree[r] = r < rows ? selves : 0;
}

__global__ void count_degrees(const uint2 *pair, uint64_t hits, pairs_meaning m, unsigned long long *degree)
{
    const uint64_t x = thread_number();
    if (x >= hits)
        return;
    const uint2 p = points_of(m, pair[x]);
    if (is_wanted(m, p.x))
        atomicAdd(degree + (p.x - m.row_begin), 1ull);
    if (m.mirrored && is_wanted(m, p.y))
        atomicAdd(degree + (p.y - m.row_begin), 1ull);
}

/* An entry's key: its row, counted from the range's first, then its column. */
__device__ uint64_t key_of(const pairs_meaning &m, int column_bits, uint64_t row, uint64_t column)
{
    return (row - m.row_begin) << column_bits | column;
}

/* Writes the keys of the ends in the range. A block reserves room for all its entries with one atomic, because atomics
 * on a single counter queue up. m: with the range's rows. room: the number counted; check_gathered reports more. */
template <class T>
__global__ void __launch_bounds__(threads)
    gather_ends(const uint2 *pair, const T *squared, uint64_t hits, pairs_meaning m, int column_bits, uint64_t room,
                uint64_t *key, T *value, unsigned long long *count)
{
    using block_scan = cub::BlockScan<uint32_t, threads>;
    __shared__ typename block_scan::TempStorage scratch;
    __shared__ unsigned long long begin;
    const uint64_t first = blockIdx.x * static_cast<uint64_t>(threads * pairs_a_thread) + threadIdx.x;
    uint2 points[pairs_a_thread];
    uint32_t mine = 0, before, all;
#pragma unroll
    for (int k = 0; k < pairs_a_thread; k++) {
        const uint64_t x = first + k * threads;
        points[k] = x < hits ? points_of(m, pair[x]) : make_uint2(~0u, ~0u); /* no point has this number */
        mine += wanted_ends(m, points[k]);
    }
    block_scan(scratch).ExclusiveSum(mine, before, all);
    if (all == 0)
        return;
    if (threadIdx.x == 0)
        begin = atomicAdd(count, static_cast<unsigned long long>(all));
    __syncthreads();
    uint64_t at = begin + before;
#pragma unroll
    for (int k = 0; k < pairs_a_thread; k++) {
        const uint2 p = points[k];
        if (wanted_ends(m, p) == 0)
            continue;
        const T s = value ? squared[first + k * threads] : T{};
        auto put = [&](uint32_t row, uint32_t column) {
            if (at < room) {
                key[at] = key_of(m, column_bits, row, column);
                if (value)
                    value[at] = s;
            }
            at++;
        };
        if (is_wanted(m, p.x))
            put(p.x, p.y);
        if (m.mirrored && is_wanted(m, p.y))
            put(p.y, p.x);
    }
}

template <class T> __global__ void put_selves(pairs_meaning m, int column_bits, uint64_t *key, T *value)
{
    const uint64_t row = m.row_begin + thread_number();
    if (row >= m.row_end)
        return;
    key[row - m.row_begin] = key_of(m, column_bits, row, row);
    if (value)
        value[row - m.row_begin] = 0;
}

/* Checks entry x against the row's counted place and the previous entry; returns `faults` if it is correct. offset: of
 * the range's first row. */
__device__ unsigned fault_of(const uint64_t *key, uint64_t x, uint64_t row, uint64_t column, const pairs_meaning &m,
                             const unsigned long long *offset)
{
    if (row >= m.row_end - m.row_begin || x < offset[row] - offset[0] || x >= offset[row + 1] - offset[0])
        return miscounted;
    if (column >= m.columns)
        return beyond;
    return x > 0 && key[x - 1] >= key[x] ? twice : faults;
}

/* eb_distance_of of the host, bit for bit; unit 0: s itself. */
__device__ double distance_of(double s, double unit)
{
    if (unit == 0)
        return s;
    return s < 0 ? 0 : __dmul_rn(unit, __dsqrt_rn(s));
}

template <class T> struct written_rows {
    const uint64_t *key;
    const T *squared;
    const unsigned long long *offset; /* of the range's first row */
    uint64_t entries;
    int column_bits;
    double unit;
    size_t distance_bytes;
    uint32_t *column;
    void *distance;
    unsigned long long *bad;
};

template <class T> __global__ void write_rows(written_rows<T> w, pairs_meaning m)
{
    const uint64_t x = thread_number();
    if (x >= w.entries)
        return;
    const uint64_t row = w.key[x] >> w.column_bits, column = w.key[x] & ((uint64_t{1} << w.column_bits) - 1);
    const unsigned fault = fault_of(w.key, x, row, column, m, w.offset);
    if (fault != faults)
        atomicMin(w.bad, (m.row_begin + row) * static_cast<unsigned long long>(faults) + fault);
    w.column[x] = static_cast<uint32_t>(column);
    if (w.distance_bytes == 0)
        return;
    const double distance = distance_of(__dmul_rn(static_cast<double>(w.squared[x]), m.scale), w.unit);
    if (w.distance_bytes == sizeof(float))
        static_cast<float *>(w.distance)[x] = __double2float_rn(distance);
    else
        static_cast<double *>(w.distance)[x] = distance;
}

/* Checks that the range has as many keys as were counted. */
__global__ void check_gathered(const unsigned long long *count, uint64_t expected, uint64_t row,
                               unsigned long long *bad)
{
    if (*count != expected)
        atomicMin(bad, row * static_cast<unsigned long long>(faults) + miscounted);
}

} // namespace

template <class T> eb_code row_maker<T>::count(eb_status *status)
{
    const uint64_t found = hits_.held();
    sort_room scratch;
    EB_TRY(offset_.reserve(rows() + 1, building, status));
    EB_TRY(state_.reserve(states, building, status));
    begin_degrees<<<blocks_for(rows() + 1), threads, 0, stream_>>>(rows(), meaning_.self ? 1 : 0, offset_.get());
    if (found > 0)
        count_degrees<<<blocks_for(found), threads, 0, stream_>>>(hits_.buffer().pair, found, meaning_, offset_.get());
    EB_CUDA(cudaGetLastError(), building);
    EB_TRY(sum_before(offset_.get(), offset_.get(), rows() + 1, scratch, building, stream_, status));
    EB_CUDA(cudaMemsetAsync(state_.get() + bad_row, 0xff, sizeof no_row, stream_), building);
    offsets_.reset(new uint64_t[rows() + 1]);
    EB_CUDA(cudaMemcpyAsync(offsets_.get(), offset_.get(), (rows() + 1) * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                            stream_),
            building);
    EB_CUDA(cudaStreamSynchronize(stream_), building);
    longest_ = 0;
    for (size_t r = 0; r < rows(); r++)
        longest_ = offsets_[r + 1] - offsets_[r] > longest_ ? offsets_[r + 1] - offsets_[r] : longest_;
    return EB_OK;
}

template <class T> eb_code row_maker<T>::prepare(uint64_t most, size_t distance_bytes, double unit, eb_status *status)
{
    distance_bytes_ = distance_bytes;
    unit_ = unit;
    for (int b = 0; b < 2; b++) { /* buffers of an earlier, larger try would leave less room */
        key_[b].release();
        squared_[b].release();
        column_[b].release();
        distance_[b].release();
    }
    for (int b = 0; b < 2; b++) {
        EB_TRY(key_[b].reserve(most, building, status));
        EB_TRY(squared_[b].reserve(distance_bytes > 0 ? most : 0, building, status));
        EB_TRY(column_[b].reserve(most, building, status));
        EB_TRY(distance_[b].reserve(most * distance_bytes, building, status));
    }
    return reserve_between(sorted_arrays(), most, scratch_, building, status);
}

template <class T> between_arrays row_maker<T>::sorted_arrays() const
{
    return {{key_[0].get(), key_[1].get()},
            {squared_[0].get(), squared_[1].get()},
            distance_bytes_ > 0 ? sizeof(T) : 0};
}

template <class T> eb_code row_maker<T>::make(size_t first, size_t end, size_t buffer, eb_status *status)
{
    const uint64_t entries = offsets_[end] - offsets_[first], selves = meaning_.self ? end - first : 0;
    const uint64_t found = hits_.held(), ends = entries - selves;
    const int column_bits = bits_for(meaning_.columns);
    const hit_buffer<T> pairs = hits_.buffer();
    pairs_meaning range = meaning_;
    range.row_begin = meaning_.row_begin + first;
    range.row_end = meaning_.row_begin + end;
    unsigned long long *const count = state_.get() + gathered, *const bad = state_.get() + bad_row;
    T *const value = distance_bytes_ > 0 ? squared_[0].get() : nullptr;
    EB_CUDA(cudaMemsetAsync(count, 0, sizeof *count, stream_), building);
    if (found > 0)
        gather_ends<T><<<blocks_for(found, threads * pairs_a_thread), threads, 0, stream_>>>(pairs.pair, pairs.squared,
                                                                                             found, range, column_bits,
                                                                                             ends, key_[0].get(), value,
                                                                                             count);
    check_gathered<<<1, 1, 0, stream_>>>(count, ends, range.row_begin, bad);
    if (selves > 0)
        put_selves<T><<<blocks_for(selves), threads, 0, stream_>>>(range, column_bits, key_[0].get() + ends,
                                                                   value ? value + ends : nullptr);
    EB_CUDA(cudaGetLastError(), building);
    EB_TRY(sort_between(sorted_arrays(), entries, column_bits + bits_for(end - first), &current_, scratch_, building,
                        stream_, status));
    write_rows<T><<<blocks_for(entries), threads, 0, stream_>>>({key_[current_].get(), squared_[current_].get(),
                                                                 offset_.get() + first, entries, column_bits, unit_,
                                                                 distance_bytes_, column_[buffer].get(),
                                                                 distance_[buffer].get(), bad},
                                                                range);
    EB_CUDA(cudaGetLastError(), building);
    return EB_OK;
}

template <class T> eb_code row_maker<T>::check(eb_status *status)
{
    static const char *const words[] = {"not ascending: a pair comes twice", "with a column beyond the points",
                                        "not of as many entries as were counted"};
    unsigned long long bad = no_row;
    EB_CUDA(cudaMemcpyAsync(&bad, state_.get() + bad_row, sizeof bad, cudaMemcpyDeviceToHost, stream_), building);
    EB_CUDA(cudaStreamSynchronize(stream_), building);
    if (bad == no_row)
        return EB_OK;
    return eb_fail(status, EB_INTERNAL, "the engine's row %llu is %s", bad / faults, words[bad % faults]);
}

template class row_maker<float>;
template class row_maker<double>;
template class row_maker<uint32_t>;

} // namespace eb
