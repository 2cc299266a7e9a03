/* paper: TED-Join's kernel as published, over the candidates of a grid (TED-Join-Index) or over all points
 * (TED-Join-Brute, a grid of one cell).
 *
 * A warp takes up to eight queries of a cell and candidates eight at a time, four such tiles side by side. For each
 * four dimensions the FP64 tensor core (m8n8k4) computes T = −2·A·B + C, where C holds the candidates' partial norms,
 * one entry per four dimensions. CUDA cores add D ← (D + T) + the queries' partial norms. A tile whose 64 entries are
 * all beyond ε is not computed further. Sums of near points may be slightly negative and then become 0. With shape 16 ×
 * 8 × 16 a warp takes 16 queries and 16 dimensions at a time, by Hopper's m16n8k16.
 *
 * shape_differences shows what the expansion is for (Eq. 2 of the paper): the tensor core multiplies the differences of
 * one query and 8 candidates with themselves, and of 64 sums only the 8 on the diagonal are distances.
 */
#pragma once

#include "kernels/grid/cells.cuh"
#include "kernels/indexed/append.cuh"
#include "kernels/parts/mma.cuh"
#include "kernels/ted/shape.h"

namespace eb {

struct ted_paper_arguments : indexed_arguments {
    cell_view cells;
    uint64_t groups;
    const double *image; /* in the order of places, rows of d_padded */
    const double *norm;  /* [n][d_padded / step] partial norms, in the same order */
    uint32_t d, d_padded;
    bool short_circuit;
    unsigned long long *counted;
};

constexpr int paper_warps = 8, paper_threads = 32 * paper_warps;
constexpr int paper_tiles = EB_TED_PAPER_TILES; /* per warp, 8 candidates each: one per lane */

/* A shape: number of queries (rows) and dimensions of a step, and how a step's squares are summed. */
struct shape_8_8_4 {
    static constexpr bool differences = false;
    static constexpr uint32_t rows = EB_TED_PAPER_ROWS, step = EB_TED_PAPER_STEP;
    static constexpr int halves = 1; /* groups of 8 rows */
    static constexpr int blocks = 3; /* resident blocks per SM of the join kernel */
};
struct shape_16_8_16 {
    static constexpr bool differences = false;
    static constexpr uint32_t rows = EB_TED_WIDE_ROWS, step = EB_TED_WIDE_STEP;
    static constexpr int halves = 2;
    static constexpr int blocks = 2;
};
struct shape_differences : shape_8_8_4 {
    static constexpr bool differences = true;
};

/* ‖coordinates of a step‖², with the FMAs that nvcc makes from x₀² + x₁² + x₂² + …. */
template <class shape> __global__ void partial_norms(const double *image, size_t steps, double *norm)
{
    const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t x = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; x < steps; x += stride) {
        const double *of = image + shape::step * x;
        double sum = __fma_rn(of[0], of[0], __dmul_rn(of[1], of[1]));
        for (uint32_t k = 2; k < shape::step; k++)
            sum = __fma_rn(of[k], of[k], sum);
        norm[x] = sum;
    }
}

/* The points that a lane loads: its queries, the candidates whose coordinates it passes to the tensor core, and the
 * candidates whose norms its sums start from. A lane has rows g = lane / 4 and g + 8, and columns 2t and 2t + 1 of each
 * tile, t = lane % 4. */
template <class shape> struct paper_rows {
    const double *query[shape::halves], *query_norm[shape::halves];
    const double *candidate[paper_tiles], *candidate_norm[paper_tiles][2];
};

/* A lane's part of a warp's tiles. */
template <class shape> struct paper_sums {
    double d[paper_tiles][shape::halves][2];
};

/* A step's −2·coordinates of the queries, in the instruction's layout. */
template <class shape> struct paper_step {
    double a[shape::step / 4][shape::halves];

    __device__ __forceinline__ paper_step(const paper_rows<shape> &rows, uint32_t k)
    {
#pragma unroll
        for (uint32_t x = 0; x < shape::step / 4; x++)
#pragma unroll
            for (int half = 0; half < shape::halves; half++)
                a[x][half] = -2 * rows.query[half][k + 4 * x];
    }
};

template <class shape>
__device__ __forceinline__ void multiply_add(double (&t)[1][2], const paper_step<shape> &p, const double *candidate)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(t[0][0]), "+d"(t[0][1])
                 : "d"(p.a[0][0]), "d"(candidate[0]));
}

__device__ __forceinline__ void multiply_add(double (&t)[2][2], const paper_step<shape_16_8_16> &p,
                                             const double *candidate)
{
    const double a[8] = {p.a[0][0], p.a[0][1], p.a[1][0], p.a[1][1], p.a[2][0], p.a[2][1], p.a[3][0], p.a[3][1]};
    const double b[4] = {candidate[0], candidate[4], candidate[8], candidate[12]};
    double d[4] = {t[0][0], t[0][1], t[1][0], t[1][1]};
    mma_f64(d, a, b);
    t[0][0] = d[0], t[0][1] = d[1], t[1][0] = d[2], t[1][1] = d[3];
}

/* By differences: x holds p − q of candidate g and dimension t of a step, which is A's and, transposed, B's layout.
 * The sum of candidate i lies in the lane of row i and column i; the lane of query r and candidate i takes it. Does not
 * stop early. Adds the dimensions computed of each candidate to `looked`, as paper_distances does. */
template <class shape>
__device__ __forceinline__ uint32_t paper_differences(const ted_paper_arguments &a, const paper_rows<shape> &rows,
                                                      uint32_t tiles, uint32_t missing, paper_sums<shape> &sums,
                                                      uint32_t &looked)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    looked += (8 * tiles - missing) * a.d;
    for (int r = 0; r < static_cast<int>(shape::rows); r++) {
        const double *query = reinterpret_cast<const double *>(
            __shfl_sync(~0u, reinterpret_cast<unsigned long long>(rows.query[0]), 4 * r + t));
#pragma unroll
        for (int c = 0; c < paper_tiles; c++) {
            double d[2] = {0, 0};
            for (uint32_t k = 0; k < a.d_padded && c < tiles; k += shape::step) {
                const double x = __dsub_rn(rows.candidate[c][k], query[k]);
                asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                             : "+d"(d[0]), "+d"(d[1])
                             : "d"(x), "d"(x));
            }
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const double sum = __shfl_sync(~0u, d[e], 4 * (2 * t + e) + t);
                sums.d[c][0][e] = g == r ? sum : sums.d[c][0][e];
            }
        }
    }
    return (1u << tiles) - 1;
}

/* Computes the sums of queries and the candidates of `tiles` tiles; the last tile lacks `missing` candidates. Returns
 * one bit per tile that may hold pairs. Adds the dimensions computed of each candidate to `looked`. The lane's pointers
 * point to its own dimension of each four. */
template <class shape>
__device__ __forceinline__ uint32_t paper_distances(const ted_paper_arguments &a, const paper_rows<shape> &rows,
                                                    uint32_t tiles, uint32_t missing, paper_sums<shape> &sums,
                                                    uint32_t &looked)
{
    if constexpr (shape::differences)
        return paper_differences(a, rows, tiles, missing, sums, looked);
    uint32_t alive = (1u << tiles) - 1;
#pragma unroll
    for (int c = 0; c < paper_tiles; c++)
#pragma unroll
        for (int half = 0; half < shape::halves; half++)
            sums.d[c][half][0] = sums.d[c][half][1] = 0;
    for (uint32_t k = 0; k < a.d_padded && alive; k += shape::step) {
        const paper_step<shape> p(rows, k);
        double norm[shape::halves];
#pragma unroll
        for (int half = 0; half < shape::halves; half++)
            norm[half] = rows.query_norm[half][k / shape::step];
        looked += (8 * __popc(alive) - (alive >> (tiles - 1) & 1 ? missing : 0)) * min(shape::step, a.d - k);
#pragma unroll
        for (int c = 0; c < paper_tiles; c++) {
            if (!(alive >> c & 1))
                continue;
            double step[shape::halves][2];
#pragma unroll
            for (int half = 0; half < shape::halves; half++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    step[half][e] = rows.candidate_norm[c][e][k / shape::step];
            multiply_add(step, p, rows.candidate[c] + k);
#pragma unroll
            for (int half = 0; half < shape::halves; half++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    sums.d[c][half][e] = __dadd_rn(__dadd_rn(sums.d[c][half][e], step[half][e]), norm[half]);
        }
        if (!a.short_circuit)
            continue;
#pragma unroll
        for (int c = 0; c < paper_tiles; c++) {
            bool near = false;
#pragma unroll
            for (int half = 0; half < shape::halves; half++)
                near |= !(sums.d[c][half][0] > a.threshold && sums.d[c][half][1] > a.threshold);
            if (!__any_sync(~0u, near))
                alive &= ~(1u << c);
        }
    }
    return alive;
}

template <class shape, output writes>
__global__ void __launch_bounds__(paper_threads, shape::blocks) ted_paper_join(const ted_paper_arguments a)
{
    constexpr int halves = shape::halves;
    __shared__ neighbour_places all_neighbours[paper_warps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const uint64_t number = (a.first_tile + blockIdx.x) * paper_warps + warp;
    if (number >= a.groups)
        return;
    const query_group group = a.cells.group[number];
    const uint32_t g = static_cast<uint32_t>(lane) / 4, t = static_cast<uint32_t>(lane) % 4;
    const uint32_t norms = a.d_padded / shape::step;
    uint32_t query[halves], query_point[halves];
    bool wanted[halves], any = false;
    paper_rows<shape> rows;
#pragma unroll
    for (int half = 0; half < halves; half++) {
        const uint32_t q = g + 8 * half;
        query[half] = group.first + min(q, group.queries - 1);
        query_point[half] = a.cells.point[query[half]];
        wanted[half] =
            q < group.queries && (a.whole || (query_point[half] >= a.row_begin && query_point[half] < a.row_end));
        any |= wanted[half];
        rows.query[half] = a.image + static_cast<size_t>(query[half]) * a.d_padded + t;
        rows.query_norm[half] = a.norm + static_cast<size_t>(query[half]) * norms;
    }
    if (!__any_sync(~0u, any))
        return;
    neighbour_places &near = all_neighbours[warp];
    const uint32_t candidates = find_neighbours(a.cells, group.cell, 0, 0, near, lane);
    uint32_t counted = 0;
    unsigned long long looked_at = 0;
    neighbour_walk walk(near);
    for (uint32_t base = 0; base < candidates; base += 32) {
        const uint32_t mine = base + lane < candidates ? walk.place(base + lane) : no_place;
        const uint32_t tiles = min((candidates - base + 7) / 8, static_cast<uint32_t>(paper_tiles));
        const uint32_t missing = 8 * tiles > candidates - base ? 8 * tiles - (candidates - base) : 0;
        uint32_t place[paper_tiles][2], looked = 0;
        paper_sums<shape> sums;
#pragma unroll
        for (int c = 0; c < paper_tiles; c++) {
            const uint32_t loads = __shfl_sync(~0u, mine, static_cast<int>(8 * c + g));
            rows.candidate[c] = a.image + static_cast<size_t>(loads == no_place ? group.first : loads) * a.d_padded + t;
#pragma unroll
            for (int e = 0; e < 2; e++) {
                place[c][e] = __shfl_sync(~0u, mine, static_cast<int>(8 * c + 2 * t + e));
                rows.candidate_norm[c][e] =
                    a.norm + static_cast<size_t>(place[c][e] == no_place ? group.first : place[c][e]) * norms;
            }
        }
        const uint32_t alive = paper_distances(a, rows, tiles, missing, sums, looked);
        looked_at += looked;
        if (alive == 0)
            continue;
        uint32_t hits = 0; /* four bits per tile */
#pragma unroll
        for (int c = 0; c < paper_tiles; c++)
#pragma unroll
            for (int half = 0; half < halves; half++)
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    const bool taken = a.whole ? place[c][e] > query[half] : place[c][e] != query[half];
                    const bool hit = (alive >> c & 1) && wanted[half] && place[c][e] != no_place && taken &&
                                     !(sums.d[c][half][e] > a.threshold);
                    hits |= hit ? 1u << (4 * c + 2 * half + e) : 0;
                }
        counted += __popc(hits);
        if (writes == output::count)
            continue;
        unsigned long long at = places_for(a.out, __popc(hits), lane);
#pragma unroll
        for (int c = 0; c < paper_tiles; c++)
#pragma unroll
            for (int half = 0; half < halves; half++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    if (hits >> (4 * c + 2 * half + e) & 1)
                        store_at(a.out, at++, make_uint2(query_point[half], a.cells.point[place[c][e]]),
                                 sums.d[c][half][e] > 0 ? sums.d[c][half][e] : 0.0);
    }
    if (writes == output::count)
        add_count(a.out.found, __reduce_add_sync(~0u, counted), lane);
    if (lane == 0) {
        atomicAdd(a.counted, static_cast<unsigned long long>(candidates) * group.queries);
        atomicAdd(a.counted + 1, looked_at * group.queries);
    }
}

/* Computes distances of queries to all points by the same sums: a warp takes a shape's queries and 32 points. */
template <class shape>
__global__ void __launch_bounds__(paper_threads)
    ted_paper_dense(ted_paper_arguments a, uint32_t n, const uint32_t *query_rows, uint32_t m, double *out)
{
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const uint32_t g = static_cast<uint32_t>(lane) / 4, t = static_cast<uint32_t>(lane) % 4;
    const uint32_t base = (blockIdx.x * paper_warps + warp) * 32, first = blockIdx.y * shape::rows;
    const uint32_t norms = a.d_padded / shape::step;
    if (base >= n)
        return;
    paper_rows<shape> rows;
    paper_sums<shape> sums;
    uint32_t looked = 0;
#pragma unroll
    for (int half = 0; half < shape::halves; half++) {
        const size_t query = query_rows[min(first + g + 8 * half, m - 1)];
        rows.query[half] = a.image + query * a.d_padded + t;
        rows.query_norm[half] = a.norm + query * norms;
    }
#pragma unroll
    for (int c = 0; c < paper_tiles; c++) {
        rows.candidate[c] = a.image + static_cast<size_t>(min(base + 8 * c + g, n - 1)) * a.d_padded + t;
#pragma unroll
        for (int e = 0; e < 2; e++)
            rows.candidate_norm[c][e] = a.norm + static_cast<size_t>(min(base + 8 * c + 2 * t + e, n - 1)) * norms;
    }
    (void)paper_distances(a, rows, paper_tiles, 0, sums, looked);
#pragma unroll
    for (int c = 0; c < paper_tiles; c++)
#pragma unroll
        for (int half = 0; half < shape::halves; half++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const uint32_t q = first + g + 8 * half, j = base + 8 * c + 2 * t + e;
                if (q < m && j < n)
                    out[static_cast<size_t>(q) * n + j] = sums.d[c][half][e] > 0 ? sums.d[c][half][e] : 0.0;
            }
}

} // namespace eb
