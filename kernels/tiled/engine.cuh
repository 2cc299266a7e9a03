/* engine: the part that all tiled CUDA engines share: points on the device, kernels over block tiles of the distance
 * matrix, pairs turned into rows, intervals or dense distances. An engine adds its rules: how points are prepared and
 * which kernel runs. variant.cuh lists the members of rules.
 *
 * Points that fit are on the device as a whole. Otherwise they are streamed: blocks of rows are joined in pairs, with
 * one block of each side on the device; the second is uploaded again for every pair. A pair of blocks of b rows costs
 * b·d values of upload and b²·d of work, so that with blocks of 10⁵ rows and more the link does not limit.
 *
 * Kernels number points by their places: left points from 0, and with two sets right points after them. kernels/rows
 * translates places to entries of a table when rows are made.
 */
#pragma once

#include <cstdio>
#include <new>
#include <vector>

#include "kernels/device/implementation.cuh"
#include "kernels/rows/rows.cuh"
#include "kernels/tiled/binned.cuh"
#include "kernels/tiled/intervals.cuh"
#include "kernels/tiled/nearest.cuh"

namespace eb {

template <class rules> class tiled_engine : tiled_nearest<rules> {
  public:
    tiled_engine(const eb_problem *problem, const eb_context *context) : base(problem, context) {}

    using tiled_nearest<rules>::nearest_rows;
    const eb_context &context() const { return *context_; }
    const char *describe() const { return description_; }

    static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
    {
        return padded_rows(n) * static_cast<uint64_t>(bytes_a_row(d, dtype));
    }

    eb_code begin(eb_status *status)
    {
        const int device = context_->device->index;
        int sms = 0;
        EB_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "asking the GPU for its size");
        sms_ = static_cast<unsigned>(sms);
        EB_TRY(keep_device_memory(device, status));
        EB_CUDA(cudaStreamCreate(&stream_), "making a stream");
        EB_TRY(arrange(status));
        EB_TRY(divide_memory(status));
        const bool arrive = may_arrive();
        if (arrive)
            EB_TRY(expect_points(status));
        if constexpr (begins<rules>)
            EB_TRY(rules_.begin(*problem_, *context_, status));
        describe_self();
        if (arrive)
            return EB_OK;
        /* Every row is loaded once here, streamed or not, so that points which cannot be computed correctly are refused
         * before anything runs. */
        for (size_t first = 0; first < rows_; first += block_rows_)
            EB_TRY(load(blocks_[0], false, first, smaller(block_rows_, rows_ - first), status));
        for (size_t first = 0; !self_ && first < columns_; first += block_rows_)
            EB_TRY(load(blocks_[1], true, first, smaller(block_rows_, columns_ - first), status));
        return EB_OK;
    }

    /* Counts without storing pairs, unless their ends or FP64 must decide which count. */
    eb_code count(const eb_question &question, const eb_share &share, uint64_t *entries, eb_status *status)
    {
        EB_TRY(eb_question_check(&question, &share, problem_, status));
        EB_TRY(sort_for(question, share, status));
        const work w = work_of(question, share);
        uint64_t found = 0;
        if (rules::unsure || filters || w.picked) {
            EB_TRY(find_pairs(w, true, status, [&]() -> eb_code {
                uint64_t more = 0;
                EB_TRY(count_entries(hits_, meaning_of(w), &more, stream_, status));
                found += more;
                return hits_.clear(stream_, status);
            }));
        } else if constexpr (!filters) {
            EB_TRY(count_hits(w, &found, status));
        }
        *entries = found + (self_ ? eb_self_pairs_of(&share) : 0);
        return EB_OK;
    }

    eb_code join(const eb_question &question, const eb_share &share, const eb_sink *sink, eb_status *status)
    {
        EB_TRY(eb_question_check(&question, &share, problem_, status));
        EB_TRY(sort_for(question, share, status));
        const work w = work_of(question, share);
        if (w.ascends) {
            bool found = true;
            const eb_code failed = join_ascending(w, sink, &found, status);
            if (failed != EB_NO_MEMORY || found)
                return failed;
            eb_question alone = question; /* without the pairs of other rows in the step, and of later ones */
            alone.ascending = false;
            return join(alone, share, sink, status);
        }
        EB_TRY(find_pairs(w, question.pairs_alone, status, [] { return EB_OK; }));
        return deliver_share(hits_, meaning_of(w), share, rows_limit(), sink, stream_, context_, status);
    }

    eb_code histogram(eb_distance_pass *pass, eb_status *status)
    {
        const eb_question question{pass->eps[pass->edges - 1], {EB_SCHEDULE_TRIANGLE, 0, nullptr}, 0, false, 0, false};
        const eb_share share = eb_pass_share(pass, rows_);
        interval_counter<squared> intervals;
        EB_TRY(eb_question_check(&question, &share, problem_, status));
        EB_TRY(intervals.prepare(pass, eb_squared_threshold, scale(), stream_, status));
        EB_TRY(sort_for(question, share, status));
        EB_TRY(find_pairs(work_of(question, share), false, status, [&]() -> eb_code {
            EB_TRY(intervals.take(hits_, stream_, status));
            return hits_.clear(stream_, status);
        }));
        return intervals.finish(pass, stream_, status);
    }

    eb_code distances(const uint32_t *rows, size_t m, double *out, eb_status *status)
    {
        return measure(
            rows, m,
            [&](size_t first, size_t queries, size_t other, size_t count) -> eb_code {
                dense_host_.resize(queries * count);
                EB_CUDA(cudaMemcpyAsync(dense_host_.data(), dense_.get(), queries * count * sizeof(squared),
                                        cudaMemcpyDeviceToHost, stream_),
                        measuring);
                EB_CUDA(cudaStreamSynchronize(stream_), measuring);
                for (size_t k = 0; k < queries; k++)
                    for (size_t j = 0; j < count; j++) {
                        const size_t column = arranged_.point ? arranged_.point[other + j] : other + j;
                        out[(first + k) * columns_ + column] =
                            static_cast<double>(dense_host_[k * count + j]) * scale();
                    }
                for (size_t k = 0; self_ && k < queries; k++)
                    out[(first + k) * columns_ + rows[first + k]] = 0;
                return EB_OK;
            },
            status);
    }

    eb_code bins(const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
    {
        binned_queries<squared> binned;
        EB_TRY(binned.prepare(self_ ? rows : nullptr, m, scale(), stream_, status));
        const uint32_t *point = arranged_.point ? point_.get() : nullptr;
        EB_TRY(measure(
            rows, m,
            [&](size_t first, size_t queries, size_t other, size_t count) {
                return binned.take(dense_.get(), first, queries, other, count, point, stream_, status);
            },
            status));
        return binned.finish(out, stream_, status);
    }

    /* s of each point with itself. */
    eb_code self(double *out, eb_status *status)
    {
        constexpr size_t at_once = 2048;
        std::vector<squared> s(smaller(rows_, at_once));
        EB_TRY(dense_.reserve(s.size() * s.size(), measuring, status));
        for (size_t first = 0; first < rows_; first += at_once) {
            const size_t count = smaller(at_once, rows_ - first);
            EB_TRY(eb_job_check(context_->job, status));
            EB_TRY(load_from(queries_, problem_->left, nullptr, first, count, status));
            EB_TRY(level(queries_, 0, status));
            EB_TRY(measure_views(view(queries_, 0, count), view(queries_, 0, count), count, status));
            EB_CUDA(cudaMemcpy2DAsync(s.data(), sizeof(squared), dense_.get(), (count + 1) * sizeof(squared),
                                      sizeof(squared), count, cudaMemcpyDeviceToHost, stream_),
                    measuring);
            EB_CUDA(cudaStreamSynchronize(stream_), measuring);
            for (size_t k = 0; k < count; k++)
                out[first + k] = static_cast<double>(s[k]) * scale();
            eb_job_advance(context_->job, count);
        }
        return EB_OK;
    }

  private:
    using base = tiled_nearest<rules>;
    using squared = typename rules::squared;
    using base::arrange, base::block_to_sort, base::bytes_a_row, base::divide_memory, base::find_between,
        base::expect_points, base::finish_finding, base::first_column, base::level, base::load, base::load_from,
        base::may_arrive, base::may_sort, base::measure_views, base::meet_all, base::meet_arrivals, base::padded_rows,
        base::prepare_finding, base::resident, base::right_block, base::rows_limit, base::run, base::scale,
        base::smaller, base::sort_points, base::take_all, base::view, base::work_of;
    using base::arranged_, base::block_rows_, base::blocks_, base::columns_, base::context_, base::d_padded_,
        base::dense_, base::filters, base::hits_, base::late_, base::measuring, base::no_room_, base::pairs_limit_,
        base::point_, base::problem_, base::queries_, base::rows_, base::rules_, base::self_, base::sms_,
        base::sorted_block_, base::stream_;
    using typename base::arguments;
    using typename base::block;
    using typename base::panel;
    using typename base::work;

    void describe_self()
    {
        const int written = rules_.describe(description_, sizeof description_);
        if ((resident() && !no_room_) || written < 0 || static_cast<size_t>(written) >= sizeof description_)
            return;
        char *const end = description_ + written;
        const size_t room = sizeof description_ - static_cast<size_t>(written);
        if (resident())
            (void)std::snprintf(end, room, "%sthe points are in their stored order, for want of memory",
                                written > 0 ? "; " : "");
        else
            (void)std::snprintf(end, room, "%sthe points do not fit the GPU's memory: streamed in %zu blocks of %zu",
                                written > 0 ? "; " : "", (rows_ + block_rows_ - 1) / block_rows_, block_rows_);
    }

    eb_code sort_for(const eb_question &question, const eb_share &share, eb_status *status)
    {
        if (takes_rows<rules> && (late_ || share.meeting))
            EB_TRY(meet_arrivals(question, share, status));
        const size_t block = block_to_sort(question, share), before = sorted_block_;
        EB_TRY(!late_ && may_sort(question, share) ? sort_points(question, block, status) : EB_OK);
        carried_.is &= before == sorted_block_; /* its pairs are of places */
        describe_self();
        return EB_OK;
    }

    /* ---- questions ---- */

    pairs_meaning meaning_of(const work &w) const
    {
        return {rows_,
                columns_,
                self_,
                w.triangle,
                first_column(),
                arranged_.point || w.sorted ? point_.get() : nullptr,
                w.share.row_begin,
                w.share.row_end,
                scale()};
    }

    /* Finds the pairs of all tiles, with take() after each launch that fitted. alone: squared distances are not
     * used. */
    template <class taking> eb_code find_pairs(const work &w, bool alone, eb_status *status, taking take)
    {
        const bool goes_on = w.ascends && carries_to(w); /* in hits_ are pairs that stay */
        carried_.is = false;
        EB_TRY(prepare_finding(w, !goes_on, status));
        EB_TRY(meet_all(w, status, [&](const panel &a, const panel &b, bool diagonal, size_t rows) {
            return find_between(w, a, b, diagonal, rows, alone, status, take);
        }));
        return finish_finding(alone, status, take);
    }

    /* ---- ranges of rows, one after the other ---- */

    /* hits_ has all pairs of rows from `begin` to `end` with each other and with all later ones, but for those with
     * both ends below `next`, the row that the next range begins with. `begin` and `end` are multiples of a step, or
     * `end` is that of the rows: columns of a view begin at multiples of 256, and blocks of rows are in an order of
     * their own. */
    struct carried_pairs {
        bool is, alone;
        double eps;
        size_t next, begin, end;
    };
    bool carries_to(const work &w) const
    {
        return carried_.is && carried_.next == w.share.row_begin && carried_.eps == w.question.eps &&
               (w.question.pairs_alone || !carried_.alone);
    }

    /* Joins a range of rows; pairs with later rows stay for the next range. If its rows find no place, it can be asked
     * again as a shorter one. *found: the failure was not in finding the pairs. */
    eb_code join_ascending(work w, const eb_sink *sink, bool *found, eb_status *status)
    {
        const bool alone = w.question.pairs_alone, goes_on = carries_to(w);
        const size_t first = w.share.row_begin, next = w.share.row_end;
        const size_t step = w.sorted ? sorted_block_ : 256;
        w.begin = goes_on ? carried_.end : first / step * step;
        w.end = smaller((next + step - 1) / step * step, rows_);
        w.before = goes_on ? carried_.begin : w.begin;
        *found = false;
        if (w.end > w.begin || !goes_on)
            EB_TRY(find_pairs(w, alone, status, [] { return EB_OK; }));
        *found = true;
        carried_ = {false, alone, w.question.eps, first, w.before, w.end > w.begin ? w.end : w.begin};
        const eb_code failed =
            deliver_share(hits_, meaning_of(w), w.share, rows_limit(), sink, stream_, context_, status);
        if (!failed) {
            EB_TRY(drop_below(hits_, meaning_of(w), static_cast<uint32_t>(next), stream_, status));
            carried_.next = next;
        }
        carried_.is = true;
        return failed;
    }

    eb_code count_hits(const work &w, uint64_t *found, eb_status *status)
    {
        carried_.is = false;
        arguments args{};
        args.threshold = w.threshold;
        EB_TRY(hits_.prepare(1, 0, stream_, status));
        args.out = hits_.buffer();
        args.out.capacity = 0;
        EB_TRY(meet_all(w, status, [&](const panel &a, const panel &b, bool diagonal, size_t rows) {
            args.a = a;
            args.b = b;
            return run(w, rules_.variant(output::count, diagonal || w.listed(), w.d, columns_), args, rows, status,
                       [](arguments &, bool *) { return EB_OK; });
        }));
        EB_TRY(hits_.counted(found, stream_, status));
        *found *= w.triangle ? 2 : 1;
        return EB_OK;
    }

    /* Gathers queries into a block of their own and runs the dense kernel with all columns. take(first, queries,
     * column, columns) follows each launch: dense_ then holds the distances of `queries` queries, from `first` on, to
     * `columns` columns, from `column` on. */
    template <class taking> eb_code measure(const uint32_t *rows, size_t m, taking take, eb_status *status)
    {
        const size_t room = size_t{1} << 28, block = smaller(block_rows_, columns_), fitting = room / block;
        const size_t at_once = fitting < 1 ? 1 : smaller(fitting, rules::side_of_tile);
        EB_TRY(take_all(status));
        EB_TRY(dense_.reserve(at_once * block, measuring, status));
        for (size_t first = 0; first < m; first += at_once) {
            EB_TRY(eb_job_check(context_->job, status));
            const size_t count = smaller(at_once, m - first);
            gathered_rows gathered;
            gathered.gather(problem_->left, rows + first, count);
            EB_TRY(load_from(queries_, gathered.dataset(), rows + first, 0, count, status));
            if constexpr (!filters)
                EB_TRY(level(queries_, 0, status));
            for (size_t other = 0; other < columns_; other += block_rows_) {
                EB_TRY(measure_block(count, other, status));
                EB_TRY(take(first, count, other, smaller(block_rows_, columns_ - other)));
            }
            eb_job_advance(context_->job, count);
        }
        return EB_OK;
    }

    eb_code measure_block(size_t queries, size_t first, eb_status *status)
    {
        const size_t count = smaller(block_rows_, columns_ - first);
        block &b = resident() ? right_block() : blocks_[1];
        if (!resident())
            EB_TRY(load(b, true, first, count, status));
        if constexpr (filters) {
            return measure_all(rules_.stored(view(queries_, 0, queries)), queries, rules_.stored(view(b, 0, count)),
                               count, dense_.get(), stream_, status);
        } else {
            EB_TRY(level(b, 0, status)); /* levels hold the norms, which no threshold changes */
            return measure_views(view(queries_, 0, queries), view(b, 0, count), columns_, status);
        }
    }

    std::vector<squared> dense_host_;
    carried_pairs carried_{};
    char description_[256] = "";
};

} // namespace eb
