/* Tests of 8-bit images along principal axes on a GPU: pairs and distances equal those with all coordinates, both when
 * axes are requested and when they are chosen, which happens for points with few strong directions. Needs a GPU
 * (gpu_suite.h). */
#include "way_checks.h"

enum { N = 250000, D = 512, STRONG = 8 };

/* Uniform noise, with or without a few strong directions. The caller frees the result. */
static float *make_many(size_t strong, float noise, eb_dataset *ds)
{
    static float direction[STRONG][D];
    eb_status status = {.message = ""};
    float *x = malloc(sizeof *x * N * D);
    assert_non_null(x);
    for (size_t l = 0; l < STRONG; l++)
        for (size_t k = 0; k < D; k++)
            direction[l][k] = uniform(N + l, k) - 0.5f;
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < D; k++)
            x[i * D + k] = noise * uniform(i, k);
        for (size_t l = 0; l < strong; l++) {
            const float along = uniform(i, D + l);
            for (size_t k = 0; k < D; k++)
                x[i * D + k] += along * direction[l][k];
        }
    }
    *ds = (eb_dataset){.n = N,
                       .d = D,
                       .dtype = EB_F32,
                       .rows = (const unsigned char *)x,
                       .stride = sizeof *x * D,
                       .source = (char *)(uintptr_t) "points"};
    assert_int_equal(eb_dataset_seal(ds, &status), EB_OK);
    return x;
}

/* An ε with about 60 neighbours per point, estimated from random pairs. */
static double some_eps(const eb_dataset *ds)
{
    enum { PAIRS = 1 << 17 };
    static double s[PAIRS];
    for (size_t k = 0; k < PAIRS; k++)
        s[k] = eb_truth_distance2(ds, mix(2 * k) % ds->n, mix(2 * k + 1) % ds->n);
    qsort(s, PAIRS, sizeof *s, ascending);
    size_t zeros = 0;
    while (zeros < PAIRS && s[zeros] == 0)
        zeros++;
    return sqrt(s[zeros + (size_t)(60.0 * PAIRS / (double)ds->n)]);
}

/* Pairs and candidates both count twice. */
static double columns_of(const char *spec, const eb_dataset *ds, double eps, uint64_t *pairs, double *candidates)
{
    asked a;
    open_points(&a, spec, ds);
    *pairs = count_all(&a, eps);
    assert_int_equal(count_all(&a, eps), *pairs);
    *candidates = figure(&a, "candidates");
    const double columns = figure(&a, "columns");
    if (!isnan(columns))
        assert_non_null(strstr(a.setup.run->describe(a.opened.state), "principal axes"));
    close_problem(&a);
    return columns;
}

static void axes_are_taken_where_points_have_few(void **state)
{
    (void)state;
    if (small)
        skip(); /* fewer points do not use axes */
    eb_dataset many, *const ds = &many;
    float *const x = make_many(STRONG, 0.02f, ds);
    uint64_t with = 0, without = 0, asked_for = 0;
    double candidates = 0;
    const double eps = some_eps(ds);
    assert_true(isnan(columns_of("exact[way=int8,axes=none]", ds, eps, &without, &candidates)));
    const double columns = columns_of("exact[way=int8]", ds, eps, &with, &candidates);
    assert_true(columns == 128 || columns == 256);
    assert_true(columns_of("exact[way=int8,axes=255]", ds, eps, &asked_for, &candidates) == 256);
    assert_true(with == without && asked_for == without && without > ds->n);
    free(x);
}

/* Strong directions alone are not enough: here twice the noise of a distance ε is not covered by the axes (by the same
 * arithmetic on the host, seven candidates a pair at 127 axes, five at 255). */
static void what_axes_do_not_tell_apart_keeps_its_coordinates(void **state)
{
    (void)state;
    if (small)
        skip();
    eb_dataset many, *const ds = &many;
    float *const x = make_many(STRONG, 0.2f, ds);
    uint64_t with = 0, asked_for = 0;
    double candidates = 0, along = 0;
    const double eps = some_eps(ds);
    assert_true(isnan(columns_of("exact[way=int8]", ds, eps, &with, &candidates)));
    assert_true(columns_of("exact[way=int8,axes=127]", ds, eps, &asked_for, &along) == 128);
    assert_int_equal(with, asked_for);
    assert_true(along > 2 * candidates);
    free(x);
}

static void points_that_need_all_coordinates_keep_them(void **state)
{
    (void)state;
    if (small)
        skip();
    eb_dataset many, *const ds = &many;
    float *const x = make_many(0, 0.2f, ds);
    uint64_t with = 0, without = 0;
    double candidates = 0;
    const double eps = some_eps(ds);
    assert_true(isnan(columns_of("exact[way=int8]", ds, eps, &with, &candidates)));
    assert_true(isnan(columns_of("exact[way=int8,axes=none]", ds, eps, &without, &candidates)));
    assert_int_equal(with, without);
    free(x);
}

/* Points in a plane of many dimensions: a few axes hold all of them, and hardly more candidates pass than with all
 * coordinates (by the same arithmetic on the host, 1.5 a pair either way). */
static void what_lies_in_a_plane_is_told_by_its_axes(void **state)
{
    (void)state;
    enum { ROWS = 600, WIDE = 300 };
    static float x[ROWS * WIDE];
    eb_status status = {.message = ""};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < WIDE; k++)
            x[i * WIDE + k] = (float)(uniform(i, 1000) * sin((double)k) + uniform(i, 1001) * cos(3 * (double)k));
    eb_dataset ds = {.n = ROWS,
                     .d = WIDE,
                     .rows = (const unsigned char *)x,
                     .stride = sizeof *x * WIDE,
                     .source = (char *)(uintptr_t) "a plane",
                     .dtype = EB_F32};
    assert_int_equal(eb_dataset_seal(&ds, &status), EB_OK);
    uint64_t with = 0, without = 0, truth = 0;
    double candidates = 0, all = 0, none = 0;
    const double eps = 0.5;
    assert_true(columns_of("exact[way=int8,axes=127]", &ds, eps, &with, &candidates) == 128);
    assert_true(isnan(columns_of("exact[way=int8,axes=none]", &ds, eps, &without, &all)));
    (void)columns_of("ref64", &ds, eps, &truth, &none);
    assert_true(with == truth && without == truth);
    const double pairs = (double)truth - ROWS; /* each pair once, although counted twice */
    assert_true(pairs > 1000 && candidates >= pairs);
    assert_true(candidates < 1.25 * all);
}

static void add_all(test_list *list)
{
    ADD_TEST(list, axes_are_taken_where_points_have_few);
    ADD_TEST(list, what_axes_do_not_tell_apart_keeps_its_coordinates);
    ADD_TEST(list, points_that_need_all_coordinates_keep_them);
    ADD_TEST(list, what_lies_in_a_plane_is_told_by_its_axes);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_axes", add_all); }
