/* finding: finds the pairs of two panels of points: launches of the kernels, room for what they find, and FP64's word
 * where kernels leave it open. The part of an engine (engine.cuh) above its runs. rules: variant.cuh. */
#pragma once

#include "kernels/rows/rows.cuh"
#include "kernels/tiled/runs.cuh"

namespace eb {

template <class rules> class tiled_finding : protected tiled_runs<rules> {
  protected:
    using base = tiled_runs<rules>;
    using squared = typename rules::squared;
    using found = typename filter_of<rules>::found;
    using base::columns_, base::context_, base::d_padded_, base::filters, base::late_, base::left_, base::pairs_limit_,
        base::rows_, base::rules_, base::stream_;
    using base::products, base::run;
    using typename base::arguments;
    using typename base::block;
    using typename base::panel;
    using typename base::work;

    static constexpr const char *measuring = "computing distances from queries";

    tiled_finding(const eb_problem *problem, const eb_context *context) : base(problem, context) {}

    /* Bytes of the memory for pairs that making rows may use. */
    uint64_t rows_limit() const { return pairs_limit_ / 8; }

    /* Makes room for the pairs of a question. fresh: forgets the pairs held. */
    eb_code prepare_finding(const work &w, bool fresh, eb_status *status)
    {
        const uint64_t for_unsure = rules::unsure || filters ? pairs_limit_ / 4 : 0;
        eps_ = w.question.eps;
        exact_threshold_ = eb_squared_threshold(eps_);
        later_ = filters && late_;
        if (fresh)
            EB_TRY(hits_.prepare(first_room(w), pairs_limit_ - for_unsure - rows_limit(), stream_, status));
        return prepare_unsure(w, for_unsure, status);
    }

    /* Finds the pairs of two panels, with take() after each launch that fitted. diagonal: they are one. alone: squared
     * distances are not used. rows: progress of this call. */
    template <class taking>
    eb_code find_between(const work &w, const panel &a, const panel &b, bool diagonal, size_t rows, bool alone,
                         eb_status *status, taking take)
    {
        arguments args{};
        args.threshold = w.threshold;
        args.a = a;
        args.b = b;
        if constexpr (filters)
            args.out = unsure_.buffer();
        else
            args.out = hits_.buffer();
        if constexpr (rules::unsure)
            args.unsure = unsure_.buffer();
        return run(w, rules_.variant(output::hits, diagonal || w.listed(), w.d, columns_), args, rows, status,
                   [&](arguments &now, bool *fits) {
                       bool taken = false;
                       if constexpr (filters)
                           EB_TRY(settle_candidates(now, a, b, alone, fits, &taken, status));
                       else
                           EB_TRY(settle(now, fits, status));
                       return taken || (*fits && !later_) ? take() : EB_OK;
                   });
    }

    /* After the last pair of panels. While points arrive, launches are many and find few candidates, and FP64 takes
     * hardly longer for all of them than for those of one launch. So all are decided here. */
    template <class taking> eb_code finish_finding(bool alone, eb_status *status, taking take)
    {
        if (!later_)
            return EB_OK;
        EB_TRY(decide_held(alone, status));
        return take();
    }

    /* Runs the dense kernel: the squared distances of all pairs of rows of a and b. */
    eb_code measure_views(const panel &a, const panel &b, size_t points, eb_status *status)
    {
        const eb_question question{};
        const eb_share whole = eb_share_rows(0, rows_);
        const work w{question, whole, 0, 0, 0, 0, false, false, false, false, products()};
        arguments args{};
        args.a = a;
        args.b = b;
        args.dense = dense_.get();
        return run(w, rules_.variant(output::dense, false, w.d, points), args, 0, status,
                   [](arguments &, bool *) { return EB_OK; });
    }

    block queries_;
    device_array<squared> dense_;
    pair_store<squared> hits_;

  private:
    /* Settles a launch that found candidates: turns them into hits, or makes room for more. *emptied: without room,
     * those of earlier launches became hits, and this launch runs again. */
    eb_code settle_candidates(arguments &now, const panel &a, const panel &b, bool alone, bool *fits, bool *emptied,
                              eb_status *status)
    {
        const eb_code settled = settle_pairs<found>(unsure_, nullptr, fits, stream_, status);
        *emptied = settled == EB_NO_MEMORY && later_ && unsure_.held() > 0;
        EB_TRY(*emptied ? decide_held(alone, status) : settled);
        if (*fits && !later_) {
            const eb_code decided = decide_candidates(a, b, alone, status);
            EB_TRY(unsure_.clear(stream_, decided ? nullptr : status));
            EB_TRY(decided); /* if EB_NO_MEMORY, the launch runs again with fewer tiles */
        }
        now.out = unsure_.buffer();
        return EB_OK;
    }

    eb_code decide_candidates(const panel &a, const panel &b, bool alone, eb_status *status)
    {
        const bool everybody = base::resident() && base::self_ && !late_;
        return rules_.decide(unsure_, a, b, alone, hits_, everybody ? &base::blocks_[0].side : nullptr, rows_, eps_,
                             stream_, context_, status);
    }

    eb_code decide_held(bool alone, eb_status *status)
    {
        if constexpr (filters) {
            const panel all = base::view(base::blocks_[0], 0, rows_);
            EB_TRY(decide_candidates(all, all, alone, status));
            return unsure_.clear(stream_, status);
        }
        return EB_OK;
    }

    /* Settles a launch that found pairs: both lists keep them or make room, and unsure pairs are decided. */
    eb_code settle(arguments &now, bool *fits, eb_status *status)
    {
        if constexpr (rules::unsure) {
            const uint64_t held = hits_.held();
            EB_TRY(settle_pairs(hits_, &unsure_, fits, stream_, status));
            const eb_code decided = *fits ? decide(now, status) : EB_OK;
            if (decided == EB_NO_MEMORY) { /* the launch runs again with fewer tiles */
                hits_.keep(held);
                EB_TRY(hits_.forget(stream_, status));
                EB_TRY(unsure_.clear(stream_, status));
            }
            EB_TRY(decided);
            now.unsure = unsure_.buffer();
        } else {
            EB_TRY(settle_pairs<squared>(hits_, nullptr, fits, stream_, status));
        }
        now.out = hits_.buffer();
        return EB_OK;
    }

    eb_code decide(const arguments &now, eb_status *status)
    {
        return decide_pairs(unsure_, rules_.exact(now.a, left_->d, d_padded_), rules_.exact(now.b, left_->d, d_padded_),
                            exact_threshold_, hits_, stream_, status);
    }

    /* Room for 1.02 times the share's part of the expected pairs, at least for the usual number. */
    uint64_t first_room(const work &w) const
    {
        const double share = static_cast<double>(w.end - w.begin) / static_cast<double>(rows_) / w.share.parts;
        const double expected = static_cast<double>(w.question.expected) * (w.triangle ? 0.5 : 1) * share;
        const uint64_t usual = pair_store<squared>::first_room(w.end - w.begin);
        const uint64_t wanted = static_cast<uint64_t>(1.02 * expected);
        return wanted > usual ? wanted : usual;
    }

    /* Makes room for pairs not yet decided, of one launch; launches can be made smaller. */
    eb_code prepare_unsure(const work &w, uint64_t limit, eb_status *status)
    {
        constexpr uint64_t most_candidates = uint64_t{1} << 30; /* bytes */
        if constexpr (filters)
            return unsure_.prepare(first_room(w) * rules::candidates_a_pair,
                                   limit > 0 && limit < most_candidates ? limit : most_candidates, stream_, status);
        else
            return rules::unsure ? unsure_.prepare(w.end - w.begin, limit, stream_, status) : EB_OK;
    }

    double eps_ = 0, exact_threshold_ = 0;
    pair_store<found> unsure_; /* or candidates */
    bool later_ = false;       /* decide the candidates of all launches together */
};

} // namespace eb
