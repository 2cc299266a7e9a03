/* schedule: checks of orders and lists, the tiles of a list against a test of all pairs of places, and points arranged
 * in an order (arrange). */

#include "core/engine/arrange.h"
#include "core/engine/schedule.h"
#include "tests/unit/leaf_orders.h"
#include "tests/unit/test.h"

enum { MOST = 260 };

/* ---- checks of orders and lists ---- */

TEST(what_orders_and_lists_are_is_taken)
{
    uint64_t seed = 1;
    eb_status status = {.message = ""};
    for (size_t cut = 0; cut < LEAF_SHAPES; cut++)
        for (size_t n = 1; n <= MOST; n += 37)
            for (unsigned percent = 0; percent <= 100; percent += 50) {
                leaf_order l = grow_leaves(n, leaf_shapes[cut], &seed);
                list_leaves(&l, percent, &seed);
                if (eb_order_check(&l.order, n, &status) || eb_schedule_check(&l.list, &l.order, &status))
                    fail_msg("%s", status.message);
                for (eb_schedule_kind kind = EB_SCHEDULE_USUAL; kind <= EB_SCHEDULE_TRIANGLE; kind++) {
                    eb_schedule schedule = {.kind = kind};
                    assert_int_equal(eb_schedule_check(&schedule, NULL, &status), EB_OK); /* also without an order */
                    assert_int_equal(eb_schedule_check(&schedule, &l.order, &status), EB_OK);
                }
                free_leaves(&l);
            }
}

static const uint32_t straight[] = {3, 0, 4, 1, 2}, first_leaves[] = {0, 2, 2, 5};

static eb_code check_order(size_t n, const uint32_t *point, size_t leaves, const uint32_t *first, eb_status *status)
{
    eb_order order = {.n = n, .point = point, .leaves = leaves, .first = first};
    return eb_order_check(&order, 5, status);
}

TEST(what_is_no_order_is_refused)
{
    static const uint32_t twice[] = {3, 0, 3, 1, 2}, beyond[] = {3, 0, 5, 1, 2}, far[] = {3, 0, UINT32_MAX, 1, 2};
    static const uint32_t late[] = {1, 2, 2, 5}, early[] = {0, 2, 2, 4}, backwards[] = {0, 3, 2, 5};
    eb_status status = {.message = ""};
    assert_int_equal(check_order(5, straight, 3, first_leaves, &status), EB_OK);
    assert_int_equal(check_order(4, straight, 3, first_leaves, &status), EB_INTERNAL);
    assert_string_equal(status.message, "an order of 4 points in 3 leaves for 5 points");
    assert_int_equal(check_order(6, straight, 3, first_leaves, &status), EB_INTERNAL);
    assert_int_equal(check_order(5, straight, 0, first_leaves, &status), EB_INTERNAL);
    assert_int_equal(check_order(5, straight, 3, late, &status), EB_INTERNAL);
    assert_int_equal(check_order(5, straight, 3, early, &status), EB_INTERNAL);
    assert_int_equal(check_order(5, straight, 3, backwards, &status), EB_INTERNAL);
    assert_string_equal(status.message, "leaf 1 begins at place 3, the next at 2");
    assert_int_equal(check_order(5, twice, 3, first_leaves, &status), EB_INTERNAL);
    assert_string_equal(status.message, "place 2 of the order holds point 3, which stands elsewhere too");
    assert_int_equal(check_order(5, beyond, 3, first_leaves, &status), EB_INTERNAL);
    assert_string_equal(status.message, "place 2 of the order holds point 5, which there is none of");
    assert_int_equal(check_order(5, far, 3, first_leaves, &status), EB_INTERNAL);
}

TEST(what_is_no_list_is_refused)
{
    static const struct {
        eb_leaf_pair pair[3];
        size_t wrong; /* 3: none */
    } cases[] = {
        {{{0, 0}, {0, 2}, {1, 1}}, 3}, {{{0, 1}, {1, 2}, {2, 2}}, 3}, {{{0, 0}, {2, 1}, {2, 2}}, 1}, /* a > b */
        {{{0, 3}, {1, 1}, {2, 2}}, 0},                                                               /* no such leaf */
        {{{0, 0}, {1, 1}, {3, 3}}, 2}, {{{0, 1}, {0, 1}, {2, 2}}, 1},                                /* twice */
        {{{0, 1}, {0, 0}, {2, 2}}, 1},                                                               /* b descends */
        {{{1, 1}, {1, 2}, {0, 2}}, 2},                                                               /* a descends */
    };
    eb_order order = {.n = 5, .point = straight, .leaves = 3, .first = first_leaves};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_schedule schedule = {.kind = EB_SCHEDULE_LIST, .pairs = 3, .pair = cases[k].pair};
        eb_status status = {.message = ""};
        char where[48];
        assert_int_equal(eb_schedule_check(&schedule, &order, &status), cases[k].wrong < 3 ? EB_INTERNAL : EB_OK);
        (void)snprintf(where, sizeof where, "pair %zu of the list", cases[k].wrong);
        assert_true(cases[k].wrong == 3 || strstr(status.message, where) == status.message);
        assert_int_equal(eb_schedule_check(&schedule, NULL, &status), EB_INTERNAL); /* a list needs an order */
        schedule.kind = EB_SCHEDULE_TRIANGLE;
        assert_int_equal(eb_schedule_check(&schedule, &order, &status), EB_OK); /* the list is ignored */
    }
}

/* ---- tiles ---- */

typedef struct shape {
    size_t rows, columns;
} shape;

static const shape shapes[] = {{1, 1},  {2, 3},  {3, 2},   {4, 4},     {16, 4},
                               {4, 16}, {7, 13}, {64, 32}, {128, 128}, {1, 300}};

/* Marks the tiles that hold places i < j of a listed pair of leaves, by testing all pairs of places. */
static void mark_plainly(const leaf_order *l, shape tile, unsigned char *wanted, size_t tile_columns)
{
    for (size_t i = 0; i < l->order.n; i++)
        for (size_t j = i + 1; j < l->order.n; j++)
            if (is_listed(l, l->point[i], l->point[j]))
                wanted[i / tile.rows * tile_columns + j / tile.columns] = 1;
}

/* Whether a comes behind b in the sequence. */
static bool is_after(eb_tile_sequence sequence, const eb_tile *a, const eb_tile *b)
{
    uint32_t key_a[] = {a->column, a->row, 0, 0}, key_b[] = {b->column, b->row, 0, 0};
    if (sequence == EB_TILES_IN_SQUARES) { /* squares row by row, and tiles row by row in each square */
        memcpy(key_a, (uint32_t[]){a->row / 8, a->column / 8, a->row, a->column}, sizeof key_a);
        memcpy(key_b, (uint32_t[]){b->row / 8, b->column / 8, b->row, b->column}, sizeof key_b);
    }
    for (size_t k = 0; k < 4; k++)
        if (key_a[k] != key_b[k])
            return key_a[k] > key_b[k];
    return false;
}

static void check_tiles(const leaf_order *l, shape tile, eb_tile_sequence sequence)
{
    size_t n = l->order.n, tile_rows = (n + tile.rows - 1) / tile.rows,
           tile_columns = (n + tile.columns - 1) / tile.columns;
    unsigned char *wanted = calloc(tile_rows * tile_columns, 1);
    eb_tile_list list;
    eb_status status;
    uint64_t missing = 0;
    if (!wanted)
        abort();
    mark_plainly(l, tile, wanted, tile_columns);
    assert_int_equal(eb_tile_list_make(&l->list, &l->order, tile.rows, tile.columns, sequence, &list, &status), EB_OK);
    for (uint64_t k = 0; k < list.count; k++) {
        const eb_tile *at = &list.tile[k];
        assert_true(at->row < tile_rows && at->column < tile_columns);
        unsigned char *mark = &wanted[at->row * tile_columns + at->column];
        assert_int_equal(*mark, 1); /* no tile comes twice, and none without a listed pair */
        *mark = 0;
        assert_true(k == 0 || is_after(sequence, at, at - 1));
    }
    for (size_t k = 0; k < tile_rows * tile_columns; k++)
        missing += wanted[k];
    assert_int_equal(missing, 0);
    eb_tile_list_free(&list);
    assert_null(list.tile);
    free(wanted);
}

TEST(tiles_cover_every_listed_pair_once)
{
    static const size_t sizes[] = {1, 2, 5, 33, 128, 200, MOST};
    static const unsigned percents[] = {0, 2, 20, 70, 100};
    uint64_t seed = 7;
    for (size_t cut = 0; cut < LEAF_SHAPES; cut++)
        for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
            for (size_t p = 0; p < sizeof percents / sizeof percents[0]; p++) {
                leaf_order l = grow_leaves(sizes[z], leaf_shapes[cut], &seed);
                list_leaves(&l, percents[p], &seed);
                for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
                    check_tiles(&l, shapes[k], EB_TILES_BY_COLUMN);
                    check_tiles(&l, shapes[k], EB_TILES_IN_SQUARES);
                }
                free_leaves(&l);
            }
}

TEST(tiles_by_hand)
{
    /* Leaves with places 0–2, none, 3–6, 7, 8–9; tiles of 2 × 3. */
    static const uint32_t point[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, first[] = {0, 3, 3, 7, 8, 10};
    static const eb_leaf_pair pair[] = {{0, 1}, {0, 2}, {1, 3}, {3, 3}, {4, 4}};
    static const eb_tile by_column[] = {{0, 1}, {1, 1}, {0, 2}, {1, 2}, {4, 3}};
    static const eb_tile in_squares[] = {{0, 1}, {0, 2}, {1, 1}, {1, 2}, {4, 3}};
    eb_order order = {.n = 10, .point = point, .leaves = 5, .first = first};
    eb_schedule schedule = {.kind = EB_SCHEDULE_LIST, .pairs = 5, .pair = pair};
    for (int squares = 0; squares <= 1; squares++) {
        eb_tile_sequence sequence = squares ? EB_TILES_IN_SQUARES : EB_TILES_BY_COLUMN;
        eb_tile_list list;
        eb_status status;
        assert_int_equal(eb_order_check(&order, 10, &status), EB_OK);
        assert_int_equal(eb_schedule_check(&schedule, &order, &status), EB_OK);
        assert_int_equal(eb_tile_list_make(&schedule, &order, 2, 3, sequence, &list, &status), EB_OK);
        assert_int_equal(list.count, 5); /* a leaf of one point has no pair with itself */
        assert_memory_equal(list.tile, squares ? in_squares : by_column, sizeof by_column);
        eb_tile_list_free(&list);
    }
}

/* ---- arranged points ---- */

static void assert_stands(const eb_arranged *a, size_t place, const eb_dataset *from, size_t point)
{
    assert_memory_equal(eb_row(a->points, place), eb_row(from, point), from->d * eb_dtype_size(from->dtype));
    assert_int_equal(eb_point_at(a, place), point);
}

TEST(points_as_stored_are_not_copied)
{
    eb_dataset *ds = naive_points(50, 3, 100, 1);
    eb_problem problem = {.left = ds, .right = ds};
    eb_arranged a;
    eb_status status;
    assert_int_equal(eb_arrange(&problem, 2, NULL, &a, &status), EB_OK);
    assert_ptr_equal(a.points, ds);
    assert_true(a.rows == 50 && a.first_column == 0 && eb_arranged_self(&a));
    assert_null(a.point);
    assert_stands(&a, 49, ds, 49);
    eb_arranged_free(&a);
    assert_null(a.points);
    eb_arranged_free(&a); /* nothing to free */
    eb_dataset_free(ds);
}

TEST(an_order_moves_points)
{
    static uint32_t point[3000]; /* enough points for several threads */
    static const uint32_t first[] = {0, 3000};
    eb_dataset *ds = naive_points(3000, 2, 100000, 1);
    eb_dataset gaps = *ds; /* every second point; the others lie in the gaps */
    gaps.n = 1500;
    gaps.stride = 2 * ds->stride;
    eb_order order = {.n = 3000, .point = point, .leaves = 1, .first = first};
    for (int with_gaps = 0; with_gaps <= 1; with_gaps++)
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            const eb_dataset *from = with_gaps ? &gaps : ds;
            eb_problem problem = {.left = from, .right = from, .order = &order};
            eb_arranged a;
            eb_status status;
            for (size_t k = 0; k < from->n; k++)
                point[k] = (uint32_t)(k * 7 % from->n);
            assert_int_equal(eb_arrange(&problem, threads, NULL, &a, &status), EB_OK);
            assert_true(a.points != from && eb_arranged_self(&a));
            assert_true(a.rows == from->n && a.points->n == from->n && a.points->d == 2 && a.points->dtype == EB_F32);
            assert_int_equal(a.points->stride, 8); /* without gaps */
            for (size_t k = 0; k < from->n; k++)
                assert_stands(&a, k, from, k * 7 % from->n);
            eb_arranged_free(&a);
        }
    eb_dataset_free(ds);
}

TEST(two_sets_stand_one_behind_the_other)
{
    eb_dataset *left = naive_points(1100, 3, 100000, 1), *wide = naive_points(1500, 3, 100000, 2);
    eb_dataset right = *wide;
    right.n = 500;
    right.stride = 3 * wide->stride;
    eb_problem problem = {.left = left, .right = &right};
    eb_arranged a;
    eb_status status;
    assert_int_equal(eb_arrange(&problem, 3, NULL, &a, &status), EB_OK);
    assert_true(a.rows == 1100 && a.first_column == 1100 && a.points->n == 1600 && !eb_arranged_self(&a));
    assert_null(a.point);
    for (size_t k = 0; k < 1100; k++)
        assert_stands(&a, k, left, k);
    for (size_t k = 0; k < 500; k++)
        assert_stands(&a, 1100 + k, &right, k); /* the index in its own dataset */
    eb_arranged_free(&a);
    eb_dataset_free(left);
    eb_dataset_free(wide);
}

static eb_code arrange_and_be_cancelled(eb_job *job, void *argument, eb_status *status)
{
    eb_arranged a;
    eb_job_cancel(job);
    eb_code failed = eb_arrange(argument, 2, job, &a, status);
    eb_arranged_free(&a); /* permitted after a failure too */
    return failed;
}

TEST(a_cancel_leaves_nothing)
{
    eb_dataset *left = naive_points(3000, 2, 100, 1), *right = naive_points(3000, 2, 100, 2);
    eb_problem problem = {.left = left, .right = right};
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(arrange_and_be_cancelled, &problem, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    eb_dataset_free(left);
    eb_dataset_free(right);
}

RUN_TESTS
