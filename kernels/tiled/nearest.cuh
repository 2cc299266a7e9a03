/* nearest: the k nearest of some points, by an engine over block tiles whose left points may each have an ε of their
 * own (variant.cuh, level_each). No radius is guessed: the k-th nearest of a sample is at least as far as the k-th
 * nearest of all points. So samples of growing size are searched, each within the distances that the one before gave,
 * and at last all points:
 *
 *   sample of 64      all distances → the k-th nearest of each query
 *   sample × 16 …     pairs within that (some 16·k a query) → rows → the k-th nearest
 *   all points        pairs within that → rows → the k nearest
 *
 * A sample may have fewer than k points within the distance that another gave, which then stays. Each step is a join of
 * two sets, queries and sample, in one launch. Queries come in batches whose pairs fit. Right points are ordered by
 * their norms, since a tile's quick test takes the least level of its columns: 10,000 queries among 10⁷ × 128 bytes
 * took 38 ms without the order.
 */
#pragma once

#include <cmath>
#include <memory>

#include "kernels/rows/made_rows.cuh"
#include "kernels/rows/near.cuh"
#include "kernels/tiled/finding.cuh"

extern "C" {
#include "core/base/clock.h"
#include "core/base/pages.h"
}

namespace eb {

template <class rules> class tiled_nearest : protected tiled_finding<rules> {
  public:
    /* nearest_rows of eb_implementation. Only engines whose rules have level_each call it. */
    eb_code nearest_rows(const eb_nearest_rows &question, eb_status *status)
    {
        if (!may_search(question.k))
            return refuse(status);
        const eb_code failed = search(question, status);
        return failed == EB_NO_MEMORY ? refuse(status) : failed;
    }

  protected:
    using base = tiled_finding<rules>;
    using base::blocks_, base::columns_, base::context_, base::dense_, base::hits_, base::measuring, base::problem_,
        base::rows_, base::rules_, base::self_, base::stream_;
    using base::find_between, base::first_column, base::level, base::measure_views, base::padded_rows,
        base::prepare_finding, base::products, base::resident, base::right_block, base::smaller, base::take_all,
        base::threshold_of, base::view;
    using typename base::block;
    using typename base::point;
    using typename base::squared;
    using typename base::work;

    tiled_nearest(const eb_problem *problem, const eb_context *context) : base(problem, context) {}

  private:
    static constexpr const char *searching = "searching for the nearest";
    static constexpr eb_figure samples_time = {"samples_s", "drawing samples", EB_SECONDS, EB_FIGURE_PART, 0};
    static constexpr size_t least_sample = 64, growth = 16, most_k = 256;
    static constexpr size_t least_batch = 256, dense_at_once = size_t{1} << 27, pairs_at_once = size_t{1} << 26;

    static eb_code refuse(eb_status *status) { return eb_fail(status, EB_NO_ENGINE, "joins are faster"); }

    /* The first sample has four times the neighbours wanted at least. */
    static size_t first_sample(size_t k)
    {
        size_t sample = least_sample;
        while (sample < 4 * k)
            sample *= 2;
        return sample;
    }

    bool may_search(size_t k) const
    {
        return k > 0 && k <= most_k && columns_ >= 4 * first_sample(k) && resident() && !problem_->order &&
               context_->memory_limit == 0 && rules_.may_level_each();
    }

    /* Some of the right points, ordered by norm; the last sample is all of them. */
    struct sample {
        block places;
        device_array<uint32_t> point; /* the right point at each place */
    };

    eb_code search(const eb_nearest_rows &question, eb_status *status)
    {
        EB_TRY(take_all(status));
        EB_TRY(list_queries(question, status));
        EB_TRY(draw_samples(first_sample(question.k), status));
        const double each = static_cast<double>(question.k) * step_;
        size_t batch = smaller(dense_at_once / samples_[0]->places.count,
                               static_cast<size_t>(static_cast<double>(pairs_at_once) / each));
        for (size_t first = 0; first < question.queries;) {
            const size_t count = smaller(batch, question.queries - first);
            EB_TRY(eb_job_check(context_->job, status));
            const eb_code failed = search_batch(question, first, count, status);
            if (failed == EB_NO_MEMORY && count > least_batch) {
                batch = count / 2;
                continue;
            }
            EB_TRY(failed);
            first += count;
            eb_job_advance(context_->job, count);
        }
        return EB_OK;
    }

    /* ---- queries ---- */

    eb_code list_queries(const eb_nearest_rows &question, eb_status *status)
    {
        const size_t listed = question.queries > question.taken ? question.queries : question.taken;
        EB_TRY(ask_.reserve(listed, searching, status));
        if (!question.rows)
            return order_as_stored(listed, ask_.get(), stream_, status);
        EB_CUDA(cudaMemcpyAsync(ask_.get(), question.rows, listed * sizeof(uint32_t), cudaMemcpyHostToDevice, stream_),
                searching);
        if (question.taken == 0)
            return EB_OK;
        EB_TRY(nobody_.reserve(columns_, searching, status));
        return mark_points(ask_.get(), question.taken, columns_, nobody_.get(), stream_, status);
    }

    /* Queries are numbered after the right points of a self-join, before those of another set. */
    uint32_t first_query() const { return static_cast<uint32_t>(self_ ? columns_ : 0); }

    near_rule rule_of(const eb_nearest_rows &question, size_t first, const sample &of) const
    {
        constexpr double most = std::is_same_v<squared, double> ? 1.7976931348623157e308 : 4294967294.0;
        return {self_ ? ask_.get() + first : nullptr, question.taken > 0 ? nobody_.get() : nullptr, of.point.get(),
                std::fmin(question.most, most), static_cast<uint32_t>(question.k)};
    }

    /* ---- samples ---- */

    eb_code pick(const block &from, const uint32_t *point, size_t count, block &to, eb_status *status)
    {
        to.count = count;
        to.padded = padded_rows(count);
        to.d = from.d;
        to.d_padded = from.d_padded;
        EB_TRY(to.points.reserve(to.padded * to.d_padded, searching, status));
        EB_TRY(to.side.reserve(to.padded, status));
        EB_TRY(gather_rows(from.points.get(), from.d_padded * sizeof(*from.points.get()), point, count, to.padded,
                           to.points.get(), stream_, status));
        return rules_.pick(from.side, point, count, to.side, stream_, status);
    }

    eb_code draw_samples(size_t first, eb_status *status)
    {
        stopwatch watch;
        double seconds = 0;
        EB_TRY(watch.start(stream_, status));
        const double ratio = static_cast<double>(columns_) / static_cast<double>(first);
        const size_t steps = static_cast<size_t>(std::fmax(1, std::round(std::log(ratio) / std::log(double{growth}))));
        step_ = std::pow(ratio, 1.0 / static_cast<double>(steps));
        samples_.clear();
        for (size_t k = 0; k <= steps; k++)
            samples_.push_back(std::make_unique<sample>());
        sample &all = *samples_.back();
        EB_TRY(all.point.reserve(columns_, searching, status));
        EB_TRY(order_by(rules_.keys(right_block().side), columns_, 0, all.point.get(), stream_, status));
        EB_TRY(take_sample(columns_, all, status));
        for (size_t k = 0; k < steps; k++) {
            const double size = static_cast<double>(first) * std::pow(step_, static_cast<double>(k));
            const size_t count = static_cast<size_t>(size);
            EB_TRY(samples_[k]->point.reserve(count, searching, status));
            EB_TRY(draw_points(all.point.get(), columns_, count, samples_[k]->point.get(), stream_, status));
            EB_TRY(take_sample(count, *samples_[k], status));
        }
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_figures_add(context_->figures, &samples_time, seconds);
        return EB_OK;
    }

    eb_code take_sample(size_t count, sample &to, eb_status *status)
    {
        to.places.first = first_column();
        return pick(right_block(), to.point.get(), count, to.places, status);
    }

    /* ---- a batch ---- */

    eb_code search_batch(const eb_nearest_rows &question, size_t first, size_t count, eb_status *status)
    {
        EB_TRY(reach_.reserve(count, searching, status));
        EB_TRY(greatest_.reserve(1, searching, status));
        EB_TRY(pick(blocks_[0], ask_.get() + first, count, asking_, status));
        asking_.first = first_query();
        EB_TRY(reach_of_first(rule_of(question, first, *samples_[0]), status));
        for (size_t step = 1; step < samples_.size(); step++) {
            const near_rule rule = rule_of(question, first, *samples_[step]);
            const bool last = step + 1 == samples_.size();
            EB_TRY(find_within(question, samples_[step]->places, rule, status));
            EB_TRY(last ? keep_nearest(question, first, rule, status) : take_reach(rule, status));
        }
        return EB_OK;
    }

    /* The k-th nearest of the first sample, by all distances. */
    eb_code reach_of_first(const near_rule &rule, eb_status *status)
    {
        block &of = samples_[0]->places;
        EB_TRY(dense_.reserve(asking_.count * of.count, measuring, status));
        if constexpr (filter_of<rules>::filters) {
            EB_TRY(measure_all(rules_.stored(view(asking_, 0, asking_.count)), asking_.count,
                               rules_.stored(view(of, 0, of.count)), of.count, dense_.get(), stream_, status));
        } else {
            EB_TRY(level(asking_, 0, status));
            EB_TRY(level(of, 0, status));
            EB_TRY(measure_views(view(asking_, 0, asking_.count), view(of, 0, of.count), of.count, status));
        }
        return reach_of_all(dense_.get(), asking_.count, of.count, rule, reach_.get(), stream_, status);
    }

    /* Finds all pairs within each query's reach, with the right points' own numbers and s. */
    eb_code find_within(const eb_nearest_rows &question, block &to, const near_rule &rule, eb_status *status)
    {
        double most = 0;
        EB_TRY(greatest_of(reach_.get(), asking_.count, greatest_.get(), &most, stream_, status));
        if (!(most < INFINITY)) /* a query has fewer neighbours than k in the first sample */
            return refuse(status);
        const double expected = 1.25 * static_cast<double>(question.k) * step_ * static_cast<double>(rows_);
        eb_question within{};
        within.eps = std::nextafter(std::sqrt(most), INFINITY);
        within.expected = static_cast<uint64_t>(expected);
        const eb_share share = eb_share_rows(0, asking_.count);
        const work w{within, share,     threshold_of(within.eps, false), 0, asking_.count, 0, false, false, false,
                     false,  products()};
        eb_figures_set_limit(context_->figures, context_->device, rules_.limit());
        eb_figures_set(context_->figures, &eb_figure_coordinate, sizeof(point));
        EB_TRY(prepare_finding(w, true, status));
        EB_TRY(level(to, w.threshold, status));
        EB_TRY(
            rules_.level_each(asking_.side, asking_.count, asking_.padded, w.threshold, reach_.get(), stream_, status));
        EB_TRY(find_between(w, view(asking_, 0, asking_.count), view(to, 0, to.count), false, 0, false, status,
                            [] { return EB_OK; }));
        const squared whole = std::is_same_v<squared, double> ? squared{} : static_cast<squared>(w.threshold);
        return correct_pairs(hits_.buffer(), hits_.held(), first_query(), first_column(), rule, whole, reach_.get(),
                             stream_, status);
    }

    /* Makes the rows of the pairs found, in ranges, and calls take(rows) for each. */
    template <class taking> eb_code each_range(taking take, eb_status *status)
    {
        const size_t begin = first_query();
        stopwatch watch;
        double seconds = 0;
        EB_TRY(watch.start(stream_, status));
        const pairs_meaning meaning{asking_.count,         columns_, false, false, first_column(), nullptr, begin,
                                    begin + asking_.count, 1};
        row_maker<squared> maker(hits_, meaning, stream_);
        EB_TRY(maker.count(status));
        const uint64_t all = maker.offsets()[maker.rows()];
        const uint64_t room = all < most_entries ? all : most_entries;
        const uint64_t most = room > maker.longest() ? room : maker.longest();
        if (all == 0)
            return EB_OK;
        EB_TRY(maker.prepare(most, sizeof(double), 0, status));
        const chunk_plan ranges = plan_chunks(maker.offsets(), maker.rows(), most);
        for (size_t r = 0; r < ranges.first.size(); r++) {
            EB_TRY(maker.make(ranges.first[r], ranges.end[r], 0, status));
            EB_TRY(
                take(near_rows{maker.offsets_on_device(), maker.columns(0),
                               reinterpret_cast<const double *>(maker.distances(0)), ranges.first[r], ranges.end[r]}));
        }
        EB_TRY(maker.check(status));
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_figures_add(context_->figures, &eb_figure_table, seconds);
        return EB_OK;
    }

    eb_code take_reach(const near_rule &rule, eb_status *status)
    {
        return each_range(
            [&](const near_rows &rows) { return reach_of_rows(rows, rule, reach_.get(), stream_, status); }, status);
    }

    eb_code keep_nearest(const eb_nearest_rows &question, size_t first, const near_rule &rule, eb_status *status)
    {
        const size_t count = asking_.count, k = question.k;
        EB_TRY(near_.reserve(count * k, searching, status));
        EB_TRY(room_.reserve(count * k, searching, status));
        EB_TRY(near_count_.reserve(count, searching, status));
        EB_CUDA(cudaMemsetAsync(near_count_.get(), 0, count * sizeof(uint32_t), stream_), searching);
        EB_TRY(each_range(
            [&](const near_rows &rows) {
                return select_near(rows, rule, near_.get(), near_count_.get(), room_.get(), stream_, status);
            },
            status));
        delivered_rows rows;
        rows.begin = {0, count};
        rows.fresh = question.queries * k * sizeof(eb_near_row) >= EB_LARGE_PAGE;
        rows.stream = stream_;
        rows.arrays.push_back({{near_.get(), near_.get()},
                               reinterpret_cast<unsigned char *>(question.near + first * k),
                               k * sizeof(eb_near_row)});
        rows.make = [](size_t, eb_status *) { return EB_OK; };
        const double start = eb_now_s();
        EB_TRY(deliver(rows, context_, status));
        EB_CUDA(cudaMemcpy(question.count + first, near_count_.get(), count * sizeof(uint32_t), cudaMemcpyDeviceToHost),
                searching);
        eb_figures_add(context_->figures, &eb_figure_download, eb_now_s() - start);
        return EB_OK;
    }

    std::vector<std::unique_ptr<sample>> samples_;
    double step_ = 1;            /* a sample's size of the one before it */
    device_array<uint32_t> ask_; /* [queries] the left point that each query is */
    device_array<unsigned char> nobody_;
    block asking_;               /* the batch's queries */
    device_array<double> reach_; /* [batch] squared */
    device_array<unsigned long long> greatest_;
    device_array<eb_near_row> near_, room_;
    device_array<uint32_t> near_count_;
};

} // namespace eb
