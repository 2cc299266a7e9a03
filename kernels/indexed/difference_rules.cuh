/* difference_rules: rules of indexed/engine.cuh for engines that sum squared differences (differences.cuh) over the
 * candidates of an index. An index type must have:
 * - index(options), view_type, bytes_a_point; by_root: the authors compare √s with ε, otherwise s with ε²; threads: a
 *   point's candidates may be distributed over several lanes (by_threads.cuh)
 * - prepare(points, n, d, spread, stream, status), order(): the order of dimensions in which sums are formed
 * - make(eps, stream, status); then view(), point(), groups(), describe(text, size), report(figures)
 */
#pragma once

#include "kernels/indexed/by_threads.cuh"
#include "kernels/indexed/candidate_counter.cuh"
#include "kernels/indexed/differences.cuh"
#include "kernels/indexed/images.cuh"
#include "kernels/indexed/spread.cuh"
#include "kernels/indexed/verdict.h"

namespace eb {

/* The options that all these engines have. */
struct difference_settings {
    bool short_circuit, unidirectional, single, truth;
    uint32_t ilp;

    explicit difference_settings(const eb_options &options)
        : short_circuit(eb_option_on(&options, "short-circuit")),
          unidirectional(eb_option_on(&options, "unidirectional")), single(eb_options_single(&options)),
          truth(eb_truth_decides(&options)), ilp(1u << eb_option_choice(&options, "ilp"))
    {
    }
};

template <class index_of_points> class difference_rules {
  public:
    using view_type = typename index_of_points::view_type;
    using arguments = difference_arguments<view_type>;

    explicit difference_rules(const eb_options &options)
        : set_(options), threads_(index_of_points::threads(options)), index_(options)
    {
    }

    static size_t bytes_a_point(size_t d)
    {
        return point_images::bytes_a_point(round_up(d, difference_chunk)) + index_of_points::bytes_a_point;
    }
    const char *describe() const { return description_; }
    bool by_truth() const { return set_.truth; }
    static double wider(double threshold, size_t d) { return eb_wider_threshold(threshold, d); }
    bool limit(eb_limit *limit) const
    {
        *limit = EB_LIMIT_F64;
        return !set_.single;
    }

    threshold_of verdict() const
    {
        if (index_of_points::by_root)
            return set_.single ? eb_root_threshold_f32 : eb_root_threshold_f64;
        return set_.single ? eb_squared_threshold_f32 : eb_squared_threshold;
    }

    eb_code prepare(double *points, size_t n, size_t d, const eb_context *, cudaStream_t stream, eb_status *status)
    {
        spread_of_points spread;
        n_ = n;
        d_ = d;
        if (set_.single)
            EB_TRY(round_to_single(points, n * d, stream, status));
        EB_TRY(find_spread(points, n, d, &spread, stream, status));
        EB_TRY(index_.prepare(points, n, d, spread, stream, status));
        return images_.make(points, n, d, index_.order(), round_up(d, difference_chunk), set_.single, stream, status);
    }

    /* FP32 sums may be too small by d + 4 roundings, so that pairs a little farther apart than ε count as near: the
     * index is made for that greater distance. */
    eb_code index(double eps, cudaStream_t stream, eb_status *status)
    {
        const double farther = set_.single ? 1 + (static_cast<double>(d_) + 4) * 0x1p-24 : 1;
        EB_TRY(index_.make(eps * farther, stream, status));
        char text[64];
        index_.describe(text, sizeof text);
        (void)std::snprintf(description_, sizeof description_, "%s, %s sums", text, set_.single ? "FP32" : "FP64");
        return images_.place(index_.point(), stream, status);
    }

    uint64_t tiles() const { return (index_.groups() + difference_warps - 1) / difference_warps; }

    void complete(arguments &args) const
    {
        args.index = index_.view();
        args.groups = index_.groups();
        args.image = images_.sorted();
        args.d = static_cast<uint32_t>(d_);
        args.d_padded = static_cast<uint32_t>(images_.d_padded());
        args.ilp = set_.ilp;
        args.test_every = set_.short_circuit ? static_cast<uint32_t>(round_up(set_.ilp, difference_chunk)) : 0;
        args.unidirectional = set_.unidirectional;
        args.threads = threads_;
        args.counted = looks_.on_device();
    }

    tile_kernel<arguments> kernel(output writes) const
    {
        return set_.single ? kernel_of<float>(writes) : kernel_of<double>(writes);
    }

    eb_code dense(const uint32_t *rows, size_t m, double *out, cudaStream_t stream, eb_status *status) const
    {
        return set_.single ? dense_of<float>(rows, m, out, stream, status)
                           : dense_of<double>(rows, m, out, stream, status);
    }

    eb_code begin_counting(cudaStream_t stream, eb_status *status) { return looks_.begin(stream, status); }
    eb_code launched(bool fitted, cudaStream_t stream, eb_status *status)
    {
        return looks_.launched(fitted, stream, status);
    }
    eb_code report(eb_figures *figures, cudaStream_t stream, eb_status *status)
    {
        const double n = static_cast<double>(n_);
        index_.report(figures);
        eb_figures_set(figures, &eb_figure_coordinate, set_.single ? sizeof(float) : sizeof(double));
        return looks_.report(figures, n_, n * n * (set_.unidirectional ? 0.5 : 1), 3, stream, status);
    }

  private:
    template <class real> tile_kernel<arguments> kernel_of(output writes) const
    {
        const bool counts = writes == output::count;
        if constexpr (index_of_points::has_threads)
            if (threads_ > 0)
                return {counts ? join_by_threads<real, output::count, view_type>
                               : join_by_threads<real, output::hits, view_type>,
                        difference_threads, 0, 0};
        return {counts ? join_by_differences<real, output::count, view_type>
                       : join_by_differences<real, output::hits, view_type>,
                difference_threads, 0, 0};
    }

    template <class real>
    eb_code dense_of(const uint32_t *rows, size_t m, double *out, cudaStream_t stream, eb_status *status) const
    {
        const dim3 blocks(static_cast<unsigned>((n_ + 255) / 256),
                          static_cast<unsigned>((m + queries_a_group - 1) / queries_a_group));
        dense_differences<<<blocks, 256, 0, stream>>>(static_cast<const real *>(images_.stored()),
                                                      static_cast<uint32_t>(n_),
                                                      static_cast<uint32_t>(images_.d_padded()), set_.ilp, rows,
                                                      static_cast<uint32_t>(m), out);
        EB_CUDA(cudaGetLastError(), "computing distances from queries");
        return EB_OK;
    }

    difference_settings set_;
    uint32_t threads_; /* lanes per query; 0: the queries of a group share their candidates */
    size_t n_ = 0, d_ = 0;
    index_of_points index_;
    point_images images_;
    candidate_counter looks_;
    char description_[96] = "";
};

} // namespace eb
