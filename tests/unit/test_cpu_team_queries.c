/* Tests of what teams on the CPU are asked beside joins: passes over all distances, distances and bins of some points.
 * All answers are one engine's, also when members are lost. */
#include "tests/unit/check_bins.h"
#include "tests/unit/losing_team.h"
#include "tests/unit/passed.h"

/* ---- passes ---- */

static passed pass_by(const eb_setup *setup, const eb_problem *problem, double eps)
{
    asked a;
    open_setup(&a, setup, problem);
    const passed found = pass_of(&a.opened, eps);
    eb_problem_close(&a.opened);
    return found;
}

TEST(a_pass_of_a_team_is_the_pass_of_one)
{
    static const char *const names[] = {"one point", "zeros", "bytes with ties", "257 deep points"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = sample_called(names[k]);
            eb_dataset *ds = make(s);
            const eb_problem problem = eb_self_join(ds);
            eb_setup setup = team_of(&cpu_variants[v], 0);
            const double eps = s->eps > 0 ? s->eps : 1;
            passed expected = pass_by(&setup, &problem, eps);
            for (unsigned members = 2; members <= 5; members += 3) {
                setup = team_of(&cpu_variants[v], members);
                passed found = pass_by(&setup, &problem, eps);
                assert_same_passes(&expected, &found, setup.spec);
                free_passed(&found);
            }
            free_passed(&expected);
            eb_dataset_free(ds);
        }
}

static eb_code losing_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    EB_TRY(lose_now(status));
    return sound->histogram(state, pass, status);
}

TEST(a_pass_is_made_again_without_a_lost_member)
{
    const sample *s = sample_called("bytes with ties");
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup = team_of(&cpu_variants[0], 0);
    passed expected = pass_by(&setup, &problem, s->eps);
    setup = losing_team(3);
    losing.histogram = losing_histogram;
    for (int fails = 0; fails < 4; fails++) {
        joins_left = fails;
        passed found = pass_by(&setup, &problem, s->eps);
        assert_same_passes(&expected, &found, "with a lost member");
        assert_true(joins_left < 0 || fails == 3); /* all three were asked */
        free_passed(&found);
    }
    free_passed(&expected);
    eb_dataset_free(ds);
}

/* ---- queries ---- */

static const sample many = {"deep bytes", 520, 600, EB_U8, 256, 1, 2470}; /* 64 queries are worth the threads */
enum { QUERIES = 64 };

static void choose_queries(uint32_t row[QUERIES])
{
    for (uint32_t q = 0; q < QUERIES; q++)
        row[q] = (q * 37 + 5) % 520;
}

static double *distances_by(const eb_setup *setup, const eb_problem *problem, const uint32_t *row)
{
    double *s = calloc(QUERIES * problem->right->n, sizeof *s);
    eb_status status = {.message = ""};
    asked a;
    assert_non_null(s);
    open_setup(&a, setup, problem);
    if (eb_ask_distances(&a.opened, row, QUERIES, s, &status))
        fail_msg("%s with %u members: %s", setup->spec, setup->device.members, status.message);
    assert_true(check_bins(&a.opened, row, QUERIES) > 0);
    eb_problem_close(&a.opened);
    return s;
}

TEST(queries_of_a_team_are_answered_as_by_one)
{
    eb_dataset *ds = make(&many);
    const eb_problem problem = eb_self_join(ds);
    uint32_t row[QUERIES];
    choose_queries(row);
    for (size_t v = 0; v < CPU_VARIANTS; v++) {
        eb_setup setup = team_of(&cpu_variants[v], 0);
        double *expected = distances_by(&setup, &problem, row);
        for (unsigned members = 2; members <= 5; members += 3) {
            setup = team_of(&cpu_variants[v], members);
            double *found = distances_by(&setup, &problem, row);
            assert_memory_equal(found, expected, QUERIES * ds->n * sizeof *found);
            free(found);
        }
        free(expected);
    }
    eb_dataset_free(ds);
}

static eb_code losing_queries(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    EB_TRY(lose_now(status));
    return sound->distances(state, rows, m, out, status);
}

static eb_code losing_bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
{
    EB_TRY(lose_now(status));
    return sound->bins(state, rows, m, out, status);
}

/* A device is lost with the distances or the bins; after it one member of three may be lost, too. */
TEST(queries_are_asked_again_without_a_lost_member)
{
    eb_dataset *ds = make(&many);
    const eb_problem problem = eb_self_join(ds);
    uint32_t row[QUERIES];
    choose_queries(row);
    eb_setup setup = team_of(&cpu_variants[0], 0);
    double *expected = distances_by(&setup, &problem, row);
    setup = losing_team(3);
    losing.distances = losing_queries;
    losing.bins = sound->bins ? losing_bins : NULL;
    for (int fails = 0; fails < 8; fails++) {
        joins_left = fails;
        double *found = distances_by(&setup, &problem, row);
        assert_memory_equal(found, expected, QUERIES * ds->n * sizeof *found);
        assert_true(joins_left < 0); /* three questions to three members, if none is lost */
        free(found);
    }
    free(expected);
    eb_dataset_free(ds);
}

TEST(one_query_is_asked_of_the_next_member)
{
    eb_dataset *ds = make(&many);
    const eb_problem problem = eb_self_join(ds);
    const uint32_t row = 3;
    eb_status status = {.message = ""};
    eb_bins bins;
    asked a;
    const eb_setup setup = losing_team(2);
    losing.bins = sound->bins ? losing_bins : NULL;
    losing.distances = losing_queries;
    open_setup(&a, &setup, &problem);
    joins_left = 0;
    assert_int_equal(eb_ask_bins(&a.opened, &row, 1, &bins, &status), EB_OK);
    assert_int_equal(bins.queries, 1);
    eb_bins_free(&bins);
    assert_non_null(strstr(eb_team_losses(a.opened.run, a.opened.state), "fell off the bus"));
    joins_left = 0;
    assert_int_equal(eb_ask_bins(&a.opened, &row, 1, &bins, &status), EB_NO_DEVICE);
    assert_non_null(strstr(status.message, "fell off the bus"));
    eb_problem_close(&a.opened);
    eb_dataset_free(ds);
}

RUN_TESTS
