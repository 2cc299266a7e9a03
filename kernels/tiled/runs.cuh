/* runs: runs kernels over the tiles of a question: the blocks that meet, and the launches of a pair of blocks. The part
 * of an engine (engine.cuh) between its points and its answers. rules: variant.cuh. */
#pragma once

#include "kernels/tiled/launches.cuh"
#include "kernels/tiled/listed.cuh"
#include "kernels/tiled/points.cuh"
#include "kernels/tiled/variant.cuh"

namespace eb {

template <class rules> class tiled_runs : protected tiled_points<rules> {
  protected:
    using base = tiled_points<rules>;
    using arguments = typename rules::arguments;
    using base::blocks_, base::block_rows_, base::columns_, base::context_, base::d_padded_, base::filters, base::late_,
        base::problem_, base::rows_, base::rules_, base::self_, base::shortened_, base::sorted_, base::stream_,
        base::taken_;
    using base::level, base::load, base::may_sort, base::products, base::resident, base::rows_at_once, base::smaller,
        base::take_points, base::view;
    using typename base::block;
    using typename base::panel;
    using typename base::point;
    using typename base::threshold_type;

    tiled_runs(const eb_problem *problem, const eb_context *context) : base(problem, context) {}

    /* A question about a share, in places. */
    struct work {
        const eb_question &question;
        const eb_share &share;
        threshold_type threshold;
        size_t begin, end; /* rows to visit */
        size_t before;     /* of a triangle: rows before `begin` that they meet too */
        bool triangle;     /* visit each pair once: rows meet columns from themselves on */
        bool ascends;      /* a range of rows, each pair once, as eb_question.ascending */
        bool picked;       /* places are not rows: pairs without an end in the share's rows are dropped afterwards */
        bool sorted;       /* use the engine's own order of the points */
        size_t d;          /* coordinates multiplied per point */
        bool listed() const { return question.schedule.kind == EB_SCHEDULE_LIST; }
    };

    /* A list or an order does not know rows: all places are visited. */
    work work_of(const eb_question &question, const eb_share &share)
    {
        const bool whole = share.row_begin == 0 && share.row_end == rows_;
        const eb_schedule_kind kind = question.schedule.kind;
        const bool once = kind == EB_SCHEDULE_USUAL ? rules_.symmetric() : kind != EB_SCHEDULE_ALL;
        const bool picked = problem_->order && !whole;
        const bool ascends = base::ascends(question, share);
        listed_.forget();
        eb_figures_set_limit(context_->figures, context_->device, rules_.limit());
        eb_figures_set(context_->figures, &eb_figure_coordinate, sizeof(point));
        const bool sorted = sorted_.count > 0 && may_sort(question, share), brief = sorted && shortened_;
        if (brief)
            eb_figures_set(context_->figures, &columns_multiplied, static_cast<double>(sorted_.d));
        return {question,
                share,
                threshold_of(question.eps, brief),
                picked ? 0 : share.row_begin,
                picked ? rows_ : share.row_end,
                0,
                self_ && once && (whole || picked || ascends),
                ascends,
                picked,
                sorted,
                sorted ? sorted_.d : products()};
    }

    threshold_type threshold_of(double eps, bool brief)
    {
        if constexpr (filters)
            return rules_.threshold(eps, brief);
        else
            return rules_.threshold(eps);
    }

    /* Calls meet(a, b, diagonal, rows) until the rows to visit have met all columns. If each pair is wanted once, rows
     * meet the columns from themselves on; `diagonal` is true if a block meets itself. `rows` is the progress of this
     * call, out of end − begin in all. */
    template <class meeting> eb_code meet_all(const work &w, eb_status *status, meeting meet)
    {
        if (late_)
            return meet_arriving(w, status, meet);
        block &left = resident() && w.sorted ? sorted_ : blocks_[0];
        const size_t at_once = resident() ? w.end - w.begin : block_rows_;
        if (resident())
            EB_TRY(level(left, w.threshold, status));
        if (resident() && !self_)
            EB_TRY(level(blocks_[1], w.threshold, status));
        for (size_t first = w.begin; first < w.end; first += at_once) {
            const size_t rows = smaller(at_once, w.end - first), next = first + rows;
            if (!resident()) {
                EB_TRY(load(left, false, first, rows, status));
                EB_TRY(level(left, w.threshold, status));
            }
            const panel own = view(left, resident() ? first : 0, rows);
            const size_t all = w.triangle ? w.before + columns_ - first : columns_;
            size_t met = 0, done = 0;
            const auto meet_columns = [&](const panel &b, size_t count, bool diagonal) {
                met += count;
                const size_t before = done;
                done = scaled(rows, met, all);
                return meet(own, b, diagonal, done - before);
            };
            if (w.triangle)
                EB_TRY(meet_columns(own, rows, true));
            EB_TRY(meet_range(w, left, 0, w.triangle ? w.before : columns_, meet_columns, status));
            if (w.triangle)
                EB_TRY(meet_range(w, left, next, columns_, meet_columns, status));
        }
        return EB_OK;
    }

    /* meet_all while points arrive, each pair once: those that are there meet each other and the ones before. With a
     * sixteenth at a time, kernels wait little for the first points and lose little at their edges. */
    template <class meeting> eb_code meet_arriving(const work &w, eb_status *status, meeting &meet)
    {
        const size_t least = rows_at_once();
        block &all = blocks_[0];
        double done = 0;
        const auto progress = [&](double pairs) {
            const double before = done, rows = static_cast<double>(rows_);
            done += pairs;
            return static_cast<size_t>(done / rows) - static_cast<size_t>(before / rows);
        };
        for (size_t first = 0; first < rows_;) {
            const bool last = rows_ - first < 2 * least;
            EB_TRY(take_points(last ? rows_ : first + least, status));
            const size_t next = taken_, count = next - first;
            EB_TRY(rules_.level(all.side, next, next < rows_ ? next : all.padded, w.threshold, stream_, status));
            const double own = static_cast<double>(count), earlier = static_cast<double>(first);
            EB_TRY(meet(view(all, first, count), view(all, first, count), true, progress(own * own)));
            if (first > 0)
                EB_TRY(meet(view(all, 0, first), view(all, first, count), false, progress(2 * own * earlier)));
            first = next;
        }
        return EB_OK;
    }

    static size_t scaled(size_t rows, size_t part, size_t whole)
    {
        return static_cast<size_t>(static_cast<double>(rows) *
                                   (static_cast<double>(part) / static_cast<double>(whole)));
    }

    template <class meeting>
    eb_code meet_range(const work &w, block &left, size_t begin, size_t end, meeting &meet_columns, eb_status *status)
    {
        if (resident())
            return begin == end ? EB_OK
                                : meet_columns(view(self_ ? left : blocks_[1], begin, end - begin), end - begin, false);
        for (size_t first = begin; first < end; first += block_rows_) {
            const size_t count = smaller(block_rows_, end - first);
            EB_TRY(load(blocks_[1], true, first, count, status));
            EB_TRY(level(blocks_[1], w.threshold, status));
            EB_TRY(meet_columns(view(blocks_[1], 0, count), count, false));
        }
        return EB_OK;
    }

    /* Runs the share's tiles of a pair of blocks. */
    template <class settle_launch>
    eb_code run(const work &w, const tile_variant<arguments> &v, arguments args, uint64_t rows, eb_status *status,
                settle_launch settle)
    {
        const uint32_t side = static_cast<uint32_t>(v.side), columns = static_cast<uint32_t>(v.columns);
        const size_t d_padded = w.sorted ? sorted_.d_padded : d_padded_;
        args.d_padded = static_cast<uint32_t>(d_padded);
        args.tile_rows = (args.a.count + side - 1) / side;
        args.tile_columns = (args.b.count + columns - 1) / columns;
        tile_kernel<arguments> k{v.kernel, v.threads, v.shared_bytes, 0};
        k.blocks_a_worker = static_cast<unsigned>(v.cluster);
        if (v.persistent)
            EB_TRY(workers_.ask(v, sms_, &k.most_workers, status));
        EB_TRY(rules_.complete(v, args, status));
        uint64_t tiles = numbers_of(v, args.tile_rows, args.tile_columns);
        double pairs = static_cast<double>(args.a.count) * args.b.count * (v.symmetric ? 0.5 : 1);
        if (w.listed()) {
            EB_TRY(listed_.place(w.question.schedule, problem_->order, side, args.a.first, args.a.count, args.b.first,
                                 args.b.count, v.bands.chunk, stream_, status));
            args.list = listed_.get();
            tiles = listed_.count();
            pairs = static_cast<double>(listed_.tiles()) * side * side;
        } else if constexpr (filters) {
            if (w.sorted)
                EB_TRY(rules_.near_tiles(v, w.share, &args.list, &tiles, stream_, context_, status));
            pairs = args.list ? static_cast<double>(tiles) * side * side : pairs;
        }
        EB_TRY(agree_on_tiles(w.share, tiles, w.sorted, status));
        const bool deals = deal(w.share, v, args);
        const tile_part own = deals ? all_tiles(tiles) : tiles_of(w.share, tiles);
        if (own.count() == 0)
            return EB_OK;
        const double part = deals ? 1.0 / w.share.parts : static_cast<double>(own.count()) / static_cast<double>(tiles);
        eb_figures_add(context_->figures, &eb_figure_executed_flops,
                       rules::flops * pairs * part * static_cast<double>(w.d));
        const int device = context_->device->index;
        const void *kernel = v.kernel.get();
        launch_pace pace = last_pace(device, kernel, d_padded);
        const eb_code failed =
            run_tiles(k, own, rows_of_part(rows, w.share), args, pace, device, stream_, context_, status, settle);
        keep_pace(device, kernel, d_padded, pace);
        return failed;
    }

    unsigned sms_ = 0;

  private:
    /* True if the kernel itself leaves out the tiles of other parts, where each has enough of them. */
    static bool deal(const eb_share &share, const tile_variant<arguments> &v, arguments &args)
    {
        if constexpr (in_parts<arguments>) {
            constexpr uint32_t enough = 8; /* chunks of columns for each part */
            const bool deals = v.bands.height > 0 && args.tile_columns / v.bands.chunk >= enough * share.parts;
            args.parts = deals ? share.parts : 1;
            args.part = deals ? share.part : 0;
            return deals;
        }
        return false;
    }
    static constexpr eb_figure columns_multiplied = {"columns", "numbers multiplied of a point", EB_PLAIN,
                                                     EB_FIGURE_FACT, 0};
    listed_tiles listed_;
    known_workers workers_;
};

} // namespace eb
