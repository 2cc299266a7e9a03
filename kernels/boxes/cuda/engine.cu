/* engine: boxes on the GPU, a way of the exact join (core/engine/way.h). It orders the points, puts boxes around 32 of
 * them at a time, and computes the exact engine's sums between leaves whose boxes are near. It answers self-joins only,
 * and has its own order.
 *
 *   open    uploads and orders the points, makes leaves               once a dataset
 *   look    makes the list of pairs of leaves                         once an ε
 *   count   finds the verdicts on their points and adds them up
 *   join    keeps the verdicts as bits; makes rows of them, chunk by chunk, each downloaded while the next is made
 *
 * At few dimensions the download is the limit.
 */
#include <algorithm>
#include <cstdio>
#include <vector>

#include "kernels/boxes/cuda/fill.cuh"
#include "kernels/boxes/cuda/rows.cuh"
#include "kernels/device/implementation.cuh"
#include "kernels/rows/exchange.cuh"
#include "kernels/rows/made_rows.cuh"
#include "kernels/tiled/engine.cuh"

extern "C" {
#include "kernels/boxes/cost.h"

eb_code eb_boxes_cuda_look(void *state, const eb_question *question, double *seconds, eb_status *status);
}

namespace eb {

namespace {

const eb_figure figure_order = {"order_s", "ordering", EB_SECONDS, EB_FIGURE_PART, 0};

/* Advances a job by the units that correspond to the part of the work that is done. */
class job_progress {
  public:
    job_progress(eb_job *job, uint64_t units) : job_(job), units_(units) {}
    void reach(double part)
    {
        const uint64_t due = static_cast<uint64_t>(static_cast<double>(units_) * std::min(part, 1.0));
        if (due > done_)
            eb_job_advance(job_, due - done_);
        done_ = std::max(due, done_);
    }

  private:
    eb_job *job_;
    uint64_t units_, done_ = 0;
};

class box_engine {
  public:
    box_engine(const eb_problem *problem, const eb_context *context)
        : problem_(problem), context_(context), n_(problem->left->n), d_(problem->left->d), masks_(leaves_, context)
    {
    }
    box_engine(const box_engine &) = delete;
    box_engine &operator=(const box_engine &) = delete;
    ~box_engine()
    {
        if (stream_)
            (void)cudaStreamDestroy(stream_);
    }

    const eb_context &context() const { return *context_; }
    static const char *describe() { return "FP64 differences between leaves whose boxes are near"; }

    /* While leaves are made the device has the points twice. */
    static uint64_t memory_needed(size_t n, size_t d, eb_dtype)
    {
        return kept_bytes(n, d) + n * (d * sizeof(double) + ordering_bytes_a_point);
    }

    eb_code begin(eb_status *status)
    {
        const uint64_t needed = memory_needed(n_, d_, problem_->left->dtype), limit = context_->memory_limit;
        device_array<double> points;
        EB_TRY(eb_boxes_suit(problem_, context_, status));
        if (limit > 0 && needed > limit)
            return eb_fail(status, EB_NO_MEMORY,
                           "ordering %zu points of %zu dimensions needs %llu bytes on the GPU; the limit is %llu", n_,
                           d_, static_cast<unsigned long long>(needed), static_cast<unsigned long long>(limit));
        EB_TRY(keep_device_memory(context_->device->index, status));
        EB_CUDA(cudaStreamCreate(&stream_), "making a stream");
        EB_TRY(points.reserve(n_ * d_, "making room for the points", status));
        EB_TRY(upload_points(problem_->left, nullptr, 0, n_, n_, d_, points.get(), stream_, context_, status));
        stopwatch watch;
        double seconds = 0;
        EB_TRY(watch.start(stream_, status));
        EB_TRY(leaves_.make(points.get(), n_, d_, stream_, status));
        EB_TRY(watch.stop(stream_, &seconds, status));
        eb_figures_add(context_->figures, &figure_order, seconds);
        return EB_OK;
    }

    eb_code count(const eb_question &question, const eb_share &share, uint64_t *entries, eb_status *status)
    {
        job_progress progress(context_->job, rows_of_part(share.row_end - share.row_begin, share));
        EB_TRY(begin_question(question, share, status));
        EB_TRY(agree_on_tiles(share, masks_.pairs(), false, status));
        EB_TRY(
            masks_.count(share, is_whole(share), entries, [&](double part) { progress.reach(part); }, stream_, status));
        progress.reach(1);
        return EB_OK;
    }

    eb_code join(const eb_question &question, const eb_share &share, const eb_sink *sink, eb_status *status)
    {
        job_progress progress(context_->job, rows_of_part(share.row_end - share.row_begin, share));
        EB_TRY(begin_question(question, share, status));
        EB_TRY(agree_on_tiles(share, masks_.pairs(), false, status));
        if (computes_all_parts(share) && verdicts_s() > worth_exchanging) {
            EB_TRY(deliver_own_rows(share, sink, status));
        } else if (computes_all_parts(share)) {
            const eb_share own = eb_share_rows(rows_before(share, share.part), rows_before(share, share.part + 1));
            EB_TRY(deliver_range(own, progress, sink, status));
        } else if (share.parts > 1) {
            EB_TRY(deliver_single_hits(share, sink, status));
        } else {
            EB_TRY(deliver_range(share, progress, sink, status));
        }
        progress.reach(1);
        return EB_OK;
    }

    eb_code histogram(eb_distance_pass *pass, eb_status *status)
    {
        const eb_question question{pass->eps[pass->edges - 1], {}, 0, false, 0, false};
        const eb_share share = eb_pass_share(pass, n_);
        interval_counter<double> intervals;
        EB_TRY(begin_question(question, share, status));
        EB_TRY(intervals.prepare(pass, eb_squared_threshold, 1, stream_, status));
        const uint64_t pairs = masks_.pairs();
        EB_TRY(find_hits(pairs * share.part / share.parts, pairs * (share.part + 1) / share.parts, status,
                         [&] { return intervals.take(hits_, stream_, status); }));
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

    /* A sample corrects the number of candidates: a tenth to two thirds of a leaf's points are near the box of the
     * other leaf. */
    eb_code look(const eb_question &question, double *seconds, eb_status *status)
    {
        constexpr double worth_a_sample = 5e-4;
        double near_a_box = 1;
        const eb_share whole = eb_share_rows(0, n_);
        const auto cost = [&] {
            const double pairs = static_cast<double>(masks_.pairs());
            return eb_boxes_verdicts(pairs, pairs * EB_LEAF * EB_LEAF * near_a_box, static_cast<double>(d_),
                                     context_->device);
        };
        EB_TRY(begin_question(question, whole, status));
        if (cost() > worth_a_sample)
            EB_TRY(masks_.sample_candidates(&near_a_box, stream_, status));
        *seconds = cost();
        return EB_OK;
    }

  private:
    static constexpr const char *measuring = "computing distances from queries";

    /* Calls take(dense, first, count) for some queries at a time. dense: [count][n] squared distances of queries first
     * … on the device. */
    template <class taking> eb_code measure(const uint32_t *rows, size_t m, taking take, eb_status *status)
    {
        const size_t at_once = std::clamp<size_t>((size_t{1} << 26) / n_, 1, std::max<size_t>(m, 1));
        device_array<double> queries, dense;
        EB_TRY(queries.reserve(at_once * d_, measuring, status));
        EB_TRY(dense.reserve(at_once * n_, measuring, status));
        for (size_t first = 0; first < m; first += at_once) {
            const size_t count = std::min(at_once, m - first);
            gathered_rows gathered;
            EB_TRY(eb_job_check(context_->job, status));
            gathered.gather(problem_->left, rows + first, count);
            EB_TRY(upload_points(gathered.dataset(), rows + first, 0, count, count, d_, queries.get(), stream_,
                                 context_, status));
            EB_TRY(find_distances(leaves_.view(), queries.get(), count, n_, dense.get(), stream_, status));
            EB_TRY(take(dense.get(), first, count));
            eb_job_advance(context_->job, count);
        }
        return EB_OK;
    }

    static uint64_t kept_bytes(size_t n, size_t d) { return eb_groups_of_32(n) * uint64_t{leaves::bytes_a_leaf(d)}; }

    /* Limit in bytes for the list and its masks: two fifths of the memory that the points leave free. Rows get as much;
     * the rest is for per-row arrays. 0: unlimited. */
    uint64_t lent() const
    {
        const uint64_t kept = kept_bytes(n_, d_), limit = context_->memory_limit;
        return limit == 0 ? 0 : limit > kept ? (limit - kept) / 5 * 2 : 1;
    }

    /* ---- questions ---- */

    eb_code begin_question(const eb_question &question, const eb_share &share, eb_status *status)
    {
        EB_TRY(eb_question_check(&question, &share, problem_, status));
        if (question.schedule.kind == EB_SCHEDULE_LIST)
            return eb_fail(status, EB_NO_ENGINE, "boxes on the GPU make their list of leaves themselves");
        eb_figures_set_limit(context_->figures, context_->device, EB_LIMIT_F64);
        eb_figures_set(context_->figures, &eb_figure_coordinate, sizeof(double));
        return list_for(question.eps, status);
    }

    eb_code list_for(double eps, eb_status *status)
    {
        uint64_t room = lent();
        if (room == 0) { /* measured once, so that a list for the same ε is cut the same way again */
            if (room_ == 0)
                EB_TRY(free_device_bytes(&room_, status));
            room = room_ / 5 * 2;
        }
        return masks_.look(eb_squared_threshold(eps), room / bytes_a_leaf_pair, stream_, status);
    }

    bool is_whole(const eb_share &share) const { return share.row_begin == 0 && share.row_end == n_; }

    /* Finds each pair of points once, in the list's pairs of leaves from `begin` to `end`. Calls take for some pairs of
     * points at a time. */
    template <class taking> eb_code find_hits(uint64_t begin, uint64_t end, eb_status *status, taking take)
    {
        constexpr uint64_t each = EB_LEAF * EB_LEAF; /* the most pairs in a pair of leaves */
        const uint64_t fits = lent() / (sizeof(uint2) + sizeof(double)) / each;
        const uint64_t usual = std::min<uint64_t>(masks_.pairs(), uint64_t{1} << 16);
        const uint64_t most = std::max<uint64_t>(lent() > 0 ? std::min(fits, usual) : usual, 1);
        EB_TRY(hits_.prepare(most * each, 0, stream_, status));
        return masks_.visit(begin, end, most, stream_, status, [&](const list_part &part) -> eb_code {
            uint64_t found = 0;
            EB_TRY(eb_job_check(context_->job, status));
            EB_TRY(hits_.clear(stream_, status));
            EB_TRY(append_hits(leaves_.view(), part.pair, part.mask, part.count, hits_.buffer(), stream_, status));
            EB_TRY(hits_.counted(&found, stream_, status));
            hits_.keep(found);
            return take();
        });
    }

    eb_code deliver_single_hits(const eb_share &share, const eb_sink *sink, eb_status *status)
    {
        const pairs_meaning meaning{n_, n_, true, true, 0, nullptr, share.row_begin, share.row_end};
        const uint64_t pairs = masks_.pairs();
        return find_hits(pairs * share.part / share.parts, pairs * (share.part + 1) / share.parts, status,
                         [&] { return deliver_hits(hits_, meaning, sink, stream_, context_, status); });
    }

    eb_code deliver_range(const eb_share &rows_of, job_progress &progress, const eb_sink *sink, eb_status *status)
    {
        EB_TRY(masks_.find_degrees([&](double part) { progress.reach(part / 2); }, stream_, status));
        box_rows rows(masks_, leaves_, n_, rows_of, stream_, context_,
                      [&](double part) { progress.reach(0.5 + part / 2); });
        return deliver_made_rows(rows, rows_of.row_begin, lent(), sink, stream_, context_, status);
    }

    /* Seconds of all verdicts. The rows of a range are made from the masks of all pairs of leaves faster than from
     * pairs that have been exchanged; so each member of a team makes all masks, if that takes less than the difference.
     */
    static constexpr double worth_exchanging = 5e-2;
    double verdicts_s() const
    {
        const double pairs = static_cast<double>(masks_.pairs());
        return eb_boxes_verdicts(pairs, pairs * EB_LEAF * EB_LEAF, static_cast<double>(d_), context_->device);
    }

    /* A member of a team finds the pairs of its part of the list, and makes the rows of its part of the rows. */
    eb_code deliver_own_rows(const eb_share &share, const eb_sink *sink, eb_status *status)
    {
        const pairs_meaning meaning{n_, n_, true, true, 0, nullptr, share.row_begin, share.row_end};
        const uint64_t pairs = masks_.pairs(), begin = pairs * share.part / share.parts;
        pair_store<double> all;
        EB_TRY(all.prepare(pair_store<double>::first_room(n_ / share.parts), 0, stream_, status));
        EB_TRY(find_hits(begin, pairs * (share.part + 1) / share.parts, status,
                         [&] { return all.add(hits_, stream_, status); }));
        return deliver_share(all, meaning, share, lent(), sink, stream_, context_, status);
    }

    const eb_problem *problem_;
    const eb_context *context_;
    size_t n_, d_;
    uint64_t room_ = 0; /* the device's free bytes, if no limit is set; 0: not measured */
    cudaStream_t stream_ = nullptr;
    leaves leaves_;
    box_masks masks_;
    pair_store<double> hits_;
};

} // namespace

} // namespace eb

extern "C" const eb_implementation eb_boxes_cuda = eb::implementation_of<eb::box_engine>();

extern "C" eb_code eb_boxes_cuda_look(void *state, const eb_question *question, double *seconds, eb_status *status)
{
    return eb::implementation<eb::box_engine>::entered(state, status, [&](eb::box_engine &e) {
        return e.look(*question, seconds, status);
    });
}
