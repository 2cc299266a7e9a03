/* Tests of the filters with a proven bound, FP16 and 8 bits, against ref64: the same pairs and, where requested, the
 * same distances bit for bit. Points are of every type, including points that few bits represent badly. Covers rows,
 * parts, orders, lists, two sets, little memory, passes and queries. Needs a GPU (gpu_suite.h). */
#include "way_checks.h"

extern const eb_implementation eb_certified_cuda, eb_quantised_cuda;

#define SWITCH(called, usual, about)                                                                                   \
    {                                                                                                                  \
        .name = (called),                                                                                              \
        .type = EB_ARG_FLAG,                                                                                           \
        .devices = EB_ON_CUDA,                                                                                         \
        .fallback = (usual),                                                                                           \
        .help = (about),                                                                                               \
    }
#define CENTRE SWITCH("centre", "on", "about the mean")
#define SCALE SWITCH("scale", "on", "to the type's range")

#define AXES(usual)                                                                                                    \
    {                                                                                                                  \
        .name = "axes",                                                                                                \
        .type = EB_ARG_CHOICE,                                                                                         \
        .devices = EB_ON_CUDA,                                                                                         \
        .choices = "auto|none|127|255",                                                                                \
        .fallback = (usual),                                                                                           \
        .help = "as exact has it",                                                                                     \
    }

static const eb_option plain[] = {CENTRE, SCALE};
static const eb_option on_127[] = {CENTRE, SCALE, AXES("127")};
static const eb_option again_on_127[] = {CENTRE, SCALE, AXES("127"),
                                         SWITCH("again", "on", "a second look at however few pairs")};
static const eb_option on_255[] = {CENTRE, SCALE, AXES("255"), SWITCH("grouped", "on", "however few points"),
                                   SWITCH("warpgroup", "off", "wgmma")};
static const eb_option mma_sync[] = {CENTRE, SCALE, SWITCH("warpgroup", "off", "wgmma")};
static const eb_option grouped[] = {CENTRE, SCALE, SWITCH("grouped", "on", "however few points")};
static const eb_option arriving[] = {CENTRE, SCALE, SWITCH("arriving", "on", "in steps, however few points")};
static const eb_option again[] = {CENTRE, SCALE, SWITCH("again", "on", "a second look at however few pairs")};
static const eb_option grouped_mma_sync[] = {CENTRE, SCALE, SWITCH("warpgroup", "off", "wgmma"),
                                             SWITCH("grouped", "on", "however few points")};

/* Limits on uniform points: candidates and undecided pairs per true pair. */
typedef struct filter {
    eb_engine engine;
    double candidates, band;
} filter;

#define FILTER(called, way, with)                                                                                      \
    {                                                                                                                  \
        .name = (called),                                                                                              \
        .title = "test engine",                                                                                        \
        .exactness = EB_TRUTH,                                                                                         \
        .options = {with, sizeof with / sizeof with[0]},                                                               \
        .on = {[EB_DEVICE_CUDA] = {"a filter with a proven bound", &(way)}},                                           \
    }

/* The 8-bit kernels of this GPU, and the portable ones. */
static const filter filters[] = {
    {FILTER("fp16", eb_certified_cuda, plain), 1.05, 0.1},
    {FILTER("int8", eb_quantised_cuda, plain), 1.5, 0.6},
    {FILTER("int8[-warpgroup]", eb_quantised_cuda, mma_sync), 1.5, 0.6},
    {FILTER("fp16[arriving]", eb_certified_cuda, arriving), 1.05, 0.1},
    {FILTER("int8[arriving]", eb_quantised_cuda, arriving), 1.5, 0.6},
    {FILTER("int8[again]", eb_quantised_cuda, again), 1.5, 0.6},
    {FILTER("fp16[grouped]", eb_certified_cuda, grouped), 1.05, 0.1},
    {FILTER("int8[grouped,-warpgroup]", eb_quantised_cuda, grouped_mma_sync), 1.5, 0.6},
    {FILTER("int8[axes=127]", eb_quantised_cuda, on_127), 4, 4},
    {FILTER("int8[axes=127,again]", eb_quantised_cuda, again_on_127), 4, 4},
    {FILTER("int8[axes=255,grouped,-warpgroup]", eb_quantised_cuda, on_255), 4, 4},
};
enum { FILTERS = sizeof filters / sizeof filters[0], GROUPED = 6, ALONG_AXES = 8 };

/* ---- families of points ---- */

typedef struct family {
    const char *name;
    double (*value)(size_t i, size_t k);
    double (*eps)(size_t d);
} family;

static double chance(size_t i, size_t k) { return (double)uniform(i, k); }
static double some(size_t d) { return 0.36 * sqrt((double)d); }
static double none(size_t d)
{
    (void)d;
    return 0;
}
static double all(size_t d) { return 10 * (double)d; }
static double in_clusters(size_t i, size_t k) { return chance(i % 7, k) + 0.01 * chance(i, k + 1000); }
static double of_clusters(size_t d) { return 0.0042 * sqrt((double)d); }
static double one_of_ten(size_t i, size_t k) { return chance(i % 10, k); }
static double nearly_one_of_ten(size_t i, size_t k) { return chance(i % 10, k) + 1e-9 * chance(i, k); }
static double nearly(size_t d) { return 0.36e-9 * sqrt((double)d); }
static double far_out(size_t i, size_t k) { return 1e6 * (double)(1 + k % 3) + chance(i, k); }
static double in_scales(size_t i, size_t k) { return ldexp(chance(i, k) - 0.5, (int)(mix(k) % 40) - 20); }
static double of_scales(size_t d) { return d < 8 ? 1e-3 : 2e5; }
static double subnormal(size_t i, size_t k) { return 0x1p-1040 * chance(i, k); }
static double some_subnormal(size_t d) { return 0x1p-1040 * some(d); }
static double on_a_lattice(size_t i, size_t k) { return (double)(mix(i * 131 + k) % 4); }
static double tied(size_t d) { return floor(sqrt(2.5 * (double)d)); }
static double with_outlier(size_t i, size_t k) { return i == 77 && k == 0 ? 1e30 : chance(i, k); }
static double equal(size_t i, size_t k)
{
    (void)i;
    return 0.1 * (double)k;
}

static const family families[] = {
    {"random", chance, some},
    {"clustered", in_clusters, of_clusters},
    {"duplicates", one_of_ten, none},
    {"near-duplicates", nearly_one_of_ten, nearly},
    {"far out", far_out, some},
    {"mixed scales", in_scales, of_scales},
    {"subnormal", subnormal, some_subnormal},
    {"ties", on_a_lattice, tied},
    {"an outlier", with_outlier, some},
    {"all equal", equal, none},
    {"everything", chance, all},
    {"nothing but themselves", chance, none},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* ---- equal answers ---- */

/* Compares tables and counts, and checks that product errors are within the bound. */
static void compare(const filter *f, const char *items, const eb_dataset *ds, double eps, const char *what)
{
    asked way, truth;
    const eb_problem problem = eb_self_join(ds);
    const eb_question pairs_alone = {.eps = eps, .pairs_alone = true};
    char name[160];
    (void)snprintf(name, sizeof name, "%s: %s, %zu × %zu, %s[%s]", f->engine.name, what, ds->n, ds->d,
                   eb_dtype_name(ds->dtype), items);
    open_way(&way, &f->engine, items, &problem, 0);
    open_points(&truth, "ref64", ds);
    assert_same_table(table_of(&way, eps), table_of(&truth, eps), name);
    eb_neighbours *found = table_of_question(&way, &pairs_alone), *expected = table_of(&truth, eps);
    assert_same_columns(found, expected, name);
    eb_neighbours_free(found);
    eb_neighbours_free(expected);
    if (figure(&way, "bound_share") > 1)
        fail_msg("%s: off by %g of what the bound allows", name, figure(&way, "bound_share"));
    assert_true(figure(&way, "band") <= figure(&way, "candidates"));
    close_problem(&way);
    close_problem(&truth);
}

/* *state: a family. */
static void tables_are_the_truths(void **state)
{
    static const size_t sizes[][2] = {{1, 1},    {2, 3},    {300, 1},    {129, 17},
                                      {700, 64}, {257, 65}, {1000, 130}, {300, 1000}};
    const family *f = *state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const size_t n = sizes[k][0], d = sizes[k][1];
        if (small && (n > 300 || d > 130))
            continue;
        eb_dataset ds;
        unsigned char *rows = make_points(f->value, EB_F64, 0, n, d, &ds);
        for (size_t way = 0; way < FILTERS; way++)
            compare(&filters[way], "", &ds, f->eps(d), f->name);
        free(rows);
    }
}

static void without_a_centre_or_a_scale_they_are_too(void **state)
{
    const filter *f = *state;
    for (size_t k = 0; k < FAMILIES; k++) {
        if (small && k % 4)
            continue;
        eb_dataset ds;
        unsigned char *rows = make_points(families[k].value, EB_F64, 0, 300, 70, &ds);
        compare(f, "-centre", &ds, families[k].eps(70), families[k].name);
        compare(f, "-scale", &ds, families[k].eps(70), families[k].name);
        free(rows);
    }
}

static double bytes_of(size_t i, size_t k) { return (double)(mix(i * 131 + k) % 100); }

static void points_of_every_type_are_read_as_they_are_stored(void **state)
{
    const filter *f = *state;
    static const eb_dtype types[] = {EB_F16, EB_F32, EB_F64, EB_U8, EB_I8, EB_I16, EB_I32};
    static const size_t dimensions[] = {1, 31, 33, 128, 200};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (size_t k = 0; k < sizeof dimensions / sizeof dimensions[0]; k++) {
            const size_t d = dimensions[k];
            if (small && d != 33)
                continue;
            eb_dataset ds;
            unsigned char *rows = make_points(bytes_of, types[t], 0, 390, d, &ds);
            compare(f, "", &ds, floor(39 * sqrt((double)d)), "whole numbers");
            free(rows);
            if (!eb_dtype_is_float(types[t]))
                continue;
            rows = make_points(chance, types[t], 0, 390, d, &ds);
            compare(f, "", &ds, some(d), "random");
            free(rows);
        }
}

/* ---- shares ---- */

static void rows_and_parts_add_up(void **state)
{
    const filter *f = *state;
    eb_dataset ds;
    unsigned char *rows = make_points(chance, EB_F32, 0, small ? 300 : 700, 96, &ds);
    check_rows_and_parts(&f->engine, &ds, 3.8);
    free(rows);
}

static void lists_over_orders_find_the_same(void **state)
{
    const filter *f = *state;
    eb_dataset ds;
    unsigned char *rows = make_points(chance, EB_F32, 0, small ? 257 : 900, 65, &ds);
    check_list(&f->engine, &ds, 3);
    free(rows);
}

static void two_sets_find_the_same(void **state)
{
    const filter *f = *state;
    eb_dataset left, right;
    unsigned char *one = make_points(chance, EB_F32, 0, 270, 65, &left),
                  *two = make_points(chance, EB_F32, 270, small ? 200 : 500, 65, &right);
    check_two_sets(&f->engine, &left, &right, 3);
    free(one);
    free(two);
}

/* With memory for a few rows, points are streamed and lists fill up in the middle of launches, but no pair is lost. */
static void little_memory_costs_time_and_no_pairs(void **state)
{
    const filter *f = *state;
    const size_t n = small ? 600 : 5000, d = 20;
    const double eps = 1.5;
    eb_dataset ds;
    asked tight, truth;
    unsigned char *rows = make_points(chance, EB_F32, 0, n, d, &ds);
    const eb_problem problem = eb_self_join(&ds);
    const uint64_t points = f->engine.on[EB_DEVICE_CUDA].run->memory_needed(n, d, EB_F32);
    open_points(&truth, "ref64", &ds);
    eb_neighbours *expected = table_of(&truth, eps);
    const uint64_t limits[] = {points + points / 2 + 1500000, small ? 1000000 : 600000 + points / 2};
    for (size_t k = 0; k < 2; k++) {
        eb_status status = {.message = ""};
        uint64_t entries = 0;
        open_way(&tight, &f->engine, "", &problem, limits[k]);
        for (size_t begin = 0, step = n; begin < n;) {
            const size_t end = begin + step < n ? begin + step : n;
            const eb_question question = {.eps = eps};
            const eb_share share = eb_share_rows(begin, end);
            eb_neighbours_builder *builder = new_builder(&problem, begin, end);
            eb_sink sink = eb_neighbours_builder_sink(builder);
            const eb_code failed =
                f->engine.on[EB_DEVICE_CUDA].run->join(tight.opened.state, &question, &share, &sink, &status);
            if (failed == EB_NO_MEMORY && step > 1) {
                eb_neighbours_builder_free(builder);
                step /= 2;
                continue;
            }
            if (failed)
                fail_msg("%s", status.message);
            eb_neighbours *part = finish_builder(builder);
            const uint64_t before = expected->offsets[begin], here = part->offsets[part->rows];
            assert_int_equal(here, expected->offsets[end] - before);
            assert_memory_equal(part->columns, expected->columns + before, here * sizeof *part->columns);
            assert_memory_equal(part->distances, expected->distances + before, here * sizeof *part->distances);
            entries += here;
            eb_neighbours_free(part);
            begin = end;
        }
        assert_int_equal(entries, expected->offsets[n]);
        assert_int_equal(count_all(&tight, eps), entries);
        close_problem(&tight);
    }
    eb_neighbours_free(expected);
    close_problem(&truth);
    free(rows);
}

/* Enough points to be ordered by their norms, and to use strips. */
static void many_points_in_order_of_norms_find_the_same(void **state)
{
    const filter *f = *state;
    if (small)
        skip(); /* too many pairs for a sanitizer */
    eb_dataset ds;
    unsigned char *rows = make_points(chance, EB_F32, 0, 270001, 20, &ds);
    compare(f, "", &ds, 0.85, "many");
    free(rows);
}

/* ---- passes and queries ---- */

static void passes_count_and_keep_the_same(void **state)
{
    const filter *f = *state;
    static const double eps[PASS_EDGES] = {2.9, 3.0, 3.3};
    eb_dataset ds;
    unsigned char *rows = make_points(chance, EB_F32, 0, small ? 257 : 900, 65, &ds);
    check_pass(&f->engine, &ds, eps);
    free(rows);
}

static void queries_have_the_truths_distances(void **state)
{
    const filter *f = *state;
    eb_dataset ds;
    unsigned char *rows = make_points(far_out, EB_F64, 0, 500, 77, &ds);
    check_queries(&f->engine, &ds);
    free(rows);
}

/* Guards against a filter that lets everything pass, which would give right results too. */
static void what_is_found_is_little_more_than_there_is(void **state)
{
    const filter *f = *state;
    eb_dataset ds;
    asked way;
    unsigned char *rows = make_points(chance, EB_F32, 0, small ? 300 : 2000, 128, &ds);
    const eb_problem problem = eb_self_join(&ds);
    open_way(&way, &f->engine, "", &problem, 0);
    const double pairs = ((double)count_all(&way, 4.3) - (double)ds.n) / 2;
    assert_true(pairs > 1000);
    assert_true(figure(&way, "candidates") < f->candidates * pairs + 100);
    assert_true(figure(&way, "band") < f->band * pairs + 100);
    assert_true(figure(&way, "rechecked") == figure(&way, "band"));
    assert_true(figure(&way, "bound_share") > 0 && figure(&way, "bound_share") <= 1);
    close_problem(&way);
    free(rows);
}

/* Seven clusters, whose pairs are in few tiles, and one point far from all. */
static double in_seven(size_t i, size_t k) { return i == 1000 ? 9 : in_clusters(i, k); }

static void groups_leave_most_tiles_out(void **state)
{
    (void)state;
    enum { N = 7000, D = 64 };
    eb_dataset ds;
    asked way, all;
    unsigned char *rows = make_points(in_seven, EB_F32, 0, small ? 1500 : N, D, &ds);
    const eb_problem problem = eb_self_join(&ds);
    for (size_t k = GROUPED; k < ALONG_AXES; k++) {
        open_way(&way, &filters[k].engine, "", &problem, 0);
        open_way(&all, &filters[k - GROUPED].engine, "", &problem, 0);
        assert_int_equal(count_all(&way, of_clusters(D)), count_all(&all, of_clusters(D)));
        assert_true(small || figure(&way, "executed_flops") < 0.4 * figure(&all, "executed_flops"));
        assert_true(figure(&way, "near_tiles") > 0);
        close_problem(&way);
        close_problem(&all);
    }
    free(rows);
}

/* Each test runs for every filter: *state. */
static const struct {
    const char *name;
    CMUnitTestFunction function;
} of_each[] = {
    {"without_a_centre_or_a_scale", without_a_centre_or_a_scale_they_are_too},
    {"points_of_every_type", points_of_every_type_are_read_as_they_are_stored},
    {"rows_and_parts", rows_and_parts_add_up},
    {"lists_over_orders", lists_over_orders_find_the_same},
    {"two_sets", two_sets_find_the_same},
    {"little_memory", little_memory_costs_time_and_no_pairs},
    {"many_points_in_order", many_points_in_order_of_norms_find_the_same},
    {"passes", passes_count_and_keep_the_same},
    {"queries", queries_have_the_truths_distances},
    {"what_is_found", what_is_found_is_little_more_than_there_is},
};

static void add_all(test_list *list)
{
    for (size_t k = 0; k < FAMILIES; k++)
        add_test(list, "tables", families[k].name, tables_are_the_truths, &families[k]);
    for (size_t t = 0; t < sizeof of_each / sizeof of_each[0]; t++)
        for (size_t k = 0; k < FILTERS; k++)
            add_test(list, of_each[t].name, filters[k].engine.name, of_each[t].function, &filters[k]);
    ADD_TEST(list, groups_leave_most_tiles_out);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_filters", add_all); }
