/* Tests of a team on the CPU: an engine opened several times answers as one, whatever the shares; a member that is lost
 * is replaced by the others; devices by name. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/parallel.h"
#include "core/cluster/dbscan.h"
#include "core/cluster/density.h"
#include "core/cluster/stream.h"
#include "core/experiment/measure.h"
#include "core/join/join.h"
#include "core/team/meeting.h"
#include "core/team/team.h"
#include "tests/unit/losing_team.h"

/* ---- a team ---- */

static eb_neighbours *table_by(const eb_setup *setup, const eb_dataset *ds, double eps, eb_figures *figures)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_join_plan plan = {.question.eps = eps, .distances = EB_DISTANCES_F64};
    eb_neighbours *table = NULL;
    eb_join_result result;
    eb_status status = {.message = ""};
    asked a;
    open_setup(&a, setup, &problem);
    uint64_t entries = 0;
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(&problem);
    assert_int_equal(eb_ask_count(&a.opened, &question, &whole, &entries, &status), EB_OK);
    if (eb_join_collect(&a.opened, &plan, entries, &table, &result, &status))
        fail_msg("%s with %u members: %s", setup->spec, setup->device.members, status.message);
    eb_problem_close(&a.opened);
    *figures = a.opened.figures;
    return table;
}

static void assert_same_tables(const eb_neighbours *a, const eb_neighbours *b, const char *what)
{
    const size_t entries = (size_t)a->offsets[a->rows];
    if (a->rows != b->rows || b->offsets[b->rows] != entries)
        fail_msg("%s: %zu and %llu entries", what, entries, (unsigned long long)b->offsets[b->rows]);
    assert_memory_equal(a->offsets, b->offsets, (a->rows + 1) * sizeof *a->offsets);
    if (entries == 0)
        return;
    assert_memory_equal(a->columns, b->columns, entries * sizeof *a->columns);
    assert_memory_equal(a->distances, b->distances, entries * sizeof *a->distances);
}

/* Equal tables, and no tile twice: the members together execute what one would. */
TEST(a_team_answers_as_one_engine)
{
    static const char *const names[] = {"one point", "zeros", "bytes with ties", "257 deep points"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = sample_called(names[k]);
            eb_dataset *ds = make(s);
            eb_figures alone, together;
            eb_setup setup = team_of(&cpu_variants[v], 0);
            eb_neighbours *expected = table_by(&setup, ds, s->eps, &alone);
            for (unsigned members = 2; members <= 9; members += members < 4 ? 1 : 5) {
                setup = team_of(&cpu_variants[v], members);
                eb_neighbours *table = table_by(&setup, ds, s->eps, &together);
                assert_same_tables(expected, table, setup.spec);
                const double one = eb_figures_value(&alone, "executed_flops"),
                             sum = eb_figures_value(&together, "executed_flops");
                if (one > 0)
                    assert_true(fabs(sum - one) <= 1e-9 * one);
                eb_neighbours_free(table);
            }
            eb_neighbours_free(expected);
            eb_dataset_free(ds);
        }
}

/* ---- a lost member ---- */

static eb_neighbours *table_by_one(const eb_dataset *ds, double eps)
{
    eb_figures figures;
    const eb_setup setup = team_of(&cpu_variants[0], 0);
    return table_by(&setup, ds, eps, &figures);
}

static eb_code losing_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                           eb_status *status)
{
    if (joins_left-- == 0)
        return eb_fail(status, EB_NO_DEVICE, "the device fell off the bus");
    return sound->join(state, question, share, sink, status);
}

static eb_code losing_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                            eb_status *status)
{
    if (joins_left-- == 0)
        return eb_fail(status, EB_NO_DEVICE, "the device fell off the bus");
    return sound->count(state, question, share, entries, status);
}

TEST(a_lost_member_is_replaced_by_the_others)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    eb_figures figures;
    eb_neighbours *expected = table_by_one(ds, s->eps);
    const eb_setup setup = losing_team(3);
    losing.join = losing_join;
    losing.count = losing_count;
    for (int fails = 0; fails < 6; fails++) { /* the count or the join, of any member */
        joins_left = fails;
        eb_neighbours *table = table_by(&setup, ds, s->eps, &figures);
        assert_same_tables(expected, table, "with a lost member");
        eb_neighbours_free(table);
    }
    eb_neighbours_free(expected);
    eb_dataset_free(ds);
}

TEST(the_last_lost_member_is_an_error)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = s->eps};
    const eb_share whole = eb_share_whole(&problem);
    const eb_setup setup = losing_team(2);
    eb_status status = {.message = ""};
    uint64_t entries = 0;
    asked a;
    losing.count = losing_count;
    joins_left = 0;
    open_setup(&a, &setup, &problem);
    assert_int_equal(eb_ask_count(&a.opened, &question, &whole, &entries, &status), EB_OK);
    assert_non_null(strstr(a.opened.run->describe(a.opened.state), "fell off the bus"));
    eb_team_work work = eb_team_work_of(a.opened.run, a.opened.state);
    assert_int_equal(work.members, 2);
    assert_true(work.member[0].lost != work.member[1].lost);
    eb_team_work_free(&work);
    joins_left = 0;
    assert_int_equal(eb_ask_count(&a.opened, &question, &whole, &entries, &status), EB_NO_DEVICE);
    assert_non_null(strstr(status.message, "fell off the bus"));
    eb_problem_close(&a.opened);
    eb_dataset_free(ds);
}

/* The first trial says how the engine computes; a device is lost in the second. */
TEST(a_loss_in_a_later_trial_is_told)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_setup setup = losing_team(2);
    losing.count = losing_count;
    const eb_measure_request request = {.setup = &setup,
                                        .problem = eb_self_join(ds),
                                        .eps = s->eps,
                                        .mode = EB_RUN_COUNT,
                                        .trials = 3,
                                        .warm_up = EB_WARM_UP_NONE};
    eb_status status = {.message = ""};
    eb_run run;
    joins_left = 2; /* each trial asks both members */
    if (eb_measure(&request, NULL, NULL, &run, &status))
        fail_msg("%s", status.message);
    assert_int_equal(run.trials_done, 3);
    const char *told = strstr(run.note, "fell off the bus");
    assert_non_null(told);
    assert_null(strstr(told + 1, "fell off the bus"));
    eb_run_free(&run);
    eb_dataset_free(ds);
}

static _Atomic unsigned opens, refusals; /* members opened so far; bit k: the k-th is refused */

static eb_code refusing_open(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    if (refusals >> opens++ & 1)
        return eb_fail(status, EB_NO_DEVICE, "the device fell off the bus");
    return sound->open(problem, context, state, status);
}

/* A device that one join has lost can't be opened for the next. */
TEST(a_device_that_cannot_be_opened_is_left_out)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    eb_figures figures;
    eb_neighbours *expected = table_by_one(ds, s->eps);
    const eb_setup setup = losing_team(3);
    losing.open = refusing_open;
    for (refusals = 0; refusals < 7; refusals++) {
        opens = 0;
        eb_neighbours *table = table_by(&setup, ds, s->eps, &figures);
        assert_same_tables(expected, table, "without a device");
        eb_neighbours_free(table);
    }
    eb_opened opened;
    eb_status status = {.message = ""};
    opens = 0;
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &opened, &status), EB_NO_DEVICE);
    assert_non_null(strstr(status.message, "fell off the bus"));
    opens = 0;
    refusals = 5;
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &opened, &status), EB_OK);
    assert_non_null(strstr(opened.run->describe(opened.state), "fell off the bus"));
    eb_problem_close(&opened);
    eb_neighbours_free(expected);
    eb_dataset_free(ds);
}

static eb_code losing_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    if (joins_left-- > 0)
        return eb_fail(status, EB_NO_DEVICE, "the device fell off the bus");
    return sound->distances(state, rows, m, out, status);
}

TEST(the_next_member_answers_for_a_lost_one)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    const uint32_t row = 1;
    const eb_setup setup = losing_team(3);
    eb_status status = {.message = ""};
    double *expected = calloc(ds->n, sizeof *expected), *found = calloc(ds->n, sizeof *found);
    asked a;
    losing.distances = losing_distances;
    for (int lost = 0; lost < 4; lost++) {
        open_setup(&a, &setup, &problem);
        joins_left = lost;
        const eb_code code = eb_ask_distances(&a.opened, &row, 1, lost ? found : expected, &status);
        assert_int_equal(code, lost < 3 ? EB_OK : EB_NO_DEVICE);
        if (lost == 1 || lost == 2)
            assert_memory_equal(found, expected, ds->n * sizeof *found);
        eb_problem_close(&a.opened);
    }
    free(expected);
    free(found);
    eb_dataset_free(ds);
}

/* ---- streamed pairs of a team that loses a member ---- */

/* The device is lost when it has passed on all of its pairs: those must not count twice. */
static eb_code losing_late(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                           eb_status *status)
{
    const bool lost = joins_left-- == 0;
    EB_TRY(sound->join(state, question, share, sink, status));
    return lost ? eb_fail(status, EB_NO_DEVICE, "the device fell off the bus") : EB_OK;
}

static void open_losing(asked *a, eb_setup *setup, const eb_problem *problem)
{
    if (setup->run != &losing)
        sound = setup->run;
    losing = *sound;
    losing.join = losing_late;
    setup->run = &losing;
    open_setup(a, setup, problem);
}

TEST(dbscan_goes_on_without_a_lost_member)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup = team_of(&cpu_variants[0], 0);
    eb_status status = {.message = ""};
    eb_dbscan expected, found;
    asked a;
    open_setup(&a, &setup, &problem);
    assert_int_equal(eb_dbscan_find(&a.opened, s->eps, 4, 0, &expected, &status), EB_OK);
    eb_problem_close(&a.opened);
    setup = team_of(&cpu_variants[0], 3);
    for (int fails = 0; fails < 8; fails++) { /* either pass, any member */
        open_losing(&a, &setup, &problem);
        joins_left = fails;
        if (eb_dbscan_find(&a.opened, s->eps, 4, 0, &found, &status))
            fail_msg("join %d fails: %s", fails, status.message);
        assert_int_equal(found.pairs, expected.pairs);
        assert_memory_equal(found.label, expected.label, ds->n * sizeof *found.label);
        assert_memory_equal(found.neighbours, expected.neighbours, ds->n * sizeof *found.neighbours);
        eb_dbscan_free(&found);
        eb_problem_close(&a.opened);
    }
    eb_dbscan_free(&expected);
    eb_dataset_free(ds);
}

TEST(a_curve_of_clusters_goes_on_without_a_lost_member)
{
    const sample *s = sample_called("bytes with ties");
    const double eps[] = {s->eps / 2, s->eps};
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup = team_of(&cpu_variants[0], 0);
    eb_status status = {.message = ""};
    eb_density expected[2], found[2];
    unsigned passes;
    asked a;
    open_setup(&a, &setup, &problem);
    assert_int_equal(eb_density_find(&a.opened, eps, 2, 4, expected, &passes, &status), EB_OK);
    eb_problem_close(&a.opened);
    setup = team_of(&cpu_variants[0], 3);
    for (int fails = 0; fails < 8; fails++) {
        open_losing(&a, &setup, &problem);
        joins_left = fails;
        if (eb_density_find(&a.opened, eps, 2, 4, found, &passes, &status))
            fail_msg("join %d fails: %s", fails, status.message);
        for (size_t k = 0; k < 2; k++)
            assert_memory_equal(&found[k], &expected[k], sizeof found[k]);
        eb_problem_close(&a.opened);
    }
    eb_dataset_free(ds);
}

static void drop_links(void *context, unsigned thread, const eb_link *links, size_t count)
{
    (void)context, (void)thread, (void)links, (void)count;
}

TEST(a_stream_that_cannot_begin_anew_fails)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup = team_of(&cpu_variants[0], 3);
    const eb_stream stream = {.eps = &s->eps, .levels = 1, .phase = "dropping", .consumer = drop_links};
    eb_status status = {.message = ""};
    asked a;
    open_losing(&a, &setup, &problem);
    joins_left = 1;
    assert_int_equal(eb_stream_run(&a.opened, &stream, &status), EB_NO_DEVICE);
    assert_non_null(strstr(status.message, "fell off the bus"));
    eb_problem_close(&a.opened);
    eb_dataset_free(ds);
}

/* ---- meetings ---- */

typedef struct visitor {
    eb_meeting *meeting;
    unsigned member, leaves_after;
    unsigned seen; /* meetings held */
    bool wrong;
} visitor;

static eb_code visit(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    visitor *v = (visitor *)context + task;
    (void)thread;
    for (; v->seen < v->leaves_after; v->seen++) {
        const uint64_t mine = 1000 * v->seen + v->member;
        uint64_t shown[EB_MOST_MEMBERS];
        if (eb_meeting_show(v->meeting, v->member, &mine, sizeof mine, shown, status))
            break;
        for (unsigned k = 0; k < eb_meeting_members(v->meeting); k++)
            v->wrong |= shown[k] != 1000 * v->seen + k;
    }
    (void)eb_meeting_leave(v->meeting, v->seen < v->leaves_after);
    return EB_OK;
}

TEST(meetings_end_when_a_member_leaves)
{
    visitor v[5];
    eb_meeting *meeting;
    eb_status status;
    assert_int_equal(eb_meeting_new(5, &meeting, &status), EB_OK);
    for (unsigned k = 0; k < 5; k++)
        v[k] = (visitor){.meeting = meeting, .member = k, .leaves_after = k == 3 ? 200 : 1000};
    assert_int_equal(eb_parallel_at_once(5, visit, v, &status), EB_OK);
    for (unsigned k = 0; k < 5; k++) {
        assert_false(v[k].wrong);
        assert_int_equal(v[k].seen, 200);
    }
    eb_meeting_free(meeting);
}

/* ---- threads ---- */

/* Stands in for the function in this program (see the Makefile). */
static _Atomic int starts_left = -1; /* threads that may start; below 0: all */

int __real_eb_thread_start(pthread_t *thread, void *(*work)(void *), void *argument);
int __wrap_eb_thread_start(pthread_t *thread, void *(*work)(void *), void *argument);

int __wrap_eb_thread_start(pthread_t *thread, void *(*work)(void *), void *argument)
{
    int left = atomic_load(&starts_left);
    while (left > 0 && !atomic_compare_exchange_weak(&starts_left, &left, left - 1))
        continue;
    if (left == 0)
        return EAGAIN;
    return __real_eb_thread_start(thread, work, argument);
}

#ifndef EB_SANITIZE_THREAD /* the thread sanitizer does not support threads in a forked child */
/* Visitors of a meeting wait for each other, so none may begin. */
static bool nobody_waits(void)
{
    visitor v[5];
    eb_meeting *meeting;
    eb_status status;
    bool seen = eb_meeting_new(5, &meeting, &status) != EB_OK;
    for (unsigned k = 0; k < 5; k++)
        v[k] = (visitor){.meeting = meeting, .member = k, .leaves_after = 1000};
    seen |= eb_parallel_at_once(5, visit, v, &status) != EB_NO_MEMORY;
    for (unsigned k = 0; k < 5; k++)
        seen |= v[k].seen > 0;
    eb_meeting_free(meeting);
    return !seen;
}

/* In a child, where no thread is there yet: a team of five, of which three at most get a thread. */
static int ask_without_threads(const eb_setup *setup, const eb_problem *problem, double eps, uint64_t expected)
{
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(problem);
    const eb_join_plan plan = {.question.eps = eps, .distances = EB_DISTANCES_F64};
    eb_status status = {.message = ""};
    eb_neighbours *table = NULL;
    eb_join_result result;
    uint64_t entries = 0;
    asked a;
    starts_left = 2;
    if (!nobody_waits())
        return 5;
    open_setup(&a, setup, problem);
    if (eb_ask_count(&a.opened, &question, &whole, &entries, &status) != EB_NO_MEMORY ||
        strcmp(status.message, "5 devices as a team: the system refuses a thread for each of 5 tasks at once") != 0)
        return 1;
    if (eb_join_collect(&a.opened, &plan, expected, &table, &result, &status) != EB_NO_MEMORY)
        return 2;
    starts_left = -1;
    if (eb_ask_count(&a.opened, &question, &whole, &entries, &status) || entries != expected)
        return 3;
    if (eb_join_collect(&a.opened, &plan, expected, &table, &result, &status))
        return 4;
    eb_neighbours_free(table);
    eb_problem_close(&a.opened);
    return 0;
}

TEST(a_member_without_a_thread_is_not_waited_for)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup = team_of(&cpu_variants[0], 0);
    eb_figures figures;
    eb_neighbours *expected = table_by(&setup, ds, s->eps, &figures);
    setup = team_of(&cpu_variants[0], 5);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)alarm(120);
        _exit(ask_without_threads(&setup, &problem, s->eps, expected->offsets[expected->rows]));
    }
    int ended = 1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    eb_neighbours_free(expected);
    eb_dataset_free(ds);
}
#endif

/* ---- names ---- */

TEST(devices_have_names)
{
    static const struct {
        const char *text, *name; /* NULL: refused */
        unsigned members;
    } cases[] = {{"cpu", "cpu", 1},
                 {"cuda", "cuda:0", 1},
                 {"cuda:", NULL, 0},
                 {"cuda:3", "cuda:3", 1},
                 {"cuda:0,2", "cuda:0+2", 2},
                 {"cuda:0+2", "cuda:0+2", 2},
                 {"cuda:0,cuda:0", "cuda:0+0", 2},
                 {"cpu,cpu,cpu", "cpu+cpu+cpu", 3},
                 {"", NULL, 0},
                 {"gpu", NULL, 0},
                 {"cuda:x", NULL, 0},
                 {"cuda:0,", NULL, 0},
                 {"cuda:0,,1", NULL, 0},
                 {"cuda:-1", NULL, 0},
                 {"cuda:0 ,1", NULL, 0},
                 {"cuda:0,cpu", NULL, 0},
                 {"cpu,cuda:0", NULL, 0},
                 {"cuda:99999", NULL, 0},
                 {"cuda:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", NULL, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_device_named named;
        eb_status status = {.message = ""};
        char name[EB_DEVICE_NAME];
        const eb_code failed = eb_device_name_parse(cases[k].text, &named, &status);
        assert_int_equal(failed, cases[k].name ? EB_OK : EB_USAGE);
        if (failed)
            continue;
        assert_string_equal(eb_device_name_write(&named, name), cases[k].name);
        assert_int_equal(named.members, cases[k].members);
    }
    eb_device_named every;
    assert_int_equal(eb_device_name_parse("cuda:all", &every, NULL), EB_OK);
    assert_true(every.all);
}

RUN_TESTS
