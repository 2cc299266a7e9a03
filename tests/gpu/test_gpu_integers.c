/* Tests of the integers way against ref64: the same pairs and distances, bit for bit, on bytes of both kinds, on other
 * integers that fit bytes after a shift, at the ends of the byte range, and at ties. Covers rows, parts, orders, lists,
 * two sets, passes and queries. Other points are refused. Needs a GPU (gpu_suite.h). */
#include "way_checks.h"

extern const eb_implementation eb_integers_cuda;

/* The kernels of this GPU, and the portable ones. */
static const eb_option no_warpgroup[] = {
    {.name = "warpgroup", .type = EB_ARG_FLAG, .devices = EB_ON_CUDA, .fallback = "off", .help = "wgmma"}};
static const eb_engine integers_way = {.name = "integers",
                                       .title = "test engine",
                                       .exactness = EB_TRUTH,
                                       .on = {[EB_DEVICE_CUDA] = {"8-bit integers", &eb_integers_cuda}}},
                       mma_sync_way = {.name = "integers",
                                       .title = "test engine",
                                       .exactness = EB_TRUTH,
                                       .options = {no_warpgroup, 1},
                                       .on = {[EB_DEVICE_CUDA] = {"8-bit integers", &eb_integers_cuda}}};
static const eb_engine *const ways[] = {&integers_way, &mma_sync_way};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- families of points and their ε ---- */

typedef struct family {
    const char *name;
    eb_dtype dtype;
    double (*value)(size_t i, size_t k);
    double spread; /* mean squared difference of one coordinate */
} family;

static uint64_t dice(size_t i, size_t k) { return mix(i * 131071 + k * 7 + 1); }

static double any_byte(size_t i, size_t k) { return (double)(dice(i, k) % 256); }
static double any_signed(size_t i, size_t k) { return (double)(dice(i, k) % 256) - 128; }
static double none_or_all(size_t i, size_t k)
{
    (void)k;
    return i % 3 == 0 ? 255 : 0;
}
static double least_or_most(size_t i, size_t k) { return dice(i, k) % 2 ? 127 : -128; }
static double on_a_lattice(size_t i, size_t k) { return (double)(dice(i, k) % 4); }
static double around_seven(size_t i, size_t k) { return (double)(dice(i % 7, k) % 200 + dice(i, k) % 9); }
static double one_of_ten(size_t i, size_t k) { return any_byte(i % 10, k); }
static double skewed(size_t i, size_t k) { return i % 64 == 0 ? any_byte(i, k) : (double)(dice(i, k) % 3); }
static double far_out(size_t i, size_t k) { return 1e6 + (double)(dice(i, k) % 256); }
static double far_below(size_t i, size_t k) { return -70000 + (double)(dice(i, k) % 200); }
static double astride(size_t i, size_t k) { return (double)(dice(i, k) % 256) - 200; }

static const family families[] = {
    {"u8", EB_U8, any_byte, 10922},
    {"i8", EB_I8, any_signed, 10922},
    {"u8: 0 or 255", EB_U8, none_or_all, 32512},
    {"i8: -128 or 127", EB_I8, least_or_most, 32512},
    {"u8: ties", EB_U8, on_a_lattice, 2.5},
    {"u8: clusters", EB_U8, around_seven, 14},
    {"u8: duplicates", EB_U8, one_of_ten, 10922},
    {"u8: of any length", EB_U8, skewed, 2},
    {"f32: bytes", EB_F32, any_byte, 10922},
    {"f64: far out", EB_F64, far_out, 10922},
    {"i32: far below", EB_I32, far_below, 6666},
    {"i16: astride", EB_I16, astride, 10922},
    {"f16: signed", EB_F16, any_signed, 10922},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

typedef struct one_case {
    const eb_engine *way;
    const family *of;
    char name[40];
} one_case;

static one_case every_case[WAYS * FAMILIES];

/* Tests ε at the mean distance, at a whole number and just below it, at a tie that is no whole number, with duplicates
 * only, and with all pairs. */
static void check_at_every_eps(const eb_engine *way, const family *f, const eb_dataset *ds)
{
    const double mean = f->spread * (double)ds->d, whole = floor(sqrt(0.9 * mean));
    const double eps[] = {whole, nextafter(whole, 0), sqrt(floor(mean)), 0, 1e5, 1e30};
    for (size_t k = 0; k < (ds->n > 300 || small ? 2 : sizeof eps / sizeof eps[0]); k++)
        check_table(way, ds, eps[k], f->name);
}

/* *state: a case. */
static void tables_are_the_truths(void **state)
{
    static const size_t sizes[][2] = {{1, 1},     {2, 3},    {300, 1},   {127, 127},  {128, 128}, {129, 129},
                                      {255, 784}, {256, 20}, {257, 256}, {1000, 130}, {260, 1000}};
    const one_case *c = *state;
    const family *f = c->of;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const size_t n = sizes[k][0], d = sizes[k][1];
        if (small && (n != 129 && n != 257))
            continue;
        eb_dataset ds;
        unsigned char *rows = make_points(f->value, f->dtype, 0, n, d, &ds);
        check_at_every_eps(c->way, f, &ds);
        free(rows);
    }
}

/* The largest possible squared distances: the full byte range in every dimension. */
static void most_dimensions_are_exact(void **state)
{
    (void)state;
    static const size_t dimensions[] = {4096, 33025};
    for (size_t k = 0; k < (small ? 1 : 2); k++) {
        eb_dataset ds;
        unsigned char *rows = make_points(none_or_all, EB_U8, 0, 140, dimensions[k], &ds);
        const double diameter = 255 * sqrt((double)dimensions[k]);
        const double eps[] = {diameter, nextafter(diameter, 0), 0, 1e30};
        for (size_t e = 0; e < WAYS * sizeof eps / sizeof eps[0]; e++)
            check_table(ways[e % WAYS], &ds, eps[e / WAYS], "most dimensions");
        free(rows);
    }
}

static void what_bytes_do_not_hold_is_refused(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *said;
    } cases[] = {{0.5, "row 77, column 3 is 0.5; all values must be integers"},
                 {256, "values from 0 to 256; they fit 8 bits where they span at most 255"},
                 {1e300, "row 77, column 3 is 1.0000000000000001e+300"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_status status = {.message = ""};
        eb_dataset ds;
        asked mine;
        unsigned char *rows = make_points(any_byte, EB_F64, 0, 400, 20, &ds);
        memset(rows, 0, sizeof(double));
        memcpy(rows + (77 * 20 + 3) * sizeof(double), &cases[k].value, sizeof(double));
        const eb_problem problem = eb_self_join(&ds);
        assert_int_equal(try_way(&mine, &integers_way, "", &problem, 0, &status), EB_NO_ENGINE);
        if (!strstr(status.message, cases[k].said))
            fail_msg("%s: expected %s", status.message, cases[k].said);
        free(rows);
    }
    eb_status status = {.message = ""};
    eb_dataset ds;
    asked mine;
    unsigned char *rows = make_points(any_byte, EB_U8, 0, 2, 33026, &ds);
    const eb_problem problem = eb_self_join(&ds);
    assert_int_equal(try_way(&mine, &integers_way, "", &problem, 0, &status), EB_NO_ENGINE);
    assert_non_null(strstr(status.message, "33026 dimensions"));
    free(rows);
}

static void rows_and_parts_add_up(void **state)
{
    (void)state;
    eb_dataset ds;
    unsigned char *rows = make_points(any_byte, EB_U8, 0, small ? 300 : 700, 96, &ds);
    for (size_t w = 0; w < WAYS; w++)
        check_rows_and_parts(ways[w], &ds, 980);
    free(rows);
}

static void lists_over_orders_find_the_same(void **state)
{
    (void)state;
    eb_dataset ds;
    unsigned char *rows = make_points(any_signed, EB_I8, 0, small ? 257 : 900, 140, &ds);
    for (size_t w = 0; w < WAYS; w++)
        check_list(ways[w], &ds, 1170);
    free(rows);
}

/* Bytes in both sets, and integers that fit bytes after a shift. */
static void two_sets_find_the_same(void **state)
{
    (void)state;
    static double (*const values[][2])(size_t, size_t) = {{any_byte, any_byte}, {far_out, far_out}};
    for (size_t k = 0; k < 2; k++) {
        eb_dataset left, right;
        unsigned char *one = make_points(values[k][0], EB_F32, 0, 270, 65, &left),
                      *two = make_points(values[k][1], EB_F32, 270, small ? 200 : 500, 65, &right);
        for (size_t w = 0; w < WAYS; w++)
            check_two_sets(ways[w], &left, &right, 830);
        free(one);
        free(two);
    }
}

/* Points are streamed in blocks, and rows come in batches that leave memory for their results. */
static void little_memory_costs_time_and_no_pairs(void **state)
{
    enum { BATCH = 25 };
    (void)state;
    const size_t n = small ? 600 : 5000, d = 20;
    const double eps = 400;
    eb_dataset ds;
    asked tight, truth;
    unsigned char *rows = make_points(any_byte, EB_U8, 0, n, d, &ds);
    const eb_problem problem = eb_self_join(&ds);
    open_points(&truth, "ref64", &ds);
    eb_neighbours *expected = table_of(&truth, eps);
    open_way(&tight, &integers_way, "", &problem, small ? 400000 : 900000);
    assert_int_equal(count_all(&tight, eps), expected->offsets[n]);
    for (size_t begin = 0; begin < n; begin += BATCH) {
        const size_t end = begin + BATCH < n ? begin + BATCH : n;
        eb_neighbours *part = rows_of(&tight, eps, begin, end);
        assert_int_equal(part->offsets[part->rows], expected->offsets[end] - expected->offsets[begin]);
        assert_memory_equal(part->columns, expected->columns + expected->offsets[begin],
                            part->offsets[part->rows] * sizeof *part->columns);
        eb_neighbours_free(part);
    }
    eb_neighbours_free(expected);
    close_problem(&tight);
    close_problem(&truth);
    free(rows);
}

/* Enough points to be ordered by their norms and to use strips, where rows of 1, 2, 3 and 4 slices use different
 * numbers of buffers. */
typedef struct crowd {
    const char *name;
    size_t n, d;
    bool mma_sync;
} crowd;

static const crowd crowds[] = {{"150001 x 20", 150001, 20, false},   {"270001 x 20", 270001, 20, false},
                               {"263000 x 129", 263000, 129, false}, {"263000 x 260", 263000, 260, false},
                               {"263000 x 390", 263000, 390, false}, {"70001 x 130 by mma.sync", 70001, 130, true}};

/* *state: a crowd. */
static void many_points_find_the_same(void **state)
{
    const crowd *c = *state;
    eb_dataset ds;
    const double d = (double)c->d, mean = 10922 * d,
                 deviation = 12917 * sqrt(d); /* mean and deviation of squared distances */
    if (small)
        skip(); /* too many pairs for a sanitizer */
    unsigned char *rows = make_points(any_byte, EB_U8, 0, c->n, c->d, &ds);
    check_table(c->mma_sync ? &mma_sync_way : &integers_way, &ds, sqrt(mean - (d < 100 ? 3 : 4.8) * deviation),
                c->name);
    free(rows);
}

static void passes_count_and_keep_the_same(void **state)
{
    (void)state;
    static const double eps[PASS_EDGES] = {700, 750, 800};
    eb_dataset ds;
    unsigned char *rows = make_points(any_byte, EB_U8, 0, small ? 257 : 900, 65, &ds);
    check_pass(&integers_way, &ds, eps);
    free(rows);
}

static void queries_have_the_truths_distances(void **state)
{
    (void)state;
    eb_dataset ds;
    unsigned char *rows = make_points(far_out, EB_F64, 0, 500, 77, &ds);
    check_queries(&integers_way, &ds);
    free(rows);
    rows = make_points(any_signed, EB_I8, 0, 300, 130, &ds);
    check_queries(&integers_way, &ds);
    free(rows);
}

static void add_all(test_list *list)
{
    for (size_t k = 0; k < WAYS * FAMILIES; k++) {
        every_case[k] = (one_case){.way = ways[k / FAMILIES], .of = &families[k % FAMILIES]};
        (void)snprintf(every_case[k].name, sizeof every_case[k].name, "%s%s", every_case[k].of->name,
                       k < FAMILIES ? "" : " by mma.sync");
        add_test(list, "tables", every_case[k].name, tables_are_the_truths, &every_case[k]);
    }
    ADD_TEST(list, most_dimensions_are_exact);
    ADD_TEST(list, what_bytes_do_not_hold_is_refused);
    ADD_TEST(list, rows_and_parts_add_up);
    ADD_TEST(list, lists_over_orders_find_the_same);
    ADD_TEST(list, two_sets_find_the_same);
    ADD_TEST(list, little_memory_costs_time_and_no_pairs);
    for (size_t k = 0; k < sizeof crowds / sizeof crowds[0]; k++)
        add_test(list, "many", crowds[k].name, many_points_find_the_same, &crowds[k]);
    ADD_TEST(list, passes_count_and_keep_the_same);
    ADD_TEST(list, queries_have_the_truths_distances);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_integers", add_all); }
