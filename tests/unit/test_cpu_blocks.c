/* Tests of ranks that hold a block of the points each (core/ranks/blocks/), with threads in the place of processes:
 * answers are those of one rank, bit for bit, for 1 to 9 ranks; what is sent, held and computed is as planned; failures
 * and cancels while blocks pass. */
#include <time.h>

#include "core/model/fleet.h"
#include "tests/unit/company.h"
#include "tests/unit/cpu_points.h"

/* ---- answers ---- */

static const char *const specs[] =
    {"ref64", "ref64[-filter]",   "ref64[-integers]",          "ref64[-filter,-integers]",
     "exact", "exact[way=ref64]", "ego[decide=truth,type=f64]"};
#define SPECS (sizeof specs / sizeof specs[0])

static const char *const chosen[] = {"one point",       "two points",        "zeros",
                                     "bytes with ties", "ties exactly at ε", "257 deep points",
                                     "1025 points",     "everything",        "duplicates"};
#define CHOSEN (sizeof chosen / sizeof chosen[0])

static void expect_blocks_agree(const eb_problem *problem, double eps, unsigned ranks)
{
    for (size_t k = 0; k < SPECS; k++) {
        answers alone, together;
        company c;
        ask_problem(specs[k], problem, eps, &alone);
        company_holding = EB_HOLD_BLOCKS;
        begin_company(&c, ranks);
        ask_problem(specs[k], problem, eps, &together);
        end_company(&c);
        company_holding = EB_HOLD_AUTO;
        expect_same(&alone, &together, problem, specs[k], ranks);
        if (strcmp(specs[k], "ref64[-filter,-integers]") == 0 &&
            fabs(alone.flops - together.flops) > 1e-9 * alone.flops)
            fail_msg("%u ranks execute %.17g FLOPs, one %.17g", ranks, together.flops, alone.flops);
        free_answers(&alone);
        free_answers(&together);
    }
}

static void expect_sample_agrees(const char *name, unsigned ranks)
{
    const sample *s = sample_called(name);
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    expect_blocks_agree(&problem, s->eps, ranks);
    eb_dataset_free(ds);
}

TEST(blocks_answer_like_one)
{
    for (unsigned ranks = 1; ranks <= MOST_RANKS; ranks++) {
        expect_sample_agrees(chosen[ranks % CHOSEN], ranks);
        expect_sample_agrees(chosen[(ranks + 4) % CHOSEN], ranks);
    }
}

TEST(blocks_of_two_sets_answer_like_one)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_dataset left = slice(ds, 200, 257), right = slice(ds, 0, 200), few = slice(ds, 0, 2);
    const eb_problem problem = {.left = &left, .right = &right}, fewer = {.left = &right, .right = &few};
    expect_blocks_agree(&problem, s->eps, 4);
    expect_blocks_agree(&fewer, s->eps, 5);
    eb_dataset_free(ds);
}

/* FP64 cannot hold the squares of these points, so that every rank scales its block, and all alike. */
TEST(blocks_of_huge_points_answer_like_one)
{
    enum { N = 90, D = 3 };
    static double values[N * D];
    uint64_t seed = 7;
    for (size_t k = 0; k < N * D; k++)
        values[k] = 1e300 * (double)(naive_random(&seed) % 1000);
    eb_dataset ds = {.n = N, .d = D, .dtype = EB_F64, .rows = (const void *)values, .stride = D * sizeof(double)};
    eb_status status = {.message = ""};
    assert_int_equal(eb_dataset_seal(&ds, &status), EB_OK);
    const eb_problem problem = eb_self_join(&ds);
    expect_blocks_agree(&problem, 3e302, 4);
    expect_blocks_agree(&problem, 3e302, 5);
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

TEST(blocks_make_a_table_in_batches)
{
    const sample *s = sample_called("1024 points");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    eb_neighbours *alone, *together;
    size_t one, several;
    company c;
    alone = collect(&problem, s->eps, 0, &one);
    company_holding = EB_HOLD_BLOCKS;
    for (unsigned ranks = 3; ranks <= 4; ranks++) {
        begin_company(&c, ranks);
        together = collect(&problem, s->eps, 100000, &several);
        end_company(&c);
        assert_true(one == 1 && several > 1);
        const uint64_t entries = alone->offsets[ds->n];
        assert_memory_equal(alone->offsets, together->offsets, (ds->n + 1) * sizeof *alone->offsets);
        assert_memory_equal(alone->columns, together->columns, entries * sizeof *alone->columns);
        assert_memory_equal(alone->distances, together->distances, entries * sizeof *alone->distances);
        eb_neighbours_free(together);
    }
    company_holding = EB_HOLD_AUTO;
    eb_neighbours_free(alone);
    eb_dataset_free(ds);
}

/* ---- what is sent and held ---- */

typedef struct open_blocks {
    company c;
    eb_setup setup;
    eb_problem problem;
    eb_opened opened;
} open_blocks;

static void begin_blocks(open_blocks *o, const eb_dataset *ds, const char *spec, unsigned ranks)
{
    eb_status status = {.message = ""};
    company_holding = EB_HOLD_BLOCKS;
    begin_company(&o->c, ranks);
    (void)setup_for(spec, 1, &o->setup);
    o->problem = eb_self_join(ds);
    assert_int_equal(eb_problem_open(&o->setup, &o->problem, NULL, &o->opened, &status), EB_OK);
}

static void end_blocks(open_blocks *o)
{
    eb_problem_close(&o->opened);
    end_company(&o->c);
    company_holding = EB_HOLD_AUTO;
}

static eb_code count_blocks(open_blocks *o, double eps, uint64_t *entries, eb_status *status)
{
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(&o->problem);
    return eb_ask_count(&o->opened, &question, &whole, entries, status);
}

static double sent_by_count(open_blocks *o)
{
    const double before = eb_figures_value(&o->opened.figures, "sent_bytes");
    uint64_t entries;
    eb_status status = {.message = ""};
    assert_int_equal(count_blocks(o, 1, &entries, &status), EB_OK);
    return eb_figures_value(&o->opened.figures, "sent_bytes") - (isnan(before) ? 0 : before);
}

static void expect_near(double found, double expected, unsigned ranks, const char *what)
{
    if (fabs(found - expected) > 0.01 * expected)
        fail_msg("%u ranks: %s: %.0f bytes, expected %.0f", ranks, what, found, expected);
}

/* The formula of man/scale.md, which `plan` uses. */
TEST(bytes_sent_and_held_are_as_planned)
{
    enum { N = 1008, D = 480 };
    eb_dataset *ds = naive_points(N, D, 1u << 24, 3);
    const double points = (double)N * D * sizeof(float);
    eb_status status = {.message = ""};
    assert_int_equal(eb_dataset_seal(ds, &status), EB_OK);
    for (unsigned ranks = 2; ranks <= MOST_RANKS; ranks++) {
        open_blocks o;
        const eb_fleet_work work = {.n = N, .d = D, .value_bytes = sizeof(float), .counts = true, .truth = true};
        const eb_fleet fleet = {.hosts = ranks, .gpus = 1, .link_bytes_s = 1, .memory_bytes = points};
        eb_fleet_cost plan;
        eb_fleet_predict(&work, &fleet, &eb_fleet_usual, &plan);
        begin_blocks(&o, ds, "ref64", ranks);
        expect_near(sent_by_count(&o), plan.bytes[EB_FLEET_POINTS] + plan.bytes[EB_FLEET_BLOCKS], ranks,
                    "the first count sends");
        expect_near(sent_by_count(&o), plan.bytes[EB_FLEET_BLOCKS], ranks, "the second count sends");
        const double held = eb_figures_value(&o.opened.figures, "held_bytes");
        if (!(held > 0 && held <= plan.rank_bytes * 1.01))
            fail_msg("%u ranks: one holds %.0f bytes; expected at most %.0f", ranks, held, plan.rank_bytes);
        assert_non_null(strstr(o.opened.run->describe(o.opened.state), "each with a block of the points"));
        eb_problem_close(&o.opened);
        assert_int_equal(eb_problem_open(&o.setup, &o.problem, NULL, &o.opened, &status), EB_OK);
        expect_near(sent_by_count(&o), plan.bytes[EB_FLEET_BLOCKS], ranks, "the next problem's count sends");
        end_blocks(&o);
    }
    eb_dataset_free(ds);
}

/* Entries of pairs whose points are in two blocks. */
static uint64_t entries_between(const eb_neighbours *table, size_t n, unsigned ranks)
{
    uint64_t between = 0;
    for (unsigned r = 0; r < ranks; r++) {
        const size_t begin = n * r / ranks, end = n * (r + 1) / ranks;
        for (uint64_t k = table->offsets[begin]; k < table->offsets[end]; k++)
            between += table->columns[k] < begin || table->columns[k] >= end;
    }
    return between;
}

/* Blocks pass, each pair of two blocks goes to the owner of the end that its finder does not own, and the rows of other
 * ranks come to rank 0: 8 bytes a row, 4 and 8 an entry. */
TEST(a_table_of_blocks_sends_each_pair_once)
{
    enum { N = 1600, D = 20, RANKS = 4 };
    eb_dataset *ds = naive_points(N, D, 1u << 10, 21);
    const double eps = 1300;
    eb_neighbours *table = NULL;
    eb_join_result result;
    open_blocks o;
    eb_status status = {.message = ""};
    uint64_t entries;
    begin_blocks(&o, ds, "ref64", RANKS);
    const eb_join_plan plan = {.question = {.eps = eps}, .distances = EB_DISTANCES_F64};
    assert_int_equal(count_blocks(&o, eps, &entries, &status), EB_OK);
    const double before = eb_figures_value(&o.opened.figures, "sent_bytes");
    assert_int_equal(eb_join_collect(&o.opened, &plan, entries, &table, &result, &status), EB_OK);
    const double sent = eb_figures_value(&o.opened.figures, "sent_bytes") - before, points = (double)N * D * 4;
    const uint64_t others = entries - table->offsets[N / RANKS];
    assert_true(entries > 20u * N);
    expect_near(sent,
                1.75 * points + 16 * (double)(entries_between(table, N, RANKS) / 2) + 8.0 * N * 3 / 4 +
                    12 * (double)others,
                RANKS, "a table sends");
    eb_neighbours_free(table);
    end_blocks(&o);
    eb_dataset_free(ds);
}

/* ---- when ---- */

static const char *how_under(const char *spec, const eb_dataset *ds, uint64_t limit, unsigned ranks)
{
    static char how[600];
    open_blocks o;
    uint64_t entries;
    eb_status status = {.message = ""};
    begin_company(&o.c, ranks);
    (void)setup_for(spec, 1, &o.setup);
    o.setup.resources.memory_limit = limit;
    o.problem = eb_self_join(ds);
    assert_int_equal(eb_problem_open(&o.setup, &o.problem, NULL, &o.opened, &status), EB_OK);
    assert_int_equal(count_blocks(&o, 1, &entries, &status), EB_OK);
    (void)snprintf(how, sizeof how, "%s", o.opened.run->describe(o.opened.state));
    eb_problem_close(&o.opened);
    end_company(&o.c);
    return how;
}

TEST(points_that_do_not_fit_are_held_in_blocks)
{
    enum { N = 3000, D = 64, RANKS = 3 };
    eb_dataset *ds = naive_points(N, D, 4, 9);
    const uint64_t stored = (uint64_t)N * D * sizeof(float);
    assert_null(strstr(how_under("ref64", ds, 0, RANKS), "block"));
    assert_null(strstr(how_under("ref64", ds, (uint64_t)1 << 30, RANKS), "block"));
    assert_non_null(strstr(how_under("ref64", ds, RANKS * stored / 2, RANKS), "each with a block of the points"));
    assert_non_null(strstr(how_under("fasted[tensor=sm_80]", ds, RANKS * stored, RANKS),
                           "3 ranks, each with all points, although they exceed its memory limit, since only engines "
                           "that give the truth hold blocks"));
    assert_non_null(strstr(how_under("exact[way=boxes]", ds, RANKS * stored, RANKS),
                           "3 ranks, each with all points, although they exceed its memory limit, since the engine "
                           "joins no two blocks"));
    company_holding = EB_HOLD_ALL;
    assert_null(strstr(how_under("ref64", ds, RANKS * stored / 2, RANKS), "block"));
    company_holding = EB_HOLD_AUTO;
    eb_dataset_free(ds);
}

/* ---- failures ---- */

static void expect_right_count(const eb_dataset *ds, double eps)
{
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup;
    eb_opened opened;
    uint64_t entries = 0;
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(&problem);
    eb_status status = {.message = ""};
    (void)setup_for("ref64", 1, &setup);
    if (eb_problem_open(&setup, &problem, NULL, &opened, &status) ||
        eb_ask_count(&opened, &question, &whole, &entries, &status))
        fail_msg("%s", status.message);
    assert_int_equal(entries, naive_pairs(ds, eps));
    eb_problem_close(&opened);
}

TEST(a_rank_without_its_device_is_named_and_blocks_go_on)
{
    eb_dataset *ds = naive_points(700, 5, 40, 11);
    uint64_t entries;
    eb_status status = {.message = ""};
    open_blocks o;
    atomic_store(&refusing, 2);
    begin_blocks(&o, ds, "ref64", 4);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(count_blocks(&o, 20, &entries, &status), EB_NO_DEVICE);
        assert_string_equal(status.message, "rank 2: this rank has no device");
    }
    atomic_store(&refusing, 0);
    expect_right_count(ds, 20);
    end_blocks(&o);
    eb_dataset_free(ds);
}

/* ---- a rank that cannot send a block ---- */

static eb_code (*usual_send)(void *state, unsigned to, eb_letter *message, eb_status *status);
static _Atomic bool failing;

static eb_code send_no_block(void *state, unsigned to, eb_letter *message, eb_status *status)
{
    if (message->kind != EB_PASSING || !atomic_load(&failing))
        return usual_send(state, to, message, status);
    eb_letter_free(message);
    return eb_fail_memory(status, "a message", 1);
}

static void let_rank_3_fail(company *c)
{
    usual_send = c->transport[3].send;
    c->transport[3].send = send_no_block;
}

TEST(a_rank_that_cannot_send_its_block_is_named_and_blocks_go_on)
{
    eb_dataset *ds = naive_points(700, 5, 40, 11);
    uint64_t entries;
    eb_status status = {.message = ""};
    open_blocks o;
    company_prepare = let_rank_3_fail;
    begin_blocks(&o, ds, "ref64", 5);
    company_prepare = NULL;
    for (unsigned k = 0; k < 3; k++) {
        atomic_store(&failing, true);
        assert_int_equal(count_blocks(&o, 20, &entries, &status), EB_NO_MEMORY);
        assert_string_equal(status.message, "rank 3: out of memory: a message needs 1 bytes");
        atomic_store(&failing, false);
        assert_int_equal(count_blocks(&o, 20, &entries, &status), EB_OK);
        assert_int_equal(entries, naive_pairs(ds, 20));
    }
    end_blocks(&o);
    eb_dataset_free(ds);
}

/* ---- rank 0 that cannot take the pairs ---- */

static eb_code take_no_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    (void)context, (void)thread, (void)hits;
    return count ? eb_fail(status, EB_IO, "the disk is full") : EB_OK;
}

TEST(a_sink_that_fails_leaves_the_ranks_well)
{
    eb_dataset *ds = naive_points(700, 5, 40, 11);
    const eb_question question = {.eps = 20};
    const eb_sink sink = {.hits = take_no_hits};
    eb_status status = {.message = ""};
    open_blocks o;
    begin_blocks(&o, ds, "ref64", 4);
    const eb_share whole = eb_share_whole(&o.problem);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(eb_ask_join(&o.opened, &question, &whole, &sink, &status), EB_IO);
        assert_string_equal(status.message, "the disk is full");
        expect_right_count(ds, 20);
    }
    end_blocks(&o);
    eb_dataset_free(ds);
}

/* ---- one question after the other ---- */

TEST(other_points_may_come_between_questions)
{
    eb_dataset *one = naive_points(500, 4, 30, 12), *two = naive_points(333, 7, 9, 13);
    uint64_t before, after;
    eb_status status = {.message = ""};
    open_blocks o;
    begin_blocks(&o, one, "ref64", 4);
    assert_int_equal(count_blocks(&o, 12, &before, &status), EB_OK);
    for (unsigned k = 0; k < 3; k++) {
        expect_right_count(two, 9);
        expect_right_count(one, 12);
    }
    assert_int_equal(count_blocks(&o, 12, &after, &status), EB_OK);
    assert_int_equal(before, after);
    end_blocks(&o);
    eb_dataset_free(one);
    eb_dataset_free(two);
}

typedef struct errand {
    const eb_dataset *ds;
    _Atomic bool asking;
} errand;

static eb_code count_long(eb_job *job, void *argument, eb_status *status)
{
    errand *e = argument;
    const eb_problem problem = eb_self_join(e->ds);
    eb_setup setup;
    eb_opened opened;
    uint64_t entries;
    const eb_question question = {.eps = 1};
    const eb_share whole = eb_share_whole(&problem);
    (void)setup_for("ref64[-filter,-integers]", 1, &setup);
    EB_TRY(eb_problem_open(&setup, &problem, job, &opened, status));
    atomic_store(&e->asking, true);
    const eb_code failed = eb_ask_count(&opened, &question, &whole, &entries, status);
    eb_problem_close(&opened);
    return failed;
}

/* At several moments: while rank 0 sends blocks, while blocks pass, while ranks compute. */
TEST(a_cancel_while_blocks_pass_leaves_the_ranks_well)
{
    eb_dataset *ds = naive_points(40000, 200, 1u << 24, 6), *few = naive_points(200, 3, 20, 14);
    company c;
    company_holding = EB_HOLD_BLOCKS;
    begin_company(&c, 5);
    for (unsigned k = 0; k < 8; k++) {
        errand e = {.ds = ds};
        eb_job *job;
        eb_status status = {.message = ""};
        assert_int_equal(eb_job_start(count_long, &e, &job, &status), EB_OK);
        while (!atomic_load(&e.asking))
            continue;
        const struct timespec pause = {.tv_nsec = (long)(k * k) * 4000000L};
        (void)nanosleep(&pause, NULL);
        eb_job_cancel(job);
        assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
        expect_right_count(few, 8);
    }
    end_company(&c);
    company_holding = EB_HOLD_AUTO;
    eb_dataset_free(ds);
    eb_dataset_free(few);
}

RUN_TESTS
