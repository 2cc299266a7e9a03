/* Tests of the error bound of 8-bit images along axes, on the host. For any axes, no pair within ε is ruled out, and no
 * distance is longer than the bound allows, even at the smallest ε that contains the pair. */

#include "kernels/parts/byte_levels.h"
#include "kernels/parts/pick.h"
#include "kernels/quantised/axes.h"
#include "kernels/quantised/frame.h"
#include "tests/unit/filter_points.h"
#include "tests/unit/test.h"

enum { MOST_AXES = 127 };

/* ---- axes ---- */

typedef struct axes {
    unsigned m, d;
    double at[MOST_AXES][MOST_D];
} axes;

static double product_of(const double *a, const double *b, unsigned count)
{
    double sum = 0;
    for (unsigned k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

static void orthogonalise(axes *q)
{
    for (unsigned a = 0; a < q->m; a++) {
        for (unsigned b = 0; b < 2 * a; b++) { /* twice, because one pass leaves rounding errors */
            const double along = product_of(q->at[a], q->at[b % a], q->d);
            for (unsigned k = 0; k < q->d; k++)
                q->at[a][k] -= along * q->at[b % a][k];
        }
        const double length = sqrt(product_of(q->at[a], q->at[a], q->d));
        for (unsigned k = 0; k < q->d; k++)
            q->at[a][k] = length > 0 ? q->at[a][k] / length : 0;
    }
}

static void make_short(axes *q)
{
    double defect = 0;
    for (unsigned a = 0; a < q->m; a++)
        for (unsigned b = 0; b < q->m; b++) {
            const double off = product_of(q->at[a], q->at[b], q->d) - (a == b ? 1 : 0);
            defect += off * off;
        }
    const double divisor = eb_axes_divisor(sqrt(defect), q->m, q->d);
    for (unsigned a = 0; a < q->m; a++)
        for (unsigned k = 0; k < q->d; k++)
            q->at[a][k] /= divisor;
}

enum { ORTHOGONAL, LEANING, TWICE_THE_SAME, LONG, COORDINATES, AXES_KINDS };

/* Any axes are valid after make_short. */
static void draw_axes(axes *q, unsigned kind, unsigned m, unsigned d)
{
    q->m = m;
    q->d = d;
    for (unsigned a = 0; a < m; a++)
        for (unsigned k = 0; k < d; k++)
            q->at[a][k] = kind == COORDINATES ? (a == k ? 1 : 0) : chance() - 0.5;
    if (kind != COORDINATES)
        orthogonalise(q);
    for (unsigned a = 1; a < m; a++)
        for (unsigned k = 0; k < d; k++) {
            if (kind == LEANING)
                q->at[a][k] += 0.3 * q->at[a - 1][k];
            if (kind == TWICE_THE_SAME)
                q->at[a][k] = q->at[a - a % 2][k];
            if (kind == LONG)
                q->at[a][k] *= 1 + a;
        }
    make_short(q);
}

/* ---- images ---- */

typedef struct imaged {
    few_points points;
    double y[POINTS][MOST_D], image[POINTS][MOST_AXES + 1]; /* image: before rounding */
    double length[POINTS];                                  /* ‖y‖² */
    int8_t byte[POINTS][MOST_AXES + 1];
    eb_quantised_point known[POINTS];
    double step, scale; /* step: of an image; scale: of a point */
} imaged;

static void see(imaged *f, const axes *q, size_t i, const double *centre, int exponent)
{
    double along = 0;
    for (unsigned k = 0; k < q->d; k++)
        f->y[i][k] = (f->points.x[i][k] - centre[k]) * ldexp(1, exponent);
    f->length[i] = product_of(f->y[i], f->y[i], q->d);
    for (unsigned a = 0; a < q->m; a++) {
        f->image[i][a] = product_of(q->at[a], f->y[i], q->d);
        along += f->image[i][a] * f->image[i][a];
    }
    f->image[i][q->m] = eb_axes_rest(f->length[i], along);
}

static void round_image(imaged *f, const axes *q, size_t i)
{
    eb_quantised_sums sums = {0, 0, 0};
    for (unsigned k = 0; k <= q->m; k++) {
        const double y = (f->image[i][k] - (k == q->m ? f->image[0][k] : 0)) * f->step, near = eb_quantised_near(y);
        assert_true(fabs(near) <= EB_QUANTISED_LEVELS && near == floor(near));
        f->byte[i][k] = (int8_t)near;
        eb_quantised_add(&sums, y, near);
    }
    f->known[i] = eb_axes_point_of(sums, q->m, q->d, f->length[i], f->step);
}

/* Rounds the images with the step chosen for them, or with a step `coarser` times as wide. */
static void make(imaged *f, const axes *q, size_t kind, double coarser)
{
    static float values[POINTS * (MOST_AXES + 1)];
    eb_status status;
    eb_quantised_frame frame, of_images;
    draw_points(&f->points, kind, q->d);
    const eb_dataset ds = few_as_dataset(&f->points);
    assert_int_equal(eb_quantised_frame_make(&ds, f->points.centred, &frame, &status), EB_OK);
    const int exponent = frame.exponent < -960 ? -960 : frame.exponent > 960 ? 960 : frame.exponent;
    for (size_t i = 0; i < POINTS; i++) {
        see(f, q, i, frame.centre, exponent);
        for (unsigned k = 0; k <= q->m; k++)
            values[i * (q->m + 1) + k] = (float)(f->image[i][k] - (k == q->m ? f->image[0][k] : 0));
    }
    eb_quantised_frame_scale(values, POINTS, q->m + 1, &of_images);
    f->step = fmin(of_images.scale, 0x1p30) / coarser;
    f->scale = ldexp(f->step, exponent);
    for (size_t i = 0; i < POINTS; i++)
        round_image(f, q, i);
    eb_quantised_frame_free(&frame);
}

/* ---- the bound's tests ---- */

/* The same test as in the kernels (test_cpu_quantised.c covers all forms). *share: fraction of the bound that is
 * used. */
static bool passes(const imaged *f, const axes *q, size_t i, size_t j, double eps, double *share)
{
    const eb_quantised_bound bound = eb_quantised_bound_short(eps, f->scale, q->d, q->m + 1);
    const eb_quantised_level one = eb_quantised_level_of(f->known[i], bound),
                             two = eb_quantised_level_of(f->known[j], bound);
    int32_t product = 0;
    for (unsigned k = 0; k <= q->m; k++)
        product += f->byte[i][k] * f->byte[j][k];
    const uint32_t found = (uint32_t)one.s + (uint32_t)two.s - 2 * (uint32_t)product;
    const double squared = eb_quantised_squared(found, f->known[i], one.s, f->known[j], two.s);
    const double moved = f->known[i].moved + f->known[j].moved;
    *share = eb_quantised_share(squared, sqrt(few_squared(&f->points, i, j)) * f->scale, moved, bound.surely);
    assert_false(eb_quantised_surely(squared, moved, bound.surely));
    return (int32_t)((uint32_t)product - (uint32_t)one.h - (uint32_t)two.h) >= 0 &&
           found <= eb_quantised_threshold(q->m + 1);
}

static void judge_pair(const imaged *f, const axes *q, size_t i, size_t j)
{
    const few_points *p = &f->points;
    const double eps = eb_smallest_eps(few_squared(p, i, j));
    double share;
    if (!passes(f, q, i, j, eps, &share))
        fail_msg("%s, d = %u, %u axes: a pair at ε = %a exactly is ruled out", p->name, p->d, q->m, eps);
    if (share > 1)
        fail_msg("%s, d = %u, %u axes: off by %g of what the bound allows", p->name, p->d, q->m, share);
    if (!passes(f, q, i, j, 4 * eps, &share) || !passes(f, q, i, j, 1e150, &share))
        fail_msg("%s, d = %u, %u axes: a pair within ε = %a is ruled out at more", p->name, p->d, q->m, eps);
}

TEST(no_pair_is_ruled_out_wrongly)
{
    static imaged f;
    static axes q;
    static const double coarser[] = {1, 1, 40, 1e-3, 1, 1e6, 0.5, 1e-30};
    enum { STEPS = sizeof coarser / sizeof coarser[0] };
    size_t cases = 0;
    for (size_t round = 0; cases < 40000; round++) {
        const unsigned d = round % 16 ? 1 + (unsigned)below(round % 4 ? 40 : 200) : MOST_D - (unsigned)below(100);
        const unsigned most = d < MOST_AXES ? d : MOST_AXES, m = round % 3 ? 1 + (unsigned)below(most) : most;
        draw_axes(&q, (unsigned)(round % AXES_KINDS), m, d);
        make(&f, &q, round % KINDS, coarser[round / KINDS % STEPS]);
        for (size_t i = 0; i < POINTS; i++)
            for (size_t j = 0; j < i; j++, cases++)
                judge_pair(&f, &q, i, j);
    }
}

/* Pairs along an axis lose nothing to the axes, and the step hardly moves them. */
TEST(axes_are_no_longer_than_they_may_be)
{
    static imaged f;
    static axes q;
    enum { D = 30 };
    for (unsigned kind = 0; kind < AXES_KINDS; kind++) {
        draw_axes(&q, kind, 20, D);
        f = (imaged){.points = {.name = "along an axis", .d = D}, .step = 1, .scale = 1};
        const double centre[D] = {0};
        for (unsigned k = 0; k < D; k++) {
            const double unit = q.at[0][k] / sqrt(product_of(q.at[0], q.at[0], D));
            f.points.x[0][k] = 50 * unit;
            f.points.x[1][k] = -50 * unit;
        }
        for (size_t i = 0; i < 2; i++) {
            see(&f, &q, i, centre, 0);
            double longer = 0;
            for (unsigned k = 0; k <= q.m; k++)
                longer += f.image[i][k] * f.image[i][k];
            assert_true(longer <= f.length[i] * (1 + 1e-9));
        }
        for (size_t i = 0; i < 2; i++)
            round_image(&f, &q, i);
        judge_pair(&f, &q, 0, 1);
    }
}

/* With d axes for d dimensions the rest is only FP64's rounding error, and the bound includes that error. */
TEST(what_the_root_loses_is_counted)
{
    static imaged f;
    static axes q;
    size_t large = 0;
    for (unsigned d = 2; d <= MOST_AXES; d += 5) {
        draw_axes(&q, ORTHOGONAL, d, d);
        draw_points(&f.points, 0, d);
        const double centre[MOST_AXES] = {0};
        for (size_t i = 0; i < POINTS; i++) {
            see(&f, &q, i, centre, 0);
            long double left = 0, along = 0;
            for (unsigned k = 0; k < d; k++)
                left += (long double)f.y[i][k] * (long double)f.y[i][k];
            for (unsigned a = 0; a < d; a++) {
                long double z = 0;
                for (unsigned k = 0; k < d; k++)
                    z += (long double)q.at[a][k] * (long double)f.y[i][k];
                along += z * z;
            }
            assert_true(left >= along);
            const double off = (double)fabsl((long double)f.image[i][d] - sqrtl(left - along));
            assert_true(off <= eb_axes_off(d, d) * sqrt(f.length[i]));
            large += off > 1e-12 * sqrt(f.length[i]);
        }
    }
    assert_true(large > 10);
}

/* Guards against a bound that rules nothing out, which would pass the tests above. */
TEST(what_is_far_along_axes_is_ruled_out)
{
    static imaged f;
    static axes q;
    double share;
    draw_axes(&q, ORTHOGONAL, MOST_AXES, MOST_AXES);
    make(&f, &q, 0, 1);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < i; j++) {
            const double eps = sqrt(few_squared(&f.points, i, j));
            assert_true(passes(&f, &q, i, j, 1.02 * eps, &share));
            assert_false(passes(&f, &q, i, j, 0.97 * eps, &share));
        }
}

/* ---- samples ---- */

/* Rows ascend without duplicates; two samples have few rows in common. */
TEST(samples_are_of_different_points)
{
    static const size_t counts[] = {1, 2, 5, 127, 4095, 4096, 4097, 400000, (size_t)1 << 40};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const size_t count = counts[c], picked = count < 2048 ? count : 2048;
        const eb_pick one = eb_pick_spread(count, picked, 0), two = eb_pick_spread(count, picked, 1);
        size_t common = 0, next = 0;
        for (size_t r = 0; r < picked; r++) {
            const uint64_t row = eb_pick_row(one, r);
            assert_true(row >= next && row < count);
            assert_true(eb_pick_row(eb_pick_behind(one, r / 2), r - r / 2) == row);
            common += eb_pick_row(two, r) == row;
            next = row + 1;
        }
        assert_true(common <= 2 * picked * picked / count + 8);
    }
    assert_true(eb_pick_row(eb_pick_behind(eb_pick_from(7), 5), 3) == 15);
}

/* The points are sixteen similar series. In a sample, the share of pairs at the same place of a series is about as
 * large as chance gives. */
TEST(samples_have_no_period)
{
    enum { PICKED = 2048, SERIES = 25000, TIMES = 16, NEAR = 25 };
    const eb_pick pick = eb_pick_spread((size_t)SERIES * TIMES, PICKED, 1);
    size_t same = 0;
    for (size_t i = 0; i < PICKED; i++)
        for (size_t j = 0; j < i; j++) {
            const size_t apart = (size_t)(eb_pick_row(pick, i) - eb_pick_row(pick, j)) % SERIES;
            same += apart < NEAR || apart > SERIES - NEAR;
        }
    const double expected = 0.5 * PICKED * (PICKED - 1) * (2 * NEAR - 1) / SERIES;
    assert_true((double)same > 0.8 * expected && (double)same < 1.2 * expected);
}

RUN_TESTS
