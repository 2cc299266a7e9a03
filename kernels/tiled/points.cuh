/* points: holds an engine's points on the device, as a whole or in streamed blocks, in the problem's order and
 * optionally in an order of the engine's own. rules: variant.cuh. */
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/rows/exchange.cuh"
#include "kernels/tiled/order.cuh"
#include "kernels/upload/arriving.cuh"
#include "kernels/upload/upload.cuh"

extern "C" {
#include "core/engine/arrange.h"
#include "core/engine/problem.h"
}

namespace eb {

/* Bytes that this process can still allocate on the current device, unused memory of its pool included. */
eb_code free_device_bytes(uint64_t *bytes, eb_status *status);

/* Chooses the rows of a block of a streamed dataset; `rows` itself if all fit. budget: bytes for everything on the
 * device. */
eb_code choose_block_rows(size_t rows, size_t bytes_a_row, uint64_t budget, size_t *block_rows, eb_status *status);

/* Value of a flag; true if the options do not have it. */
inline bool switched_on(const eb_options &options, const char *name)
{
    return !options.list || !eb_option_find(options.list, name) || eb_option_on(&options, name);
}

/* Copies rows[0…m) of a dataset into a dataset of their own, which has points only. */
class gathered_rows {
  public:
    void gather(const eb_dataset *ds, const uint32_t *rows, size_t m);
    const eb_dataset *dataset() const { return &dataset_; }

  private:
    std::vector<unsigned char> bytes_;
    eb_dataset dataset_{};
};

/* Detects rules whose kernels find candidates, which become hits afterwards (engine.cuh). */
template <class rules, class = void> struct filter_of {
    static constexpr bool filters = false, shortens = false;
    using found = typename rules::squared;
};
template <class rules> struct filter_of<rules, std::void_t<typename rules::candidate>> {
    static constexpr bool filters = true, shortens = rules::shortens;
    using found = typename rules::candidate;
};

/* Detects rules with begin(problem, context, status), which runs before points are loaded. */
template <class rules, class = void> constexpr bool begins = false;
template <class rules> constexpr bool begins<rules, std::void_t<decltype(&rules::begin)>> = true;

/* Detects rules that prepare points from stored rows themselves (variant.cuh). */
template <class rules, class = void> constexpr bool prepares = false;
template <class rules> constexpr bool prepares<rules, std::void_t<decltype(&rules::products)>> = true;

/* Detects rules that prepare some rows of the points after others (variant.cuh). */
template <class rules, class = void> constexpr bool takes_rows = false;
template <class rules> constexpr bool takes_rows<rules, std::void_t<decltype(&rules::take_rows)>> = true;

template <class rules> class tiled_points {
  protected:
    using point = typename rules::point;
    using panel = typename rules::panel;
    using threshold_type = decltype(rules::arguments::threshold);

    /* A block of rows on the device. */
    struct block {
        device_array<point> points;
        typename rules::side side;
        size_t first = 0, count = 0, padded = 0; /* first: place of its first point */
        size_t d = 0, d_padded = 0;              /* coordinates per point, stored and padded */
    };

    tiled_points(const eb_problem *problem, const eb_context *context)
        : rules_(context->options), problem_(problem), context_(context), self_(eb_is_self_join(problem)),
          rows_(problem->left->n), columns_(problem->right->n), d_padded_(padded_columns()),
          stepwise_(context->options.list && eb_option_find(context->options.list, "arriving"))
    {
    }
    tiled_points(const tiled_points &) = delete;
    tiled_points &operator=(const tiled_points &) = delete;
    ~tiled_points()
    {
        if (stream_)
            (void)cudaStreamDestroy(stream_);
        eb_arranged_free(&arranged_);
    }

    /* One tile more than needed: a row range may begin anywhere, and kernels still read whole tiles. */
    static size_t padded_rows(size_t rows) { return round_up(rows, rules::side_of_tile) + rules::side_of_tile; }
    static constexpr bool filters = filter_of<rules>::filters, shortens = filter_of<rules>::shortens;
    static constexpr eb_figure axes_time = {"axes_s", "principal axes", EB_SECONDS, EB_FIGURE_PART, 0};
    static size_t bytes_a_row(size_t d, eb_dtype dtype)
    {
        return round_up(d, rules::depth) * sizeof(point) + rules::side::bytes_a_row +
               (filters ? d * eb_dtype_size(dtype) : 0);
    }
    size_t row_bytes() const
    {
        if constexpr (prepares<rules>)
            return rules_.bytes_a_row(problem_->left->d);
        else
            return bytes_a_row(problem_->left->d, problem_->left->dtype);
    }
    size_t padded_columns() const
    {
        if constexpr (prepares<rules>)
            return rules_.padded(problem_->left->d);
        else
            return round_up(problem_->left->d, rules::depth);
    }
    /* Numbers multiplied of a point. */
    size_t products() const
    {
        if constexpr (prepares<rules>)
            return rules_.products(problem_->left->d);
        else
            return problem_->left->d;
    }
    /* Bytes that the rules need on the device while they prepare points. */
    size_t staging() const
    {
        if constexpr (prepares<rules>)
            return rules_.staging(problem_->left);
        else
            return 0;
    }
    /* Squared distances are this times the rules' numbers. */
    double scale() const
    {
        if constexpr (prepares<rules>)
            return rules_.scale();
        else
            return 1;
    }
    static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
    size_t larger_side() const { return rows_ > columns_ ? rows_ : columns_; }
    bool resident() const { return block_rows_ >= larger_side(); }
    uint32_t first_column() const { return static_cast<uint32_t>(self_ ? 0 : rows_); }
    block &right_block() { return blocks_[self_ ? 0 : 1]; } /* resident points only */

    /* ---- loading ---- */

    /* Moves the points into the problem's order, on the host, with all its threads. */
    eb_code arrange(eb_status *status)
    {
        left_ = problem_->left;
        if (!problem_->order)
            return EB_OK;
        EB_TRY(eb_arrange(problem_, context_->threads, context_->job, &arranged_, status));
        left_ = arranged_.points;
        EB_TRY(point_.reserve(rows_, "uploading points", status));
        EB_CUDA(cudaMemcpyAsync(point_.get(), arranged_.point, rows_ * sizeof(uint32_t), cudaMemcpyHostToDevice,
                                stream_),
                "uploading points");
        return EB_OK;
    }

    eb_code divide_memory(eb_status *status)
    {
        const uint64_t slack = (uint64_t{64} << 20) + staging(); /* staging of uploads, norms, sorting */
        const uint64_t limit = context_->memory_limit;
        uint64_t budget = 0;
        EB_TRY(free_device_bytes(&budget, status));
        budget = limit > 0 && limit < budget ? limit : budget - smaller(budget / 2, slack);
        EB_TRY(choose_block_rows(self_ ? rows_ : rows_ + columns_, row_bytes(), budget, &block_rows_, status));
        const size_t blocks = self_ && resident() ? 1 : 2;
        const uint64_t points =
            blocks * padded_rows(smaller(block_rows_, larger_side())) * static_cast<uint64_t>(row_bytes());
        pairs_limit_ = budget > points ? budget - points : 1;
        return EB_OK;
    }

    /* Loads rows [first, first + count) of the left or the right points. */
    eb_code load(block &into, bool right, size_t first, size_t count, eb_status *status)
    {
        const eb_dataset *from = right && !self_ ? problem_->right : left_;
        EB_TRY(load_from(into, from, right && !self_ ? nullptr : arranged_.point, first, count, status));
        into.first = first + (right ? first_column() : 0);
        return EB_OK;
    }

    eb_code make_room(block &into, size_t first, size_t count, eb_status *status)
    {
        into.first = first;
        into.count = count;
        into.padded = padded_rows(count);
        into.d = products();
        into.d_padded = d_padded_;
        EB_TRY(into.points.reserve(into.padded * d_padded_, "making room for the points", status));
        return into.side.reserve(into.padded, status);
    }

    eb_code load_from(block &into, const eb_dataset *from, const uint32_t *number, size_t first, size_t count,
                      eb_status *status)
    {
        EB_TRY(make_room(into, first, count, status));
        if constexpr (filters)
            return rules_.load(from, first, count, into.padded, d_padded_, into.points.get(), into.side, stream_,
                               context_, status);
        else if constexpr (prepares<rules>)
            return rules_.load(from, number, first, count, into.padded, d_padded_, into.points.get(), into.side,
                               stream_, context_, status);
        else
            return convert_from(into, from, number, first, count, status);
    }

    eb_code convert_from(block &into, const eb_dataset *from, const uint32_t *number, size_t first, size_t count,
                         eb_status *status)
    {
        EB_TRY(upload_points(from, number, first, count, into.padded, d_padded_, into.points.get(), stream_, context_,
                             status));
        stopwatch watch;
        double seconds = 0;
        EB_TRY(watch.start(stream_, status));
        EB_TRY(rules_.norms(into.points.get(), count, into.padded, d_padded_, into.side, stream_, status));
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_figures_add(context_->figures, &eb_figure_norms, seconds);
        return EB_OK;
    }

    eb_code level(block &of, threshold_type threshold, eb_status *status)
    {
        return rules_.level(of.side, of.count, of.padded, threshold, stream_, status);
    }

    panel view(const block &of, size_t at, size_t count) const
    {
        return rules_.view(of.points.get() + at * of.d_padded, of.side, at, count, of.first + at);
    }

    /* ---- points that arrive while kernels run ---- */

    /* True if uploading takes a millisecond or more, so that kernels had better begin with the first points. A team
     * uploads together, in parts that it must wait for. */
    bool may_arrive() const
    {
        if constexpr (takes_rows<rules>) {
            const uint64_t worth = uint64_t{context_->team ? 256u : 64u} << 20;
            const uint64_t bytes = rows_ * problem_->left->d * eb_dtype_size(problem_->left->dtype);
            return self_ && resident() && !problem_->order && context_->memory_limit == 0 &&
                   (bytes >= worth || stepwise_) && bytes <= pairs_limit_ / 2 && rules_.may_take_rows(rows_, d_padded_);
        }
        return false;
    }

    /* Starts the upload of all points. */
    eb_code expect_points(eb_status *status)
    {
        unsigned char *rows = nullptr;
        block &all = blocks_[0];
        late_ = true;
        taken_ = 0;
        EB_TRY(make_room(all, 0, rows_, status));
        if constexpr (takes_rows<rules>)
            EB_TRY(
                rules_.expect_rows(left_, all.padded, d_padded_, all.points.get(), all.side, &rows, stream_, status));
        return arriving_.start(left_, rows, rows_at_once(), context_, status);
    }

    /* Prepares the points that are on the device, the first `least` at the least, in multiples of 256 or all. */
    eb_code take_points(size_t least, eb_status *status)
    {
        size_t there = 0;
        block &all = blocks_[0];
        if (!arriving_.started()) /* again, after a failure */
            EB_TRY(expect_points(status));
        EB_TRY(arriving_.wait(least, &there, status));
        there = stepwise_ || context_->team ? least : there; /* a team's members cut the points alike */
        const size_t next = there < rows_ ? there / 256 * 256 : rows_;
        if (next > taken_) {
            stopwatch watch;
            double seconds = 0;
            EB_TRY(watch.start(stream_, status));
            if constexpr (takes_rows<rules>)
                EB_TRY(rules_.take_rows(left_, taken_, next - taken_, (next < rows_ ? next : all.padded) - taken_,
                                        d_padded_, all.points.get(), all.side, stream_, status));
            EB_TRY(watch.stop(stream_, &seconds, status));
            eb_figures_add(context_->figures, &eb_figure_convert, seconds);
            taken_ = next;
        }
        if (taken_ == rows_) {
            arriving_.stop();
            late_ = false;
        }
        return EB_OK;
    }
    size_t rows_at_once() const { return round_up(rows_ / 16 + 1, 256); }

    /* A sixteenth at a time: the next ones arrive while these are prepared. */
    eb_code take_all(eb_status *status)
    {
        while (late_)
            EB_TRY(take_points(smaller(taken_ + rows_at_once(), rows_), status));
        return EB_OK;
    }

    /* Tells by a sample whether the rules would put the points in an order, which takes all of them. */
    eb_code judge_order(const eb_question &question, bool *helps, eb_status *status)
    {
        constexpr size_t sampled = shortens ? 8192 : 2048;
        block sample;
        eb_dataset few = *left_;
        few.mapped = nullptr; /* the rows between stay in memory */
        few.n = smaller(sampled, rows_);
        few.stride *= rows_ / few.n;
        *helps = false;
        if constexpr (takes_rows<rules> && filters) {
            stopwatch watch;
            double seconds = 0;
            EB_TRY(load_from(sample, &few, nullptr, 0, few.n, status));
            EB_TRY(watch.start(stream_, status));
            EB_TRY(rules_.judge_order(sample.points.get(), d_padded_, sample.side, few.n, rows_, question, helps,
                                      stream_, context_, status));
            EB_TRY(watch.stop(stream_, &seconds, status));
            eb_figures_add(context_->figures, &eb_figure_norms, seconds);
        }
        return EB_OK;
    }

    /* Before a question while points arrive: waits for all of them, unless it can be answered as they come. If one
     * member of a team waits, all do, so that all have the same tiles. */
    eb_code meet_arrivals(const eb_question &question, const eb_share &share, eb_status *status)
    {
        const bool together = share.parts == 1 || share.meeting;
        const bool whole = share.row_begin == 0 && share.row_end == rows_ && together;
        bool waits = !late_ || !whole || !each_pair_once(question);
        if (!waits && may_sort(question, share))
            EB_TRY(judge_order(question, &waits, status));
        EB_TRY(agree_to_wait(share, &waits, status));
        return waits ? take_all(status) : EB_OK;
    }

    /* ---- the engine's own order ---- */

    /* True for all rows, each pair once. Then places need not be rows, and no pair is visited twice. The parts of a
     * share have tiles of ordered points: what the engine says of itself tells whether it had no room for the order. */
    bool may_sort(const eb_question &question, const eb_share &share) const
    {
        const bool whole = share.row_begin == 0 && share.row_end == rows_;
        const bool wanted = whole ? each_pair_once(question) : !filters && ascends(question, share);
        return rules_.sorts(rows_, d_padded_) && wanted && self_ && !problem_->order && resident();
    }

    bool each_pair_once(const eb_question &question) const
    {
        return question.schedule.kind == EB_SCHEDULE_TRIANGLE ||
               (question.schedule.kind == EB_SCHEDULE_USUAL && rules_.symmetric());
    }

    /* True for a range of rows whose pairs with later rows are kept (eb_question.ascending). */
    bool ascends(const eb_question &question, const eb_share &share) const
    {
        return question.ascending && each_pair_once(question) && share.row_end - share.row_begin < rows_ && self_ &&
               !problem_->order && share.parts == 1;
    }

    /* Ranges need the rows of each to be together. So blocks of rows are sorted, each by itself; a range works on whole
     * blocks. */
    size_t block_to_sort(const eb_question &question, const eb_share &share) const
    {
        size_t block = 1024;
        while (block < (size_t{1} << 18) && block * 64 < rows_)
            block *= 2;
        return ascends(question, share) ? block : 0;
    }

    /* Makes a sorted second copy of the points when it is first useful; without room for it, the first copy is used.
     * block_size: as order_by's block. */
    eb_code sort_points(const eb_question &question, size_t block_size, eb_status *status)
    {
        const bool again = sorted_.count > 0 && block_size != sorted_block_;
        const uint64_t bytes = again ? 0 : blocks_[0].padded * (row_bytes() + sizeof(uint32_t));
        if ((sorted_.count > 0 && !again) || unsorted_)
            return EB_OK;
        no_room_ = pairs_limit_ / 2 < bytes;
        if (no_room_)
            return EB_OK;
        sorted_.count = 0;
        sorted_block_ = block_size;
        block shorter; /* the points with fewer coordinates, for rules that shorten */
        eb_code made = EB_OK;
        if constexpr (shortens)
            made = shorten_points(question, shorter, status);
        made = made ? made : copy_in_order(shorter.count > 0 ? shorter : blocks_[0], question.eps, status);
        EB_TRY(made == EB_NO_MEMORY ? EB_OK : made);
        if (made == EB_NO_MEMORY || (unsorted_ && shorter.count == 0)) {
            unsorted_ = true;
            no_room_ = made == EB_NO_MEMORY;
            sorted_.points.release();
            sorted_.side = {};
            return EB_OK;
        }
        if (unsorted_) /* shortened, in the stored order */
            sorted_ = std::move(shorter);
        sorted_.count = rows_;
        shortened_ = shorter.d > 0;
        pairs_limit_ -= bytes;
        return EB_OK;
    }
    eb_code shorten_points(const eb_question &question, block &out, eb_status *status)
    {
        const block &from = blocks_[0];
        stopwatch watch;
        double seconds = 0;
        EB_TRY(watch.start(stream_, status));
        EB_TRY(rules_.find_short(from.points.get(), d_padded_, from.side, rows_, question, stream_, context_, status));
        out.d = rules_.short_columns();
        if (out.d > 0) {
            out.d_padded = round_up(out.d, rules::depth);
            out.padded = from.padded;
            EB_TRY(out.points.reserve(out.padded * out.d_padded, "making room for the points", status));
            EB_TRY(out.side.reserve(out.padded, status));
            EB_TRY(rules_.make_short(from.side, rows_, out.padded, out.d_padded, out.points.get(), out.side, stream_,
                                     status));
            EB_TRY(point_.reserve(rows_, "making room for the points", status));
            EB_TRY(order_as_stored(rows_, point_.get(), stream_, status));
            out.count = rows_;
        }
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_figures_add(context_->figures, out.d > 0 ? &axes_time : &eb_figure_norms, seconds);
        return EB_OK;
    }

    eb_code copy_in_order(const block &from, double eps, eb_status *status)
    {
        bool ordered = true;
        stopwatch watch;
        double seconds = 0;
        sorted_.padded = from.padded;
        sorted_.d = from.d;
        sorted_.d_padded = from.d_padded;
        EB_TRY(sorted_.side.reserve(from.padded, status));
        EB_TRY(point_.reserve(rows_, "ordering the points", status));
        EB_TRY(watch.start(stream_, status));
        if constexpr (filters)
            EB_TRY(rules_.order(from.points.get(), from.d_padded, from.side, rows_, sorted_.side, eps,
                                &from != &blocks_[0], point_.get(), &ordered, stream_, context_, status));
        else
            EB_TRY(rules_.order(from.side, rows_, sorted_block_, sorted_.side, point_.get(), stream_, status));
        unsorted_ = !ordered;
        if (ordered) {
            EB_TRY(sorted_.points.reserve(from.padded * from.d_padded, "ordering the points", status));
            EB_TRY(gather_rows(from.points.get(), from.d_padded * sizeof(point), point_.get(), rows_, from.padded,
                               sorted_.points.get(), stream_, status));
        }
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_figures_add(context_->figures, &eb_figure_norms, seconds);
        return EB_OK;
    }

    rules rules_;
    const eb_problem *problem_;
    const eb_context *context_;
    const eb_dataset *left_ = nullptr; /* in the problem's order */
    eb_arranged arranged_{};
    device_array<uint32_t> point_; /* the point at each place, if places are ordered */
    bool self_;
    size_t rows_, columns_, d_padded_, block_rows_ = 0;
    uint64_t pairs_limit_ = 0; /* bytes left for pairs by the limit or the device; at least 1 */
    cudaStream_t stream_ = nullptr;
    block blocks_[2];         /* resident: all left points, and with two sets all right points */
    block sorted_;            /* all left points in the engine's own order, as point_ says */
    size_t sorted_block_ = 0; /* its blocks are sorted each by itself (order_by) */
    arriving_rows arriving_;  /* of blocks_[0], if late_ */
    size_t taken_ = 0;        /* points prepared of those that arrive */
    bool late_ = false;       /* blocks_[0] is not complete */
    bool stepwise_;           /* few points arrive in steps, too: for tests */
    bool unsorted_ = false;   /* the rules found no useful order, or there was no room */
    bool no_room_ = false;    /* for the order */
    bool shortened_ = false;  /* sorted_ has fewer coordinates */
};

} // namespace eb
