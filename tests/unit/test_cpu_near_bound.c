/* Tests of the bound by which FP16 products decide the nearest vector (kernels/inverted/near_bound.h), with the adders
 * of two tensor cores: what it decides is the FP32 chain's answer, and no product is farther off than it says. */
#include <math.h>

#include "kernels/inverted/near_bound.h"
#include "kernels/tensor/adder.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/test.h"

enum { VECTORS = 24, POINTS = 40, ALL = VECTORS + POINTS, MOST_D = 320 };

/* A row as the GPU rounds it. */
typedef struct row {
    const float *value;
    double scaled[MOST_D];
    eb_operand half[MOST_D];
    float length, moved, half_square;
    double exact_half_square;
} row;

typedef struct problem {
    size_t d, padded;
    double point_scale, vector_scale;
    row of[ALL]; /* vectors, then points */
} problem;

static double greatest_of(const eb_dataset *ds, size_t first, size_t end)
{
    double most = 0;
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < ds->d; k++)
            most = fmax(most, fabs((double)((const float *)(const void *)eb_row(ds, i))[k]));
    return most;
}

static float above(double x) { return nextafterf((float)x, INFINITY); }

static void round_row(const problem *p, double scale, row *r)
{
    double square = 0, away = 0;
    for (size_t k = 0; k < p->padded; k++) {
        r->scaled[k] = k < p->d ? (double)r->value[k] * scale : 0;
        const float rounded = eb_half_to_float(eb_half_from_double(r->scaled[k]));
        r->half[k] = eb_operand_of(EB_F16_NUMBER, rounded);
        square += r->scaled[k] * r->scaled[k];
        away += pow(r->scaled[k] - (double)rounded, 2);
    }
    r->length = above(sqrt(square));
    r->moved = above(sqrt(away));
    r->exact_half_square = square * (p->point_scale / p->vector_scale / 2);
    r->half_square = (float)r->exact_half_square;
}

static eb_near_bound round_rows(problem *p, const eb_dataset *ds)
{
    float length = 0, moved = 0, half_square = 0;
    p->point_scale = eb_near_scale(greatest_of(ds, VECTORS, ALL));
    p->vector_scale = eb_near_scale(greatest_of(ds, 0, VECTORS));
    for (size_t i = 0; i < ALL; i++) {
        row *r = &p->of[i];
        r->value = (const float *)(const void *)eb_row(ds, i);
        round_row(p, i < VECTORS ? p->vector_scale : p->point_scale, r);
        if (i >= VECTORS)
            continue;
        length = fmaxf(length, r->length);
        moved = fmaxf(moved, r->moved);
        half_square = fmaxf(half_square, r->half_square);
    }
    return eb_near_bound_of(p->d, p->point_scale, p->vector_scale, (double)length, (double)moved, (double)half_square);
}

/* The chain's nearest vector; *others: how many are equally near. */
static size_t chain_nearest(const problem *p, const row *x, size_t *others)
{
    float least = INFINITY;
    size_t nearest = 0;
    *others = 0;
    for (size_t c = 0; c < VECTORS; c++) {
        float s = 0;
        for (size_t k = 0; k < p->d; k++) {
            const float away = x->value[k] - p->of[c].value[k];
            s += away * away;
        }
        *others = s < least ? 0 : *others + (s == least);
        nearest = s < least ? c : nearest;
        least = fminf(least, s);
    }
    return nearest;
}

/* Returns 1 if the bound decides the point. */
static size_t check_point(const problem *p, const eb_adder *adder, eb_near_bound bound, const row *x)
{
    const double width = eb_near_width(bound, (double)x->length, (double)x->moved);
    double best = INFINITY, second = INFINITY;
    size_t nearest = 0, others;
    for (size_t c = 0; c < VECTORS; c++) {
        const row *v = &p->of[c];
        const double q = (double)(v->half_square - eb_adder_dot(adder, 0, x->half, v->half, p->padded));
        long double exact = v->exact_half_square;
        for (size_t k = 0; k < p->d; k++)
            exact -= (long double)x->scaled[k] * (long double)v->scaled[k];
        assert_true(isinf(width) || fabsl((long double)q - exact) <= (long double)width / 2);
        second = fmin(second, fmax(best, q));
        nearest = q < best ? c : nearest;
        best = fmin(best, q);
    }
    if (!(second - best > width))
        return 0;
    assert_int_equal(chain_nearest(p, x, &others), nearest);
    assert_int_equal(others, 0);
    return 1;
}

static size_t check_family(hostile_family family, size_t d, eb_core core)
{
    eb_dataset *ds = hostile_points(family, EB_F32, ALL, d, 77);
    problem *p = calloc(1, sizeof *p);
    eb_adder adder;
    size_t decided = 0;
    assert_int_equal(eb_adder_of(EB_F16_NUMBER, EB_SUMS_F32, EB_PATH_MMA, core, &adder, NULL), EB_OK);
    *p = (problem){.d = d, .padded = (d + 63) / 64 * 64};
    if (eb_near_fits(d, greatest_of(ds, VECTORS, ALL), greatest_of(ds, 0, VECTORS))) {
        const eb_near_bound bound = round_rows(p, ds);
        for (size_t i = VECTORS; i < ALL; i++)
            decided += check_point(p, &adder, bound, &p->of[i]);
    }
    free(p);
    eb_dataset_free(ds);
    return decided;
}

TEST(what_the_products_decide_is_the_chains_answer)
{
    static const size_t dimensions[] = {1, 16, 128, 300};
    static const eb_core cores[] = {EB_CORE_SM80, EB_CORE_SM90};
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++)
        for (size_t k = 0; k < sizeof dimensions / sizeof *dimensions; k++)
            for (size_t c = 0; c < sizeof cores / sizeof *cores; c++) {
                const size_t decided = check_family(family, dimensions[k], cores[c]);
                if (family == HOSTILE_RANDOM && dimensions[k] > 1)
                    assert_true(decided > POINTS * 3 / 4);
                if (family == HOSTILE_EQUAL || family == HOSTILE_OUTLIER)
                    assert_int_equal(decided, 0);
            }
}

TEST(what_is_too_large_is_refused)
{
    assert_true(eb_near_fits(128, 255, 255));
    assert_false(eb_near_fits(128, 1e30, 1));
    assert_false(eb_near_fits(1 << 20, 1, 1));
    assert_true(eb_near_scale(0x1.8p-149) == 0x1p161);
    assert_true(eb_near_scale(0) == 1);
    const eb_near_bound bound = eb_near_bound_of(16, 1, 1, 1, 1, INFINITY);
    assert_true(isinf(eb_near_width(bound, 1, 1)));
}

RUN_TESTS
