/* table: a block makes the look-up tables of up to four queries for one list in its shared memory
 * (core/inverted/question.h defines them). A warp takes a subspace, a lane eight of its entries.
 */
#pragma once

#include "kernels/inverted/cuda/entry.cuh"
#include "kernels/inverted/cuda/scan_task.cuh"
#include "kernels/inverted/shape.h"

namespace eb {

constexpr unsigned entries = EB_BOOK_ENTRIES, entries_at_once = EB_SCAN_LOADED;

/* A block's shared memory: the tables, then arrays with a part for each query. */
template <unsigned queries> struct table_room {
    void *table;
    float *residual;                      /* [d × queries] */
    float *least, *greatest;              /* [m × queries] */
    float *scale, *unit, *offset, *limit; /* [queries] scale: for u8 the inverse of the step */
    uint32_t *query;                      /* [queries] */
    uint32_t *item;                       /* the block's item */
};

template <unsigned queries>
__device__ table_room<queries> room_in(unsigned char *shared, size_t table_bytes, unsigned d, unsigned m)
{
    float *at = reinterpret_cast<float *>(shared + table_bytes);
    table_room<queries> room;
    room.table = shared;
    room.residual = at, at += d * queries;
    room.least = at, at += m * queries;
    room.greatest = at, at += m * queries;
    room.scale = at, at += queries;
    room.unit = at, at += queries;
    room.offset = at, at += queries;
    room.limit = at, at += queries;
    room.query = reinterpret_cast<uint32_t *>(at), at += queries;
    room.item = reinterpret_cast<uint32_t *>(at);
    return room;
}

/* Adds squares to the sums; with `first` the squares start the sums. */
template <bool first, unsigned queries>
__device__ void add_squares(const float4 &four, const float *r, float s[entries_at_once][queries])
{
    const float entry[entries_at_once] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (unsigned q = 0; q < queries; q++) {
        const float piece = r[q];
#pragma unroll
        for (unsigned e = 0; e < entries_at_once; e++) {
            const float away = __fsub_rn(piece, entry[e]), square = __fmul_rn(away, away);
            s[e][q] = first ? square : __fadd_rn(s[e][q], square);
        }
    }
}

/* Squared distances of the queries' pieces to the four entries first … first + 3. piece: coordinates of a piece, 2, or
 * 0 for any number; then two coordinates are loaded before one is used. */
template <unsigned piece, unsigned queries>
__device__ void entry_distances(const file_view &f, const float *residual, unsigned j, unsigned first,
                                float s[entries_at_once][queries])
{
    constexpr unsigned loaded = piece ? piece : 2;
    const unsigned coordinates = piece ? piece : f.piece;
    const float4 *book = reinterpret_cast<const float4 *>(f.books + (j * coordinates * entries + first));
    const float *r = residual + j * coordinates * queries;
    for (unsigned begin = 0; begin < coordinates; begin += loaded) {
        float4 at[loaded];
#pragma unroll
        for (unsigned t = 0; t < loaded; t++)
            if (piece || begin + t < coordinates)
                at[t] = __ldg(book + (begin + t) * (entries / 4));
#pragma unroll
        for (unsigned t = 0; t < loaded; t++)
            if (begin + t == 0)
                add_squares<true, queries>(at[t], r, s);
            else if (piece || begin + t < coordinates)
                add_squares<false, queries>(at[t], r + (begin + t) * queries, s);
    }
}

/* Finds the least and the greatest entry of each subspace. */
template <unsigned piece, unsigned queries>
__device__ void find_ranges(const file_view &f, const table_room<queries> &room)
{
    const unsigned lane = threadIdx.x % 32;
    for (unsigned j = threadIdx.x / 32; j < f.m; j += blockDim.x / 32) {
        float least[queries], greatest[queries], s[entries_at_once][queries];
#pragma unroll
        for (unsigned q = 0; q < queries; q++)
            least[q] = INFINITY, greatest[q] = 0;
        for (unsigned first = lane * entries_at_once; first < entries; first += 32 * entries_at_once) {
            entry_distances<piece, queries>(f, room.residual, j, first, s);
#pragma unroll
            for (unsigned e = 0; e < entries_at_once; e++)
#pragma unroll
                for (unsigned q = 0; q < queries; q++)
                    least[q] = fminf(least[q], s[e][q]), greatest[q] = fmaxf(greatest[q], s[e][q]);
        }
#pragma unroll
        for (unsigned q = 0; q < queries; q++) {
            /* the bits of floats ≥ 0 have the same order as the floats */
            const unsigned low = __reduce_min_sync(~0u, __float_as_uint(least[q])),
                           high = __reduce_max_sync(~0u, __float_as_uint(greatest[q]));
            if (lane == 0)
                room.least[j * queries + q] = __uint_as_float(low),
                                         room.greatest[j * queries + q] = __uint_as_float(high);
        }
    }
}

/* Finds an upper bound of the distance (not squared) to an entry of each subspace. */
template <unsigned queries> __device__ void find_bounds(const file_view &f, const table_room<queries> &room)
{
    for (unsigned at = threadIdx.x; at < f.m * queries; at += blockDim.x) {
        const unsigned j = at / queries, q = at % queries;
        float norm2 = 0;
        for (unsigned t = 0; t < f.piece; t++) {
            const float r = room.residual[(j * f.piece + t) * queries + q];
            norm2 = __fadd_rn(norm2, __fmul_rn(r, r));
        }
        room.greatest[at] = __fadd_rn(__fsqrt_rn(norm2), f.reach[j]);
    }
}

/* Warp q finds query q's scale of entries and the meaning of its sums (unit, offset, limit). */
template <eb_table_format format, unsigned queries>
__device__ void find_scale(const file_view &f, const table_room<queries> &room, double bound)
{
    const unsigned q = threadIdx.x / 32, lane = threadIdx.x % 32;
    float most = 0;
    if (q >= queries)
        return;
    for (unsigned j = lane; j < f.m; j += 32) {
        const float high = room.greatest[j * queries + q], low = room.least[j * queries + q];
        most = fmaxf(most, format == EB_TABLE_U8 ? __fsub_rn(high, low) : high);
    }
    most = __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(most)));
    if (lane != 0)
        return;
    if constexpr (format == EB_TABLE_U8) {
        double offset = 0;
        for (unsigned j = 0; j < f.m; j++)
            offset += static_cast<double>(room.least[j * queries + q]);
        const float step = __fdiv_rn(most, 255), unit = step > 0x1p-120f ? step : 1;
        room.unit[q] = unit;
        room.scale[q] = __fdiv_rn(1, unit);
        room.offset[q] = static_cast<float>(offset);
    } else {
        const float greatest = __fmul_rn(most, most);
        int exponent = 0;
        if (greatest > 0 && bound != 0)
            exponent = max(min(ilogb(bound / static_cast<double>(greatest)), 100), -100);
        room.scale[q] = ldexpf(1, exponent);
        room.unit[q] = ldexpf(1, -exponent);
        room.offset[q] = 0;
    }
}

/* Stores four entries, of one query or of all queries side by side, `bytes` bytes each. */
template <unsigned bytes> __device__ void store_four(void *table, unsigned first, const uint32_t entry[entries_at_once])
{
    if constexpr (bytes == 4)
        static_cast<uint4 *>(table)[first / 4] = {entry[0], entry[1], entry[2], entry[3]};
    else if constexpr (bytes == 2)
        static_cast<uint2 *>(table)[first / 4] = {entry[0] | entry[1] << 16, entry[2] | entry[3] << 16};
    else
        static_cast<uint32_t *>(table)[first / 4] = entry[0] | entry[1] << 8 | entry[2] << 16 | entry[3] << 24;
}

template <eb_table_format format, unsigned piece, unsigned queries>
__device__ void write_table(const file_view &f, const table_room<queries> &room)
{
    constexpr unsigned bytes = sizeof(typename entry_type<format>::type);
    float s[entries_at_once][queries];
    rounding<format> to[queries];
#pragma unroll
    for (unsigned q = 0; q < queries; q++)
        to[q] = rounding_of<format, (queries > 1)>(room.scale[q], room.unit[q]);
    for (unsigned j = threadIdx.x / 32; j < f.m; j += blockDim.x / 32)
        for (unsigned first = threadIdx.x % 32 * entries_at_once; first < entries; first += 32 * entries_at_once) {
            uint32_t entry[entries_at_once] = {};
            entry_distances<piece, queries>(f, room.residual, j, first, s);
#pragma unroll
            for (unsigned e = 0; e < entries_at_once; e++)
#pragma unroll
                for (unsigned q = 0; q < queries; q++) {
                    uint32_t code;
                    if constexpr (format == EB_TABLE_U8)
                        code = affine_code(s[e][q], room.least[j * queries + q], to[q].scale);
                    else
                        code = encoded<format, (queries > 1)>(s[e][q], to[q]);
                    entry[e] |= code << 8 * bytes * q;
                }
            store_four<bytes * queries>(room.table, j * entries + first, entry);
        }
}

/* Called by all threads: makes the tables of an item's queries; with fewer queries the last one's table is repeated. */
template <eb_table_format format, bool f16_sums, unsigned piece, unsigned queries>
__device__ void make_tables(const scan_task &t, const list_item &item, const table_room<queries> &room)
{
    const file_view &f = t.file;
    for (unsigned at = threadIdx.x; at < f.d * queries; at += blockDim.x) {
        const unsigned k = at / queries, q = at % queries, which = q < item.queries ? q : item.queries - 1;
        room.residual[at] = __fsub_rn(t.queries[static_cast<size_t>(t.pairs[item.first + which]) * f.d + k],
                                      f.centroids[static_cast<size_t>(item.list) * f.d + k]);
    }
    if (threadIdx.x < queries) {
        const unsigned q = threadIdx.x;
        const uint32_t query = t.pairs[item.first + (q < item.queries ? q : item.queries - 1)];
        room.query[q] = query;
        room.limit[q] = q < item.queries ? t.limit[query] : -1;
        room.scale[q] = room.unit[q] = 1;
        room.offset[q] = 0;
    }
    __syncthreads();
    if constexpr (format != EB_TABLE_F32 || f16_sums) {
        if constexpr (format == EB_TABLE_U8)
            find_ranges<piece, queries>(f, room);
        else
            find_bounds<queries>(f, room);
        __syncthreads();
        find_scale<format, queries>(f, room, t.scale);
        __syncthreads();
    }
    write_table<format, piece, queries>(f, room);
    __syncthreads();
}

} // namespace eb
