/* rules: the rules of an engine over block tiles (tiled/engine.cuh) that uses a filter (filter.cuh). */
#pragma once

#include "kernels/filters/decide.cuh"
#include "kernels/filters/framing.cuh"
#include "kernels/filters/groups.cuh"
#include "kernels/tiled/engine.cuh"

namespace eb {

/* ---- kernels that compute levels ---- */

/* Places past the last point get a level that never passes. */
template <class filter>
static __global__ void __launch_bounds__(side_levels<typename filter::numbers>::points)
    filter_levels(const typename filter::known *known, uint32_t n, uint32_t n_padded, typename filter::bound bound,
                  typename filter::numbers::pair *level,
                  typename side_levels<typename filter::numbers>::columns_of *columns)
{
    const uint32_t i = blockIdx.x * side_levels<typename filter::numbers>::points + threadIdx.x;
    keep_level(i < n ? filter::level(known[i], bound) : filter::numbers::never(), n_padded, level, columns);
}

/* The same where each point has an ε of its own: squared[i] is its square. scale: of the points. */
template <class filter>
static __global__ void __launch_bounds__(side_levels<typename filter::numbers>::points)
    filter_levels_each(const typename filter::known *known, uint32_t n, uint32_t n_padded, typename filter::bound bound,
                       const double *squared, double scale, unsigned d, typename filter::numbers::pair *level,
                       typename side_levels<typename filter::numbers>::columns_of *columns)
{
    const uint32_t i = blockIdx.x * side_levels<typename filter::numbers>::points + threadIdx.x;
    keep_level(i < n ? filter::level_each(known[i], bound, squared[i], scale, d) : filter::numbers::never(), n_padded,
               level, columns);
}

/* Copies the points' values of type filter::known into another order. */
template <class known_point>
static __global__ void gather_known(const known_point *known, const uint32_t *point, size_t count, known_point *out)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        out[k] = known[point[k]];
}

/* ---- the rules ---- */

template <class filter> class filter_rules {
  public:
    using numbers = typename filter::numbers;
    using point = typename numbers::point;
    using squared = double;
    using candidate = typename numbers::squared;
    using panel = filter_panel<filter>;
    using arguments = tile_arguments<numbers>;
    static constexpr size_t side_of_tile = 128, depth = numbers::slice;
    static constexpr double flops = 2;
    static constexpr bool unsure = false, shortens = filter::shortens;
    static constexpr unsigned candidates_a_pair = filter::candidates_a_pair;

    struct side : side_levels<numbers> {
        using known_point = typename filter::known;
        static constexpr size_t bytes_a_row = sizeof(known_point) + sizeof(float) + side_levels<numbers>::bytes_a_row;
        device_array<known_point> known;
        device_array<float> key;          /* the sort key of each point */
        device_array<unsigned char> rows; /* the points as they are stored */
        stored_points stored{};           /* views `rows`, or another side's rows in this side's order */
        eb_code reserve(size_t count, eb_status *status)
        {
            const char *what = "making room for what is known of points";
            EB_TRY(known.reserve(count, what, status));
            EB_TRY(key.reserve(count, what, status));
            return side_levels<numbers>::reserve(count, status);
        }
    };

    explicit filter_rules(const eb_options &options)
        : filter_(options), always_grouped_(options.list && eb_option_find(options.list, "grouped")),
          always_again_(options.list && eb_option_find(options.list, "again")) /* for tests */
    {
    }

    bool symmetric() const { return filter_.kernels().symmetric(); }
    bool sorts(size_t points, size_t d_padded) const
    {
        if constexpr (filter::shortens)
            if (filter_.always_shortens())
                return true;
        return filter_.kernels().sorts(points, d_padded) || grouping_is_faster(points, d_padded);
    }
    eb_limit limit() const { return filter_.kernels().limit(); }
    int describe(char *buffer, size_t size) const
    {
        const int written = filter_.describe(buffer, size);
        const size_t columns = short_columns();
        if ((columns == 0 && !ungrouped_) || written < 0 || static_cast<size_t>(written) >= size)
            return written;
        char axes[80] = "";
        if (columns > 0)
            (void)std::snprintf(axes, sizeof axes, ", on %zu principal axes and what they leave", columns - 1);
        return written + std::snprintf(buffer + written, size - static_cast<size_t>(written), "%s%s", axes,
                                       ungrouped_ ? ", without groups for want of memory" : "");
    }

    eb_code begin(const eb_problem &problem, const eb_context &, eb_status *status)
    {
        d_ = static_cast<unsigned>(problem.left->d);
        EB_TRY(filter_.frame(problem.left, status));
        EB_TRY(centre_.reserve(d_, framing, status));
        EB_CUDA(cudaMemcpy(centre_.get(), filter_.centre(), d_ * sizeof(double), cudaMemcpyHostToDevice), framing);
        return EB_OK;
    }

    eb_code load(const eb_dataset *from, size_t first, size_t count, size_t padded, size_t d_padded, point *points,
                 side &of, cudaStream_t stream, const eb_context *context, eb_status *status) const
    {
        stopwatch watch;
        double seconds = 0;
        EB_TRY(make_room(from, count, padded, d_padded, points, of, stream, status));
        EB_TRY(upload_rows(from, first, count, of.rows.get(), stream, context, nullptr, status));
        EB_TRY(watch.start(stream, status));
        EB_TRY(take_rows(from, 0, count, padded, d_padded, points, of, stream, status));
        EB_TRY(watch.stop(stream, &seconds, status));
        eb_figures_add(context->figures, &eb_figure_convert, seconds);
        return EB_OK;
    }

    bool may_take_rows(size_t points, size_t d_padded) const
    {
        if constexpr (filter::shortens)
            if (filter_.always_shortens())
                return false;
        return !always_grouped_ && !filter_.kernels().waits_to_sort(points, d_padded);
    }
    eb_code expect_rows(const eb_dataset *from, size_t padded, size_t d_padded, point *points, side &of,
                        unsigned char **rows, cudaStream_t stream, eb_status *status) const
    {
        EB_TRY(make_room(from, from->n, padded, d_padded, points, of, stream, status));
        *rows = of.rows.get();
        return EB_OK;
    }
    eb_code take_rows(const eb_dataset *, size_t first, size_t count, size_t, size_t d_padded, point *points, side &of,
                      cudaStream_t stream, eb_status *status) const
    {
        stored_points rows = of.stored;
        rows.rows = of.rows.get() + first * rows.row_bytes;
        return frame_stored<filter>(rows, static_cast<uint32_t>(d_padded), static_cast<uint32_t>(count),
                                    {centre_.get(), filter_.scale()}, points + first * d_padded, of.known.get() + first,
                                    of.key.get() + first, stream, status);
    }

    /* Judges by a sample, as order() and find_short() do, whether all `points` would get groups or short images. */
    eb_code judge_order(const point *sample, size_t d_padded, const side &of, size_t count, size_t points,
                        const eb_question &question, bool *helps, cudaStream_t stream, const eb_context *context,
                        eb_status *status)
    {
        *helps = false;
        if constexpr (filter::shortens) {
            EB_TRY(filter_.shorten(seen(sample, d_padded, of, count), points, question, *context, stream, status));
            *helps = filter_.short_columns() > 0;
        }
        if (*helps || !grouping_is_faster(points, d_padded))
            return EB_OK;
        return groups_.judge(seen(sample, d_padded, of, count), bound_of(question.eps, false), helps, stream, status);
    }

    /* The kernels' threshold. Sets ε for the calls that follow, and whether they use short images. */
    candidate threshold(double eps, bool shortened)
    {
        question_ = {bound_of(eps, shortened), eb_squared_threshold(eps), scale_of(shortened)};
        return filter_.threshold(question_.bound);
    }

    /* Numbers in a row of short images; 0: there are no short images. */
    size_t short_columns() const
    {
        if constexpr (filter::shortens)
            return filter_.short_columns();
        return 0;
    }
    eb_code find_short(const point *points, size_t d_padded, const side &from, size_t count,
                       const eb_question &question, cudaStream_t stream, const eb_context *context, eb_status *status)
    {
        if constexpr (!filter::shortens)
            return EB_OK;
        else
            return filter_.shorten(seen(points, d_padded, from, count), count, question, *context, stream, status);
    }
    eb_code make_short(const side &from, size_t count, size_t padded, size_t d_padded, point *points, side &to,
                       cudaStream_t stream, eb_status *status)
    {
        EB_CUDA(cudaMemsetAsync(points + count * d_padded, 0, (padded - count) * d_padded * sizeof(point), stream),
                framing);
        to.stored = from.stored;
        if constexpr (!filter::shortens)
            return EB_OK;
        else
            return filter_.make_short(seen(nullptr, 0, from, count), points, to.known.get(), to.key.get(), stream,
                                      status);
    }

    tile_variant<arguments> variant(output, bool symmetric, size_t d, size_t points) const
    {
        return filter_.variant(symmetric, d, points);
    }
    eb_code complete(const tile_variant<arguments> &v, arguments &args, eb_status *status)
    {
        return filter_.kernels().complete(v, args, status);
    }

    /* Orders the points by groups if these help, or by norms if that saves time. *ordered: false if neither. */
    eb_code order(const point *points, size_t d_padded, const side &from, size_t count, side &to, double eps,
                  bool shortened, uint32_t *point, bool *ordered, cudaStream_t stream, const eb_context *context,
                  eb_status *status)
    {
        *ordered = false;
        if (grouping_is_faster(count, d_padded) && (always_grouped_ || context->memory_limit == 0)) {
            const uint32_t side =
                static_cast<uint32_t>(filter_.variant(true, shortened ? short_columns() : d_, count).side);
            const eb_code grouped = groups_.find(seen(points, d_padded, from, count), bound_of(eps, shortened), side,
                                                 always_grouped_, point, ordered, stream, status);
            ungrouped_ = grouped == EB_NO_MEMORY;
            EB_TRY(ungrouped_ ? EB_OK : grouped);
        }
        if (!*ordered && filter_.kernels().sorts(count, d_padded)) {
            EB_TRY(order_by(from.key.get(), count, 0, point, stream, status));
            *ordered = true;
        }
        if (!*ordered)
            return EB_OK;
        return pick(from, point, count, to, stream, status);
    }

    const float *keys(const side &of) const { return of.key.get(); }

    /* Makes the side of other places: point[k] is the point at place k, and must stay. */
    eb_code pick(const side &from, const uint32_t *point, size_t count, side &to, cudaStream_t stream,
                 eb_status *status) const
    {
        gather_known<<<blocks_for(count, 256), 256, 0, stream>>>(from.known.get(), point, count, to.known.get());
        EB_CUDA(cudaGetLastError(), framing);
        to.stored = from.stored;
        to.stored.point = point;
        return EB_OK;
    }

    /* The tiles of the ordered points that the question has to visit; nullptr: all. */
    eb_code near_tiles(const tile_variant<arguments> &v, const eb_share &share, const uint2 **tiles, uint64_t *count,
                       cudaStream_t stream, const eb_context *context, eb_status *status)
    {
        *tiles = nullptr;
        if (!groups_.there() || static_cast<uint32_t>(v.side) != groups_.side())
            return EB_OK;
        EB_TRY(groups_.list(question_.bound, share.parts > 1, tiles, count, stream, status));
        eb_figures_set(context->figures, &near_tiles_listed, static_cast<double>(*count));
        return EB_OK;
    }

    eb_code level(side &of, size_t count, size_t padded, candidate, cudaStream_t stream, eb_status *status) const
    {
        filter_levels<filter>
            <<<side::blocks_of(padded), side::points, 0, stream>>>(of.known.get(), static_cast<uint32_t>(count),
                                                                   static_cast<uint32_t>(padded), question_.bound,
                                                                   of.level.get(), of.columns.get());
        EB_CUDA(cudaGetLastError(), "preparing the levels");
        return EB_OK;
    }

    bool may_level_each() const { return true; }
    eb_code level_each(side &of, size_t count, size_t padded, candidate, const double *squared, cudaStream_t stream,
                       eb_status *status) const
    {
        filter_levels_each<filter>
            <<<side::blocks_of(padded), side::points, 0, stream>>>(of.known.get(), static_cast<uint32_t>(count),
                                                                   static_cast<uint32_t>(padded), question_.bound,
                                                                   squared, question_.scale, d_, of.level.get(),
                                                                   of.columns.get());
        EB_CUDA(cudaGetLastError(), "preparing the levels");
        return EB_OK;
    }

    panel view(const point *points, const side &of, size_t at, size_t count, size_t first) const
    {
        stored_points stored = of.stored;
        stored.first = static_cast<uint32_t>(first);
        if (stored.point)
            stored.point += at;
        else
            stored.rows = static_cast<const unsigned char *>(stored.rows) + at * stored.row_bytes;
        return {of.panel(points, at, count, first), of.known.get() + at, stored};
    }
    stored_points stored(const panel &of) const { return of.stored; }

    /* all: the side of all `count` points if these have the numbers of their rows on both sides; nullptr: not so. */
    eb_code decide(const pair_store<candidate> &candidates, const panel &a, const panel &b, bool alone,
                   pair_store<double> &hits, const side *all, size_t count, double eps, cudaStream_t stream,
                   const eb_context *context, eb_status *status)
    {
        second_look *again = nullptr;
        if constexpr (filter::looks_again)
            if (all && context->memory_limit == 0 &&
                (always_again_ || second_look::pays(all->stored, count, candidates.held()))) {
                EB_TRY(again_.prepare(all->stored, count, centre_.get(), filter_.exponent(), eps, stream, status));
                again = again_.there() ? &again_ : nullptr;
            }
        return decider_.decide(candidates, a, b, question_, alone, again, hits, stream, context, status);
    }

  private:
    static constexpr eb_figure near_tiles_listed = {"near_tiles", "tiles that can hold pairs", EB_PLAIN, EB_FIGURE_FACT,
                                                    0};
    static constexpr const char *framing = "rounding points";

    typename filter::bound bound_of(double eps, bool shortened) const
    {
        if constexpr (filter::shortens)
            if (shortened)
                return filter_.short_bound_of(eps);
        return filter_.bound_of(eps, d_);
    }
    double scale_of(bool shortened) const
    {
        if constexpr (filter::shortens)
            if (shortened)
                return filter_.short_scale();
        return filter_.scale();
    }
    filter_side<filter> seen(const point *points, size_t d_padded, const side &of, size_t count) const
    {
        return {points, of.known.get(), count, d_padded, of.stored, centre_.get()};
    }

    bool grouping_is_faster(size_t points, size_t d_padded) const
    {
        return always_grouped_ ||
               eb_grouping_is_faster(static_cast<double>(points), static_cast<double>(d_padded * sizeof(point)));
    }

    eb_code make_room(const eb_dataset *from, size_t count, size_t padded, size_t d_padded, point *points, side &of,
                      cudaStream_t stream, eb_status *status) const
    {
        const size_t row_bytes = from->d * eb_dtype_size(from->dtype);
        EB_TRY(of.rows.reserve(count * row_bytes, "making room for the points", status));
        of.stored = {of.rows.get(), from->dtype, static_cast<unsigned>(from->d), row_bytes, nullptr, 0};
        EB_CUDA(cudaMemsetAsync(points + count * d_padded, 0, (padded - count) * d_padded * sizeof(point), stream),
                framing);
        return EB_OK;
    }

    filter filter_;
    bool always_grouped_, always_again_, ungrouped_ = false;
    unsigned d_ = 0;
    device_array<double> centre_;
    filter_question<filter> question_{};
    filter_decider<filter> decider_;
    second_look again_;
    point_groups<filter> groups_;
};

} // namespace eb
