#include "kernels/rows/pack.cuh"

namespace eb {

namespace {

constexpr unsigned threads = 256, entries_a_block = EB_PACKED_BLOCK, entries_a_thread = entries_a_block / threads;

/* A block's entries: first … first + entries_a_block − 1 of a slice of `count`. */
struct packed_part {
    unsigned char *to; /* the slice */
    eb_packed_places at;
    size_t first, count;
};

/* A thread takes entries j and 16 + j of some 32. */
__device__ void pack_columns(const uint32_t *column, unsigned high_bits, const packed_part &part)
{
    uint16_t *low = reinterpret_cast<uint16_t *>(part.to + part.at.low);
    unsigned char *high = part.to + part.at.high;
    for (unsigned pair = threadIdx.x; pair < entries_a_block / 2; pair += threads) {
        const size_t group = part.first + pair / 16 * 32, a = group + pair % 16, b = a + 16;
        const uint32_t x = a < part.count ? column[a] : 0, y = b < part.count ? column[b] : 0;
        if (a < part.count)
            low[a] = static_cast<uint16_t>(x);
        if (b < part.count)
            low[b] = static_cast<uint16_t>(y);
        if (high_bits == 4 && group < part.count)
            high[group / 2 + pair % 16] = static_cast<unsigned char>(x >> 16 | y >> 16 << 4);
        if (high_bits == 8 && a < part.count)
            high[a] = static_cast<unsigned char>(x >> 16);
        if (high_bits == 8 && b < part.count)
            high[b] = static_cast<unsigned char>(y >> 16);
    }
}

__device__ unsigned long long greatest_of_block(unsigned long long mine)
{
    __shared__ unsigned long long of_warp[threads / 32];
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const unsigned long long other = __shfl_xor_sync(~0u, mine, lanes);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    for (unsigned w = 0; w < threads / 32; w++)
        mine = of_warp[w] > mine ? of_warp[w] : mine;
    return mine;
}

__device__ void pack_f64(const unsigned long long *value, const packed_part &part)
{
    unsigned long long bits[entries_a_thread], greatest = 0;
    bool misfit = false;
#pragma unroll
    for (unsigned k = 0; k < entries_a_thread; k++) {
        const size_t x = part.first + k * threads + threadIdx.x;
        bits[k] = x < part.count ? value[x] : 0;
        greatest = bits[k] > greatest ? bits[k] : greatest;
    }
    const unsigned long long base = eb_packed_base(greatest_of_block(greatest));
#pragma unroll
    for (unsigned k = 0; k < entries_a_thread; k++) {
        const size_t x = part.first + k * threads + threadIdx.x;
        const unsigned long long code = bits[k] == 0 ? 0 : bits[k] - base;
        if (x >= part.count)
            continue;
        misfit |= bits[k] != 0 && (code == 0 || code >> 56 != 0);
        reinterpret_cast<uint32_t *>(part.to + part.at.low)[x] = static_cast<uint32_t>(code);
        reinterpret_cast<uint16_t *>(part.to + part.at.middle)[x] = static_cast<uint16_t>(code >> 32);
        part.to[part.at.high + x] = static_cast<unsigned char>(code >> 48);
    }
    misfit = __syncthreads_or(misfit);
    if (threadIdx.x == 0)
        reinterpret_cast<eb_packed_head *>(part.to)[part.first / entries_a_block] = {base, misfit};
}

__global__ void __launch_bounds__(threads) pack(packed_chunk c, size_t apart)
{
    const uint64_t slice = c.begin / c.each + blockIdx.y, from = slice * c.each, until = from + c.each;
    const uint64_t begin = from > c.begin ? from : c.begin, end = until < c.end ? until : c.end;
    packed_part part{c.packed + blockIdx.y * apart, {}, blockIdx.x * size_t{entries_a_block}, end - begin};
    if (part.first >= part.count)
        return;
    part.at = eb_packed_places_of(&c.form, part.count);
    if (c.form.packing == EB_PACKED_COLUMNS)
        pack_columns(static_cast<const uint32_t *>(c.made) + (begin - c.begin), c.form.high_bits, part);
    else
        pack_f64(static_cast<const unsigned long long *>(c.made) + (begin - c.begin), part);
}

} // namespace

eb_code pack_chunk(const packed_chunk &chunk, cudaStream_t stream, eb_status *status)
{
    const dim3 blocks(static_cast<unsigned>(chunk.each / entries_a_block), chunk.slices());
    pack<<<blocks, threads, 0, stream>>>(chunk, chunk.apart());
    EB_CUDA(cudaGetLastError(), "packing rows");
    return EB_OK;
}

} // namespace eb
