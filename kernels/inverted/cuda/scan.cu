#include "kernels/inverted/cuda/scan.cuh"

#include <algorithm>

#include "kernels/inverted/cuda/table.cuh"

namespace eb {
namespace {

/* Loads codes without allocating them in L1, which is left to the books. */
__device__ uint4 load_codes(const uint4 *from)
{
    uint4 codes;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(codes.x), "=r"(codes.y), "=r"(codes.z), "=r"(codes.w)
        : "l"(from));
    return codes;
}

/* ---- sums ---- */

/* A lane's sums for the queries of its block: cleared, then increased by the entry, or word of entries, of each
 * subspace.
 */
template <eb_table_format format, bool f16_sums, unsigned queries> struct lane_sums {
    static constexpr unsigned bytes = queries > 1 ? 4 : sizeof(typename entry_type<format>::type);
    float sum[queries];

    __device__ void clear()
    {
#pragma unroll
        for (unsigned q = 0; q < queries; q++)
            sum[q] = 0;
    }
    __device__ void add(uint32_t entry)
    {
        if constexpr (queries == 1)
            sum[0] = added<format, f16_sums>(sum[0], entry);
        else if constexpr (format == EB_TABLE_F16) {
            sum[0] = added<format, false>(sum[0], entry & 0xffff);
            sum[1] = added<format, false>(sum[1], entry >> 16);
        } else {
            using m = moved<format>;
            constexpr uint32_t mask = 0xffu << m::shift;
            sum[0] = added_moved<format>(sum[0], (entry << m::shift) & mask);
            sum[1] = added_moved<format>(sum[1], (entry << (m::shift - 8)) & mask);
            sum[2] = added_moved<format>(sum[2], (entry << (m::shift - 16)) & mask);
            sum[3] = added_moved<format>(sum[3], (entry >> (24 - m::shift)) & mask);
        }
    }
    __device__ float total(unsigned q) const { return sum[q]; }
};

/* Integer sums, two in a word: 257 entries of at most 255 stay below 2^16, and no block has room for more subspaces. */
template <bool f16_sums> struct lane_sums<EB_TABLE_U8, f16_sums, 4> {
    static constexpr unsigned bytes = 4;
    uint32_t even, odd;

    __device__ void clear() { even = odd = 0; }
    __device__ void add(uint32_t entry)
    {
        even += entry & 0x00ff00ff;
        odd += (entry >> 8) & 0x00ff00ff;
    }
    __device__ float total(unsigned q) const
    {
        return static_cast<float>((q % 2 ? odd : even) >> (q / 2 * 16) & 0xffff);
    }
};

template <bool f16_sums> struct lane_sums<EB_TABLE_U8, f16_sums, 1> {
    static constexpr unsigned bytes = 1;
    uint32_t sum;

    __device__ void clear() { sum = 0; }
    __device__ void add(uint32_t entry) { sum += entry; }
    __device__ float total(unsigned) const { return static_cast<float>(sum); }
};

/* table: the address of the table in shared memory. */
template <class sums> __device__ void sum_point(const file_view &f, uint32_t table, const uint4 *codes, sums &sum)
{
    constexpr unsigned row = EB_BOOK_ENTRIES * sums::bytes;
    const unsigned whole = f.m / codes_at_once, left = f.m % codes_at_once;
    sum.clear();
    uint4 next = load_codes(codes);
    for (unsigned g = 0; g < whole; g++, table += codes_at_once * row) {
        const uint4 now = next;
        if (g + 1 < f.code_groups)
            next = load_codes(codes + (g + 1) * 32);
        const uint32_t word[4] = {now.x, now.y, now.z, now.w};
#pragma unroll
        for (unsigned k = 0; k < codes_at_once; k++)
            sum.add(looked_up<sums::bytes>(table, word[k / 4], k));
    }
    const uint32_t word[4] = {next.x, next.y, next.z, next.w};
#pragma unroll
    for (unsigned k = 0; k < codes_at_once; k++)
        if (k < left)
            sum.add(looked_up<sums::bytes>(table, word[k / 4], k));
}

/* ---- points ---- */

__device__ void write_down(const near_points &out, uint32_t query, bool near, float s, uint32_t row)
{
    const unsigned mask = __ballot_sync(~0u, near), lane = threadIdx.x % 32;
    if (mask == 0)
        return;
    uint32_t first = 0;
    if (lane == 0)
        first = atomicAdd(&out.count[query], __popc(mask));
    first = __shfl_sync(~0u, first, 0);
    const uint32_t at = first + __popc(mask & ((1u << lane) - 1));
    if (near && at < out.room)
        out.key[static_cast<size_t>(query) * out.room + at] = key_of(s, row);
}

/* An item's queries, for the lanes. */
template <unsigned queries> struct lane_queries {
    float unit[queries], offset[queries], limit[queries];
    uint32_t query[queries];

    __device__ explicit lane_queries(const table_room<queries> &room)
    {
#pragma unroll
        for (unsigned q = 0; q < queries; q++) {
            unit[q] = room.unit[q], offset[q] = room.offset[q], limit[q] = room.limit[q];
            query[q] = room.query[q];
        }
    }
};

template <eb_table_format format, bool f16_sums, unsigned queries>
__device__ void scan_list(const scan_task &t, const list_item &item, const table_room<queries> &room)
{
    const file_view &f = t.file;
    const unsigned lane = threadIdx.x % 32, points = min(f.counts[item.list], t.most_points),
                   blocks = (points + 31) / 32;
    const uint64_t first = f.blocks[item.list];
    const uint32_t table = static_cast<uint32_t>(__cvta_generic_to_shared(room.table));
    const lane_queries<queries> to(room);
    lane_sums<format, f16_sums, queries> sum;
    for (unsigned b = threadIdx.x / 32; b < blocks; b += blockDim.x / 32) {
        const uint4 *codes = f.codes + (first + b) * f.code_groups * 32 + lane;
        sum_point(f, table, codes, sum);
        bool any = false;
        float s[queries];
#pragma unroll
        for (unsigned q = 0; q < queries; q++) {
            s[q] = __fadd_rn(to.offset[q], __fmul_rn(to.unit[q], sum.total(q)));
            any |= s[q] <= to.limit[q];
        }
        const bool there = b * 32 + lane < points;
        if (!__any_sync(~0u, there && any))
            continue;
        const uint32_t row = f.rows[(first + b) * 32 + lane];
#pragma unroll
        for (unsigned q = 0; q < queries; q++)
            write_down(t.out, to.query[q], there && s[q] <= to.limit[q], s[q], row);
    }
    if (threadIdx.x == 0)
        atomicAdd(t.lookups, static_cast<unsigned long long>(blocks) * f.m);
}

template <eb_table_format format, unsigned queries> __host__ __device__ constexpr size_t table_bytes(unsigned m)
{
    return size_t{m} * entries * (queries > 1 ? sizeof(uint32_t) : sizeof(typename entry_type<format>::type));
}

template <eb_table_format format, bool f16_sums, unsigned piece, unsigned queries>
__global__ void __launch_bounds__(eb_scan_threads(sizeof(typename entry_type<format>::type), queries),
                                  eb_scan_blocks(sizeof(typename entry_type<format>::type), queries, piece == 0))
    scan_lists(scan_task t)
{
    extern __shared__ __align__(1024) unsigned char shared[]; /* 1024 bytes: a packed subspace's entries */
    const auto room = room_in<queries>(shared, table_bytes<format, queries>(t.file.m), t.file.d, t.file.m);
    const uint32_t count = *t.item_count;
    for (;;) {
        if (threadIdx.x == 0)
            *room.item = atomicAdd(t.next_item, 1u);
        __syncthreads();
        const uint32_t at = *room.item;
        if (at >= count)
            return;
        const list_item item = t.items[at];
        make_tables<format, f16_sums, piece, queries>(t, item, room);
        scan_list<format, f16_sums, queries>(t, item, room);
        __syncthreads();
    }
}

/* ---- choosing the kernel ---- */

template <eb_table_format format, bool f16_sums, unsigned queries>
void take_kernel(const file_view &f, bool pad, scan_shape *out)
{
    const size_t table = table_bytes<format, queries>(f.m), all = pad ? table_bytes<EB_TABLE_F32, 1>(f.m) : table;
    out->kernel = f.piece == 2 ? scan_lists<format, f16_sums, 2, queries> : scan_lists<format, f16_sums, 0, queries>;
    out->threads = eb_scan_threads(sizeof(typename entry_type<format>::type), queries);
    out->side_by_side = queries;
    out->shared_bytes = std::max(table, all) + eb_scan_room(f.d, f.m, queries) * sizeof(float);
}

template <eb_table_format format, unsigned packed_queries>
void take_format(const eb_inverted_question &q, bool packed, const file_view &f, scan_shape *out)
{
    if (packed)
        take_kernel<format, false, packed_queries>(f, q.pad, out);
    else if (q.f16_sums && format != EB_TABLE_U8)
        take_kernel<format, format != EB_TABLE_U8, 1>(f, q.pad, out);
    else
        take_kernel<format, false, 1>(f, q.pad, out);
}

/* ---- keeping the nearest ---- */

constexpr unsigned keep_threads = 256;

/* Called by all threads of the block: sorts the keys, if they are at most keep_threads. */
__device__ void sort_few(near_key *keys, unsigned count, near_key *room)
{
    if (count > keep_threads)
        return;
    if (threadIdx.x < count)
        room[threadIdx.x] = keys[threadIdx.x];
    __syncthreads();
    unsigned rank = 0;
    for (unsigned i = 0; i < count && threadIdx.x < count; i++)
        rank += room[i] < room[threadIdx.x];
    if (threadIdx.x < count)
        keys[rank] = room[threadIdx.x];
}

__global__ void __launch_bounds__(keep_threads) keep_nearest(keep_task t)
{
    __shared__ near_key sorted[keep_threads];
    __shared__ select_room room;
    __shared__ unsigned taken;
    const size_t q = blockIdx.x;
    const uint32_t there = t.found.count[q], found = min(there, t.found.room), kept = t.kept_count[q], n = kept + found;
    const near_key *before = t.kept + q * t.k, *since = t.found.key + q * t.found.room;
    const auto key_at = [=](unsigned i) { return i < kept ? before[i] : since[i - kept]; };
    if (threadIdx.x == 0) {
        taken = 0;
        if (there > t.found.room)
            atomicMax(t.overflow, there - t.found.room);
    }
    survey_keys(key_at, n, room);
    const near_key bound = n > t.k ? wanted_bound(key_at, n, t.k, room) : ~near_key{0};
    near_key farthest = 0;
    for (unsigned i = threadIdx.x; i < n; i += keep_threads) {
        const near_key key = key_at(i);
        if (key > bound)
            continue;
        t.to[q * t.k + atomicAdd(&taken, 1u)] = key;
        farthest = key > farthest ? key : farthest;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        room.any = 0;
    __syncthreads();
    atomicMax(&room.any, farthest);
    __syncthreads();
    sort_few(t.to + q * t.k, taken, sorted);
    if (threadIdx.x != 0)
        return;
    const bool again = t.chosen && t.counts[t.chosen[q * t.nprobe]] > t.scanned;
    t.to_count[q] = again ? 0 : taken;
    t.limit[q] = taken < t.k ? INFINITY : s_of(room.any);
}

} // namespace

/* Reserves only as much shared memory as these blocks take: the rest stays L1, for the books. */
static eb_code leave_l1(const scan_shape &shape, int device, eb_status *status)
{
    int all = 0, reserved = 0;
    cudaFuncAttributes of;
    EB_CUDA(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
            "asking for shared memory");
    EB_CUDA(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device),
            "asking for shared memory");
    EB_CUDA(cudaFuncGetAttributes(&of, shape.kernel), "asking for shared memory");
    const size_t taken = shape.blocks * (shape.shared_bytes + of.sharedSizeBytes + static_cast<size_t>(reserved)),
                 percent =
                     std::min<size_t>((100 * taken + static_cast<size_t>(all) - 1) / static_cast<size_t>(all), 100);
    EB_CUDA(cudaFuncSetAttribute(shape.kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 static_cast<int>(percent)),
            "asking for shared memory");
    return EB_OK;
}

eb_code scan_shape_for(const eb_inverted_question &q, bool packed, const file_view &f, scan_shape *out,
                       eb_status *status)
{
    int device = 0, most = 0, blocks = 0;
    switch (q.lut) {
    case EB_TABLE_F32: take_format<EB_TABLE_F32, 1>(q, packed, f, out); break;
    case EB_TABLE_F16: take_format<EB_TABLE_F16, 2>(q, packed, f, out); break;
    case EB_TABLE_E5M3: take_format<EB_TABLE_E5M3, 4>(q, packed, f, out); break;
    case EB_TABLE_E4M4: take_format<EB_TABLE_E4M4, 4>(q, packed, f, out); break;
    case EB_TABLE_E4M3: take_format<EB_TABLE_E4M3, 4>(q, packed, f, out); break;
    case EB_TABLE_E5M2: take_format<EB_TABLE_E5M2, 4>(q, packed, f, out); break;
    default: take_format<EB_TABLE_U8, 4>(q, packed, f, out); break;
    }
    EB_CUDA(cudaGetDevice(&device), "asking for the device");
    EB_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for shared memory");
    if (out->shared_bytes > static_cast<size_t>(most))
        return eb_fail(status, EB_USAGE,
                       "%s tables of m = %u subspaces take %zu KB of shared memory; a block of this GPU has %d KB: a "
                       "smaller m, or entries of fewer bits",
                       eb_table_format_name(q.lut), f.m, out->shared_bytes / 1024, most / 1024);
    EB_CUDA(cudaFuncSetAttribute(out->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(out->shared_bytes)),
            "asking for shared memory");
    EB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, out->kernel, static_cast<int>(out->threads),
                                                          out->shared_bytes),
            "asking how many blocks run at once");
    out->blocks = blocks > 0 ? static_cast<unsigned>(blocks) : 1;
    EB_TRY(leave_l1(*out, device, status));
    return EB_OK;
}

eb_code launch_scan(const scan_shape &shape, const scan_task &task, unsigned units, eb_status *status)
{
    EB_CUDA(cudaMemsetAsync(task.next_item, 0, sizeof *task.next_item), "clearing the queue");
    shape.kernel<<<units * shape.blocks, shape.threads, shape.shared_bytes>>>(task);
    EB_CUDA(cudaGetLastError(), "starting the look-ups");
    return EB_OK;
}

eb_code launch_keep(const keep_task &task, size_t queries, eb_status *status)
{
    keep_nearest<<<static_cast<unsigned>(queries), keep_threads>>>(task);
    EB_CUDA(cudaGetLastError(), "keeping the nearest");
    return EB_OK;
}

} // namespace eb
