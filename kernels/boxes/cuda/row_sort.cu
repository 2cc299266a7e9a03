#include "kernels/boxes/cuda/row_sort.cuh"

#include <vector>

namespace eb {

namespace {

constexpr const char *sorting = "sorting rows";
constexpr uint32_t longest_in_warp = 512, place_bits = 9, block_place_bits = 12;
constexpr unsigned sorting_warps = 8, block_threads = 512, sorting_blocks = 264;
static_assert(longest_in_warp == 1u << place_bits && longest_in_block == 1u << block_place_bits);

/* Writes the distance as the host's eb_distance_of computes it, bit for bit; no s is negative. unit 0: s itself. */
__device__ void write_distance(const unsorted_rows &w, uint64_t at, double s)
{
    const double distance = w.unit == 0 ? s : __dmul_rn(w.unit, __dsqrt_rn(s));
    if (w.distance_bytes == sizeof(float))
        static_cast<float *>(w.distance_out)[at] = __double2float_rn(distance);
    else
        static_cast<double *>(w.distance_out)[at] = distance;
}

__device__ void report(const unsorted_rows &w, uint32_t row)
{
    atomicMin(w.bad, static_cast<unsigned long long>(w.bad_base + row));
}

/* Sorts a warp's keys. Element r · 32 + lane is this lane's v[r]. */
template <class key, int each> __device__ __forceinline__ void sort_warp(key (&v)[each], uint32_t lane)
{
#pragma unroll
    for (uint32_t run = 2; run <= 32 * each; run *= 2) {
#pragma unroll
        for (uint32_t step = run / 2; step > 0; step /= 2) {
#pragma unroll
            for (uint32_t r = 0; r < each; r++) {
                const bool ascending = ((r * 32 + lane) & run) == 0;
                if (step < 32) {
                    const key other = __shfl_xor_sync(~0u, v[r], step);
                    v[r] = ((lane & step) == 0) == ascending ? min(v[r], other) : max(v[r], other);
                } else if ((r & (step / 32)) == 0) {
                    const key low = min(v[r], v[r + step / 32]), high = max(v[r], v[r + step / 32]);
                    v[r] = ascending ? low : high;
                    v[r + step / 32] = ascending ? high : low;
                }
            }
        }
    }
}

template <class key, int each>
__device__ void sort_in_warp(const unsorted_rows &w, uint32_t row, uint64_t begin, uint32_t length)
{
    const uint32_t lane = threadIdx.x % 32;
    key v[each];
    bool fine = true;
#pragma unroll
    for (uint32_t r = 0; r < each; r++) {
        const uint32_t x = r * 32 + lane;
        v[r] = x < length ? static_cast<key>(w.column[begin + x]) << place_bits | x : ~key{0};
    }
    sort_warp(v, lane);
    key last = 0;
#pragma unroll
    for (uint32_t r = 0; r < each; r++) {
        const uint32_t x = r * 32 + lane;
        const key mine = v[r] >> place_bits, above = __shfl_up_sync(~0u, mine, 1), before = lane == 0 ? last : above;
        last = __shfl_sync(~0u, mine, 31);
        if (x >= length)
            continue;
        fine &= mine < w.columns && (x == 0 || before < mine);
        w.column_out[begin + x] = static_cast<uint32_t>(mine);
        if (w.squared)
            write_distance(w, begin + x, w.squared[begin + (v[r] & (longest_in_warp - 1))]);
    }
    if (!__all_sync(~0u, fine) && lane == 0)
        report(w, row);
}

template <class key>
__global__ void __launch_bounds__(sorting_warps * 32) sort_short(const unsorted_rows w, uint32_t *medium)
{
    const uint32_t row = blockIdx.x * sorting_warps + threadIdx.x / 32;
    if (row >= w.rows)
        return;
    const uint64_t begin = w.offset[row] - w.offset[0], length = w.offset[row + 1] - w.offset[row];
    const uint32_t short_length = static_cast<uint32_t>(length);
    if (threadIdx.x % 32 == 0 && w.filled[row] != length)
        report(w, row);
    if (length > longest_in_warp) {
        if (length <= longest_in_block && threadIdx.x % 32 == 0)
            medium[1 + atomicAdd(medium, 1u)] = row;
    } else if (length > 256) {
        sort_in_warp<key, 16>(w, row, begin, short_length);
    } else if (length > 128) {
        sort_in_warp<key, 8>(w, row, begin, short_length);
    } else if (length > 64) {
        sort_in_warp<key, 4>(w, row, begin, short_length);
    } else if (length > 32) {
        sort_in_warp<key, 2>(w, row, begin, short_length);
    } else {
        sort_in_warp<key, 1>(w, row, begin, short_length);
    }
}

__device__ void sort_block(unsigned long long *key, uint32_t count)
{
    for (uint32_t run = 2; run <= count; run *= 2)
        for (uint32_t step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            for (uint32_t t = threadIdx.x; t < count / 2; t += block_threads) {
                const uint32_t low = 2 * t - (t & (step - 1)), high = low + step;
                const unsigned long long x = key[low], y = key[high];
                if ((x > y) == ((low & run) == 0)) {
                    key[low] = y;
                    key[high] = x;
                }
            }
        }
    __syncthreads();
}

__global__ void __launch_bounds__(block_threads) sort_medium(const unsorted_rows w, const uint32_t *medium)
{
    __shared__ unsigned long long key[longest_in_block];
    for (uint32_t m = blockIdx.x; m < medium[0]; m += gridDim.x) {
        const uint32_t row = medium[1 + m];
        const uint64_t begin = w.offset[row] - w.offset[0];
        const uint32_t length = static_cast<uint32_t>(w.offset[row + 1] - w.offset[row]);
        uint32_t count = 2 * longest_in_warp;
        while (count < length)
            count *= 2;
        for (uint32_t x = threadIdx.x; x < count; x += block_threads)
            key[x] = x < length ? static_cast<unsigned long long>(w.column[begin + x]) << block_place_bits | x : ~0ull;
        sort_block(key, count);
        for (uint32_t x = threadIdx.x; x < length; x += block_threads) {
            const unsigned long long column = key[x] >> block_place_bits;
            if (column >= w.columns || (x > 0 && key[x - 1] >> block_place_bits >= column))
                report(w, row);
            w.column_out[begin + x] = static_cast<uint32_t>(column);
            if (w.squared)
                write_distance(w, begin + x, w.squared[begin + (key[x] & (longest_in_block - 1))]);
        }
        __syncthreads();
    }
}

/* Checks each sorted long row and writes its distances. */
__global__ void finish_long(const unsorted_rows w, const uint64_t *begin, const uint64_t *end, const uint32_t *row,
                            const double *squared)
{
    const uint32_t segment = blockIdx.y;
    for (uint64_t x = begin[segment] + blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x; x < end[segment];
         x += gridDim.x * static_cast<uint64_t>(blockDim.x)) {
        const uint32_t column = w.column_out[x];
        if (column >= w.columns || (x > begin[segment] && w.column_out[x - 1] >= column))
            report(w, row[segment]);
        if (w.squared)
            write_distance(w, x, squared[x]);
    }
}

} // namespace

eb_code row_sorter::prepare(uint64_t most, uint64_t longest, size_t distance_bytes, eb_status *status)
{
    const bool long_ones = longest > longest_in_block;
    longest_ = longest;
    squared_.release();
    EB_TRY(medium_.reserve(2 + most / longest_in_warp, sorting, status));
    return squared_.reserve(long_ones && distance_bytes > 0 ? most : 0, sorting, status);
}

eb_code row_sorter::sort(const unsorted_rows &rows, const uint64_t *begins, cudaStream_t stream, eb_status *status)
{
    const unsigned blocks = (rows.rows + sorting_warps - 1) / sorting_warps;
    const bool narrow = rows.columns < 1u << (32 - place_bits); /* so that no key equals that of an empty place */
    EB_CUDA(cudaMemsetAsync(medium_.get(), 0, sizeof(uint32_t), stream), sorting);
    if (narrow)
        sort_short<uint32_t><<<blocks, sorting_warps * 32, 0, stream>>>(rows, medium_.get());
    else
        sort_short<unsigned long long><<<blocks, sorting_warps * 32, 0, stream>>>(rows, medium_.get());
    if (longest_ > longest_in_warp)
        sort_medium<<<sorting_blocks, block_threads, 0, stream>>>(rows, medium_.get());
    EB_CUDA(cudaGetLastError(), sorting);
    return longest_ > longest_in_block ? sort_long(rows, begins, stream, status) : EB_OK;
}

eb_code row_sorter::sort_long(const unsorted_rows &rows, const uint64_t *begins, cudaStream_t stream, eb_status *status)
{
    std::vector<uint64_t> edge; /* the long rows' begins, then their ends, then their numbers */
    std::vector<uint32_t> which;
    for (uint32_t r = 0; r < rows.rows; r++)
        if (begins[r + 1] - begins[r] > longest_in_block)
            which.push_back(r);
    if (which.empty())
        return EB_OK;
    const size_t count = which.size();
    for (uint32_t r : which)
        edge.push_back(begins[r] - begins[0]);
    for (uint32_t r : which)
        edge.push_back(begins[r + 1] - begins[0]);
    edge.resize(2 * count + (count + 1) / 2);
    std::copy(which.begin(), which.end(), reinterpret_cast<uint32_t *>(edge.data() + 2 * count));
    EB_TRY(begin_.reserve(edge.size(), sorting, status));
    EB_CUDA(cudaMemcpyAsync(begin_.get(), edge.data(), edge.size() * sizeof edge[0], cudaMemcpyHostToDevice, stream),
            sorting);
    const uint64_t *const begin = begin_.get(), *const end = begin + count;
    EB_TRY(sort_segments(rows.column, rows.column_out, rows.squared, squared_.get(), begins[rows.rows] - begins[0],
                         begin, end, count, scratch_, sorting, stream, status));
    for (size_t first = 0; first < count; first += 32768) {
        const size_t some = count - first < 32768 ? count - first : 32768;
        finish_long<<<dim3(8, static_cast<unsigned>(some)), 256, 0, stream>>>(
            rows, begin + first, end + first, reinterpret_cast<const uint32_t *>(end + count) + first, squared_.get());
    }
    EB_CUDA(cudaGetLastError(), sorting);
    return EB_OK;
}

} // namespace eb
