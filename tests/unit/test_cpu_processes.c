/* Tests of questions that several ranks share (core/ranks/), with threads in the place of processes: answers are those
 * of one rank, bit for bit, for 1 to 9 ranks and all engines of the CPU; failures and cancels of a rank. */
#include <time.h>

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
