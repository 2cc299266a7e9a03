/* Tests of datasets that do not fit the GPU: streamed blocks give the results of resident points, bit for bit; a limit
 * too small for two blocks is refused; a cancelled join stops within 200 ms. Needs a GPU. */
#include <time.h>

#include "core/base/clock.h"
#include "gpu_points.h"

static float *random_points(size_t n, size_t d, eb_dataset *ds)
{
    float *rows = malloc(n * d * sizeof *rows);
    assert_non_null(rows);
    uint64_t z = n * 31 + d;
    for (size_t x = 0; x < n * d; x++) {
        z = z * 6364136223846793005u + 1442695040888963407u;
        rows[x] = (float)(z >> 40) * 0x1p-24f;
    }
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F32,
                       .rows = (const unsigned char *)rows,
                       .stride = d * sizeof(float),
                       .source = (char *)(uintptr_t) "random"};
    return rows;
}

typedef struct rows_found {
    eb_neighbours *batch[64];
    size_t batches;
} rows_found;

static eb_code keep_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    rows_found *found = context;
    (void)status;
    found->batch[found->batches++] = batch;
    return EB_OK;
}

static const char *const variants[] = {"ref64", "ted", "fasted", "fasted[paper]"};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static void compare_histograms(asked *resident, asked *streamed, double eps, uint64_t counted)
{
    const double edges[] = {eps / 2, eps};
    const bool keep[] = {false, true};
    uint64_t pairs[2][2];
    eb_status status;
    for (int s = 0; s < 2; s++) {
        double *kept[2] = {NULL};
        asked *a = s ? streamed : resident;
        eb_distance_pass pass = {.edges = 2, .eps = edges, .keep = keep, .pairs = pairs[s], .kept = kept};
        assert_int_equal(a->setup.run->histogram(a->opened.state, &pass, &status), EB_OK);
        assert_int_equal(2 * (pairs[s][0] + pairs[s][1]) + a->opened.problem.left->n, counted);
        free(kept[1]);
    }
    assert_memory_equal(pairs[0], pairs[1], sizeof pairs[0]);
}

static void compare_distances(asked *resident, asked *streamed, size_t n)
{
    const uint32_t queries[] = {0, 7, 999, (uint32_t)n - 1};
    eb_status status;
    double *s[2] = {malloc(4 * n * sizeof(double)), malloc(4 * n * sizeof(double))};
    assert_int_equal(resident->setup.run->distances(resident->opened.state, queries, 4, s[0], &status), EB_OK);
    assert_int_equal(streamed->setup.run->distances(streamed->opened.state, queries, 4, s[1], &status), EB_OK);
    assert_memory_equal(s[0], s[1], 4 * n * sizeof(double));
    free(s[0]);
    free(s[1]);
}

static void compare_streamed(asked *resident, asked *streamed, double eps)
{
    size_t n = resident->opened.problem.left->n;
    assert_null(strstr(resident->setup.run->describe(resident->opened.state), "streamed"));
    if (!strstr(streamed->setup.run->describe(streamed->opened.state), "streamed in"))
        fail_msg("%s is not streamed: %s", streamed->setup.spec, streamed->setup.run->describe(streamed->opened.state));
    uint64_t counted = count_all(resident, eps);
    assert_int_equal(count_all(streamed, eps), counted);
    assert_true(counted > n);
    const size_t ranges[][2] = {{0, n}, {130, 1001}, {n - 1, n}};
    for (size_t k = 0; k < 3; k++)
        assert_same_table(rows_of(resident, eps, ranges[k][0], ranges[k][1]),
                          rows_of(streamed, eps, ranges[k][0], ranges[k][1]), "rows");
    compare_histograms(resident, streamed, eps, counted);
    compare_distances(resident, streamed, n);
}

/* ted reports the memory of its published kernel, which is larger; its tiles' points take as much as ref64's. */
static uint64_t points_need(const char *spec, size_t n, size_t d)
{
    return setup_of(strcmp(spec, "ted") == 0 ? "ref64" : spec).run->memory_needed(n, d, EB_F32);
}

/* A limit that leads to blocks of 256 points. */
static uint64_t limit_for_blocks(const char *spec, size_t d)
{
    return 3 * (points_need(spec, 100000, d) / 100000) * (256 + 300);
}

static void streamed_blocks_give_what_resident_points_give(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = random_points(1500, 70, &ds);
    const eb_problem problem = eb_self_join(&ds);
    for (size_t k = 0; k < VARIANTS; k++) {
        asked resident, streamed;
        open_points(&resident, variants[k], &ds);
        open_problem(&streamed, variants[k], &problem, limit_for_blocks(variants[k], ds.d));
        compare_streamed(&resident, &streamed, 2.35);
        close_problem(&resident);
        close_problem(&streamed);
    }
    free(rows);
}

/* Streaming also works with orders, lists and two sets. */
static void streamed_lists_and_sets_give_what_resident_ones_give(void **state)
{
    (void)state;
    eb_dataset ds, one, two;
    float *rows = random_points(1500, 70, &ds);
    uint32_t point[1500];
    const uint32_t first[] = {0, 301, 302, 777, 1500};
    const eb_leaf_pair pair[] = {{0, 0}, {0, 2}, {1, 1}, {1, 3}, {2, 3}, {3, 3}};
    for (uint32_t k = 0; k < 1500; k++)
        point[k] = k * 7 % 1500; /* 7 and 1500 have no common factor */
    const eb_order order = {.n = 1500, .point = point, .leaves = 4, .first = first};
    const eb_question listed = {.eps = 2.35, .schedule = {EB_SCHEDULE_LIST, sizeof pair / sizeof pair[0], pair}};
    const eb_question usual = {.eps = 2.35};
    const eb_problem ordered = {.left = &ds, .right = &ds, .order = &order};
    one = two = ds;
    one.n = 400;
    two.n = 1100;
    two.rows = ds.rows + 400 * ds.stride;
    const eb_problem crossed = {.left = &one, .right = &two};
    for (size_t k = 0; k < VARIANTS; k++) {
        asked a, b;
        uint64_t limit = limit_for_blocks(variants[k], ds.d);
        open_problem(&a, variants[k], &ordered, 0);
        open_problem(&b, variants[k], &ordered, limit);
        assert_same_table(table_of_question(&a, &listed), table_of_question(&b, &listed), "a list");
        close_problem(&a);
        close_problem(&b);
        open_problem(&a, variants[k], &crossed, 0);
        open_problem(&b, variants[k], &crossed, limit);
        assert_non_null(strstr(b.setup.run->describe(b.opened.state), "streamed in"));
        assert_same_table(table_of_question(&a, &usual), table_of_question(&b, &usual), "two sets");
        close_problem(&a);
        close_problem(&b);
    }
    free(rows);
}

static void a_limit_too_small_is_refused(void **state)
{
    (void)state;
    eb_dataset ds;
    asked a;
    float *rows = random_points(1500, 70, &ds);
    const eb_problem problem = eb_self_join(&ds);
    eb_status status;
    a.setup = setup_of("fasted");
    a.setup.resources.memory_limit = 20000;
    assert_int_equal(eb_problem_open(&a.setup, &problem, NULL, &a.opened, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "it has room for 20000"));
    free(rows);
}

/* The limit holds the points but not all results at once: the rows come in batches, and none is missing. */
static void results_beyond_the_limit_come_in_batches(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = random_points(small ? 1000 : 3000, 20, &ds);
    const eb_problem problem = eb_self_join(&ds);
    for (size_t k = 0; k < VARIANTS; k++) {
        asked a;
        uint64_t points = points_need(variants[k], ds.n, ds.d), entries = 0;
        open_problem(&a, variants[k], &problem, points + points / 2 + (small ? 100000 : 400000));
        eb_status status = {.message = ""};
        const eb_join_plan plan = {.question.eps = 1.5, .distances = EB_DISTANCES_F64};
        eb_join_result result;
        rows_found found = {.batches = 0};
        if (eb_join_run(&a.opened, &plan, keep_batch, &found, &result, &status))
            fail_msg("%s: %s", variants[k], status.message);
        for (size_t b = 0; b < found.batches; b++) {
            entries += found.batch[b]->offsets[found.batch[b]->rows];
            eb_neighbours_free(found.batch[b]);
        }
        assert_int_equal(entries, count_all(&a, 1.5));
        assert_true(found.batches > 1);
        close_problem(&a);
    }
    free(rows);
}

/* ---- a device filled by other programs ---- */

bool hog_all_but(size_t bytes);
void hog_nothing(void);

/* Points and a first buffer for pairs do not both fit; the table is still complete, in batches if necessary. */
static void a_nearly_full_device_still_gives_the_table(void **state)
{
    (void)state;
    eb_dataset ds;
    const double eps = 2.4;
    const size_t n = small ? 50000 : 200000;
    float *rows = random_points(n, 64, &ds);
    for (size_t k = 0; k < VARIANTS; k++) {
        asked roomy, tight;
        open_points(&roomy, variants[k], &ds);
        const uint64_t counted = count_all(&roomy, eps);
        close_problem(&roomy);
        assert_true(hog_all_but(small ? 60 << 20 : 120 << 20));
        open_points(&tight, variants[k], &ds);
        eb_status status = {.message = ""};
        const eb_join_plan plan = {.question.eps = eps, .distances = EB_DISTANCES_F64};
        eb_join_result result;
        rows_found found = {.batches = 0};
        eb_code failed = eb_join_run(&tight.opened, &plan, keep_batch, &found, &result, &status);
        close_problem(&tight);
        hog_nothing();
        if (failed)
            fail_msg("%s: %s", variants[k], status.message);
        uint64_t entries = 0;
        for (size_t b = 0; b < found.batches; b++) {
            entries += found.batch[b]->offsets[found.batch[b]->rows];
            eb_neighbours_free(found.batch[b]);
        }
        assert_int_equal(entries, counted);
        (void)fprintf(stderr, "%s: %zu batches on a nearly full device\n", variants[k], found.batches);
    }
    free(rows);
}

/* ---- cancelling ---- */

static eb_code count_for_ever(eb_job *job, void *argument, eb_status *status)
{
    asked *a = argument;
    const eb_question question = {.eps = 1};
    const eb_share whole = eb_share_whole(&a->opened.problem);
    uint64_t pairs;
    eb_code failed = EB_OK;
    a->opened.context.job = job;
    while (!failed)
        failed = a->setup.run->count(a->opened.state, &question, &whole, &pairs, status);
    return failed;
}

static void a_cancelled_count_stops_within_200_ms(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = random_points(small ? 6000 : 60000, 512, &ds);
    for (size_t k = 0; k < VARIANTS; k++) {
        asked a;
        eb_job *job;
        eb_status status;
        open_points(&a, variants[k], &ds);
        assert_int_equal(eb_job_start(count_for_ever, &a, &job, &status), EB_OK);
        (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL); /* the join is well under way */
        double asked_s = eb_now_s();
        eb_job_cancel(job);
        assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
        double waited = eb_now_s() - asked_s;
        (void)fprintf(stderr, "%s: %.0f ms from cancel to end\n", variants[k], 1e3 * waited);
        assert_true(small || waited < 0.2); /* a sanitizer slows the kernels */
        close_problem(&a);
    }
    free(rows);
}

static void add_all(test_list *list)
{
    ADD_TEST(list, streamed_blocks_give_what_resident_points_give);
    ADD_TEST(list, streamed_lists_and_sets_give_what_resident_ones_give);
    ADD_TEST(list, a_limit_too_small_is_refused);
    ADD_TEST(list, results_beyond_the_limit_come_in_batches);
    ADD_TEST(list, a_nearly_full_device_still_gives_the_table);
    ADD_TEST(list, a_cancelled_count_stops_within_200_ms);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_memory", add_all); }
