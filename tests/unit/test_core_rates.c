/* rates: which shapes are measured, taken from elsewhere, left out or refused, and what is left after a cancel. */
#include <math.h>
#include <time.h>

#include "core/base/argument.h"
#include "core/experiment/experiment.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

/* ---- engines: one takes 20 µs for each n²d of a pass, one refuses many points ---- */

#define SLOW_S 20e-6
#define FEW 40

static eb_code slow_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                          eb_status *status)
{
    const naive_state *naive = state;
    const double n = (double)naive->problem->left->n, seconds = SLOW_S * n * n * (double)naive->problem->left->d;
    const double part_s = seconds / share->parts;
    const struct timespec pause = {.tv_sec = (time_t)part_s, .tv_nsec = (long)(1e9 * (part_s - floor(part_s)))};
    (void)nanosleep(&pause, NULL);
    eb_figures_add(naive->context->figures, &eb_figure_kernel, part_s);
    return naive_count(state, question, share, entries, status);
}

static eb_code picky_open(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    if (problem->left->n >= FEW)
        return eb_fail(status, EB_NO_MEMORY, "%zu points are too many", problem->left->n);
    return naive_open(problem, context, state, status);
}

static eb_implementation slow_cpu, picky_cpu;
static const eb_engine slow = {.name = "slow", .title = "slow", .on = {[EB_DEVICE_CPU] = {"slow", &slow_cpu}}};
static const eb_engine picky = {.name = "picky", .title = "picky", .on = {[EB_DEVICE_CPU] = {"picky", &picky_cpu}}};

/* ---- who is asked ---- */

typedef struct host {
    eb_dataset *lent;
    size_t shapes, settled, known_n; /* cells of so many points are known elsewhere */
    const eb_experiment_cell *order[64];
    double eps; /* sampled last */
    size_t cancel_at;
    eb_job *job;
} host;

static eb_code lend(void *context, size_t n, size_t d, eb_job *job, const eb_dataset **out, eb_status *status)
{
    (void)status;
    host *h = context;
    eb_dataset_free(h->lent);
    *out = h->lent = naive_points(n, d, 100, n + d);
    if (++h->shapes == h->cancel_at)
        eb_job_cancel(job);
    return EB_OK;
}

static bool find(void *context, eb_experiment_cell *cell)
{
    const host *h = context;
    if (cell->n != h->known_n)
        return false;
    cell->run.trials = calloc(1, sizeof *cell->run.trials);
    cell->run.trials_done = 1;
    eb_figures_set(&cell->run.trials[0], &eb_figure_kernel, 2);
    eb_figures_set(&cell->run.trials[0], &eb_figure_total, 3);
    cell->run.row = 17;
    return true;
}

static void sampled(void *context, const eb_experiment_cell *cell, double eps, double error)
{
    (void)error;
    assert_true(cell->selectivity > 0);
    ((host *)context)->eps = eps;
}

static void changed(void *context, eb_experiment_cell *cell)
{
    host *h = context;
    if (!cell) { /* before the first */
        assert_int_equal(h->settled + h->shapes, 0);
        return;
    }
    assert_true(h->settled < sizeof h->order / sizeof h->order[0]);
    h->order[h->settled++] = cell;
}

static eb_setup setups[2], truth;
static const double ns[] = {10, 40, 80}, ds[] = {1, 4};

static eb_experiment_request request_of(host *h, const eb_engine *first, const eb_engine *second)
{
    memset(&naive_trouble, 0, sizeof naive_trouble);
    setups[0] = naive_setup_of(first);
    if (second)
        setups[1] = naive_setup_of(second);
    truth = naive_setup_of(&naive_engine);
    return (eb_experiment_request){.what = "cell",
                                   .setup = setups,
                                   .setups = second ? 2 : 1,
                                   .axis = {{EB_F(n), ns, 3}, {EB_F(d), ds, 2}},
                                   .axes = 2,
                                   .goes_on = true,
                                   .eps = NAN,
                                   .selectivity = 4,
                                   .truth = &truth,
                                   .seed = 7,
                                   .trials = 1,
                                   .warm_up = EB_WARM_UP_NONE,
                                   .limit_s = INFINITY,
                                   .host = {h, lend, find, sampled, NULL, changed, NULL}};
}

static void states_are(const eb_experiment *rates, size_t setup, const char *expected)
{
    static const char letter[] = {'.', 'm', 'k', '>', 'x'};
    char found[16] = "";
    for (size_t k = setup, at = 0; k < rates->cells; k += rates->request->setups)
        found[at++] = letter[rates->cell[k].state];
    assert_string_equal(found, expected);
}

static const eb_experiment_cell *at(const eb_experiment *rates, size_t n, size_t d, size_t setup)
{
    return eb_experiment_at(rates, (size_t[]){n, d}, setup);
}

/* ---- steps ---- */

static void steps_go_by_a_factor_to_the_end(void **state)
{
    (void)state;
    double out[EB_MOST_STEPS];
    static const double by_root[] = {1000, 3162, 10000, 31623, 100000, 316228, 1e6};
    assert_int_equal(eb_steps_by_factor(1e3, 1e6, sqrt(10), out), 7);
    assert_memory_equal(out, by_root, sizeof by_root);
    assert_int_equal(eb_steps_by_factor(64, 4096, 2, out), 7);
    assert_true(out[0] == 64 && out[6] == 4096);
    assert_int_equal(eb_steps_by_factor(100, 250, 2, out), 3); /* the last step is smaller */
    assert_true(out[2] == 250);
    assert_int_equal(eb_steps_by_factor(10, 1000, 10, out), 3); /* no step of nearly nothing at the end */
    assert_int_equal(eb_steps_by_factor(5, 5, 2, out), 0);
    assert_int_equal(eb_steps_by_factor(5, 2, 2, out), 0);
    assert_int_equal(eb_steps_by_factor(1, 100, 1, out), 0);
    assert_int_equal(eb_steps_by_factor(1, 100, 1.1, out), 0); /* steps of less than one */
    assert_int_equal(eb_steps_by_factor(1e3, 1e9, 1.01, out), 0);
}

/* ---- cells ---- */

static void all_engines_see_the_same_points(void **state)
{
    (void)state;
    host h = {0};
    eb_status status = {.message = ""};
    eb_experiment_request request = request_of(&h, &naive_engine, &slow);
    eb_experiment rates;
    request.setups = 1; /* the other one is slow */
    request.trials = 3;
    assert_int_equal(eb_experiment_run(&request, NULL, &rates, &status), EB_OK);
    states_are(&rates, 0, "mmmmmm");
    assert_int_equal(h.shapes, 6);
    for (size_t k = 0; k < 6; k++) {
        const eb_experiment_cell *rate = &rates.cell[k];
        assert_ptr_equal(h.order[k], rate);
        assert_ptr_equal(at(&rates, k / 2, k % 2, 0), rate);
        assert_true((double)rate->n == ns[k / 2] && (double)rate->d == ds[k % 2]);
        assert_true(rate->run.n == rate->n && rate->run.d == rate->d);
        assert_int_equal(rate->run.trials_done, 3);
        assert_true(eb_run_summary(&rate->run, "kernel_s").median > 0);
        assert_true(eb_run_summary(&rate->run, "executed_flops").median == (double)(rate->n * (rate->n - 1) * rate->d));
    }
    /* ε is the one at which S is about what was wanted, and all of these found exactly that. */
    const eb_experiment_cell *last = &rates.cell[5];
    assert_true(last->run.eps == h.eps);
    assert_int_equal(last->run.pairs, naive_pairs(h.lent, h.eps));
    assert_true(fabs(eb_selectivity(last->run.pairs, last->n) - 4) < 1);
    eb_experiment_free(&rates);
    eb_dataset_free(h.lent);
}

static void what_is_known_is_not_measured(void **state)
{
    (void)state;
    host h = {.known_n = 40};
    eb_status status = {.message = ""};
    const eb_experiment_request request = request_of(&h, &naive_engine, NULL);
    eb_experiment rates;
    assert_int_equal(eb_experiment_run(&request, NULL, &rates, &status), EB_OK);
    states_are(&rates, 0, "mmkkmm");
    assert_int_equal(h.shapes, 4); /* no points are made for them */
    assert_int_equal(rates.cell[2].run.row, 17);
    eb_experiment_free(&rates);
    eb_dataset_free(h.lent);
}

/* 2, 8, 32 and 128 ms; with 80 points 128 and 512. */
static void what_is_too_long_is_left_out_and_all_that_is_larger(void **state)
{
    (void)state;
    host h = {0};
    eb_status status = {.message = ""};
    eb_experiment_request request = request_of(&h, &slow, &naive_engine);
    eb_experiment rates;
    request.limit_s = 0.06;
    assert_int_equal(eb_experiment_run(&request, NULL, &rates, &status), EB_OK);
    states_are(&rates, 0, "mmm>>>");
    states_are(&rates, 1, "mmmmmm"); /* the other engine goes on */
    assert_true(fabs(at(&rates, 1, 1, 0)->forecast_s - 0.128) < 0.03);
    assert_true(at(&rates, 2, 0, 0)->forecast_s > request.limit_s);
    assert_true(isnan(at(&rates, 2, 1, 0)->forecast_s)); /* nobody looked */
    eb_experiment_free(&rates);
    eb_dataset_free(h.lent);
    /* Where no engine is left, ε is not sampled, and of what nobody looks at no points are made. */
    h = (host){.eps = -1};
    request = request_of(&h, &slow, NULL);
    request.limit_s = 1e-6;
    assert_int_equal(eb_experiment_run(&request, NULL, &rates, &status), EB_OK);
    states_are(&rates, 0, ">>>>>>");
    assert_int_equal(h.shapes, 1);
    assert_true(h.eps == -1);
    eb_experiment_free(&rates);
    eb_dataset_free(h.lent);
}

static void a_refusal_is_that_shapes_alone(void **state)
{
    (void)state;
    host h = {0};
    eb_status status = {.message = ""};
    eb_experiment_request request = request_of(&h, &picky, &naive_engine);
    eb_experiment rates;
    request.eps = 5;
    h.eps = -1;
    assert_int_equal(eb_experiment_run(&request, NULL, &rates, &status), EB_OK);
    states_are(&rates, 0, "mmxxxx");
    states_are(&rates, 1, "mmmmmm");
    assert_string_equal(at(&rates, 1, 0, 0)->why, "40 points are too many");
    assert_true(h.eps == -1); /* ε was given */
    assert_true(at(&rates, 2, 1, 1)->run.eps == 5);
    eb_experiment_free(&rates);
    eb_dataset_free(h.lent);
}

static void a_large_selectivity_needs_points(void **state)
{
    (void)state;
    host h = {0};
    eb_status status = {.message = ""};
    eb_experiment_request request = request_of(&h, &naive_engine, NULL);
    eb_experiment rates;
    request.selectivity = 9;
    request.axis[0].steps = 1;
    assert_int_equal(eb_experiment_run(&request, NULL, &rates, &status), EB_OK); /* all others are neighbours */
    assert_int_equal(rates.cell[0].run.pairs, 100);
    eb_experiment_free(&rates);
    eb_dataset_free(h.lent);
    request.selectivity = 9.5;
    assert_int_equal(eb_experiment_run(&request, NULL, &rates, &status), EB_UNREACHABLE);
    assert_string_equal(status.message, "S = 9.5 needs more than 9.5 points; the smallest n is 10");
    eb_experiment_free(&rates);
}

/* ---- cancel ---- */

typedef struct cancelled {
    const eb_experiment_request *request;
    eb_experiment rates;
} cancelled;

static eb_code work(eb_job *job, void *argument, eb_status *status)
{
    cancelled *c = argument;
    return eb_experiment_run(c->request, job, &c->rates, status);
}

static void a_cancel_keeps_what_is_finished(void **state)
{
    (void)state;
    host h = {.cancel_at = 4};
    eb_status status = {.message = ""};
    eb_job *job;
    const eb_experiment_request request = request_of(&h, &naive_engine, NULL);
    cancelled c = {.request = &request};
    assert_int_equal(eb_job_start(work, &c, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    states_are(&c.rates, 0, "mmm...");
    assert_int_equal(c.rates.cell[3].run.trials_done, 0);
    eb_experiment_free(&c.rates);
    eb_dataset_free(h.lent);
}

int main(void)
{
    slow_cpu = picky_cpu = naive_cpu;
    slow_cpu.count = slow_count;
    picky_cpu.open = picky_open;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_go_by_a_factor_to_the_end),
        cmocka_unit_test(all_engines_see_the_same_points),
        cmocka_unit_test(what_is_known_is_not_measured),
        cmocka_unit_test(what_is_too_long_is_left_out_and_all_that_is_larger),
        cmocka_unit_test(a_refusal_is_that_shapes_alone),
        cmocka_unit_test(a_large_selectivity_needs_points),
        cmocka_unit_test(a_cancel_keeps_what_is_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
