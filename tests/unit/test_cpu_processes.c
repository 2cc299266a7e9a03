/* Tests of questions that several ranks share (core/ranks/), with threads in the place of processes: answers are those
 * of one rank, bit for bit, for 1 to 9 ranks and all engines of the CPU; failures and cancels of a rank. */
#include <time.h>

#include "core/cluster/dbscan.h"
#include "core/cluster/noise.h"
#include "core/ranks/keep/rows.h"
#include "core/ranks/ranks.h"
#include "tests/unit/company.h"
#include "tests/unit/cpu_points.h"

static const char *const specs[] = {"ref64",  "ref64[-filter,-integers]", "fasted[tensor=sm_80]", "tensor[type=e4m3]",
                                    "exact",  "exact[way=boxes]",         "exact[way=ref64]",     "ego",
                                    "hilbert"};

/* ---- tests ---- */

static const char *const chosen[] = {"one point",       "two points",  "zeros",     "bytes with ties",
                                     "257 deep points", "1025 points", "everything"};
#define CHOSEN (sizeof chosen / sizeof chosen[0])
#define SPECS (sizeof specs / sizeof specs[0])

static void expect_ranks_agree(const eb_problem *problem, double eps, unsigned ranks)
{
    for (size_t k = 0; k < SPECS; k++) {
        answers alone, together;
        company c;
        const bool self_only = strncmp(specs[k], "exact", 5) == 0 && strstr(specs[k], "boxes");
        if (!eb_is_self_join(problem) && self_only)
            continue;
        ask_problem(specs[k], problem, eps, &alone);
        begin_company(&c, ranks);
        ask_problem(specs[k], problem, eps, &together);
        end_company(&c);
        expect_same(&alone, &together, problem, specs[k], ranks);
        if (strncmp(specs[k], "ref64", 5) == 0) /* others add their candidates' operations, and look for them anew */
            assert_true(fabs(alone.flops - together.flops) <= 1e-9 * alone.flops);
        free_answers(&alone);
        free_answers(&together);
    }
}

TEST(ranks_answer_like_one)
{
    for (unsigned ranks = 1; ranks <= MOST_RANKS; ranks++) {
        const sample *s = sample_called(chosen[ranks % CHOSEN]);
        eb_dataset *ds = make(s);
        const eb_problem problem = eb_self_join(ds);
        expect_ranks_agree(&problem, s->eps, ranks);
        eb_dataset_free(ds);
    }
}

TEST(ranks_join_two_sets_like_one)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_dataset left = slice(ds, 200, 257), right = slice(ds, 0, 200);
    const eb_problem problem = {.left = &left, .right = &right};
    expect_ranks_agree(&problem, s->eps, 4);
    eb_dataset_free(ds);
}

static eb_neighbours *collect(const eb_problem *problem, double eps, uint64_t limit, size_t *batches)
{
    eb_setup setup;
    eb_opened held, *opened = &held;
    eb_join_result result;
    eb_neighbours *table = NULL;
    uint64_t entries;
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(problem);
    const eb_join_plan plan = {.question = question, .distances = EB_DISTANCES_F64, .memory_limit = limit};
    (void)setup_for("ref64", 2, &setup);
    EXPECT_OK(eb_problem_open(&setup, problem, NULL, opened, &status));
    EXPECT_OK(eb_ask_count(opened, &question, &whole, &entries, &status));
    EXPECT_OK(eb_join_collect(opened, &plan, entries, &table, &result, &status));
    eb_problem_close(opened);
    *batches = result.batches;
    return table;
}

TEST(ranks_make_a_table_in_batches)
{
    const sample *s = sample_called("1024 points");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    size_t one, several;
    company c;
    eb_neighbours *alone = collect(&problem, s->eps, 0, &one);
    begin_company(&c, 3);
    eb_neighbours *together = collect(&problem, s->eps, 100000, &several);
    end_company(&c);
    assert_int_equal(one, 1);
    assert_true(several > 1);
    const uint64_t entries = alone->offsets[ds->n];
    assert_memory_equal(alone->offsets, together->offsets, (ds->n + 1) * sizeof *alone->offsets);
    assert_memory_equal(alone->columns, together->columns, entries * sizeof *alone->columns);
    assert_memory_equal(alone->distances, together->distances, entries * sizeof *alone->distances);
    eb_neighbours_free(alone);
    eb_neighbours_free(together);
    eb_dataset_free(ds);
}

/* ---- rows that stay with the ranks ---- */

/* Where a keeper puts rows: ranks are threads here, and their order is its address. */
typedef struct larder {
    pthread_mutex_t lock;
    size_t n, rows, tables;
    uint64_t entries;
    const eb_neighbours *whole; /* of one rank */
    size_t failing;             /* the row whose keeper fails */
} larder;

static bool is_part_of(const eb_neighbours *rows, const eb_neighbours *whole)
{
    const uint64_t before = whole->offsets[rows->first_row], entries = rows->offsets[rows->rows];
    for (size_t r = 0; r <= rows->rows; r++)
        if (rows->offsets[r] != whole->offsets[rows->first_row + r] - before)
            return false;
    return memcmp(rows->columns, whole->columns + before, entries * sizeof *rows->columns) == 0 &&
           memcmp(rows->distances, whole->distances + before, entries * sizeof *rows->distances) == 0;
}

static eb_code put_away(const void *order, size_t size, const eb_neighbours *rows, unsigned threads, eb_job *job,
                        eb_kept *told, eb_status *status)
{
    larder *l;
    (void)threads, (void)job;
    if (size != sizeof l)
        return eb_fail(status, EB_INTERNAL, "an order of %zu bytes", size);
    memcpy(&l, order, sizeof l);
    if (l->failing >= rows->first_row && l->failing < rows->first_row + rows->rows)
        return eb_fail(status, EB_IO, "the larder is full");
    if (!is_part_of(rows, l->whole))
        return eb_fail(status, EB_INTERNAL, "rows from %zu on are not those of one rank", rows->first_row);
    (void)pthread_mutex_lock(&l->lock);
    l->rows += rows->rows;
    l->entries += rows->offsets[rows->rows];
    l->tables++;
    (void)pthread_mutex_unlock(&l->lock);
    told->size = sizeof rows->first_row;
    memcpy(told->bytes, &rows->first_row, told->size);
    return EB_OK;
}

static void keep_rows(larder *l, const eb_problem *problem, double eps, unsigned ranks, size_t least)
{
    eb_setup setup;
    eb_opened held, *opened = &held;
    eb_kept kept[MOST_RANKS];
    const size_t half = l->n / 2;
    eb_keep_plan plan = {.eps = eps,
                         .row_end = half,
                         .least = least,
                         .distances = EB_DISTANCES_F64,
                         .keep = put_away,
                         .order = &l,
                         .order_size = sizeof l};
    (void)setup_for("ref64", 2, &setup);
    l->rows = l->entries = l->tables = 0;
    EXPECT_OK(eb_problem_open(&setup, problem, NULL, opened, &status));
    assert_int_equal(eb_ranks_of(opened), ranks);
    EXPECT_OK(eb_rows_keep(opened, &plan, kept, &status));
    assert_int_equal(l->rows, half);
    plan.row_begin = half;
    plan.row_end = l->n;
    EXPECT_OK(eb_rows_keep(opened, &plan, kept, &status));
    assert_int_equal(l->rows, l->n);
    assert_int_equal(l->entries, l->whole->offsets[l->n]);
    assert_int_equal(l->tables, least ? 2 * ((half + least - 1) / least) : 2 * (size_t)ranks);
    l->failing = l->n - 1;
    eb_status status = {.message = ""};
    assert_int_equal(eb_rows_keep(opened, &plan, kept, &status), EB_IO);
    l->failing = l->n;
    eb_problem_close(opened);
    assert_non_null(strstr(status.message, "the larder is full"));
}

TEST(rows_that_stay_with_the_ranks_are_those_of_one)
{
    const sample *s = sample_called("1024 points");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    size_t batches;
    eb_neighbours *whole = collect(&problem, s->eps, 0, &batches);
    for (unsigned ranks = 2; ranks <= MOST_RANKS; ranks += 3) {
        company c;
        larder l = {.n = ds->n, .whole = whole, .failing = ds->n};
        (void)pthread_mutex_init(&l.lock, NULL);
        company_keeper = put_away;
        begin_company(&c, ranks);
        keep_rows(&l, &problem, s->eps, ranks, 0);
        keep_rows(&l, &problem, s->eps, ranks, 300);
        company_holding = EB_HOLD_BLOCKS;
        keep_rows(&l, &problem, s->eps, ranks, 0);
        keep_rows(&l, &problem, s->eps, ranks, 300);
        company_holding = EB_HOLD_AUTO;
        end_company(&c);
        company_keeper = NULL;
        (void)pthread_mutex_destroy(&l.lock);
    }
    eb_neighbours_free(whole);
    eb_dataset_free(ds);
}

/* ---- clusters ---- */

static eb_dbscan cluster(const char *spec, const eb_problem *problem, double eps, size_t min_points)
{
    eb_setup setup;
    eb_opened held, *opened = &held;
    eb_dbscan found;
    (void)setup_for(spec, 2, &setup);
    EXPECT_OK(eb_problem_open(&setup, problem, NULL, opened, &status));
    EXPECT_OK(eb_dbscan_find(opened, eps, min_points, 0, &found, &status));
    eb_problem_close(opened);
    return found;
}

static void expect_same_clusters(const char *spec, const eb_problem *problem, double eps, size_t min_points,
                                 unsigned ranks)
{
    company c;
    eb_dbscan alone = cluster(spec, problem, eps, min_points);
    begin_company(&c, ranks);
    company_holding = ranks % 2 ? EB_HOLD_BLOCKS : EB_HOLD_AUTO;
    eb_dbscan together = cluster(spec, problem, eps, min_points);
    company_holding = EB_HOLD_AUTO;
    end_company(&c);
    assert_memory_equal(alone.label, together.label, alone.n * sizeof *alone.label);
    assert_memory_equal(alone.neighbours, together.neighbours, alone.n * sizeof *alone.neighbours);
    assert_int_equal(alone.pairs, together.pairs);
    assert_int_equal(alone.clusters, together.clusters);
    assert_int_equal(alone.core, together.core);
    assert_int_equal(alone.border, together.border);
    assert_int_equal(alone.noise, together.noise);
    eb_dbscan_free(&alone);
    eb_dbscan_free(&together);
}

TEST(ranks_find_the_clusters_of_one)
{
    const sample *s = sample_called("1024 points");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    for (unsigned ranks = 2; ranks <= MOST_RANKS; ranks += 3)
        for (size_t k = 0; k < SPECS; k++)
            for (size_t min_points = 1; min_points <= 16; min_points = 4 * min_points) {
                expect_same_clusters(specs[k], &problem, s->eps, min_points, ranks);
                expect_same_clusters(specs[k], &problem, 0.6 * s->eps, min_points, ranks);
            }
    eb_dataset_free(ds);
}

TEST(ranks_find_the_clusters_of_few_points)
{
    for (size_t k = 0; k < 4; k++) {
        const sample *s = sample_called(chosen[k]);
        eb_dataset *ds = make(s);
        const eb_problem problem = eb_self_join(ds);
        expect_same_clusters("ref64", &problem, s->eps, 2, 3);
        eb_dataset_free(ds);
    }
}

/* ---- a grid of ε ---- */

enum { MOST_LEVELS = 9 };

static void fill_grid(double eps, double *grid, size_t levels)
{
    for (size_t k = 0; k < levels; k++)
        grid[k] = eps * (double)(k + (levels == 1)) / (double)(levels > 1 ? levels - 1 : 1);
}

static unsigned find_density(const char *spec, const eb_problem *problem, double most, size_t levels, size_t min_points,
                             eb_density *out)
{
    eb_setup setup;
    eb_opened held, *opened = &held;
    double eps[MOST_LEVELS];
    unsigned passes;
    fill_grid(most, eps, levels);
    (void)setup_for(spec, 2, &setup);
    EXPECT_OK(eb_problem_open(&setup, problem, NULL, opened, &status));
    EXPECT_OK(eb_density_find(opened, eps, levels, min_points, out, &passes, &status));
    eb_problem_close(opened);
    return passes;
}

/* Ranks with an odd number hold blocks. */
static void expect_same_density(const char *spec, const eb_problem *problem, double most, size_t levels,
                                size_t min_points, unsigned ranks)
{
    company c;
    eb_density alone[MOST_LEVELS], together[MOST_LEVELS];
    const unsigned passes = find_density(spec, problem, most, levels, min_points, alone);
    begin_company(&c, ranks);
    company_holding = ranks % 2 ? EB_HOLD_BLOCKS : EB_HOLD_AUTO;
    assert_int_equal(find_density(spec, problem, most, levels, min_points, together), passes);
    company_holding = EB_HOLD_AUTO;
    end_company(&c);
    for (size_t k = 0; k < levels; k++) {
        const eb_density *a = &alone[k], *b = &together[k];
        if (a->eps != b->eps || a->pairs != b->pairs || a->components != b->components || a->clusters != b->clusters ||
            a->largest != b->largest || a->core != b->core || a->noise != b->noise)
            fail_msg(
                "%s with %u ranks, minpts %zu, ε %g: %llu pairs, %zu components, %zu clusters, %zu core, %zu noise; "
                "expected %llu, %zu, %zu, %zu, %zu",
                spec, ranks, min_points, a->eps, (unsigned long long)b->pairs, b->components, b->clusters, b->core,
                b->noise, (unsigned long long)a->pairs, a->components, a->clusters, a->core, a->noise);
    }
}

/* Of the points with ties many pairs enter at the same level; ε = 0 is the first one. */
TEST(ranks_find_on_a_grid_what_one_finds)
{
    static const size_t min_points[] = {1, 2, 5, 40};
    static const char *const called[] = {"bytes with ties", "1024 points"};
    for (size_t which = 0; which < 2; which++) {
        const sample *s = sample_called(called[which]);
        eb_dataset *ds = make(s);
        const eb_problem problem = eb_self_join(ds);
        for (unsigned ranks = 1; ranks <= 5; ranks++)
            for (size_t k = which ? (ranks - 1) % 3 : 0; k < SPECS; k += which ? 3 : 1)
                for (size_t m = 0; m < 4; m++)
                    expect_same_density(specs[k], &problem, 1.2 * s->eps, MOST_LEVELS - m, min_points[m], ranks);
        eb_dataset_free(ds);
    }
}

TEST(ranks_find_on_a_grid_of_few_points_or_levels_what_one_finds)
{
    for (size_t k = 0; k < 4; k++) {
        const sample *s = sample_called(chosen[k]);
        eb_dataset *ds = make(s);
        const eb_problem problem = eb_self_join(ds);
        for (size_t levels = 1; levels <= 2; levels++)
            for (size_t min_points = 1; min_points <= 4; min_points++)
                expect_same_density("ref64", &problem, s->eps > 0 ? s->eps : 1, levels, min_points, 3);
        eb_dataset_free(ds);
    }
}

static eb_density find_noise(const eb_problem *problem, double share)
{
    eb_setup setup;
    eb_opened held, *opened = &held;
    eb_k_distance curve;
    eb_density found;
    unsigned passes;
    (void)setup_for("ref64", 2, &setup);
    const eb_k_distance_request request = {.setup = &setup, .points = problem->left, .min_points = 5, .seed = 1};
    EXPECT_OK(eb_problem_open(&setup, problem, NULL, opened, &status));
    EXPECT_OK(eb_k_distance_find(&request, NULL, &curve, &status));
    EXPECT_OK(eb_noise_find(opened, &curve, share, &found, &passes, &status));
    eb_k_distance_free(&curve);
    eb_problem_close(opened);
    return found;
}

TEST(ranks_find_the_noise_of_one)
{
    eb_dataset *ds = make(sample_called("1024 points"));
    const eb_problem problem = eb_self_join(ds);
    company c;
    for (unsigned percent = 0; percent <= 30; percent += 15) {
        const eb_density alone = find_noise(&problem, percent / 100.0);
        begin_company(&c, 3);
        const eb_density together = find_noise(&problem, percent / 100.0);
        end_company(&c);
        assert_true(alone.eps == together.eps);
        assert_int_equal(alone.pairs, together.pairs);
        assert_int_equal(alone.clusters, together.clusters);
        assert_int_equal(alone.noise, together.noise);
    }
    eb_dataset_free(ds);
}

/* ---- what ranks send ---- */

/* A point of each rank has at most so many bytes: counts up to min_points − 1 and links of one forest (8 each) in the
 * first pass, links and a reach in the second, and the level of each of rank 0's. All pairs are within ε. */
TEST(ranks_send_numbers_of_points_and_not_pairs)
{
    enum { N = 2000, RANKS = 4, MINPTS = 5 };
    eb_dataset *ds = naive_points(N, 2, 30, 3);
    const eb_problem problem = eb_self_join(ds);
    double eps[MOST_LEVELS];
    eb_density found[MOST_LEVELS];
    eb_setup setup;
    eb_opened held, *opened = &held;
    unsigned passes;
    company c;
    fill_grid(50, eps, MOST_LEVELS);
    begin_company(&c, RANKS);
    (void)setup_for("ref64", 2, &setup);
    EXPECT_OK(eb_problem_open(&setup, &problem, NULL, opened, &status));
    EXPECT_OK(eb_density_find(opened, eps, MOST_LEVELS, MINPTS, found, &passes, &status));
    const double sent = eb_figures_value(&opened->figures, "sent_bytes"), pairs = (double)found[MOST_LEVELS - 1].pairs,
                 most = (RANKS - 1) * (double)N * (8 * (MINPTS - 1) + 8 + 8 + 8 + 1 + 2 * sizeof(float)) + 32768;
    eb_problem_close(opened);
    end_company(&c);
    assert_true(pairs == (double)N * N);
    if (!(sent > 0 && sent <= most))
        fail_msg("%g bytes were sent, at most %g expected", sent, most);
    eb_dataset_free(ds);
}

/* ---- a rank that is lost ---- */

static eb_code (*usual_receive)(void *state, double seconds, eb_letter *out, bool *came, eb_status *status);
static _Atomic uint32_t fatal; /* the kind of letter with which the connection breaks; 0: none */

static eb_code receive_until(void *state, double seconds, eb_letter *out, bool *came, eb_status *status)
{
    EB_TRY(usual_receive(state, seconds, out, came, status));
    if (!*came || out->kind != atomic_load(&fatal))
        return EB_OK;
    eb_letter_free(out);
    return eb_fail(status, EB_IO, "rank %u (process 7 on host) has ended", out->from);
}

static void let_rank_0_lose(company *c)
{
    usual_receive = c->transport[0].receive;
    c->transport[0].receive = receive_until;
}

/* The other ranks go on serving; rank 0 does not reach them any more. */
static void end_lost_company(company *c)
{
    assert_false(eb_ranks_stop(c->ranks));
    for (unsigned r = 1; r < c->count; r++) {
        eb_letter quit = {.kind = EB_QUIT};
        assert_int_equal(c->transport[0].send(c->transport[0].state, r, &quit, NULL), EB_OK);
        assert_int_equal(pthread_join(c->thread[r], NULL), 0);
    }
    for (unsigned r = 0; r < c->count; r++)
        c->transport[r].close(c->transport[r].state);
}

static void expect_lost(const eb_problem *problem, double most, uint32_t kind, bool grid)
{
    company c;
    eb_setup setup;
    eb_opened held, *opened = &held;
    eb_dbscan found;
    eb_density density[3];
    double eps[3];
    unsigned passes;
    company_prepare = let_rank_0_lose;
    begin_company(&c, 3);
    company_prepare = NULL;
    fill_grid(most, eps, 3);
    (void)setup_for("ref64", 2, &setup);
    EXPECT_OK(eb_problem_open(&setup, problem, NULL, opened, &status));
    atomic_store(&fatal, kind);
    for (unsigned k = 0; k < 2; k++) { /* the next question fails at once */
        eb_status status = {.message = ""};
        assert_int_equal(grid ? eb_density_find(opened, eps, 3, 5, density, &passes, &status)
                              : eb_dbscan_find(opened, most, 5, 0, &found, &status),
                         EB_IO);
        assert_non_null(strstr(status.message, "(process 7 on host) has ended"));
    }
    eb_problem_close(opened);
    end_lost_company(&c);
    atomic_store(&fatal, 0);
}

TEST(a_rank_that_is_lost_in_a_pass_ends_it)
{
    static const uint32_t kinds[] = {EB_COUNTS, EB_ROOTS, EB_NEAR};
    const sample *s = sample_called("1024 points");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    for (size_t k = 0; k < 3; k++)
        for (int grid = 0; grid < 2; grid++)
            expect_lost(&problem, s->eps, kinds[k], grid);
    eb_dataset_free(ds);
}

/* ---- failures ---- */

TEST(a_rank_that_fails_is_named_and_the_others_go_on)
{
    const sample *s = sample_called("1024 points");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = s->eps};
    const eb_share whole = eb_share_whole(&problem);
    eb_setup setup;
    eb_opened opened;
    company c;
    answers after;
    uint64_t entries;
    eb_status status = {.message = ""};
    begin_company(&c, 4);
    (void)setup_for("ref64", 1, &setup);
    atomic_store(&refusing, 2);
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &opened, &status), EB_OK);
    assert_int_equal(eb_ask_count(&opened, &question, &whole, &entries, &status), EB_NO_DEVICE);
    assert_string_equal(status.message, "rank 2: this rank has no device");
    assert_int_equal(eb_ask_count(&opened, &question, &whole, &entries, &status), EB_NO_DEVICE);
    eb_problem_close(&opened);
    atomic_store(&refusing, 0);
    ask_problem("ref64", &problem, s->eps, &after);
    free_answers(&after);
    end_company(&c);
    eb_dataset_free(ds);
}

typedef struct errand {
    const eb_problem *problem;
    eb_code failed;
    _Atomic bool asking;
} errand;

static eb_code count_long(eb_job *job, void *argument, eb_status *status)
{
    errand *e = argument;
    eb_setup setup;
    eb_opened opened;
    uint64_t entries;
    const eb_question question = {.eps = 1};
    const eb_share whole = eb_share_whole(e->problem);
    (void)setup_for("ref64[-filter,-integers]", 1, &setup);
    EB_TRY(eb_problem_open(&setup, e->problem, job, &opened, status));
    atomic_store(&e->asking, true);
    e->failed = eb_ask_count(&opened, &question, &whole, &entries, status);
    eb_problem_close(&opened);
    return e->failed;
}

TEST(a_cancel_reaches_all_ranks)
{
    eb_dataset *ds = naive_points(20000, 200, 1u << 24, 5);
    const eb_problem problem = eb_self_join(ds);
    errand e = {.problem = &problem};
    eb_job *job;
    company c;
    eb_status status = {.message = ""};
    begin_company(&c, 3);
    assert_int_equal(eb_job_start(count_long, &e, &job, &status), EB_OK);
    while (!atomic_load(&e.asking))
        continue;
    eb_job_cancel(job);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    assert_int_equal(e.failed, EB_CANCELLED);
    end_company(&c);
    eb_dataset_free(ds);
}

/* Points are sent when the first question comes; a cancel that comes meanwhile leaves the ranks ready for the next one.
 */
TEST(a_cancel_while_points_are_sent_leaves_the_ranks_well)
{
    eb_dataset *ds = naive_points(60000, 300, 1u << 24, 6);
    const eb_problem problem = eb_self_join(ds);
    company c;
    begin_company(&c, 4);
    for (unsigned k = 0; k < 6; k++) {
        errand e = {.problem = &problem};
        eb_job *job;
        answers after;
        eb_status status = {.message = ""};
        const sample *s = sample_called("63 points");
        eb_dataset *few = make(s);
        const eb_problem next = eb_self_join(few);
        assert_int_equal(eb_job_start(count_long, &e, &job, &status), EB_OK);
        while (!atomic_load(&e.asking))
            continue;
        const struct timespec pause = {.tv_nsec = k * 4000000L};
        (void)nanosleep(&pause, NULL);
        eb_job_cancel(job);
        assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
        ask_problem("ref64", &next, s->eps, &after);
        free_answers(&after);
        eb_dataset_free(few);
    }
    end_company(&c);
    eb_dataset_free(ds);
}

RUN_TESTS
