/* rules: the rules (tiled/variant.cuh) of engine tensor in one arithmetic type. */
#pragma once

#include <cstdio>

#include "kernels/fasted/cuda/tensor_map.cuh"
#include "kernels/fasted/thresholds.h"
#include "kernels/integers/cuda/kernels.cuh"
#include "kernels/tensor/cuda/kernels.cuh"
#include "kernels/tensor/cuda/levels.cuh"
#include "kernels/tensor/cuda/prepare.cuh"
#include "kernels/tensor/cuda/thresholds.cuh"
#include "kernels/tiled/engine.cuh"

namespace eb {

/* The rung of the options on the current device, which has been asked for it before (probe). */
eb_rung tensor_rung_here(const eb_options &options);

/* True if the rung's products are wgmma's. */
bool multiplies_by_warpgroups(const eb_options &options);

/* The limit of a type's products by one of the two instructions. */
eb_limit tensor_limit(eb_number number, bool warpgroups);

/* The loop that a floating-point rung needs for rows of d coordinates. *span: its spans in steps of 32 bytes. */
chain_loop tensor_loop(const eb_rung &rung, size_t d, uint32_t *span);

/* norm[i] becomes square[i], a whole number, as 32-bit integer. */
eb_code whole_norms(const double *square, size_t count, float *norm, cudaStream_t stream, eb_status *status);

/* Checks that the sums of two slices fit 32 bits. rows: the points' rows of 3 · run_bytes, whose first run has the
 * upper levels. EB_BAD_VALUE. */
eb_code check_slices(const uint8_t *rows, size_t count, size_t run_bytes, size_t d, cudaStream_t stream,
                     eb_status *status);

/* Writes "BF16, FP32 sums (wgmma); coordinates times 2^3; …". */
int describe_tensor(const eb_rung &rung, const point_preparer &points, bool warpgroups, size_t coordinates,
                    char *buffer, size_t size);

template <class numbers_type> class tensor_rules {
  public:
    using numbers = numbers_type;
    using point = uint8_t;
    using squared = typename numbers::squared;
    using arguments = tile_arguments<numbers>;
    using panel = levelled_panel<numbers>;
    static constexpr size_t side_of_tile = 128, depth = row_bytes;
    static constexpr double flops = 2;
    static constexpr bool unsure = false;

    struct side : side_levels<numbers> {
        static constexpr size_t bytes_a_row =
            sizeof(float) * 2 + sizeof(double) + side_levels<numbers>::bytes_a_row; /* at most */
        device_array<uint8_t> exchanged;                                            /* the rows as columns */
        device_array<float> norm, step; /* bytes: norm holds whole numbers */
        device_array<double> square;
    };

    explicit tensor_rules(const eb_options &options)
        : rung_(tensor_rung_here(options)), warpgroups_(multiplies_by_warpgroups(options))
    {
    }

    size_t padded(size_t d) const { return prepared_row_bytes(rung_, d); }
    size_t products(size_t d) const { return prepared_products(rung_, d); }
    size_t bytes_a_row(size_t d) const { return (exchanges(rung_) ? 2 : 1) * padded(d) + side::bytes_a_row; }
    size_t staging(const eb_dataset *points) const { return preparing_bytes(points); }
    double scale() const { return points_.unit(); }

    eb_code begin(const eb_problem &problem, const eb_context &context, eb_status *status)
    {
        coordinates_ = (problem.left->n + (eb_is_self_join(&problem) ? 0 : problem.right->n)) * problem.left->d;
        unit_ = rung_.number == EB_S8 && rung_.parts == 2 ? 128 : 1;
        if (eb_rung_is_float(&rung_))
            loop_ = tensor_loop(rung_, problem.left->d, &span_);
        else
            shift_ = rung_.parts == 2 ? static_cast<uint32_t>(padded(problem.left->d) / 3 / row_bytes) : 0;
        return points_.begin(&rung_, "tensor", &problem, &context, nullptr, status);
    }

    eb_code load(const eb_dataset *from, const uint32_t *number, size_t first, size_t count, size_t padded,
                 size_t d_padded, uint8_t *points, side &of, cudaStream_t stream, const eb_context *, eb_status *status)
    {
        constexpr bool has_square = std::is_same_v<numbers, wide_products> || std::is_same_v<numbers, byte_numbers>;
        const char *what = "making room for the norms";
        prepared_rows to{points, nullptr, padded, nullptr, nullptr, nullptr};
        if (exchanges(rung_)) {
            EB_TRY(of.exchanged.reserve(padded * d_padded, "making room for the points", status));
            to.columns = of.exchanged.get();
        }
        if constexpr (has_square) {
            EB_TRY(of.square.reserve(padded, what, status));
            to.square = of.square.get();
        }
        if constexpr (!std::is_same_v<numbers, wide_products>)
            EB_TRY(of.norm.reserve(padded, what, status));
        if constexpr (!has_square)
            to.norm = of.norm.get();
        if constexpr (numbers::stepped) {
            EB_TRY(of.step.reserve(padded, what, status));
            to.step = of.step.get();
        }
        EB_TRY(points_.load(from, number, first, count, to, stream, status));
        if constexpr (std::is_same_v<numbers, byte_numbers>)
            EB_TRY(whole_norms(of.square.get(), padded, of.norm.get(), stream, status));
        return unit_ > 1 ? check_slices(points, count, d_padded / 3, from->d, stream, status) : EB_OK;
    }

    bool symmetric() const { return true; }
    /* Only norms of one array are sorted with the points. */
    bool sorts(size_t points, size_t d_padded) const
    {
        return !numbers::settled && !exchanges(rung_) && eb_order_is_faster(d_padded, points, warpgroups_);
    }
    eb_code order(const side &from, size_t count, size_t block, side &to, uint32_t *point, cudaStream_t stream,
                  eb_status *status) const
    {
        EB_TRY(to.norm.reserve(count, "ordering the points", status));
        EB_TRY(order_by(from.norm.get(), count, block, point, stream, status));
        return gather_values(from.norm.get(), point, count, to.norm.get(), stream, status);
    }

    eb_limit limit() const { return tensor_limit(rung_.number, warpgroups_); }
    int describe(char *buffer, size_t size) const
    {
        return describe_tensor(rung_, points_, warpgroups_, coordinates_, buffer, size);
    }

    squared threshold(double eps) const { return largest_within<squared>(scale(), eb_squared_threshold(eps)); }

    tile_variant<arguments> variant(output writes, bool symmetric, size_t d, size_t points) const
    {
        const bool strips = warpgroups_ && eb_strips_are_faster(prepared_row_bytes(rung_, points_.frame().d), points);
        const tensor_kernel wanted{writes, symmetric, strips};
        if constexpr (std::is_same_v<numbers, byte_numbers>)
            return byte_kernels(warpgroups_).variant({true, symmetric, writes}, d, points);
        else if constexpr (numbers::chained)
            return chain_variant(wanted);
        else
            return warpgroups_ ? tensor_warpgroup_kernel<numbers>(wanted) : tensor_mma_kernel<numbers>(wanted);
    }

    eb_code complete(const tile_variant<arguments> &v, arguments &args, eb_status *status)
    {
        if constexpr (numbers::chained) {
            args.by = instruction();
            args.span = span_;
        }
        if constexpr (numbers::shifts) {
            args.shift = shift_;
            args.unit = unit_;
        }
        if constexpr (!std::is_same_v<numbers, byte_numbers>)
            if (args.b.exchanged)
                args.b.points = args.b.exchanged;
        return launches_.complete(v, args, true, status);
    }

    eb_code level(side &of, size_t count, size_t padded, squared threshold, cudaStream_t stream,
                  eb_status *status) const
    {
        make_levels<numbers>
            <<<side::blocks_of(padded), side::points, 0, stream>>>({of.norm.get(), of.step.get(), of.square.get()},
                                                                   static_cast<uint32_t>(count),
                                                                   static_cast<uint32_t>(padded), threshold, unit_,
                                                                   of.level.get(), of.columns.get());
        EB_CUDA(cudaGetLastError(), "preparing the levels");
        return EB_OK;
    }

    panel view(const uint8_t *points, const side &of, size_t at, size_t count, size_t first) const
    {
        panel p = of.panel(points, at, count, first);
        if constexpr (numbers::settled) {
            p.square = of.square.get() ? of.square.get() + at : nullptr;
            p.norm = of.norm.get() ? of.norm.get() + at : nullptr;
        }
        if constexpr (!std::is_same_v<numbers, byte_numbers>)
            p.exchanged =
                of.exchanged.get() ? of.exchanged.get() + at * prepared_row_bytes(rung_, points_.frame().d) : nullptr;
        return p;
    }

  private:
    template <chain_loop loop> tensor_variant<numbers> warpgroup(tensor_kernel wanted) const
    {
        return tensor_warpgroup_kernel<chain_products<loop>>(wanted);
    }
    tensor_variant<numbers> counting(bool strips) const
    {
        switch (instruction()) {
        case chain_instruction::f16: return tensor_counting_kernel<f16_instruction>(strips);
        case chain_instruction::bf16: return tensor_counting_kernel<bf16_instruction>(strips);
        case chain_instruction::tf32: return tensor_counting_kernel<tf32_instruction>(strips);
        case chain_instruction::e4m3: return tensor_counting_kernel<e4m3_instruction>(strips);
        case chain_instruction::e5m2: return tensor_counting_kernel<e5m2_instruction>(strips);
        }
        __builtin_unreachable();
    }
    template <chain_loop loop> tensor_variant<numbers> mma(tensor_kernel wanted) const
    {
        return tensor_mma_kernel<chain_products<loop>>(wanted);
    }
    tensor_variant<numbers> chain_variant(tensor_kernel wanted) const
    {
        if (warpgroups_ && loop_ == chain_loop::plain && wanted.symmetric && wanted.writes == output::count)
            return counting(wanted.strips);
        switch (loop_) {
        case chain_loop::plain:
            return warpgroups_ ? warpgroup<chain_loop::plain>(wanted) : mma<chain_loop::plain>(wanted);
        case chain_loop::f16: return warpgroups_ ? warpgroup<chain_loop::f16>(wanted) : mma<chain_loop::f16>(wanted);
        case chain_loop::eighths:
            return warpgroups_ ? warpgroup<chain_loop::eighths>(wanted) : mma<chain_loop::spans>(wanted);
        case chain_loop::halves:
            return warpgroups_ ? warpgroup<chain_loop::halves>(wanted) : mma<chain_loop::spans>(wanted);
        case chain_loop::brief:
            return warpgroups_ ? warpgroup<chain_loop::brief>(wanted) : mma<chain_loop::spans>(wanted);
        case chain_loop::spans:
            return warpgroups_ && eb_number_type_of(rung_.number)->bytes == 1 ? warpgroup<chain_loop::spans>(wanted)
                                                                              : mma<chain_loop::spans>(wanted);
        }
        __builtin_unreachable();
    }

    chain_instruction instruction() const
    {
        switch (rung_.number) {
        case EB_BF16: return chain_instruction::bf16;
        case EB_TF32: return chain_instruction::tf32;
        case EB_E4M3_NUMBER: return chain_instruction::e4m3;
        case EB_E5M2_NUMBER: return chain_instruction::e5m2;
        default: return chain_instruction::f16;
        }
    }

    eb_rung rung_;
    bool warpgroups_;
    point_preparer points_;
    warpgroup_launches launches_;
    size_t coordinates_ = 0;
    chain_loop loop_ = chain_loop::plain;
    uint32_t span_ = 0, shift_ = 0;
    double unit_ = 1;
};

} // namespace eb
