/* Tests of a CUDA engine beyond a self-join of all rows: lists of tiles over an order, two sets, shares, pairs that
 * need an exact verdict; and several engines at once, on one GPU and on two. Needs a GPU (gpu_suite.h). */
#include <pthread.h>

#include "gpu_points.h"
#include "tests/unit/leaf_orders.h"

/* Defined in unsure_engine.cu. */
extern const eb_implementation eb_unsure_cuda;
extern double eb_unsure_band;

static const char *const engines[] = {"fasted", "fasted[paper]", "fasted[-warpgroup]", "ref64", "ted", "wmma"};
enum { ENGINES = sizeof engines / sizeof engines[0] };

/* These tests join each sample several times; under a sanitizer they use the shallow samples only. */
static bool used_here(const sample *s) { return used(s) && (!small || s->d <= 70); }

/* ---- orders and lists ---- */

/* *state: the engine. */
static void a_list_of_all_leaf_pairs_equals_the_triangle(void **state)
{
    static const leaf_sizes sizes[] = {{0, 1000}, {0, 128}, {0, 37}};
    uint64_t seed = 1;
    for (size_t k = 0; k < SAMPLES; k++) {
        if (!used_here(&samples[k]))
            continue;
        eb_dataset ds;
        asked usual, listed;
        float *rows = make(&samples[k], &ds);
        leaf_order l = grow_leaves(ds.n, sizes[k % 3], &seed);
        list_leaves(&l, 100, &seed);
        open_points(&usual, *state, &ds);
        const eb_problem problem = {.left = &ds, .right = &ds, .order = &l.order};
        const eb_question question = {.eps = samples[k].eps, .schedule = l.list};
        open_problem(&listed, *state, &problem, 0);
        assert_same_table(table_of_question(&listed, &question), table_of(&usual, samples[k].eps), samples[k].name);
        /* An order with the schedules that need no list. */
        const eb_question all = {.eps = samples[k].eps, .schedule = {EB_SCHEDULE_ALL, 0, NULL}};
        const eb_question triangle = {.eps = samples[k].eps, .schedule = {EB_SCHEDULE_TRIANGLE, 0, NULL}};
        assert_same_table(table_of_question(&listed, &all), table_of_question(&usual, &triangle), samples[k].name);
        close_problem(&listed);
        close_problem(&usual);
        free_leaves(&l);
        free(rows);
    }
}

/* *state: the engine. Every pair in a listed pair of leaves is found; no pair is found twice; only neighbours are
 * found. */
static void a_list_finds_the_pairs_of_its_leaves(void **state)
{
    const sample s = plenty();
    eb_dataset ds;
    asked usual, listed;
    uint64_t seed = 2;
    float *rows = make(&s, &ds);
    leaf_order l = grow_leaves(ds.n, (leaf_sizes){0, 90}, &seed);
    list_next_leaves(&l);
    const eb_problem problem = {.left = &ds, .right = &ds, .order = &l.order};
    const eb_question question = {.eps = s.eps, .schedule = l.list};
    open_points(&usual, *state, &ds);
    open_problem(&listed, *state, &problem, 0);
    eb_neighbours *all = table_of(&usual, s.eps), *found = table_of_question(&listed, &question);
    assert_true(small || found->offsets[ds.n] < all->offsets[ds.n]); /* tiles without listed pairs are left out */
    for (uint32_t i = 0; i < ds.n; i++) {
        uint64_t at = found->offsets[i];
        for (uint64_t k = all->offsets[i]; k < all->offsets[i + 1]; k++) {
            uint32_t j = all->columns[k];
            bool here = at < found->offsets[i + 1] && found->columns[at] == j;
            assert_true(here || !is_listed(&l, i, j));
            if (here)
                assert_true(memcmp(&found->distances[at++], &all->distances[k], sizeof(double)) == 0);
        }
        assert_int_equal(at, found->offsets[i + 1]);
    }
    eb_neighbours_free(all);
    eb_neighbours_free(found);
    close_problem(&usual);
    close_problem(&listed);
    free_leaves(&l);
    free(rows);
}

/* ---- two sets ---- */

/* *state: the engine. Left and right are parts of one set, whose self-join gives the expected pairs. */
static void two_sets_find_what_their_union_finds(void **state)
{
    for (size_t k = 0; k < SAMPLES; k++) {
        if (!used_here(&samples[k]) || samples[k].n < 3)
            continue;
        const sample *s = &samples[k];
        size_t left = s->n / 3;
        eb_dataset whole, one, two;
        asked both, crossed;
        float *rows = make(s, &whole), *first = make_from(s, 0, left, &one),
              *second = make_from(s, left, s->n - left, &two);
        const eb_problem problem = {.left = &one, .right = &two};
        open_points(&both, *state, &whole);
        open_problem(&crossed, *state, &problem, 0);
        eb_neighbours *expected = table_of(&both, s->eps), *found = table_of(&crossed, s->eps);
        assert_int_equal(found->rows, left);
        uint64_t at = 0;
        for (size_t i = 0; i < left; i++)
            for (uint64_t e = expected->offsets[i]; e < expected->offsets[i + 1]; e++) {
                if (expected->columns[e] < left)
                    continue;
                assert_int_equal(found->columns[at], expected->columns[e] - left);
                assert_true(memcmp(&found->distances[at++], &expected->distances[e], sizeof(double)) == 0);
            }
        assert_int_equal(at, found->offsets[left]);
        eb_neighbours_free(expected);
        eb_neighbours_free(found);
        close_problem(&both);
        close_problem(&crossed);
        free(rows);
        free(first);
        free(second);
    }
}

/* ---- shares ---- */

/* *state: the engine. The rows are cut at any place, the later ones first; also each third of the tiles. */
static void shares_add_up_to_the_whole(void **state)
{
    const sample s = plenty();
    eb_dataset ds;
    asked a;
    float *rows = make(&s, &ds);
    const eb_question question = {.eps = s.eps};
    const size_t cut[] = {0, 1, 131, ds.n / 2 + 3, ds.n};
    open_points(&a, *state, &ds);
    eb_neighbours *whole = table_of(&a, s.eps);
    uint64_t counted = 0;
    for (size_t k = 4; k-- > 0;) {
        const eb_share share = eb_share_rows(cut[k], cut[k + 1]);
        eb_neighbours *part = rows_of(&a, s.eps, cut[k], cut[k + 1]);
        uint64_t before = whole->offsets[cut[k]], entries = whole->offsets[cut[k + 1]] - before;
        assert_int_equal(part->offsets[part->rows], entries);
        assert_memory_equal(part->columns, whole->columns + before, entries * sizeof *part->columns);
        assert_memory_equal(part->distances, whole->distances + before, entries * sizeof *part->distances);
        counted += count_of(&a, &question, &share);
        eb_neighbours_free(part);
    }
    assert_int_equal(counted, whole->offsets[ds.n]);
    eb_neighbours_builder *builder = new_builder(&a.opened.problem, 0, ds.n);
    counted = 0;
    for (unsigned part = 3; part-- > 0;) {
        const eb_share share = {0, ds.n, part, 3, NULL};
        join_into(&a, &question, &share, builder);
        counted += count_of(&a, &question, &share);
    }
    assert_int_equal(counted, whole->offsets[ds.n]);
    assert_same_table(finish_builder(builder), whole, "thirds of the tiles");
    close_problem(&a);
    free(rows);
}

/* ---- exact verdicts ---- */

static const eb_engine unsure_engine = {.name = "unsure",
                                        .title = "test engine",
                                        .exactness = EB_CERTIFIED,
                                        .on = {[EB_DEVICE_CUDA] = {"FP32, unsure near ε", &eb_unsure_cuda}}};

static void open_unsure(asked *a, const eb_problem *problem, uint64_t memory_limit)
{
    eb_status status = {.message = ""};
    eb_spec spec = {.engine = &unsure_engine};
    eb_options_default(&unsure_engine.options, &spec.options);
    assert_int_equal(eb_setup_make(&spec, "cuda:0", find_test_device, NULL, &a->setup, &status), EB_OK);
    a->setup.resources = (eb_resources){.threads = 2, .memory_limit = memory_limit};
    if (eb_problem_open(&a->setup, problem, NULL, &a->opened, &status))
        fail_msg("unsure on %s: %s", problem->left->source, status.message);
}

static void compare_unsure(const sample *s, double band)
{
    eb_dataset ds;
    asked unsure, truth;
    float *rows = make(s, &ds);
    const eb_problem problem = eb_self_join(&ds);
    eb_unsure_band = band;
    open_unsure(&unsure, &problem, 0);
    open_points(&truth, "ref64", &ds);
    eb_neighbours *found = table_of(&unsure, s->eps), *expected = table_of(&truth, s->eps);
    assert_same_columns(found, expected, s->name);
    eb_neighbours_free(found);
    eb_neighbours_free(expected);
    close_problem(&unsure);
    close_problem(&truth);
    free(rows);
}

static void unsure_pairs_get_the_truths_verdict(void **state)
{
    (void)state;
    for (size_t k = 0; k < SAMPLES; k++)
        if (used_here(&samples[k])) {
            compare_unsure(&samples[k], 0);
            compare_unsure(&samples[k], 0.05);
            compare_unsure(&samples[k], 1e30); /* every pair is unsure */
        }
}

/* Memory for few pairs at a time: the second list fills up in the middle of launches, and must neither lose pairs nor
 * give up where fewer tiles, or fewer rows, would fit. */
static void an_unsure_list_that_runs_full_loses_nothing(void **state)
{
    (void)state;
    const sample s = {"crowd", small ? 600 : 3000, 20, 1.5, uniform};
    eb_dataset ds;
    asked tight, truth;
    float *rows = make(&s, &ds);
    const eb_problem problem = eb_self_join(&ds);
    eb_unsure_band = 1e30;
    uint64_t points = eb_unsure_cuda.memory_needed(ds.n, ds.d, EB_F32), entries = 0;
    open_unsure(&tight, &problem, points + points / 2 + 1500000);
    open_points(&truth, "ref64", &ds);
    eb_status status = {.message = ""};
    eb_neighbours *expected = table_of(&truth, s.eps);
    for (size_t begin = 0, step = ds.n; begin < ds.n;) {
        /* As in join.c, a range that does not fit is halved. */
        size_t end = begin + step < ds.n ? begin + step : ds.n;
        const eb_question question = {.eps = s.eps};
        const eb_share share = eb_share_rows(begin, end);
        eb_neighbours_builder *builder = new_builder(&problem, begin, end);
        eb_sink sink = eb_neighbours_builder_sink(builder);
        eb_code failed = eb_unsure_cuda.join(tight.opened.state, &question, &share, &sink, &status);
        if (failed == EB_NO_MEMORY && step > 1) {
            eb_neighbours_builder_free(builder);
            step /= 2;
            continue;
        }
        if (failed)
            fail_msg("%s", status.message);
        eb_neighbours *part = finish_builder(builder);
        uint64_t before = expected->offsets[begin], here = part->offsets[part->rows];
        assert_int_equal(here, expected->offsets[end] - before);
        assert_memory_equal(part->columns, expected->columns + before, here * sizeof *part->columns);
        entries += here;
        eb_neighbours_free(part);
        begin = end;
    }
    assert_int_equal(entries, expected->offsets[ds.n]);
    assert_int_equal(count_all(&tight, s.eps), entries);
    eb_neighbours_free(expected);
    close_problem(&tight);
    close_problem(&truth);
    free(rows);
}

/* ---- several at once ---- */

typedef struct worker {
    const char *spec;
    const eb_dataset *ds;
    double eps;
    eb_neighbours *table;
    eb_code failed;
    eb_status status;
} worker;

/* Uses no cmocka assertions, which would end the wrong thread. */
static void *work(void *argument)
{
    worker *w = argument;
    asked a;
    const eb_problem problem = eb_self_join(w->ds);
    const eb_join_plan plan = {.question.eps = w->eps, .distances = EB_DISTANCES_F64, .whole = true};
    eb_join_result result;
    eb_spec spec;
    w->failed = eb_spec_parse(w->spec, NULL, &spec, &w->status);
    if (!w->failed)
        w->failed = eb_setup_make(&spec, "cuda:0", find_test_device, NULL, &a.setup, &w->status);
    for (int k = 0; k < 5 && !w->failed; k++) {
        w->failed = eb_problem_open(&a.setup, &problem, NULL, &a.opened, &w->status);
        if (w->failed)
            break;
        eb_neighbours_free(w->table);
        w->table = NULL;
        w->failed = eb_join_run(&a.opened, &plan, keep_table, &w->table, &result, &w->status);
        eb_problem_close(&a.opened);
    }
    return NULL;
}

static void run_together(const char *one, const char *two)
{
    const sample s = {"together", small ? 300 : 4000, 96, 3.6, uniform};
    eb_dataset ds;
    float *rows = make(&s, &ds);
    worker w[2] = {{.spec = one, .ds = &ds, .eps = s.eps}, {.spec = two, .ds = &ds, .eps = s.eps}};
    pthread_t thread[2];
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, work, &w[k]), 0);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < 2; k++) {
        asked alone;
        if (w[k].failed)
            fail_msg("%s: %s", w[k].spec, w[k].status.message);
        open_points(&alone, w[k].spec, &ds);
        assert_same_table(w[k].table, table_of(&alone, s.eps), w[k].spec);
        close_problem(&alone);
    }
    free(rows);
}

static void two_engines_work_on_one_gpu_at_once(void **state)
{
    (void)state;
    run_together("fasted", "ref64");
}

static void two_engines_work_on_two_gpus_at_once(void **state)
{
    (void)state;
    if (gpu_count < 2)
        skip();
    run_together("fasted[device=cuda:0]", "ref64[device=cuda:1]");
    run_together("fasted[device=cuda:1]", "fasted[device=cuda:0]");
}

/* ---- large joins only ---- */

/* Defined in bands_probe.cu: number of tiles of matrices, and of their triangles, that the workers do not compute
 * exactly once. */
extern size_t test_bands_wrong(uint32_t rows, uint32_t workers);
extern size_t test_steps_wrong(uint32_t rows, uint32_t workers);

static void check_tiles(size_t (*wrong)(uint32_t rows, uint32_t workers))
{
    for (uint32_t rows = 1; rows < 200; rows += rows < 40 ? 1 : 13) {
        assert_int_equal(wrong(rows, 1), 0);
        assert_int_equal(wrong(rows, 264), 0);
        assert_int_equal(wrong(rows, 66), 0);
        assert_int_equal(wrong(rows, 7), 0);
    }
}

static void bands_name_every_tile_once(void **state)
{
    (void)state;
    check_tiles(test_bands_wrong);
}

static void steps_name_every_tile_once(void **state)
{
    (void)state;
    check_tiles(test_steps_wrong);
}

/* fasted uses strips and sorts by norms only for many points: all variants give the same bits. */
static void large_joins_of_fasted_agree_bit_for_bit(void **state)
{
    (void)state;
    static const char *const others[] = {"fasted[-strips]", "fasted[-sorted-norms]", "fasted[-warpgroup]",
                                         "fasted[-warpgroup,-sorted-norms]",
                                         "fasted[-warpgroup,-row-constant,-sorted-norms]"};
    const sample s = {"large", 270001, 20, 0.85, uniform};
    if (small)
        skip(); /* too many pairs for a sanitizer */
    eb_dataset ds;
    float *rows = make(&s, &ds);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        asked a, b;
        open_points(&a, "fasted", &ds);
        open_points(&b, others[k], &ds);
        assert_true(count_all(&a, s.eps) > 2 * ds.n);
        assert_same_table(table_of(&a, s.eps), table_of(&b, s.eps), others[k]);
        close_problem(&a);
        close_problem(&b);
    }
    free(rows);
}

/* Four groups run for many points of up to 64 dimensions, with copies of 32, 64 and 128 bytes a row. */
static void short_rows_of_fasted_agree_bit_for_bit(void **state)
{
    (void)state;
    static const char *const others[] = {"fasted[-four-groups]",
                                         "fasted[-early-test]",
                                         "fasted[-candidate-queue,-spare-warps]",
                                         "fasted[-aggregate]",
                                         "fasted[-bands]",
                                         "fasted[-row-constant,-sorted-norms]",
                                         "fasted[-spare-warps]",
                                         "fasted[-strips]",
                                         "fasted[-in-turn]",
                                         "fasted[-fetch-ahead,-four-groups]",
                                         "fasted[-symmetric]"};
    static const sample shapes[] = {{"32 bytes", 40001, 16, 0.75, uniform},
                                    {"64 bytes", 33001, 32, 1.4, uniform},
                                    {"128 bytes", 33001, 64, 2.4, uniform}};
    if (small)
        skip(); /* too many pairs for a sanitizer */
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        eb_dataset ds;
        float *rows = make(&shapes[s], &ds);
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            asked a, b;
            open_points(&a, "fasted", &ds);
            open_points(&b, others[k], &ds);
            assert_true(count_all(&a, shapes[s].eps) > 2 * ds.n);
            assert_int_equal(count_all(&a, shapes[s].eps), count_all(&b, shapes[s].eps));
            assert_same_table(table_of(&a, shapes[s].eps), table_of(&b, shapes[s].eps), others[k]);
            close_problem(&a);
            close_problem(&b);
        }
        free(rows);
    }
}

/* ---- list of tests ---- */

static void add_all(test_list *list)
{
    for (size_t e = 0; e < ENGINES; e++) {
        add_test(list, "list_is_triangle", engines[e], a_list_of_all_leaf_pairs_equals_the_triangle, engines[e]);
        add_test(list, "list", engines[e], a_list_finds_the_pairs_of_its_leaves, engines[e]);
        add_test(list, "two_sets", engines[e], two_sets_find_what_their_union_finds, engines[e]);
        add_test(list, "shares", engines[e], shares_add_up_to_the_whole, engines[e]);
    }
    ADD_TEST(list, bands_name_every_tile_once);
    ADD_TEST(list, steps_name_every_tile_once);
    ADD_TEST(list, large_joins_of_fasted_agree_bit_for_bit);
    ADD_TEST(list, short_rows_of_fasted_agree_bit_for_bit);
    ADD_TEST(list, unsure_pairs_get_the_truths_verdict);
    ADD_TEST(list, an_unsure_list_that_runs_full_loses_nothing);
    ADD_TEST(list, two_engines_work_on_one_gpu_at_once);
    ADD_TEST(list, two_engines_work_on_two_gpus_at_once);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_work", add_all); }
