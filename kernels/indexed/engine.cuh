/* engine: the common part of GPU engines that make an index for each ε: points on the device, the index, which is kept
 * until another ε is asked, kernels over groups of queries, and pairs turned into rows or intervals. Self-joins only,
 * whole or in ranges of rows, in the points' own order. An engine adds its rules: the index, and the test of
 * candidates.
 *
 * There are two verdicts. The authors' verdict: the kernel's hits. The exact verdict: the kernel finds candidates at a
 * wider threshold, and FP64 sums in the stored order of dimensions decide (tiled/truth.cuh).
 *
 * Rules must have:
 * - rules(options)
 * - prepare(points, n, d, context, stream, status): work that does not depend on ε; points are FP64, n × d, and may be
 *   rounded in place
 * - index(eps, stream, status): makes the index, if there is one; valid until the next call
 * - tiles(): number of work units; arguments: has first_tile, end_tile, out, threshold, row_begin, row_end, whole;
 *   complete(arguments): sets the other arguments; kernel(writes): the kernel that writes hits, or that counts them
 * - dense(rows, m, out, stream, status): squared distances of points rows[0…m) to all n points
 * - verdict(eps): the threshold of the authors' sums; by_truth(): FP64 decides; wider(threshold, d): a threshold that
 *   the rules' sum exceeds for no pair that FP64 counts as near
 * - begin_counting(stream, status), launched(fitted, stream, status), report(figures, stream, status): count candidates
 *   and report them as figures; a launch that did not fit is repeated
 * - limit(limit): the device limit that the executed rate is compared with; false: unknown
 * - bytes_a_point(d)
 */
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/tiled/engine.cuh"

extern "C" {
#include "core/engine/decide.h"
}

namespace eb {

/* Arguments of every kernel of an indexed engine. whole: the kernel reports each pair once; otherwise it reports the
 * entries of rows [row_begin, row_end). */
struct indexed_arguments {
    uint64_t first_tile, end_tile;
    hit_buffer<double> out;
    double threshold;
    uint32_t row_begin, row_end;
    bool whole;
};

template <class rules> class indexed_engine {
  public:
    indexed_engine(const eb_problem *problem, const eb_context *context)
        : rules_(context->options), problem_(problem), context_(context), n_(problem->left->n), d_(problem->left->d)
    {
    }
    indexed_engine(const indexed_engine &) = delete;
    indexed_engine &operator=(const indexed_engine &) = delete;
    ~indexed_engine()
    {
        if (stream_)
            (void)cudaStreamDestroy(stream_);
    }

    const eb_context &context() const { return *context_; }
    const char *describe() const { return rules_.describe(); }
    static uint64_t memory_needed(size_t n, size_t d, eb_dtype)
    {
        return n * (d * sizeof(double) + rules::bytes_a_point(d));
    }

    eb_code begin(eb_status *status)
    {
        const uint64_t needed = memory_needed(n_, d_, problem_->left->dtype), limit = context_->memory_limit;
        if (!eb_is_self_join(problem_))
            return eb_fail(status, EB_NO_ENGINE, "an engine with an index joins a set with itself, not two sets");
        if (problem_->order)
            return eb_fail(status, EB_NO_ENGINE, "an engine with an index has an order of its own, and takes no other");
        if (limit > 0 && needed > limit)
            return eb_fail(status, EB_NO_MEMORY,
                           "the index of %zu points of %zu dimensions needs %llu bytes on the GPU; the limit is %llu",
                           n_, d_, static_cast<unsigned long long>(needed), static_cast<unsigned long long>(limit));
        if (eb_options_single(&context_->options))
            EB_TRY(eb_single_check(problem_->left, status));
        EB_TRY(keep_device_memory(context_->device->index, status));
        EB_CUDA(cudaStreamCreate(&stream_), "making a stream");
        EB_TRY(points_.reserve(n_ * d_, "making room for the points", status));
        EB_TRY(upload_points(problem_->left, nullptr, 0, n_, n_, d_, points_.get(), stream_, context_, status));
        stopwatch watch;
        double seconds = 0;
        const double kernels = eb_figures_value(context_->figures, eb_figure_kernel.key);
        EB_TRY(watch.start(stream_, status));
        EB_TRY(rules_.prepare(points_.get(), n_, d_, context_, stream_, status));
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_figures_add(context_->figures, &index_time, seconds - kernel_seconds_since(kernels));
        return EB_OK;
    }

    eb_code count(const eb_question &question, const eb_share &share, uint64_t *entries, eb_status *status)
    {
        uint64_t found = 0;
        EB_TRY(begin_question(question, share, status));
        if (rules_.by_truth()) {
            EB_TRY(find_pairs(question, share, status, [&]() -> eb_code {
                uint64_t more = 0;
                EB_TRY(count_entries(hits_, meaning_of(share), &more, stream_, status));
                found += more;
                return hits_.clear(stream_, status);
            }));
        } else {
            EB_TRY(count_hits(question, share, &found, status));
        }
        *entries = found + eb_self_pairs_of(&share);
        return report(status);
    }

    eb_code join(const eb_question &question, const eb_share &share, const eb_sink *sink, eb_status *status)
    {
        EB_TRY(begin_question(question, share, status));
        EB_TRY(find_pairs(question, share, status, [] { return EB_OK; }));
        EB_TRY(report(status));
        return deliver_share(hits_, meaning_of(share), share, lent() / 8, sink, stream_, context_, status);
    }

    eb_code histogram(eb_distance_pass *pass, eb_status *status)
    {
        const eb_question question{pass->eps[pass->edges - 1], {}, 0, false, 0, false};
        const eb_share share = eb_pass_share(pass, n_);
        interval_counter<double> intervals;
        EB_TRY(begin_question(question, share, status));
        EB_TRY(intervals.prepare(pass, verdict(), 1, stream_, status));
        EB_TRY(find_pairs(question, share, status, [&]() -> eb_code {
            EB_TRY(intervals.take(hits_, stream_, status));
            return hits_.clear(stream_, status);
        }));
        return intervals.finish(pass, stream_, status);
    }

    eb_code distances(const uint32_t *rows, size_t m, double *out, eb_status *status)
    {
        return measure(
            rows, m,
            [&](const double *dense, size_t first, size_t count) -> eb_code {
                EB_CUDA(cudaMemcpyAsync(out + first * n_, dense, count * n_ * sizeof(double), cudaMemcpyDeviceToHost,
                                        stream_),
                        measuring);
                EB_CUDA(cudaStreamSynchronize(stream_), measuring);
                for (size_t q = first; q < first + count; q++)
                    out[q * n_ + rows[q]] = 0;
                return EB_OK;
            },
            status);
    }

    eb_code bins(const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
    {
        binned_queries<double> binned;
        EB_TRY(binned.prepare(rows, m, 1, stream_, status));
        EB_TRY(measure(
            rows, m,
            [&](const double *dense, size_t first, size_t count) {
                return binned.take(dense, first, count, 0, n_, nullptr, stream_, status);
            },
            status));
        return binned.finish(out, stream_, status);
    }

  private:
    using arguments = typename rules::arguments;
    static constexpr eb_figure index_time = {"index_s", "index", EB_SECONDS, EB_FIGURE_PART, 0};
    static constexpr const char *measuring = "computing distances from queries";

    /* Kernel seconds since `before`: kernels that make an index are counted apart. */
    double kernel_seconds_since(double before) const
    {
        const double now = eb_figures_value(context_->figures, eb_figure_kernel.key);
        return std::isnan(now) ? 0 : std::isnan(before) ? now : now - before;
    }

    /* Bytes of the memory limit beside the points; 0: no limit. */
    uint64_t lent() const
    {
        const uint64_t kept = memory_needed(n_, d_, problem_->left->dtype), limit = context_->memory_limit;
        return limit == 0 ? 0 : limit > kept ? limit - kept : 1;
    }

    /* Calls take(dense, first, queries) with the squared distances of queries first … to all points: a row for each
     * query, on the device. */
    template <class taking> eb_code measure(const uint32_t *rows, size_t m, taking take, eb_status *status)
    {
        const size_t at_once = std::clamp<size_t>((size_t{1} << 26) / n_, 1, std::max<size_t>(m, 1));
        device_array<uint32_t> queries;
        device_array<double> dense;
        EB_TRY(queries.reserve(at_once, measuring, status));
        EB_TRY(dense.reserve(at_once * n_, measuring, status));
        for (size_t first = 0; first < m; first += at_once) {
            const size_t count = std::min(at_once, m - first);
            EB_TRY(eb_job_check(context_->job, status));
            EB_CUDA(cudaMemcpyAsync(queries.get(), rows + first, count * sizeof(uint32_t), cudaMemcpyHostToDevice,
                                    stream_),
                    measuring);
            if (rules_.by_truth())
                EB_TRY(measure_truly(queries.get(), count, dense.get(), status));
            else
                EB_TRY(rules_.dense(queries.get(), count, dense.get(), stream_, status));
            EB_TRY(take(dense.get(), first, count));
            eb_job_advance(context_->job, count);
        }
        return EB_OK;
    }

    stored_points stored() const
    {
        return {points_.get(), EB_F64, static_cast<uint32_t>(d_), d_ * sizeof(double), nullptr, 0};
    }

    eb_code measure_truly(const uint32_t *queries, size_t count, double *dense, eb_status *status)
    {
        stored_points of_queries = stored();
        of_queries.point = queries;
        return measure_all(of_queries, count, stored(), n_, dense, stream_, status);
    }

    eb_code report(eb_status *status)
    {
        static const eb_figure batches = {"batches", "batches, a launch each", EB_PLAIN, EB_FIGURE_FACT, 0};
        eb_figures_set(context_->figures, &batches, static_cast<double>(batches_));
        return rules_.report(context_->figures, stream_, status);
    }

    eb_code begin_question(const eb_question &question, const eb_share &share, eb_status *status)
    {
        eb_limit limit{};
        batches_ = 0;
        EB_TRY(eb_question_check(&question, &share, problem_, status));
        if (question.schedule.kind == EB_SCHEDULE_LIST)
            return eb_fail(status, EB_NO_ENGINE, "an engine with an index takes no list of leaves");
        if (rules_.limit(&limit))
            eb_figures_set_limit(context_->figures, context_->device, limit);
        if (indexed_ && indexed_eps_ == question.eps)
            return rules_.begin_counting(stream_, status);
        stopwatch watch;
        double seconds = 0;
        EB_TRY(watch.start(stream_, status));
        indexed_ = false;
        EB_TRY(rules_.index(question.eps, stream_, status));
        indexed_ = true;
        indexed_eps_ = question.eps;
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_figures_add(context_->figures, &index_time, seconds);
        return rules_.begin_counting(stream_, status);
    }

    threshold_of verdict() const { return rules_.by_truth() ? eb_squared_threshold : rules_.verdict(); }

    bool is_whole(const eb_share &share) const { return share.row_begin == 0 && share.row_end == n_; }

    pairs_meaning meaning_of(const eb_share &share) const
    {
        return {n_, n_, true, is_whole(share), 0, nullptr, share.row_begin, share.row_end};
    }

    arguments arguments_of(const eb_question &question, const eb_share &share)
    {
        const double threshold = verdict()(question.eps);
        arguments args{};
        args.threshold = rules_.by_truth() ? rules_.wider(threshold, d_) : threshold;
        args.row_begin = static_cast<uint32_t>(share.row_begin);
        args.row_end = static_cast<uint32_t>(share.row_end);
        args.whole = is_whole(share);
        rules_.complete(args);
        return args;
    }

    template <class settling>
    eb_code run(output writes, const eb_share &share, arguments args, eb_status *status, settling settle)
    {
        const uint64_t tiles = rules_.tiles();
        EB_TRY(agree_on_tiles(share, tiles, false, status));
        const tile_kernel<arguments> kernel = rules_.kernel(writes);
        const void *key = kernel.kernel.get();
        const int device = context_->device->index;
        const size_t rows = rows_of_part(share.row_end - share.row_begin, share);
        launch_pace pace = last_pace(device, key, d_);
        const eb_code failed =
            run_tiles(kernel, tiles_of(share, tiles), rows, args, pace, device, stream_, context_, status, settle);
        keep_pace(device, key, d_, pace);
        return failed;
    }

    eb_code count_hits(const eb_question &question, const eb_share &share, uint64_t *found, eb_status *status)
    {
        arguments args = arguments_of(question, share);
        EB_TRY(hits_.prepare(1, 0, stream_, status));
        args.out = hits_.buffer();
        args.out.capacity = 0;
        EB_TRY(run(output::count, share, args, status, [&](arguments &, bool *) {
            batches_++;
            return EB_OK;
        }));
        EB_TRY(hits_.counted(found, stream_, status));
        *found *= is_whole(share) ? 2 : 1;
        return EB_OK;
    }

    /* Decides a launch's candidates by FP64. */
    eb_code decide(const eb_question &question, eb_status *status)
    {
        const uint64_t held = hits_.held();
        const eb_code decided =
            decide_pairs(candidates_, stored(), stored(), eb_squared_threshold(question.eps), hits_, stream_, status);
        if (decided == EB_NO_MEMORY) { /* the launch is repeated with fewer tiles */
            hits_.keep(held);
            EB_TRY(hits_.forget(stream_, status));
            EB_TRY(candidates_.clear(stream_, status));
        }
        return decided;
    }

    /* Finds the pairs of all groups; calls take() after each launch that fitted. */
    template <class taking>
    eb_code find_pairs(const eb_question &question, const eb_share &share, eb_status *status, taking take)
    {
        arguments args = arguments_of(question, share);
        const bool truly = rules_.by_truth();
        const uint64_t limit = lent(), for_rows = limit / 8, for_candidates = truly ? limit / 4 : 0;
        const uint64_t expected = question.expected / (is_whole(share) ? 2 : 1) / share.parts;
        const uint64_t room =
            std::max(pair_store<double>::first_room(share.row_end - share.row_begin), expected + expected / 50);
        EB_TRY(hits_.prepare(room, limit - for_candidates - for_rows, stream_, status));
        if (truly)
            EB_TRY(candidates_.prepare(n_, for_candidates, stream_, status));
        pair_store<double> &found = truly ? candidates_ : hits_;
        args.out = found.buffer();
        return run(output::hits, share, args, status, [&](arguments &now, bool *fits) -> eb_code {
            EB_TRY(settle_pairs<double>(found, nullptr, fits, stream_, status));
            EB_TRY(rules_.launched(*fits, stream_, status));
            batches_ += *fits;
            if (*fits && truly)
                EB_TRY(decide(question, status));
            now.out = found.buffer();
            return *fits ? take() : EB_OK;
        });
    }

    rules rules_;
    const eb_problem *problem_;
    const eb_context *context_;
    size_t n_, d_;
    bool indexed_ = false;
    double indexed_eps_ = 0;
    uint64_t batches_ = 0;
    cudaStream_t stream_ = nullptr;
    device_array<double> points_;
    pair_store<double> hits_, candidates_;
};

} // namespace eb
