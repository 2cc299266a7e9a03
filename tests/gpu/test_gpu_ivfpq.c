/* Tests of IVFPQ as an engine on a GPU: pairs, their s, counts, passes and shares equal the CPU's bit for bit, for all
 * tables, layouts, points and ε, for one set and two, also when many more pairs are found than fit the buffer at once.
 * Needs a GPU (gpu_suite.h). */
#include <math.h>

#include "core/data/scaling.h"
#include "core/engine/problem.h"
#include "core/inverted/question.h"
#include "gpu_suite.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/join_entries.h"

enum { GPU, CPU, BOTH };

/* Must not move once the engines are open. */
typedef struct opened_twice {
    eb_setup setup[BOTH];
    eb_opened opened[BOTH];
} opened_twice;

static void open_twice(opened_twice *a, const char *items, const eb_problem *problem)
{
    static const char *const on[BOTH] = {"cuda:0", "cpu"};
    char spec[EB_SPEC_TEXT];
    eb_status status = {.message = ""};
    for (size_t k = 0; k < BOTH; k++) {
        (void)snprintf(spec, sizeof spec, "ivfpq[%s,device=%s]", items, on[k]);
        a->setup[k] = setup_of(spec);
        if (eb_problem_open(&a->setup[k], problem, NULL, &a->opened[k], &status))
            fail_msg("%s: %s", spec, status.message);
    }
}

static void close_twice(opened_twice *a)
{
    for (size_t k = 0; k < BOTH; k++)
        eb_problem_close(&a->opened[k]);
}

/* ---- equal answers ---- */

static uint64_t count_on(const opened_twice *a, size_t k, double eps, const eb_share *share)
{
    const eb_question question = {.eps = eps};
    eb_status status = {.message = ""};
    uint64_t entries = 0;
    if (a->setup[k].run->count(a->opened[k].state, &question, share, &entries, &status))
        fail_msg("%s: %s", a->setup[k].spec, status.message);
    return entries;
}

static size_t expect_same(const opened_twice *a, double eps, const eb_share *share, const char *what)
{
    const eb_question question = {.eps = eps};
    join_entries on[BOTH];
    for (size_t k = 0; k < BOTH; k++)
        on[k] = entries_of(&a->opened[k], &question, share);
    const size_t count = on[GPU].count;
    assert_same_entries(&on[GPU], &on[CPU], a->setup[GPU].spec, what);
    assert_int_equal(count_on(a, GPU, eps, share), count_on(a, CPU, eps, share));
    for (size_t k = 0; k < BOTH; k++)
        free_entries(&on[k]);
    return count;
}

/* A finite s between the middle point, as the query, and another point; 1 if the query finds only itself. */
static double some_s(const opened_twice *a, uint64_t *seed)
{
    const eb_problem *problem = &a->opened[GPU].problem;
    const uint32_t row = (uint32_t)(problem->left->n / 2);
    const size_t n = problem->right->n;
    double *s = malloc(2 * n * sizeof *s), one = (double)INFINITY;
    assert_non_null(s);
    for (size_t k = 0; k < BOTH; k++)
        assert_int_equal(a->setup[k].run->distances(a->opened[k].state, &row, 1, s + k * n, NULL), EB_OK);
    assert_memory_equal(s, s + n, n * sizeof *s);
    for (size_t k = 0; k < 40 && (isinf(one) || one == 0); k++)
        one = s[naive_random(seed) % n];
    free(s);
    return isinf(one) || one == 0 ? 1 : one;
}

/* Compares at an ε at a pair's distance, just below it, with no pairs, with all pairs, and in between. */
static size_t expect_same_at_radii(const opened_twice *a, uint64_t *seed, const char *what)
{
    const eb_share whole = eb_share_whole(&a->opened[GPU].problem);
    const double tie = eb_smallest_eps_scaled(some_s(a, seed), 0),
                 eps[] = {tie, nextafter(tie, 0), 0, 1e150, 0.7 * tie};
    size_t found = 0;
    for (size_t k = 0; k < sizeof eps / sizeof eps[0]; k++)
        found += expect_same(a, eps[k], &whole, what);
    return found;
}

/* Compares the k nearest too: for no queries first, and for some queries twice. */
static size_t expect_same_nearest(const opened_twice *a, uint64_t *seed, const char *what)
{
    enum { K = 7 };
    const size_t n = a->opened[GPU].problem.left->n, first[] = {0, n / 2, 0}, count[] = {0, n - n / 2, n};
    eb_inverted_work work[BOTH];
    uint32_t *rows = malloc(2 * n * K * sizeof *rows);
    double *far = malloc(2 * n * K * sizeof *far);
    eb_status status = {.message = ""};
    assert_true(rows && far);
    for (size_t r = 0; r < 3; r++) {
        for (size_t k = 0; k < BOTH; k++) {
            const eb_nearest_question question = {.k = K, .work = &work[k]};
            if (eb_ask_nearest(&a->opened[k], &question, first[r], count[r], rows + k * n * K, far + k * n * K,
                               &status))
                fail_msg("%s, %s: %s", a->setup[k].spec, what, status.message);
        }
        assert_memory_equal(rows, rows + n * K, count[r] * K * sizeof *rows);
        assert_memory_equal(far, far + n * K, count[r] * K * sizeof *far);
    }
    assert_true(work[GPU].lookups > 0 && work[CPU].lookups == 0);
    assert_non_null(strstr(a->setup[GPU].run->describe(a->opened[GPU].state), "CUDA"));
    free(rows);
    free(far);
    return n + expect_same_at_radii(a, seed, what);
}

/* ---- every table, every layout ---- */

typedef size_t expectation(const opened_twice *a, uint64_t *seed, const char *what);

static size_t try_one(const char *items, const eb_problem *problem, expectation *expect, const char *what)
{
    uint64_t seed = 5;
    opened_twice a;
    open_twice(&a, items, problem);
    const size_t found = expect(&a, &seed, what);
    close_twice(&a);
    return found;
}

static void try_every_way(const eb_problem *problem, const char *shape, expectation *expect, const char *what)
{
    char items[EB_SPEC_TEXT];
    size_t found = 0;
    for (unsigned lut = 0; lut < EB_TABLE_FORMATS; lut++)
        for (unsigned layout = 0; layout < EB_TABLE_LAYOUTS; layout++)
            for (unsigned f16 = 0; f16 < 2; f16++) {
                const bool packed = layout == EB_LAYOUT_PACKED;
                if ((packed && (lut == EB_TABLE_F32 || f16)) || (f16 && lut == EB_TABLE_U8))
                    continue;
                (void)snprintf(items, sizeof items, "%s,lut=%s,layout=%s%s%s", shape,
                               eb_table_format_name((eb_table_format)lut),
                               eb_table_layout_name((eb_table_layout)layout), f16 ? ",accumulate=f16" : "",
                               layout == EB_LAYOUT_PLAIN ? ",pad" : "");
                found += try_one(items, problem, expect, what);
            }
    assert_true(found > 0);
}

static void hostile_points_have_the_same_pairs(void **state)
{
    static const size_t sizes[][2] = {{9, 1}, {97, 4}, {260, 12}};
    static const eb_dtype dtypes[] = {EB_F32, EB_U8, EB_F64, EB_I8};
    static const char *const shapes[] = {"rounds=3,nlist=1", "rounds=3,nlist=5,nprobe=2", "rounds=3,nlist=7,nprobe=7"};
    (void)state;
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f += small ? 3 : 1)
        for (size_t z = 0; z < 3; z++) {
            eb_dataset *ds = hostile_points(f, dtypes[(f + z) % 4], sizes[z][0], sizes[z][1], f * 10 + z);
            const eb_problem problem = eb_self_join(ds);
            try_every_way(&problem, shapes[(f + z) % 3], expect_same_at_radii, hostile_name(f));
            eb_dataset_free(ds);
        }
}

/* Many queries per list, so that the default layout is the packed one; pieces of one, two and more coordinates. */
static void every_shape_has_the_same_pairs(void **state)
{
    static const struct {
        size_t d;
        const char *items;
    } shapes[] = {{128, "rounds=2,nlist=12,nprobe=5"},
                  {51, "rounds=2,nlist=40,nprobe=40,m=17"},
                  {33, "rounds=2,nlist=3,nprobe=1,m=33"},
                  {96, "rounds=2,nlist=30,nprobe=9,m=4"}};
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F32, small ? 400 : 1300, shapes[k].d, 23);
        const eb_problem problem = eb_self_join(ds);
        try_every_way(&problem, shapes[k].items, expect_same_at_radii, shapes[k].items);
        eb_dataset_free(ds);
    }
}

static void of_two_sets_each_left_point_asks(void **state)
{
    eb_dataset *left = hostile_points(HOSTILE_CLUSTERS, EB_F32, 70, 8, 3),
               *right = hostile_points(HOSTILE_RANDOM, EB_F32, 450, 8, 4);
    const eb_problem problems[] = {{.left = left, .right = right}, {.left = right, .right = left}};
    (void)state;
    for (size_t p = 0; p < 2; p++)
        try_every_way(&problems[p], "rounds=3,nlist=6,nprobe=4", expect_same_nearest, "two sets");
    eb_dataset_free(left);
    eb_dataset_free(right);
}

/* ---- shares and passes ---- */

static size_t expect_same_shares(const opened_twice *a, uint64_t *seed, const char *what)
{
    const size_t n = a->opened[GPU].problem.left->n, edge[] = {0, n / 3, n / 3 + 1, n};
    static const unsigned parts[] = {1, 3, 500}; /* more parts than queries */
    const double eps = eb_smallest_eps_scaled(some_s(a, seed), 0);
    size_t found = 0;
    for (size_t k = 0; k < 3; k++)
        for (size_t p = 0; p < 3; p++)
            for (unsigned part = 0; part < parts[p]; part += 1 + parts[p] / 7) {
                const eb_share share = {edge[k], edge[k + 1], part, parts[p], NULL};
                found += expect_same(a, eps, &share, what);
            }
    return found;
}

static void shares_have_the_same_pairs(void **state)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 300, 6, 5),
               *other = hostile_points(HOSTILE_RANDOM, EB_F32, 110, 6, 6);
    const eb_problem problems[] = {eb_self_join(ds), {.left = ds, .right = other}};
    static const char *const ways[] = {"rounds=3,nlist=5,nprobe=3,lut=e5m3,layout=packed", "rounds=3,nlist=5,nprobe=4",
                                       "rounds=3,nlist=9,nprobe=2,lut=u8"};
    (void)state;
    for (size_t p = 0; p < 2; p++)
        for (size_t w = 0; w < 3; w++)
            assert_true(try_one(ways[w], &problems[p], expect_same_shares, "shares") > 0);
    eb_dataset_free(ds);
    eb_dataset_free(other);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t expect_same_passes(const opened_twice *a, uint64_t *seed, const char *what)
{
    static const bool keep[] = {true, false, true, false};
    const double tie = eb_smallest_eps_scaled(some_s(a, seed), 0), edges[] = {0.5 * tie, tie, 1.1 * tie, 2 * tie};
    uint64_t pairs[BOTH][4];
    double *kept[BOTH][4];
    for (size_t k = 0; k < BOTH; k++) {
        eb_distance_pass pass = {.edges = 4, .eps = edges, .keep = keep, .pairs = pairs[k], .kept = kept[k]};
        assert_int_equal(a->setup[k].run->histogram(a->opened[k].state, &pass, NULL), EB_OK);
    }
    for (size_t e = 0; e < 4; e++) {
        if (pairs[GPU][e] != pairs[CPU][e])
            fail_msg("%s, %s: interval %zu has %llu pairs, on the CPU %llu", a->setup[GPU].spec, what, e,
                     (unsigned long long)pairs[GPU][e], (unsigned long long)pairs[CPU][e]);
        for (size_t k = 0; k < BOTH && kept[k][e]; k++)
            qsort(kept[k][e], pairs[k][e], sizeof(double), by_value);
        if (keep[e] && pairs[GPU][e] > 0)
            assert_memory_equal(kept[GPU][e], kept[CPU][e], pairs[GPU][e] * sizeof(double));
        free(kept[GPU][e]);
        free(kept[CPU][e]);
    }
    return pairs[GPU][0] + pairs[GPU][1] + pairs[GPU][2];
}

static void passes_count_the_same_pairs(void **state)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 700, 8, 7);
    const eb_problem problem = eb_self_join(ds);
    (void)state;
    try_every_way(&problem, "rounds=3,nlist=9,nprobe=4", expect_same_passes, "a pass");
    eb_dataset_free(ds);
}

/* ---- more pairs than fit at once ---- */

/* The first half of the points are alike and neighbours of each other; the rest are far apart. A batch first has too
 * little memory, then more and more. */
static eb_dataset *crowd_and_others(size_t n)
{
    enum { D = 4 };
    float *value = calloc(n * D, sizeof *value);
    eb_dataset *ds = calloc(1, sizeof *ds);
    assert_true(value && ds);
    uint64_t seed = 8;
    for (size_t at = n / 2 * D; at < n * D; at++)
        value[at] = (float)(1 + 1000 * hostile_unit(&seed));
    *ds = (eb_dataset){.n = n,
                       .d = D,
                       .dtype = EB_F32,
                       .rows = (const unsigned char *)value,
                       .stride = D * sizeof *value,
                       .release = free,
                       .owner = value};
    return ds;
}

static void crowds_are_looked_at_in_smaller_batches(void **state)
{
    static const char *const ways[] = {"nlist=2,nprobe=2,rounds=5", "nlist=2,nprobe=2,rounds=5,lut=e4m4,layout=packed",
                                       "nlist=16,nprobe=2,rounds=5,lut=u8"};
    eb_dataset *ds = crowd_and_others(small ? 9000 : 14000); /* 4500 × 9000 > 2^24, the capacity on a GPU */
    const eb_problem problem = eb_self_join(ds);
    const eb_share whole = eb_share_whole(&problem);
    (void)state;
    for (size_t w = 0; w < 3; w++) {
        opened_twice a;
        open_twice(&a, ways[w], &problem);
        for (unsigned k = 0; k < 2; k++) {
            const double eps = k ? 1e6 : 50;
            const uint64_t found = count_on(&a, GPU, eps, &whole);
            assert_int_equal(found, count_on(&a, CPU, eps, &whole));
            if (w == 0 || k == 1) /* coarse tables hardly resolve near points */
                assert_true(found > ds->n / 2 * (ds->n / 2));
        }
        (void)expect_same_passes(&a, &(uint64_t){3}, "a crowd");
        close_twice(&a);
    }
    eb_dataset_free(ds);
}

/* ---- refusals, reports, cancelling ---- */

static eb_code try_open(const char *text, const eb_problem *problem, uint64_t memory, double eps, eb_status *status)
{
    const eb_share whole = eb_share_whole(problem);
    const eb_question question = {.eps = eps};
    uint64_t entries;
    eb_spec spec;
    eb_setup setup;
    eb_opened opened;
    EB_TRY(eb_spec_parse(text, NULL, &spec, status));
    EB_TRY(eb_setup_make(&spec, "cuda:0", find_test_device, NULL, &setup, status));
    setup.resources = (eb_resources){.threads = 2, .memory_limit = memory};
    EB_TRY(eb_problem_open(&setup, problem, NULL, &opened, status));
    const eb_code failed = setup.run->count(opened.state, &question, &whole, &entries, status);
    eb_problem_close(&opened);
    return failed;
}

static void what_it_cannot_do_is_refused(void **state)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 600, 512, 9);
    const eb_problem problem = eb_self_join(ds);
    eb_status status = {.message = ""};
    (void)state;
    assert_int_equal(try_open("ivfpq[layout=packed]", &problem, 0, 1, &status), EB_USAGE);
    assert_int_equal(try_open("ivfpq[lut=e5m3,layout=packed,accumulate=f16]", &problem, 0, 1, &status), EB_USAGE);
    assert_int_equal(try_open("ivfpq[m=512,rounds=1]", &problem, 0, 1, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "f32 tables of m = 512"));
    assert_int_equal(try_open("ivfpq[m=512,rounds=1,lut=e5m3]", &problem, 0, 1, &status), EB_OK);
    assert_int_equal(try_open("ivfpq[rounds=1]", &problem, 1 << 20, 1, &status), EB_NO_MEMORY);
    assert_int_equal(try_open("ivfpq[rounds=1]", &problem, 0, 1, &status), EB_OK);
    eb_dataset_free(ds);
}

static void its_work_is_told(void **state)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 1000, 16, 11);
    const eb_problem problem = eb_self_join(ds);
    const eb_share whole = eb_share_whole(&problem);
    opened_twice a;
    (void)state;
    open_twice(&a, "nlist=8,nprobe=8,lut=e5m3,layout=packed", &problem);
    assert_true(count_on(&a, GPU, 1, &whole) >= ds->n);
    const eb_figures *figures = &a.opened[GPU].figures;
    assert_true(eb_figures_value(figures, "candidates_a_point") ==
                1000); /* all points, because all lists are searched */
    assert_true(eb_figures_value(figures, "lists_a_point") <= 8 && eb_figures_value(figures, "lists_a_point") > 0);
    assert_true(eb_figures_value(figures, "kernel_s") > 0);
    assert_non_null(strstr(a.setup[GPU].run->describe(a.opened[GPU].state), "4 queries a table"));
    close_twice(&a);
    eb_dataset_free(ds);
}

static eb_code count_as_job(eb_job *job, void *argument, eb_status *status)
{
    opened_twice *a = argument;
    eb_opened *o = &a->opened[GPU];
    const eb_question question = {.eps = 1};
    const eb_share whole = eb_share_whole(&o->problem);
    uint64_t entries;
    o->context.job = job;
    eb_job_phase(job, "counting", o->problem.left->n);
    for (unsigned part = 0; part < 7; part++) {
        const eb_share share = {0, whole.row_end, part, 7, NULL};
        EB_TRY(a->setup[GPU].run->count(o->state, &question, &share, &entries, status));
    }
    if (eb_job_progress(job).done != whole.row_end)
        return eb_fail(status, EB_INTERNAL, "%llu rows", (unsigned long long)eb_job_progress(job).done);
    eb_job_cancel(job);
    return a->setup[GPU].run->count(o->state, &question, &whole, &entries, status);
}

static void progress_adds_up_and_a_cancel_is_heard(void **state)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 333, 6, 1);
    const eb_problem problem = eb_self_join(ds);
    eb_status status = {.message = ""};
    eb_job *job;
    opened_twice a;
    (void)state;
    open_twice(&a, "rounds=3", &problem);
    assert_int_equal(eb_job_start(count_as_job, &a, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    a.opened[GPU].context.job = NULL;
    const eb_share whole = eb_share_whole(&problem);
    assert_true(expect_same(&a, 1, &whole, "after a cancel") > 0);
    close_twice(&a);
    eb_dataset_free(ds);
}

static void add_all(test_list *list)
{
    ADD_TEST(list, hostile_points_have_the_same_pairs);
    ADD_TEST(list, every_shape_has_the_same_pairs);
    ADD_TEST(list, of_two_sets_each_left_point_asks);
    ADD_TEST(list, shares_have_the_same_pairs);
    ADD_TEST(list, passes_count_the_same_pairs);
    ADD_TEST(list, crowds_are_looked_at_in_smaller_batches);
    ADD_TEST(list, what_it_cannot_do_is_refused);
    ADD_TEST(list, its_work_is_told);
    ADD_TEST(list, progress_adds_up_and_a_cancel_is_heard);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_ivfpq", add_all); }
