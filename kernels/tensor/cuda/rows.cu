#include "kernels/tensor/cuda/rows.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/parts/places.h"
#include "kernels/upload/convert.cuh"

namespace eb {

namespace {

constexpr const char *rounding = "rounding points";

__device__ double step_of(const number_rounding &r, size_t row) { return r.steps ? r.steps[row] : r.step; }

/* ---- steps ---- */

/* eb_step_of with a step a point: a warp takes a point. */
__global__ void __launch_bounds__(256) steps_of(const double *y, uint32_t count, uint32_t d, double levels, float *step)
{
    const uint32_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= count)
        return;
    double greatest = 0;
    for (uint32_t k = lane; k < d; k += 32) {
        const double size = fabs(y[static_cast<size_t>(row) * d + k]);
        greatest = size > greatest ? size : greatest;
    }
    for (int by = 16; by > 0; by /= 2)
        greatest = fmax(greatest, __shfl_xor_sync(~0u, greatest, by));
    if (lane == 0)
        step[row] = nextafterf(__double2float_rn(__ddiv_rn(greatest, levels)), INFINITY);
}

/* ---- operands ---- */

/* A place of a row: dimension · 16 + part of the row's operand · 4 + part of the column's. */
constexpr uint32_t no_coordinate = ~0u;
static_assert(EB_MAX_DIMENSIONS * uint64_t{16} < no_coordinate);

constexpr uint32_t place_of(size_t dimension, unsigned row, unsigned column)
{
    return static_cast<uint32_t>(dimension) * 16 + row * 4 + column;
}

__device__ double part_of(const rounded_coordinate &x, uint32_t part)
{
    return part == 0 ? x.first : part == 1 ? x.second : x.third;
}

template <class operand>
__global__ void __launch_bounds__(256)
    operands_of(const double *y, uint32_t count, uint32_t d, const uint32_t *table, uint32_t words, number_rounding r,
                unsigned char *rows, unsigned char *columns)
{
    constexpr uint32_t at_once = sizeof(operand) < 4 ? 4 / sizeof(operand) : 1;
    using operands = word<operand, at_once>;
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, row = x / words, at = x % words;
    if (row >= count)
        return;
    const double step = step_of(r, row);
    operands of_row{}, of_column{};
#pragma unroll
    for (uint32_t c = 0; c < at_once; c++) {
        const uint32_t place = table[at * at_once + c];
        if (place == no_coordinate)
            continue;
        const rounded_coordinate near = round_coordinate(r, y[static_cast<size_t>(row) * d + place / 16], step);
        of_row.value[c] = bits_of_number<operand>(r.number, part_of(near, place / 4 % 4));
        of_column.value[c] = bits_of_number<operand>(r.number, part_of(near, place % 4));
    }
    reinterpret_cast<operands *>(rows)[x] = of_row;
    if (columns)
        reinterpret_cast<operands *>(columns)[x] = of_column;
}

/* ---- measures ---- */

enum class summed { levels, squares, authors, chain, fp64 }; /* what a norm is the sum of, and how */

struct measuring {
    const double *y;
    uint32_t count, d;
    size_t first;
    number_rounding rounding;
    double debias;
    row_measures to;
    row_counts *counts;
};

/* What a coordinate adds to moved2, and to the norm. */
struct coordinate_terms {
    double moved, square;
};

template <summed how>
__device__ coordinate_terms terms_of(const number_rounding &r, const rounded_coordinate &x, double y, double step)
{
    const double near = rounded_at(r, x, step), off = __dsub_rn(y, near), moved = __dmul_rn(off, off);
    if constexpr (how == summed::squares)
        return {moved, __dmul_rn(near, near)};
    if constexpr (how == summed::levels) {
        const double level = r.parts == 1 ? x.first : __dadd_rn(__dmul_rn(EB_SLICE, x.first), x.second);
        return {moved, __dmul_rn(level, level)};
    }
    const float one = __double2float_rn(x.first);
    return {moved, static_cast<double>(__fmul_rn(one, one))};
}

/* Adds the terms of two neighbouring coordinates (kernels/fasted/cpu/norms.c). */
template <summed how, class sum> __device__ sum add_terms(sum s, double one, double two)
{
    if constexpr (how == summed::authors)
        return __fadd_rz(s, __fadd_rz(static_cast<float>(one), static_cast<float>(two)));
    else if constexpr (how == summed::chain)
        return __fadd_rz(__fadd_rz(s, static_cast<float>(one)), static_cast<float>(two));
    else if constexpr (how == summed::fp64)
        return __dadd_rn(s, __dadd_rn(one, two));
    else
        return __dadd_rn(__dadd_rn(s, one), two);
}

/* eb_norm_of, given the sum. */
template <summed how> __device__ double norm_of(const measuring &m, double sum, double step, double moved)
{
    const double debias = __dmul_rn(-m.debias, moved);
    if constexpr (how == summed::squares)
        return static_cast<double>(__double2float_rn(__dadd_rn(sum, debias)));
    if constexpr (how == summed::levels) {
        const float single = __double2float_rn(step);
        if (m.rounding.steps)
            return static_cast<double>(__double2float_rn(__dadd_rn(__dmul_rn(__fmul_rn(single, single), sum), debias)));
        return __dadd_rn(sum, step > 0 ? __ddiv_rn(debias, __dmul_rn(step, step)) : 0);
    }
    return static_cast<double>(__double2float_rn(sum));
}

__device__ void count_rows(const measuring &m, uint32_t beyond, uint32_t first_beyond, bool moved)
{
    const uint32_t all = __reduce_add_sync(~0u, beyond), row = __reduce_min_sync(~0u, first_beyond);
    const int points = __popc(__ballot_sync(~0u, moved));
    if (threadIdx.x > 0)
        return;
    if (points > 0)
        atomicAdd(&m.counts->moved, static_cast<unsigned long long>(points));
    if (all > 0)
        atomicAdd(&m.counts->beyond, static_cast<unsigned long long>(all));
    if (all > 0 && !m.rounding.saturates)
        atomicMin(&m.counts->first_beyond, static_cast<unsigned long long>(m.first + row));
}

/* Lane r sums point r of 32. The stage's rows are padded by one number, so that lanes read different banks. */
template <summed how, class sum> __global__ void __launch_bounds__(32) measure_rows(measuring m)
{
    __shared__ double staged_moved[32][33], staged_square[32][33];
    const uint32_t lane = threadIdx.x, first = blockIdx.x * 32, here = min(32u, m.count - first);
    uint32_t beyond = 0, first_beyond = ~0u;
    double moved = 0;
    sum square = 0;
    for (uint32_t k = 0; k < m.d; k += 32) {
        __syncwarp();
        for (uint32_t r = 0; r < 32; r++) {
            coordinate_terms terms{};
            if (r < here && k + lane < m.d) {
                const double y = m.y[static_cast<size_t>(first + r) * m.d + k + lane];
                const double step = step_of(m.rounding, first + r);
                const rounded_coordinate near = round_coordinate(m.rounding, y, step);
                beyond += near.beyond;
                first_beyond = near.beyond ? min(first_beyond, first + r) : first_beyond;
                terms = terms_of<how>(m.rounding, near, y, step);
            }
            staged_moved[r][lane] = terms.moved;
            staged_square[r][lane] = terms.square;
        }
        __syncwarp();
        for (uint32_t c = 0; c < 32; c += 2) {
            moved = __dadd_rn(__dadd_rn(moved, staged_moved[lane][c]), staged_moved[lane][c + 1]);
            square = add_terms<how>(square, staged_square[lane][c], staged_square[lane][c + 1]);
        }
    }
    count_rows(m, beyond, first_beyond, moved > 0);
    if (lane >= here)
        return;
    const double step = step_of(m.rounding, first + lane), norm = norm_of<how>(m, square, step, moved);
    if (m.to.norm)
        m.to.norm[first + lane] = __double2float_rn(norm);
    if (m.to.square)
        m.to.square[first + lane] = norm;
    if (m.to.step)
        m.to.step[first + lane] = __double2float_rn(step);
}

using measure_kernel = void (*)(measuring);

measure_kernel kernel_for(const eb_rung &rung, double debias)
{
    if (rung.number == EB_S8)
        return measure_rows<summed::levels, double>;
    if (rung.parts > 1 || debias != 0)
        return measure_rows<summed::squares, double>;
    switch (rung.norms) {
    case EB_NORMS_CHAIN: return measure_rows<summed::chain, float>;
    case EB_NORMS_FP64: return measure_rows<summed::fp64, double>;
    default: return measure_rows<summed::authors, float>;
    }
}

/* ---- a row ---- */

eb_chain chain_of(const eb_rung &rung, size_t d) { return eb_chain_of(&rung.adder, rung.promote, rung.parts, d); }

constexpr size_t slice_bytes = EB_ROW_BYTES;

/* S8's runs: the slice of rows and of columns in each. */
struct slice_run {
    unsigned row, column;
};
constexpr slice_run slice_runs[] = {{0, 0}, {0, 1}, {1, 0}};
size_t runs_of(const eb_rung &rung) { return rung.number == EB_S8 && rung.parts == 2 ? 3 : 1; }

void fill_chain(const eb_rung &rung, size_t d, std::vector<uint32_t> &table)
{
    const eb_chain chain = chain_of(rung, d);
    for (unsigned s = 0; s < chain.sections; s++) {
        const eb_section &section = chain.section[s];
        for (size_t place = section.begin; place < section.begin + section.length; place++) {
            eb_chain_term term = eb_chain_term_at(&chain, &section, place);
            if (chain.adder.halved) /* the instruction itself picks the coordinates of each half */
                term.dimension = place - section.begin;
            if (term.dimension < d)
                table[place] = place_of(term.dimension, term.part[0], term.part[1]);
        }
    }
}

std::vector<uint32_t> table_of(const eb_rung &rung, size_t d)
{
    std::vector<uint32_t> table(prepared_row_bytes(rung, d) / eb_number_type_of(rung.number)->bytes, no_coordinate);
    if (eb_rung_is_float(&rung))
        fill_chain(rung, d, table);
    else
        for (size_t run = 0; run < runs_of(rung); run++)
            for (size_t k = 0; k < d; k++)
                table[run * round_up(d, slice_bytes) + k] = place_of(k, slice_runs[run].row, slice_runs[run].column);
    return table;
}

number_rounding rounding_of(const eb_frame &frame)
{
    const eb_rung &rung = *frame.rung;
    const eb_number_type *type = eb_number_type_of(rung.number);
    const bool one_step = rung.number == EB_S8 && !rung.step_a_point;
    number_rounding r{};
    r.number = rung.number;
    r.parts = rung.parts;
    r.least = std::ldexp(1, type->least_exponent);
    r.unit = std::ldexp(1, 1 - static_cast<int>(type->digits));
    r.greatest = type->greatest;
    r.saturates = type->saturates;
    r.beyond = type->saturates ? type->greatest : INFINITY;
    r.ties_away = type->ties_away;
    r.flat = one_step && !(frame.greatest > 0);
    r.step = one_step ? eb_step_of(&rung, frame.greatest) : 1;
    return r;
}

} // namespace

size_t prepared_products(const eb_rung &rung, size_t d)
{
    return eb_rung_is_float(&rung) ? chain_of(rung, d).length : (runs_of(rung) - 1) * round_up(d, slice_bytes) + d;
}

size_t prepared_row_bytes(const eb_rung &rung, size_t d)
{
    return round_up(prepared_products(rung, d) * eb_number_type_of(rung.number)->bytes, slice_bytes);
}

eb_code row_rounder::begin(const eb_frame *frame, double debias, cudaStream_t stream, eb_status *status)
{
    frame_ = frame;
    debias_ = debias;
    rounding_ = rounding_of(*frame);
    const std::vector<uint32_t> table = table_of(*frame->rung, frame->d);
    EB_TRY(table_.reserve(table.size(), rounding, status));
    EB_CUDA(cudaMemcpyAsync(table_.get(), table.data(), table.size() * sizeof(uint32_t), cudaMemcpyHostToDevice,
                            stream),
            rounding);
    EB_CUDA(cudaStreamSynchronize(stream), rounding);
    return EB_OK;
}

eb_code row_rounder::round(const double *y, size_t count, unsigned char *rows, unsigned char *columns,
                           cudaStream_t stream, eb_status *status)
{
    const auto d = static_cast<uint32_t>(frame_->d), points = static_cast<uint32_t>(count);
    if (frame_->rung->step_a_point) {
        EB_TRY(steps_.reserve(count, rounding, status));
        rounding_.steps = steps_.get();
        steps_of<<<blocks_for(count, 8), 256, 0, stream>>>(y, points, d, eb_greatest_level(frame_->rung), steps_.get());
        EB_CUDA(cudaGetLastError(), rounding);
    }
    const size_t bytes = eb_number_type_of(frame_->rung->number)->bytes;
    const auto kernel = bytes == 8   ? operands_of<uint64_t>
                        : bytes == 4 ? operands_of<uint32_t>
                        : bytes == 2 ? operands_of<uint16_t>
                                     : operands_of<uint8_t>;
    const auto words =
        static_cast<uint32_t>(prepared_row_bytes(*frame_->rung, frame_->d) / std::max(bytes, sizeof(uint32_t)));
    kernel<<<blocks_for(count * words, 256), 256, 0, stream>>>(y, points, d, table_.get(), words, rounding_, rows,
                                                               columns);
    EB_CUDA(cudaGetLastError(), rounding);
    return EB_OK;
}

eb_code row_rounder::measure(const double *y, size_t count, size_t first, const row_measures &to, row_counts *counts,
                             cudaStream_t stream, eb_status *status) const
{
    const measuring m =
        {y, static_cast<uint32_t>(count), static_cast<uint32_t>(frame_->d), first, rounding_, debias_, to, counts};
    kernel_for(*frame_->rung, debias_)<<<blocks_for(count, 32), 32, 0, stream>>>(m);
    EB_CUDA(cudaGetLastError(), "measuring points");
    return EB_OK;
}

} // namespace eb
