/* Tests of the error bound of the 8-bit way, on the host. None of the kernels' tests rules out a pair within ε, no pair
 * beyond ε is called sure, and no distance is off by more than the bound, even at the smallest ε that contains the pair
 * and at the largest that does not. */

#include "kernels/parts/byte_levels.h"
#include "kernels/quantised/bound.h"
#include "kernels/quantised/frame.h"
#include "tests/unit/filter_points.h"
#include "tests/unit/test.h"

/* ---- points ---- */

typedef struct framed {
    few_points points;
    int8_t byte[POINTS][MOST_D];
    eb_quantised_point known[POINTS];
    double scale;
} framed;

static void round_point(framed *f, size_t i, const double *centre)
{
    eb_quantised_sums sums = {0, 0, 0};
    for (unsigned k = 0; k < f->points.d; k++) {
        const double y = (f->points.x[i][k] - centre[k]) * f->scale, near = eb_quantised_near(y);
        assert_true(fabs(near) <= EB_QUANTISED_LEVELS && near == floor(near));
        f->byte[i][k] = (int8_t)near;
        eb_quantised_add(&sums, y, near);
    }
    f->known[i] = eb_quantised_point_of(sums, f->points.d);
}

/* Rounds points in the frame chosen for them, or in one with a step `coarser` times as wide, where points are rounded
 * coarsely or clipped. */
static void make(framed *f, size_t kind, unsigned d, double coarser)
{
    eb_status status;
    eb_quantised_frame frame;
    draw_points(&f->points, kind, d);
    const eb_dataset ds = few_as_dataset(&f->points);
    assert_int_equal(eb_quantised_frame_make(&ds, f->points.centred, &frame, &status), EB_OK);
    f->scale = frame.scale / coarser;
    for (size_t i = 0; i < POINTS; i++)
        round_point(f, i, frame.centre);
    eb_quantised_frame_free(&frame);
}

/* ---- the bound's tests ---- */

typedef struct verdict {
    bool passes, sure;
    double share; /* fraction of the bound that is used */
} verdict;

static int64_t product_of(const framed *f, size_t i, size_t j)
{
    int64_t sum = 0;
    for (unsigned k = 0; k < f->points.d; k++)
        sum += f->byte[i][k] * f->byte[j][k];
    return sum;
}

/* As in arithmetic.cuh, modulo 2^32: against the column's own level, and against the least of a tile. */
static bool reaches(uint32_t product, int32_t h_i, int32_t h_j)
{
    return (int32_t)(product - (uint32_t)h_i - (uint32_t)h_j) >= 0;
}

static eb_quantised_level level_of(const framed *f, size_t i, double eps)
{
    return eb_quantised_level_of(f->known[i], eb_quantised_bound_of(eps, f->scale, f->points.d));
}

static verdict judge(const framed *f, size_t i, size_t j, double eps)
{
    const eb_quantised_bound bound = eb_quantised_bound_of(eps, f->scale, f->points.d);
    const eb_quantised_level one = level_of(f, i, eps), two = level_of(f, j, eps);
    const uint32_t product = (uint32_t)product_of(f, i, j);
    const uint32_t q = (uint32_t)one.s + (uint32_t)two.s - 2 * product;
    int32_t least = EB_BYTES_NEVER_H;
    for (size_t k = 0; k < POINTS; k++)
        least = level_of(f, k, eps).h < least ? level_of(f, k, eps).h : least;
    const double squared = eb_quantised_squared(q, f->known[i], one.s, f->known[j], two.s);
    const double moved = f->known[i].moved + f->known[j].moved;
    const bool passes = reaches(product, one.h, two.h) && q <= eb_quantised_threshold(f->points.d);
    assert_true(!passes || reaches(product, one.h, least));
    assert_true(!passes || squared == (double)(f->known[i].square + f->known[j].square - 2 * product_of(f, i, j)));
    return (verdict){passes, passes && eb_quantised_surely(squared, moved, bound.surely) != 0,
                     eb_quantised_share(squared, sqrt(few_squared(&f->points, i, j)) * f->scale, moved, bound.surely)};
}

static void judge_pair(const framed *f, size_t i, size_t j)
{
    const few_points *p = &f->points;
    const double s = few_squared(p, i, j), eps = eb_smallest_eps(s);
    const verdict within = judge(f, i, j, eps);
    if (!within.passes)
        fail_msg("%s, d = %u: a pair at ε = %a exactly is ruled out", p->name, p->d, eps);
    if (within.share > 1)
        fail_msg("%s, d = %u: off by %g of what the bound allows", p->name, p->d, within.share);
    if (!judge(f, i, j, 4 * eps).passes || !judge(f, i, j, 1e150).passes)
        fail_msg("%s, d = %u: a pair within ε = %a is ruled out at more", p->name, p->d, eps);
    if (eps > 0 && judge(f, i, j, nextafter(eps, 0)).sure)
        fail_msg("%s, d = %u: a pair just beyond ε = %a is called sure", p->name, p->d, eps);
}

TEST(no_pair_is_decided_wrongly)
{
    static framed f;
    static const double coarser[] = {1, 1, 40, 1e-3, 1, 1e6, 0.5, 1e-30};
    enum { STEPS = sizeof coarser / sizeof coarser[0] };
    size_t cases = 0;
    for (size_t round = 0; cases < 120000; round++) {
        const unsigned d = round % 16 ? 1 + (unsigned)below(round % 4 ? 40 : 200) : MOST_D - (unsigned)below(100);
        make(&f, round % KINDS, d, coarser[round / KINDS % STEPS]);
        for (size_t i = 0; i < POINTS; i++)
            for (size_t j = 0; j < i; j++, cases++)
                judge_pair(&f, i, j);
    }
}

/* The bound is reached where both points move towards or away from each other along the line between them. */
TEST(what_rounds_badly_is_not_lost)
{
    static framed f;
    for (unsigned d = 1; d <= 64; d++)
        for (int apart = 1; apart < 100; apart += 7)
            for (int away = 0; away < 2; away++) {
                const double off = away ? -0.499999 : 0.499999;
                f = (framed){.points = {.name = "rounded badly", .d = d}, .scale = 1};
                const double centre[64] = {0};
                for (unsigned k = 0; k < d; k++) {
                    f.points.x[0][k] = -off;
                    f.points.x[1][k] = apart + off;
                }
                for (size_t i = 0; i < POINTS; i++)
                    round_point(&f, i, centre);
                judge_pair(&f, 0, 1);
                assert_true(judge(&f, 0, 1, 1).share > 0.999);
            }
}

/* Guards against a bound that rules nothing out and is never sure, which would pass the tests above. */
TEST(what_is_far_is_ruled_out_and_what_is_near_is_sure)
{
    static framed f;
    make(&f, 0, 500, 1);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < i; j++) {
            const double eps = sqrt(few_squared(&f.points, i, j));
            const verdict near = judge(&f, i, j, 1.02 * eps), far = judge(&f, i, j, 0.98 * eps);
            assert_true(near.passes && near.sure);
            assert_true(!far.passes && !far.sure);
        }
}

/* With the most dimensions, the farthest corners and any ε, nothing overflows. */
TEST(the_largest_numbers_fit)
{
    const unsigned d = EB_QUANTISED_MOST_D;
    const int32_t square = (int32_t)d * 127 * 127;
    static const double moved[] = {0, 10, 1e4, 1e9, EB_QUANTISED_MOST};
    static const double eps[] = {0, 1, 2e4, 3.3e4, 1e6, 1e150};
    for (size_t e = 0; e < 6; e++)
        for (size_t m = 0; m < 25; m++)
            for (int sign = -1; sign <= 1; sign++) {
                const eb_quantised_bound bound = eb_quantised_bound_of(eps[e], 1, d);
                const eb_quantised_point p = {moved[m / 5], square}, r = {moved[m % 5], square};
                const eb_quantised_level one = eb_quantised_level_of(p, bound), two = eb_quantised_level_of(r, bound);
                const int64_t product = sign * (int64_t)square, reach = 2 * (int64_t)square - 2 * product;
                const uint32_t q = (uint32_t)one.s + (uint32_t)two.s - 2 * (uint32_t)product;
                const double allowed = bound.within + p.moved + r.moved;
                const bool passes = reaches((uint32_t)product, one.h, two.h) && q <= eb_quantised_threshold(d);
                if ((double)reach <= allowed * allowed)
                    assert_true(passes && eb_quantised_squared(q, p, one.s, r, two.s) == (double)reach);
                if ((double)reach > 2.1 * allowed * allowed + 2)
                    assert_true(!passes);
                /* padding */
                assert_false(reaches(0, one.h, EB_BYTES_NEVER_H) || reaches(0, EB_BYTES_NEVER_H, one.h));
                assert_true((uint32_t)one.s + EB_BYTES_NEVER_S > eb_quantised_threshold(d));
            }
}

/* ---- frames ---- */

static void fill(double (*x)[4], size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 4; k++)
            x[i][k] = 1000 + chance();
}

static double scale_of(double (*x)[4], size_t n, double *moved)
{
    eb_status status;
    eb_quantised_frame frame;
    const eb_dataset ds = {.n = n, .d = 4, .dtype = EB_F64, .rows = (const unsigned char *)x, .stride = sizeof x[0]};
    assert_int_equal(eb_quantised_frame_make(&ds, true, &frame, &status), EB_OK);
    *moved = frame.moved;
    eb_quantised_frame_free(&frame);
    return frame.scale;
}

TEST(a_step_fits_the_values_whatever_lies_far_out)
{
    enum { N = 4096 };
    static double x[N][4];
    double moved, with_outlier;
    fill(x, N);
    const double scale = scale_of(x, N, &moved);
    assert_true(scale > 127 / 0.53 && scale < 127 / 0.45);
    assert_true(moved > 0.4 / scale && moved < 0.8 / scale); /* √(4/12) of a step */
    x[0][2] = 1e30;                                          /* the first row is in the sample */
    assert_true(fabs(scale_of(x, N, &with_outlier) - scale) < 0.1 * scale);
    assert_true(with_outlier < 1.2 * moved);
    x[0][2] = 1e300;
    assert_true(fabs(scale_of(x, N, &with_outlier) - scale) < 0.1 * scale);
}

TEST(points_that_agree_have_a_frame)
{
    enum { N = 300 };
    static double x[N][4];
    double moved;
    for (size_t i = 0; i < N; i++)
        x[i][1] = 7;
    const double scale = scale_of(x, N, &moved);
    assert_true(isfinite(scale) && scale > 0 && moved == 0);
    for (size_t i = 0; i < N; i++)
        x[i][1] = 0x1p-1070 * (double)(i % 3);
    assert_true(isfinite(scale_of(x, N, &moved)) && isfinite(moved));
}

RUN_TESTS
