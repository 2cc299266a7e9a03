/* forecast: the forecast of a command that runs engines, before and during the runs. */
#include <math.h>

#include "core/experiment/forecast.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

TEST(trials_correct_it)
{
    eb_forecast f;
    eb_forecast_begin(&f, NULL, "engine", 2, 10);
    eb_forecast_run(&f, 0);
    assert_true(isnan(eb_forecast_after(&f, 0)));
    f.trial_s[0] = 2; /* as from a probe */
    f.trial_s[1] = 5;
    assert_true(eb_forecast_after(&f, 0) == 9 * 2 + 10 * 5);
    eb_forecast_trial(&f, 0);
    eb_forecast_trial_ended(&f, 3);
    assert_true(eb_forecast_after(&f, 1) == 8 * 3 + 10 * 5);
    eb_forecast_trial_ended(&f, 4); /* mean of the two trials */
    assert_true(eb_forecast_after(&f, 9) == 10 * 5);
    eb_forecast_run(&f, 1);
    assert_true(eb_forecast_after(&f, 0) == 9 * 5);
    eb_forecast_trial_ended(&f, 1);
    assert_true(eb_forecast_after(&f, 9) == 0);
    f.beyond_s = 60; /* seconds after the runs */
    assert_true(eb_forecast_after(&f, 9) == 60);
    f.beyond_s = NAN;
    assert_true(isnan(eb_forecast_after(&f, 9)));
}

TEST(what_nobody_knows_is_as_the_last_that_is_known)
{
    eb_forecast f;
    eb_forecast_begin(&f, NULL, "variant", 4, 2);
    f.trial_s[1] = 3;
    eb_forecast_run(&f, 0);
    assert_true(eb_forecast_after(&f, 1) == 3 * 2 * 3);
    f.trial_s[0] = 1;
    assert_true(eb_forecast_after(&f, 0) == 1 + 3 * 2 * 3);
    eb_forecast_run(&f, 3);
    assert_true(eb_forecast_after(&f, 0) == 3);
}

typedef struct looked {
    const eb_dataset *points;
    unsigned trials;
    double trial_s;
} looked;

static eb_code look(eb_job *job, void *argument, eb_status *status)
{
    (void)status;
    looked *l = argument;
    eb_problem problem = eb_self_join(l->points);
    eb_forecast f;
    eb_forecast_begin(&f, job, "run", 1, l->trials);
    eb_forecast_look(&f, 0, &naive_setup, &problem, 1);
    l->trial_s = f.trial_s[0];
    return EB_OK;
}

static double look_at(const eb_dataset *points, unsigned trials)
{
    eb_job *job;
    looked l = {points, trials, 0};
    assert_int_equal(eb_job_start(look, &l, &job, NULL), EB_OK);
    assert_int_equal(eb_job_finish(job, NULL), EB_OK);
    return l.trial_s;
}

/* 3000² · 40 coordinates a trial: 36·10⁷. */
TEST(it_looks_where_there_is_much_to_do)
{
    eb_dataset *ds = naive_points(3000, 40, 100, 1);
    assert_true(isnan(look_at(ds, 200)));
    double seconds = look_at(ds, 1000);
    assert_true(seconds > 1e-4 && seconds < 100);
    eb_dataset_free(ds);
}

RUN_TESTS
