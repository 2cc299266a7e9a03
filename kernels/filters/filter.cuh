/* filter: what a way does that finds candidates with points rounded to few bits, at levels that no pair within ε
 * misses. The truth decides what passes, or the filter where it is sure. Here is what all of them share; kernels/
 * certified and kernels/quantised are two.
 *
 * What a filter gives, as a type:
 * - numbers: what its points are (kernels/fasted/cuda/arithmetic.cuh); at_once: how many coordinates a thread rounds
 * - known: what is kept of a point; bound: of a question
 * - sums: over a point's coordinates; take(sums, y): the number for y, which adds to them; add_lanes(sums), of a
 * warp's; known_of(sums, d); key(known): points are ordered by it
 * - level(known, bound): {h, s}
 * - measured: known_and_level of a point
 * - surely(found, measured, measured, bound): whether a pair is within ε without a look at its points; found: what the
 *   kernels say of it
 * - share(found, s, scale, measured, measured, bound): of what the bound allows, how much it takes to explain the
 *   truth's s
 * - products: numbers with their mma.sync; distance(product, known, known of a pivot, bound): how far a point is from
 *   that rounded one, at least and at most; reach_of(bound): the most that pairs within ε are apart, both rounded so
 * and as an object, made of options:
 * - frame(dataset, status), once; centre(), scale() of it
 * - bound_of(eps, d), threshold(bound), the kernels'
 * - symmetric(), sorts(points, d_padded), limit(), variant(symmetric, d, points), complete(variant, arguments, status),
 *   describe(buffer, size): as rules have them (tiled/engine.cuh)
 * - candidates_a_pair: for how many there is room at first
 * - shortens: points may have other rounded images, of fewer numbers, at distances that are never longer. Then also
 *   always_shortens(): whether somebody asked for that; shorten(side, question, context, …): finds such an image where
 *   it pays; short_columns(), 0: there is none; short_scale(), short_bound_of(eps) of it; make_short(side, points,
 *   known, key, …)
 */
#pragma once

#include "kernels/fasted/cuda/levels.cuh"
#include "kernels/tiled/truth.cuh"

namespace eb {

/* What the kernels' word on a point's pairs is read with. */
template <class known_point, class numbers> struct known_and_level {
    known_point known;
    typename numbers::pair level;
};

/* Rounded points with what is known of them, and as they are stored. */
template <class filter> struct filter_panel : levelled_panel<typename filter::numbers> {
    const typename filter::known *known;
    stored_points stored;
    __device__ typename filter::measured at(uint32_t number) const
    {
        return {known[number - this->first], this->level[number - this->first]};
    }
};

/* Points on the device before they have levels. */
template <class filter> struct filter_side {
    const typename filter::numbers::point *points; /* rounded, rows of d_padded */
    const typename filter::known *known;
    size_t count, d_padded;
    stored_points stored;
    const double *centre; /* [d], on the device */
};

template <class filter> struct filter_question {
    typename filter::bound bound;
    double threshold; /* fl(ε·ε) */
    double scale;     /* of the points */
};

/* √least − moved and √most + moved, rounded outward. */
static __device__ __forceinline__ float2 around(double least, double most, double moved)
{
    const float off = __double2float_ru(moved);
    return make_float2(__fsub_rd(__fsqrt_rd(fmaxf(__double2float_rd(least), 0.0f)), off),
                       __fadd_ru(__fsqrt_ru(fmaxf(__double2float_ru(most), 0.0f)), off));
}

static __device__ __forceinline__ double add_over_warp(double x)
{
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(~0u, x, step);
    return x;
}

} // namespace eb
