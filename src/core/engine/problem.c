#include "core/engine/problem.h"

#include <string.h>

#include "core/base/clock.h"

static eb_code check_sets(const eb_problem *problem, eb_status *status)
{
    const eb_dataset *left = problem->left, *right = problem->right;
    if (eb_is_self_join(problem))
        return EB_OK;
    if (left->d != right->d)
        return eb_fail(status, EB_USAGE, "a join needs points of equal dimension; the left have %zu, the right %zu",
                       left->d, right->d);
    if (left->dtype != right->dtype)
        return eb_fail(status, EB_USAGE, "a join needs points of one type; the left are %s, the right %s",
                       eb_dtype_name(left->dtype), eb_dtype_name(right->dtype));
    if (left->n > EB_MAX_POINTS - right->n)
        return eb_fail(status, EB_TOO_LARGE, "%zu and %zu points; two sets may have %u together", left->n, right->n,
                       EB_MAX_POINTS);
    if (problem->order)
        return eb_fail(status, EB_INTERNAL, "an order for a join of two sets");
    return EB_OK;
}

eb_code eb_problem_open(const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                        eb_status *status)
{
    const eb_resources *resources = &setup->resources;
    double start = eb_now_s();
    *out = (eb_opened){.setup = setup, .problem = *problem};
    out->context = (eb_context){.device = &setup->device,
                                .devices = 1,
                                .threads = resources->threads ? resources->threads : 1,
                                .memory_limit = resources->memory_limit,
                                .options = setup->options,
                                .job = job,
                                .figures = &out->figures};
    eb_code failed = check_sets(problem, status);
    if (!failed && problem->order)
        failed = eb_order_check(problem->order, problem->left->n, status);
    if (!failed)
        failed = setup->run->open(&out->problem, &out->context, &out->state, status);
    if (failed)
        out->state = NULL;
    out->setup_s = eb_now_s() - start - eb_figures_parts(&out->figures);
    return failed;
}

void eb_problem_close(eb_opened *opened)
{
    double start = eb_now_s();
    opened->setup->run->close(opened->state);
    opened->state = NULL;
    double taken = opened->setup_s + (eb_now_s() - start);
    eb_figures_add(&opened->figures, &eb_figure_setup, taken > 0 ? taken : 0);
}

eb_code eb_question_check(const eb_question *question, const eb_share *share, const eb_problem *problem,
                          eb_status *status)
{
    size_t n = problem->left->n;
    if (!(question->eps >= 0)) /* NaN too */
        return eb_fail(status, EB_USAGE, "ε must be a distance, 0 or more; found %g", question->eps);
    if (share->row_begin > share->row_end || share->row_end > n || share->part >= share->parts)
        return eb_fail(status, EB_INTERNAL, "part %u of %u of rows %zu to %zu of %zu points", share->part, share->parts,
                       share->row_begin, share->row_end, n);
    return eb_schedule_check(&question->schedule, problem->order, status);
}
