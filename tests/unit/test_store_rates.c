/* A run that was measured before is found again in the log, and no other run is found in its place. */

#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

enum { S = 64 };
#define EPS 12.5 /* of a_run */

/* A run that only counted, with kernel times 0.5, 0.25 and 1 s; EB_RUN_PARTIAL: interrupted after two trials. */
static int64_t add_count(eb_store *store, const written *w, const eb_run *of, eb_run_state ends)
{
    static const double kernel_s[] = {0.5, 0.25, 1};
    eb_status status = {0};
    eb_run run = *of;
    int64_t id;
    run.mode = EB_RUN_COUNT;
    assert_ok(eb_store_run_begin(store, w->command, w->dataset, &run, &id, &status), status);
    run.pairs = 6500;
    run.trials_done = ends == EB_RUN_DONE ? 3 : 2;
    for (unsigned k = 0; k < run.trials_done; k++) {
        eb_figures trial = a_trial(&run, kernel_s[k], 2 * kernel_s[k]);
        assert_ok(log_trial(store, id, &run, k, &trial, &status), status);
    }
    run.state = ends;
    assert_ok(eb_store_run_end(store, id, &run, &status), status);
    return id;
}

typedef struct asked {
    const char *source;
    double eps, selectivity;
    unsigned trials;
} asked;

static const asked usual = {"demo", EPS, S, 3};

/* The id of the run that is found; 0: none. */
static int64_t found(eb_store *store, int64_t session, const eb_run *run, asked a)
{
    eb_status status = {0};
    char *command;
    eb_run known = {.setup = run->setup};
    assert_ok(eb_store_find_rate(store, session, a.source, a.eps, a.selectivity, a.trials, &known, &command, &status),
              status);
    assert_int_equal(command != NULL, known.row > 0);
    assert_true(!command || strcmp(command, "grid fasted") == 0);
    free(command);
    eb_run_free(&known);
    return known.row;
}

TEST(the_newest_one_is_found_with_all_it_tells)
{
    eb_status status = {0};
    eb_store *store = open_log("found.db");
    written w = begin(store, "grid fasted");
    const eb_run run = a_run(&a_fast_engine);
    assert_int_equal(found(store, w.session, &run, usual), 0);
    (void)add_count(store, &w, &run, EB_RUN_DONE);
    int64_t second = add_count(store, &w, &run, EB_RUN_DONE);
    assert_int_equal(found(store, w.session, &run, usual), second);
    eb_run known = {.setup = run.setup};
    char *command;
    assert_ok(eb_store_find_rate(store, w.session, "demo", EPS, S, 3, &known, &command, &status), status);
    assert_true(known.row == second && known.eps == EPS && known.pairs == 6500 && known.trials_done == 3);
    assert_true(known.n == 100 && known.d == 16);
    for (unsigned k = 0; k < 3; k++) {
        const double kernel_s = eb_figures_value(&known.trials[k], "kernel_s");
        assert_true(kernel_s == (k == 0 ? 0.5 : k == 1 ? 0.25 : 1));
        assert_true(eb_figures_value(&known.trials[k], "total_s") == 2 * kernel_s);
    }
    assert_true(eb_run_summary(&known, "executed_flops").median == 100.0 * 100 * 16);
    assert_true(isnan(eb_run_summary(&known, "limit_flops").median)); /* unknown is not 0 */
    eb_run_free(&known);
    free(command);
    eb_store_close(store);
}

TEST(other_conditions_are_another_run)
{
    eb_store *store = open_log("conditions.db");
    written w = begin(store, "grid fasted");
    const eb_run run = a_run(&a_fast_engine);
    eb_run other = run;
    asked a = usual;
    (void)add_count(store, &w, &run, EB_RUN_DONE);
    a.trials = 4;
    assert_int_equal(found(store, w.session, &run, a), 0);
    a = usual;
    a.source = "demo:stars";
    assert_int_equal(found(store, w.session, &run, a), 0);
    a = usual;
    a.eps = 12.25;
    assert_int_equal(found(store, w.session, &run, a), 0);
    take_options(&other.setup, "tensor=sm_80");
    assert_int_equal(found(store, w.session, &other, usual), 0);
    other = run;
    other.setup.resources.threads = 3;
    assert_int_equal(found(store, w.session, &other, usual), 0);
    other = run;
    (void)snprintf(other.setup.device.model, sizeof other.setup.device.model, "Another CPU");
    assert_int_equal(found(store, w.session, &other, usual), 0);
    other = run;
    (void)snprintf(other.setup.device.driver, sizeof other.setup.device.driver, "580.1");
    assert_int_equal(found(store, w.session, &other, usual), 0);
    other = run;
    other.setup.device.clock_hz = 3e9; /* a CPU's momentary clock */
    assert_int_equal(found(store, w.session, &other, usual), 1);
    eb_store_close(store);
}

TEST(an_interrupted_run_a_table_and_another_build_do_not_count)
{
    const double kernel_s[] = {1, 1, 1};
    const eb_build newer = {.version = "0.1.0", .commit = "def", .flags = "-O2", .compiler = "gcc 12"};
    eb_status status = {0};
    int64_t session;
    eb_store *store = open_log("partial.db");
    written w = begin(store, "grid fasted");
    const eb_run run = a_run(&a_fast_engine);
    asked a = usual;
    a.trials = 2;
    (void)add_count(store, &w, &run, EB_RUN_PARTIAL);
    (void)add_run(store, &w, &a_fast_engine, 6500, kernel_s, 3); /* a run with a table */
    assert_int_equal(found(store, w.session, &run, a), 0);
    int64_t done = add_count(store, &w, &run, EB_RUN_DONE);
    assert_int_equal(found(store, w.session, &run, a), done);
    assert_ok(eb_store_session_begin(store, &newer, &session, &status), status);
    assert_int_equal(found(store, session, &run, a), 0);
    assert_ok(eb_store_session_begin(store, &a_build, &session, &status), status);
    assert_int_equal(found(store, session, &run, a), done);
    eb_store_close(store);
}

static eb_earlier earlier(eb_store *store, const eb_run *of, const char *spec, size_t n, size_t d)
{
    eb_status status = {0};
    eb_earlier out;
    assert_ok(eb_store_find_earlier(store, spec, of->setup.device.model, n, d, &out, &status), status);
    return out;
}

/* Of the points' dimensions, whatever n is; median times. */
TEST(a_run_from_which_others_are_scaled)
{
    eb_status status = {0};
    eb_earlier none;
    eb_store *store = open_log("earlier.db");
    written w = begin(store, "join fasted");
    const eb_run run = a_run(&a_fast_engine);
    const char *spec = run.setup.spec;
    assert_int_equal(earlier(store, &run, spec, 100, 16).run, 0);
    const int64_t row = add_count(store, &w, &run, EB_RUN_DONE);
    (void)add_count(store, &w, &run, EB_RUN_PARTIAL);
    const eb_earlier found_run = earlier(store, &run, spec, 1000000, 16);
    assert_true(found_run.run == row && found_run.n == 100 && found_run.counts);
    assert_true(found_run.kernel_s == 0.5 && found_run.total_s == 1 && found_run.selectivity == 64);
    assert_int_equal(found_run.threads, run.setup.resources.threads);
    assert_int_equal(earlier(store, &run, spec, 100, 8).run, 0);
    assert_int_equal(earlier(store, &run, "nobody", 100, 16).run, 0);
    assert_ok(eb_store_find_earlier(store, spec, "Another CPU", 100, 16, &none, &status), status);
    assert_int_equal(none.run, 0);
    assert_ok(eb_store_find_earlier(NULL, spec, "Another CPU", 100, 16, &none, &status), status);
    assert_int_equal(none.run, 0);
    eb_store_close(store);
}

/* A sampled ε is found for its selectivity S only, not for another ε of the same points. */
TEST(a_sampled_radius_is_known_by_its_selectivity)
{
    const double eps = EPS, wanted = S, error = 0.5;
    const uint64_t pairs = 6500;
    eb_status status = {0};
    eb_store *store = open_log("sampled.db");
    written w = begin(store, "grid fasted");
    const eb_run run = a_run(&a_fast_engine);
    asked a = usual;
    a.eps = NAN;
    (void)add_count(store, &w, &run, EB_RUN_DONE);
    assert_int_equal(found(store, w.session, &run, a), 0);
    assert_ok(eb_store_sweep(store, w.command, w.dataset, "ref64", 1, &eps, &wanted, NULL, &pairs, &status), status);
    assert_int_equal(found(store, w.session, &run, a), 0); /* counted, not sampled */
    assert_ok(eb_store_sweep(store, w.command, w.dataset, "ref64", 1, &eps, &wanted, &error, NULL, &status), status);
    assert_int_equal(found(store, w.session, &run, a), 1);
    a.selectivity = 128;
    assert_int_equal(found(store, w.session, &run, a), 0);
    eb_store_close(store);
}

RUN_TESTS_WITH(make_folder, remove_folder)
