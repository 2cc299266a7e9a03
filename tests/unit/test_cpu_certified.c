/* Tests of the error bound of the certified FP16 way, on the host. Points are rounded as on the GPU; products are those
 * of its tensor cores, bit for bit. No pair within ε is ruled out, no pair beyond ε is called sure, and no error
 * exceeds the bound, even at the smallest ε that contains the pair and at the largest that does not. */
#include <float.h>
#include <math.h>

#include "kernels/certified/bound.h"
#include "kernels/certified/frame.h"
#include "tests/unit/filter_points.h"
#include "tests/unit/half_blocks.h"
#include "tests/unit/test.h"

typedef struct framed {
    few_points points;
    uint16_t half[POINTS][MOST_D];
    eb_certified_point known[POINTS];
    double scale;
} framed;

static void round_point(framed *f, size_t i, const eb_certified_frame *frame)
{
    eb_certified_sums sums = {0, 0, 0};
    for (unsigned k = 0; k < f->points.d; k++) {
        const double y = (f->points.x[i][k] - frame->centre[k]) * f->scale;
        const uint16_t half = eb_half_from_double(eb_certified_inside(y));
        const bool kept = eb_certified_keeps((double)eb_half_to_float(half));
        f->half[i][k] = kept ? half : 0;
        eb_certified_add(&sums, y, kept ? (double)eb_half_to_float(half) : 0);
    }
    f->known[i] = eb_certified_point_of(sums, f->points.d);
}

static void make(framed *f, size_t kind, unsigned d, bool scaled)
{
    eb_status status;
    eb_certified_frame frame;
    draw_points(&f->points, kind, d);
    const eb_dataset ds = few_as_dataset(&f->points);
    assert_int_equal(eb_certified_frame_make(&ds, f->points.centred, scaled, &frame, &status), EB_OK);
    f->scale = ldexp(1, frame.exponent);
    for (size_t i = 0; i < POINTS; i++)
        round_point(f, i, &frame);
    eb_certified_frame_free(&frame);
}

/* ---- the bound's tests ---- */

typedef struct verdict {
    bool passes, sure;
    float q;
    double share; /* fraction of the bound that is used */
} verdict;

/* The same tests as in the kernels. The row-constant test is the first test with a smaller h. */
static verdict judge(const framed *f, size_t i, size_t j, double eps, const eb_adder *tensor)
{
    const eb_certified_bound bound = eb_certified_bound_of(eps, f->scale, f->points.d, tensor->block);
    const eb_certified_level one = eb_certified_level_of(f->known[i], bound),
                             two = eb_certified_level_of(f->known[j], bound);
    const float product = half_dot(tensor, f->half[i], f->half[j], f->points.d);
    const float sum = one.s + two.s, q = fmaxf(sum - 2 * product, 0), least = one.h + two.h;
    const double s = few_squared(&f->points, i, j) * f->scale * f->scale;
    return (verdict){product >= least && product - least >= 0 && q <= eb_certified_threshold(bound),
                     eb_certified_surely(q, eb_certified_width(f->known[i], one.s, bound),
                                         eb_certified_width(f->known[j], two.s, bound), bound.surely) != 0,
                     q,
                     q > 0
                         ? eb_certified_share(q, s, f->known[i], f->known[j], (double)one.s, (double)two.s, bound.loss)
                         : 0};
}

/* The kernels' tests where the left point has an ε of its own, and the right one `most`, which is larger. */
static bool passes_own(const framed *f, size_t i, size_t j, double eps, double most, const eb_adder *tensor)
{
    const eb_certified_bound bound = eb_certified_bound_of(most, f->scale, f->points.d, tensor->block);
    const double own = eb_certified_within(eb_squared_threshold(eps), f->scale, f->points.d);
    const eb_certified_level one = eb_certified_level_each(f->known[i], own, bound),
                             two = eb_certified_level_of(f->known[j], bound);
    const float product = half_dot(tensor, f->half[i], f->half[j], f->points.d);
    const float least = one.h + two.h, q = fmaxf(one.s + two.s - 2 * product, 0);
    return product >= least && product - least >= 0 && q <= eb_certified_threshold(bound);
}

/* A second look, with its sums in the order of the kernel's lanes. */
static eb_second_verdict look_again(const framed *f, size_t i, size_t j, double eps)
{
    const unsigned d = f->points.d, each = EB_SECOND_LANES * EB_SECOND_AT_ONCE;
    float sum[EB_SECOND_LANES] = {0};
    for (unsigned k = 0; k < d; k++) {
        float *lane = &sum[k % each / EB_SECOND_AT_ONCE];
        const float apart = eb_half_to_float(f->half[i][k]) - eb_half_to_float(f->half[j][k]);
        *lane = fmaf(apart, apart, *lane);
    }
    for (unsigned step = EB_SECOND_LANES / 2; step > 0; step /= 2)
        for (unsigned lane = 0; lane < step; lane++)
            sum[lane] += sum[lane + step];
    const eb_second_bound bound = eb_second_bound_of(eb_certified_bound_of(eps, f->scale, d, 1), d);
    return eb_second_verdict_of(sum[0],
                                (double)eb_float_above(f->known[i].moved) + (double)eb_float_above(f->known[j].moved),
                                bound);
}

static void judge_pair(const framed *f, size_t i, size_t j, const eb_adder *tensor)
{
    const double s = few_squared(&f->points, i, j), eps = eb_smallest_eps(s);
    if (look_again(f, i, j, eps) == EB_SECOND_APART ||
        (eps > 0 && look_again(f, i, j, nextafter(eps, 0)) == EB_SECOND_WITHIN))
        fail_msg("%s, d = %u: a second look decides a pair at ε = %a wrongly", f->points.name, f->points.d, eps);
    const verdict within = judge(f, i, j, eps, tensor);
    if (!within.passes)
        fail_msg("%s, d = %u, blocks of %u: a pair at ε = %a exactly is ruled out", f->points.name, f->points.d,
                 tensor->block, eps);
    for (double more = 1; more < 1e9; more = more * 3 + chance())
        if (!passes_own(f, i, j, eps, eps * more, tensor))
            fail_msg("%s, d = %u, blocks of %u: a pair at its own ε = %a is ruled out beside one of %a", f->points.name,
                     f->points.d, tensor->block, eps, eps * more);
    if (within.share > 1)
        fail_msg("%s, d = %u, blocks of %u: off by %g of what the bound allows", f->points.name, f->points.d,
                 tensor->block, within.share);
    if (eps == 0)
        return;
    const verdict beyond = judge(f, i, j, nextafter(eps, 0), tensor);
    assert_true(eb_squared_threshold(nextafter(eps, 0)) < s);
    if (beyond.sure)
        fail_msg("%s, d = %u, blocks of %u: a pair just beyond ε = %a is called sure", f->points.name, f->points.d,
                 tensor->block, eps);
}

TEST(no_pair_is_decided_wrongly)
{
    static framed f;
    size_t cases = 0;
    for (size_t round = 0; cases < 120000; round++) {
        const unsigned d = round % 16 ? 1 + (unsigned)below(round % 4 ? 40 : 200) : MOST_D - (unsigned)below(100);
        const eb_adder tensor = half_adder(round % 2 ? EB_CORE_SM80 : EB_CORE_SM90);
        make(&f, round % KINDS, d, round / KINDS % 4 != 3);
        for (size_t i = 0; i < POINTS; i++)
            for (size_t j = 0; j < i; j++, cases++)
                judge_pair(&f, i, j, &tensor);
    }
}

/* Guards against a bound that rules nothing out and is never sure, which would pass the tests above. */
TEST(what_is_far_is_ruled_out_and_what_is_near_is_sure)
{
    static framed f;
    const eb_adder sm_90 = half_adder(EB_CORE_SM90), *tensor = &sm_90;
    make(&f, 0, 500, true);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < i; j++) {
            const double eps = sqrt(few_squared(&f.points, i, j));
            const verdict near = judge(&f, i, j, 1.01 * eps, tensor), far = judge(&f, i, j, 0.99 * eps, tensor);
            assert_true(near.passes && near.sure);
            assert_true(!far.passes && !far.sure);
            assert_true(!passes_own(&f, i, j, 0.99 * eps, 1.5 * eps, tensor));
            assert_true(look_again(&f, i, j, 1.005 * eps) == EB_SECOND_WITHIN);
            assert_true(look_again(&f, i, j, 0.995 * eps) == EB_SECOND_APART);
        }
}

/* ---- frames ---- */

static eb_certified_frame frame_of(const double *x, size_t n, size_t d, bool wanted)
{
    eb_status status;
    eb_certified_frame frame;
    const eb_dataset ds = {.n = n, .d = d, .dtype = EB_F64, .rows = (const unsigned char *)x, .stride = d * sizeof *x};
    assert_int_equal(eb_certified_frame_make(&ds, wanted, wanted, &frame, &status), EB_OK);
    return frame;
}

TEST(a_frame_is_near_the_mean_whatever_lies_far_out)
{
    enum { N = 1000, D = 3 };
    static double x[N][D];
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < D; k++)
            x[i][k] = i == 500 ? 1e30 : 100 * (double)k + chance();
    eb_certified_frame frame = frame_of(x[0], N, D, true);
    for (size_t k = 0; k < D; k++)
        assert_true(fabs(frame.centre[k] - 100 * (double)k - 0.5) < 0.1);
    assert_true(frame.exponent >= 12 && frame.exponent <= 13); /* the median largest |y| is about 0.4 */
    eb_certified_frame_free(&frame);
    frame = frame_of(x[0], N, D, false);
    assert_true(frame.exponent == 0 && frame.centre[0] == 0 && frame.centre[D - 1] == 0);
    eb_certified_frame_free(&frame);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rows i and i + 16 … are a group. */
TEST(the_centre_is_the_median_of_groups)
{
    enum { N = 128, D = 21, GROUPS = 16 };
    static double x[N][D];
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < D; k++)
            x[i][k] = i % 7 ? chance() - 0.5 : ldexp(chance() - 0.5, (int)k);
    eb_certified_frame frame = frame_of(x[0], N, D, true);
    for (size_t k = 0; k < D; k++) {
        double mean[GROUPS] = {0};
        for (size_t i = 0; i < N; i++)
            mean[i % GROUPS] += x[i][k] * 0.125;
        qsort(mean, GROUPS, sizeof *mean, ascending);
        assert_true(frame.centre[k] == 0.5 * mean[7] + 0.5 * mean[8]);
    }
    eb_certified_frame_free(&frame);
}

TEST(whole_numbers_stay_whole)
{
    enum { N = 50, D = 7 };
    uint8_t x[N][D];
    eb_status status;
    eb_certified_frame frame;
    const eb_dataset ds = {.n = N, .d = D, .dtype = EB_U8, .rows = &x[0][0], .stride = D};
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < D; k++)
            x[i][k] = (uint8_t)below(256);
    assert_int_equal(eb_certified_frame_make(&ds, true, true, &frame, &status), EB_OK);
    for (size_t k = 0; k < D; k++)
        assert_true(frame.centre[k] == rint(frame.centre[k]));
    eb_certified_frame_free(&frame);
}

RUN_TESTS
