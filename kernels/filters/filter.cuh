/* filter: the interface and the common types of filters. A filter finds candidate pairs from points rounded to few
 * bits. Its test passes every pair within ε. The exact engine's sums decide the candidates, except those that the
 * filter is sure of. kernels/certified and kernels/quantised each have a filter.
 *
 * A filter is a class. Its types and static functions are:
 * - numbers: the type of its points (kernels/fasted/cuda/arithmetic.cuh); at_once: coordinates that a thread rounds at
 *   a time
 * - known: the data kept for each point; bound: the data kept for a question
 * - sums: sums over a point's coordinates; take(sums, y): returns the number for y and adds to the sums;
 *   add_lanes(sums): adds over a warp; known_of(sums, d); key(known): points are ordered by it
 * - level(known, bound): {h, s}; level_each(known, bound, squared, scale, d): optional, of a left point whose ε has
 * that square
 * - measured: known_and_level of a point
 * - surely(found, measured, measured, bound): true if a pair is within ε whatever its points are; found: the kernels'
 *   result for the pair
 * - share(found, s, scale, measured, measured, bound): the error of `found` as a fraction of the error that the bound
 *   allows, s being the exact squared distance
 * - products: numbers with their mma.sync; distance(product, known, known of a pivot, bound): the least and
 *   the greatest distance of a point from a rounded pivot; reach_of(bound): the greatest distance of two rounded
 *   points within ε
 * - candidates_a_pair: candidates that the first buffer has room for, for each expected pair
 * - looks_again: true if FP16 copies of the points may judge the candidates before FP64 does (second_look.cuh)
 * - shortens: true if points may also have short images, of fewer numbers, whose distances are never above the points'
 *
 * A filter object is made from an engine's options. Its member functions are:
 * - frame(dataset, status): called once; centre(), scale(): those of the frame; if looks_again, exponent(): of a power
 *   of two that scales typical values into FP16's range
 * - bound_of(eps, d); threshold(bound): the kernels' threshold
 * - kernels(): an object with symmetric(), sorts(points, d_padded), waits_to_sort(points, d_padded), limit() and
 *   complete(variant, arguments, status); these, and the filter's own variant(symmetric, d, points) and
 *   describe(buffer, size), are as in rules (tiled/variant.cuh)
 * - if shortens: always_shortens(): an option asks for short images; shorten(side, question, context, …): finds one if
 *   it saves time; short_columns(): 0 if there is none; short_scale(), short_bound_of(eps); make_short(side, points,
 *   known, key, …)
 */
#pragma once

#include "kernels/fasted/cuda/levels.cuh"
#include "kernels/tiled/truth.cuh"
#include "kernels/upload/convert.cuh"

namespace eb {

/* The data of a point that are needed to interpret the kernels' result for a pair. */
template <class known_point, class numbers> struct known_and_level {
    known_point known;
    typename numbers::pair level;
};

/* Rounded points with their values of type `known`, and the stored points. */
template <class filter> struct filter_panel : levelled_panel<typename filter::numbers> {
    const typename filter::known *known;
    stored_points stored;
    __device__ typename filter::measured at(uint32_t number) const
    {
        return {known[number - this->first], this->level[number - this->first]};
    }
};

/* Points on the device without levels. */
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
    double scale;     /* of the rounded points */
};

/* (√least − moved, √most + moved), rounded outward. */
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
