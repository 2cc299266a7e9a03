/* Tests of boxes on the GPU against the exact result, bit for bit: whole tables, rows, parts, counts, intervals and
 * distances from queries, over points that are hard for an order or a box, with little memory, and with rows of every
 * length. Needs a GPU. */
#include "boxes_points.h"

#define TRUTH_HERE "ref64[device=cpu]"
#define RANDOM_CASES 2500u

/* Compares both engines' tables of all points, and their counts. */
static void compare_tables(const eb_dataset *ds, double eps, const char *truth, const char *what)
{
    asked boxes, ref;
    open_boxes(&boxes, ds, 0);
    open_points(&ref, truth, ds);
    assert_same_table(table_of(&boxes, eps), table_of(&ref, eps), what);
    close_problem(&boxes);
    close_problem(&ref);
}

/* ---- small ---- */

/* The seed chooses n, d, the kind and ε: ties, no pairs, all pairs. */
static void random_case(uint64_t seed)
{
    const box_kind *kind = &box_kinds[mix(seed) % BOX_KINDS];
    const size_t most = seed % 8 ? 70 : 300, n = 1 + mix(seed + 1) % most;
    const size_t d = 1 + mix(seed + 2) % (seed % 4 ? 6 : seed % 16 ? 17 : 70);
    char what[160];
    eb_dataset ds;
    double *rows = box_points(kind, mix(seed + 3) % 1000, n, d, &ds);
    const double tie = a_tie(&ds, seed + 4);
    const double eps = seed % 11 == 0 ? 0 : seed % 13 == 0 ? 3 * tie : tie;
    (void)snprintf(what, sizeof what, "case %llu: %s, %zu × %zu, ε = %.17g", (unsigned long long)seed, kind->name, n, d,
                   eps);
    compare_tables(&ds, eps, TRUTH_HERE, what);
    free(rows);
}

static void small_cases_are_the_truth(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (small ? 2 : RANDOM_CASES); seed++)
        random_case(seed);
}

/* ---- kinds of points, at every small number of dimensions ---- */

static void kind_is_the_truth(void **state)
{
    static const size_t dimensions[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 32, 33, 100};
    const box_kind *kind = *state;
    for (size_t k = 0; k < sizeof dimensions / sizeof dimensions[0]; k++) {
        const size_t d = dimensions[k], n = small ? 150 : d % 3 ? 2500 : 1023;
        char what[160];
        eb_dataset ds;
        if (small && d != 3 && d != 20)
            continue;
        double *rows = box_points(kind, 0, n, d, &ds);
        for (uint64_t seed = small; seed < 2; seed++) {
            (void)snprintf(what, sizeof what, "%s, %zu × %zu", kind->name, n, d);
            compare_tables(&ds, seed ? a_tie(&ds, d + seed) : 0, small ? TRUTH_HERE : "ref64", what);
        }
        free(rows);
    }
}

/* ---- shares ---- */

static void rows_alone(asked *boxes, asked *ref, double eps, size_t begin, size_t end)
{
    const eb_question question = {.eps = eps};
    const eb_share share = eb_share_rows(begin, end);
    assert_int_equal(count_of(boxes, &question, &share), count_of(ref, &question, &share));
    assert_same_table(rows_of(boxes, eps, begin, end), rows_of(ref, eps, begin, end), "rows");
}

/* Joins the parts of some rows into one table. */
static eb_neighbours *in_parts(asked *a, double eps, size_t begin, size_t end, unsigned parts)
{
    const eb_question question = {.eps = eps};
    eb_share share = {begin, end, 0, parts, NULL};
    uint64_t counted = 0;
    eb_neighbours_builder *builder = new_builder(&a->opened.problem, begin, end);
    for (share.part = 0; share.part < parts; share.part++) {
        join_into(a, &question, &share, builder);
        counted += count_of(a, &question, &share);
    }
    eb_neighbours *table = finish_builder(builder);
    assert_int_equal(counted, table->offsets[table->rows]);
    return table;
}

static void shares_make_the_whole(void **state)
{
    (void)state;
    const size_t n = small ? 200 : 3001, d = 4;
    const double eps = 0.2;
    eb_dataset ds;
    asked boxes, ref;
    double *rows = box_points(&box_kinds[0], 0, n, d, &ds);
    open_boxes(&boxes, &ds, 0);
    open_points(&ref, TRUTH_HERE, &ds);
    rows_alone(&boxes, &ref, eps, 0, n);
    rows_alone(&boxes, &ref, eps, n / 3, n / 2);
    rows_alone(&boxes, &ref, eps, n - 1, n);
    rows_alone(&boxes, &ref, 0.3, 0, 1);
    assert_same_table(in_parts(&boxes, eps, 0, n, 3), rows_of(&ref, eps, 0, n), "three parts");
    assert_same_table(in_parts(&boxes, eps, 17, n - 5, 4), rows_of(&ref, eps, 17, n - 5), "parts of rows");
    close_problem(&boxes);
    close_problem(&ref);
    free(rows);
}

/* ---- other questions ---- */

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void intervals_are_the_truth(void **state)
{
    (void)state;
    const double edges[] = {0, 0.05, 0.1, 0.2};
    const bool keep[] = {true, false, true, false};
    uint64_t pairs[2][4];
    double *kept[2][4];
    eb_status status = {.message = ""};
    eb_dataset ds;
    asked asks[2];
    double *rows = box_points(&box_kinds[1], 0, small ? 200 : 4000, 3, &ds);
    open_boxes(&asks[0], &ds, 0);
    open_points(&asks[1], TRUTH_HERE, &ds);
    for (size_t e = 0; e < 2; e++) {
        eb_distance_pass pass = {.edges = 4, .eps = edges, .keep = keep, .pairs = pairs[e], .kept = kept[e]};
        if (eb_ask_histogram(&asks[e].opened, &pass, &status))
            fail_msg("%s", status.message);
        for (size_t k = 0; k < 4; k++)
            if (keep[k])
                qsort(kept[e][k], pairs[e][k], sizeof(double), ascending);
        close_problem(&asks[e]);
    }
    assert_memory_equal(pairs[0], pairs[1], sizeof pairs[0]);
    for (size_t k = 0; k < 4; k++) {
        if (keep[k])
            assert_memory_equal(kept[0][k], kept[1][k], pairs[0][k] * sizeof(double));
        free(kept[0][k]);
        free(kept[1][k]);
    }
    free(rows);
}

static void queries_are_the_truth(void **state)
{
    (void)state;
    const size_t n = 333;
    const uint32_t queries[] = {0, 5, 332, 31, 32, 100, 7, 8, 9, 10, 11};
    const size_t m = sizeof queries / sizeof queries[0];
    eb_status status = {.message = ""};
    for (size_t d = 1; d < 40; d += 6) {
        eb_dataset ds;
        asked boxes, ref;
        double *rows = box_points(&box_kinds[0], 0, n, d, &ds);
        double *one = malloc(m * n * sizeof *one), *two = malloc(m * n * sizeof *two);
        open_boxes(&boxes, &ds, 0);
        open_points(&ref, TRUTH_HERE, &ds);
        assert_true(one && two);
        assert_int_equal(eb_ask_distances(&boxes.opened, queries, m, one, &status), EB_OK);
        assert_int_equal(eb_ask_distances(&ref.opened, queries, m, two, &status), EB_OK);
        assert_memory_equal(one, two, m * n * sizeof *one);
        close_problem(&boxes);
        close_problem(&ref);
        free(one);
        free(two);
        free(rows);
    }
}

/* An opened engine makes a new list for each ε, also when an earlier ε returns. */
static void each_eps_has_its_own_list(void **state)
{
    (void)state;
    const double eps[] = {0.1, 0.3, 0.1, 0.1, 0.02};
    eb_dataset ds;
    asked boxes, ref;
    double *rows = box_points(&box_kinds[0], 0, small ? 200 : 2000, 3, &ds);
    open_boxes(&boxes, &ds, 0);
    open_points(&ref, TRUTH_HERE, &ds);
    for (size_t k = 0; k < sizeof eps / sizeof eps[0]; k++) {
        eb_status status = {.message = ""};
        const eb_question question = {.eps = eps[k]};
        double seconds = -1;
        assert_int_equal(eb_way_boxes_cuda.look(boxes.opened.state, &question, &seconds, &status), EB_OK);
        assert_true(seconds > 0 && seconds < 1);
        assert_int_equal(count_all(&boxes, eps[k]), count_all(&ref, eps[k]));
        assert_same_table(table_of(&boxes, eps[k]), table_of(&ref, eps[k]), "another ε");
    }
    close_problem(&boxes);
    close_problem(&ref);
    free(rows);
}

/* ---- refusals ---- */

static void other_problems_are_refused(void **state)
{
    (void)state;
    eb_status status = {.message = ""};
    eb_dataset one, two;
    asked a;
    double *rows = box_points(&box_kinds[0], 0, 40, 2, &one), *others = box_points(&box_kinds[0], 50, 40, 2, &two);
    const eb_problem crossed = {.left = &one, .right = &two};
    assert_int_equal(try_boxes(&a, &crossed, 0, &status), EB_NO_ENGINE);
    assert_non_null(strstr(status.message, "two sets"));
    assert_int_equal(eb_way_boxes_cuda.suits(&crossed, NULL, &status), EB_NO_ENGINE);
    uint32_t point[40];
    for (uint32_t k = 0; k < 40; k++)
        point[k] = 39 - k;
    const uint32_t first[] = {0, 40};
    const eb_order order = {40, point, 1, first};
    const eb_problem ordered = {.left = &one, .right = &one, .order = &order};
    assert_int_equal(try_boxes(&a, &ordered, 0, &status), EB_NO_ENGINE);
    assert_non_null(strstr(status.message, "order"));
    const eb_problem plain = eb_self_join(&one);
    assert_int_equal(try_boxes(&a, &plain, 100, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "the limit is 100"));
    free(rows);
    free(others);
}

/* ---- large joins in little memory ---- */

/* The memory left beside the points is so small that list and rows come in many pieces. */
static void little_memory_is_enough(void **state)
{
    (void)state;
    const size_t n = small ? 3000 : 20000, d = 3;
    const double eps = small ? 0.1 : 0.06;
    eb_dataset ds;
    asked boxes, ref;
    double *rows = box_points(&box_kinds[0], 0, n, d, &ds);
    const uint64_t least = eb_boxes_cuda.memory_needed(n, d, EB_F64);
    open_points(&ref, "ref64", &ds);
    eb_neighbours *truth = table_of(&ref, eps);
    for (uint64_t more = 0; more <= 2000000; more += 1000000) {
        open_boxes(&boxes, &ds, least + more);
        eb_neighbours *table = table_of(&boxes, eps);
        assert_same_columns(table, truth, "little memory");
        assert_memory_equal(table->distances, truth->distances, truth->offsets[n] * sizeof(double));
        eb_neighbours_free(table);
        assert_same_table(in_parts(&boxes, eps, 0, n, 2), rows_of(&ref, eps, 0, n), "little memory, parts");
        close_problem(&boxes);
    }
    eb_neighbours_free(truth);
    close_problem(&ref);
    free(rows);
}

/* Rows too long for a warp to sort, and too long for a block. */
static void long_rows_are_sorted(void **state)
{
    (void)state;
    static const size_t sizes[] = {33, 513, 700, 4096, 4097, 6000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        eb_dataset ds;
        if (small && sizes[k] != 513)
            continue;
        double *rows = box_points(&box_kinds[1], 0, sizes[k], 2, &ds);
        if (!small)
            compare_tables(&ds, 0.011, "ref64", "long rows");
        compare_tables(&ds, 100, small ? TRUTH_HERE : "ref64", "longest rows");
        free(rows);
    }
}

/* Several chunks, of rows of very different length. */
static void chunks_make_the_table(void **state)
{
    (void)state;
    static const struct {
        size_t kind, n, d;
        double eps;
    } cases[] = {{0, 150000, 3, 0.04}, {1, 30000, 10, 0.012}, {11, 50000, 2, 0.02}, {5, 20000, 4, 1}};
    for (size_t k = 0; !small && k < sizeof cases / sizeof cases[0]; k++) {
        eb_dataset ds;
        double *rows = box_points(&box_kinds[cases[k].kind], 0, cases[k].n, cases[k].d, &ds);
        compare_tables(&ds, cases[k].eps, "ref64", ds.source);
        free(rows);
    }
}

/* More points than a 32-bit key can hold beside a place. The points are whole numbers from 0, shuffled by a
 * multiplication modulo a prime, so that all neighbours are known. */
#define MANY 8388617u

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void many_points_have_wider_keys(void **state)
{
    (void)state;
    eb_dataset ds;
    asked boxes;
    if (small)
        return;
    double *rows = malloc(MANY * sizeof *rows);
    uint32_t *at = malloc(MANY * sizeof *at);
    assert_true(rows && at);
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t x = i * 2654435u % MANY;
        rows[i] = (double)x;
        at[x] = (uint32_t)i;
    }
    ds = (eb_dataset){.n = MANY,
                      .d = 1,
                      .dtype = EB_F64,
                      .rows = (const unsigned char *)rows,
                      .stride = sizeof *rows,
                      .greatest = MANY,
                      .least = 1,
                      .source = (char *)(uintptr_t) "many"};
    open_boxes(&boxes, &ds, 0);
    eb_neighbours *table = table_of(&boxes, 2);
    assert_int_equal(table->offsets[MANY], 5ull * MANY - 6);
    for (size_t r = 0; r < MANY; r++) {
        uint32_t wanted[5];
        size_t count = 0;
        for (int64_t x = (int64_t)rows[r] - 2; x <= (int64_t)rows[r] + 2; x++)
            if (x >= 0 && x < MANY)
                wanted[count++] = at[x];
        qsort(wanted, count, sizeof wanted[0], by_number);
        if (table->offsets[r + 1] - table->offsets[r] != count ||
            memcmp(table->columns + table->offsets[r], wanted, count * sizeof wanted[0]) != 0)
            fail_msg("row %zu has other neighbours", r);
    }
    eb_neighbours_free(table);
    close_problem(&boxes);
    free(rows);
    free(at);
}

static void add_all(test_list *list)
{
    ADD_TEST(list, small_cases_are_the_truth);
    for (size_t k = 0; k < BOX_KINDS; k++)
        add_test(list, "kind_is_the_truth", box_kinds[k].name, kind_is_the_truth, &box_kinds[k]);
    ADD_TEST(list, shares_make_the_whole);
    ADD_TEST(list, intervals_are_the_truth);
    ADD_TEST(list, queries_are_the_truth);
    ADD_TEST(list, each_eps_has_its_own_list);
    ADD_TEST(list, other_problems_are_refused);
    ADD_TEST(list, little_memory_is_enough);
    ADD_TEST(list, long_rows_are_sorted);
    ADD_TEST(list, chunks_make_the_table);
    ADD_TEST(list, many_points_have_wider_keys);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_boxes", add_all); }
