#include "core/experiment/warm_up.h"

#include <math.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/lookup.h"
#include "core/engine/shared_pairs.h"

#define ENOUGH_S 0.25
#define SHORT_S 0.5
#define SMALL_COORDINATES 1e11
#define SMALLEST_PART 4096u

static const char *const names[] =
    {[EB_WARM_UP_NONE] = "none", [EB_WARM_UP_PART] = "part", [EB_WARM_UP_FULL] = "full", [EB_WARM_UP_AUTO] = "auto"};

const char *eb_warm_up_name(eb_warm_up warm_up) { return names[warm_up]; }

eb_warm_up eb_warm_up_of(const char *name)
{
    if (name && strcmp(name, "0") == 0)
        return EB_WARM_UP_NONE;
    return (eb_warm_up)eb_index_of_name(names, sizeof names / sizeof names[0], name, EB_WARM_UP_AUTO);
}

bool eb_warm_up_is_small(const eb_problem *problem)
{
    return (double)problem->left->n * (double)problem->right->n * (double)problem->left->d <= SMALL_COORDINATES;
}

void eb_warm_up_wake(const eb_setup *setup, const eb_problem *problem, eb_job *job)
{
    eb_dataset one = *problem->left;
    eb_problem alone = eb_self_join(&one);
    eb_opened opened;
    one.n = 1;
    if (setup->device.kind == EB_DEVICE_CPU) /* needs no waking */
        return;
    if (eb_problem_open(setup, &alone, job, &opened, NULL) == EB_OK)
        eb_problem_close(&opened);
}

/* Kernel time so far, which excludes opening and loading code. */
static double kernel_s(const eb_opened *opened, double elapsed_s)
{
    const double counted_s = eb_figures_value(&opened->figures, eb_figure_kernel.key);
    return isnan(counted_s) ? elapsed_s : counted_s;
}

/* Counts parts 0 and 1 of 4096, then part 1 of 2048, of 1024 and so on: each part begins where the last one ended.
 * *whole_s: seconds for all tiles. The first part's time is taken as it is, because an engine may make an index for its
 * first question; the rest is as fast as the later parts. */
static eb_code count_parts(const eb_opened *opened, double eps, bool stop_if_short, double enough_s, double *share,
                           double *whole_s, eb_status *status)
{
    const eb_question question = {.eps = eps};
    eb_share part = eb_share_whole(&opened->problem);
    double start_s = eb_now_s(), first_s = 0, later_s = 0;
    part.parts = SMALLEST_PART;
    for (;;) {
        uint64_t entries;
        EB_TRY(eb_ask_count(opened, &question, &part, &entries, status));
        const double counted_s = kernel_s(opened, eb_now_s() - start_s);
        *share = (part.part + 1.0) / part.parts;
        if (part.part == 0) {
            first_s = counted_s;
            *whole_s = first_s / *share;
            later_s = eb_now_s();
        } else {
            *whole_s = first_s + (counted_s - first_s) / (*share - 1.0 / SMALLEST_PART) * (1 - 1.0 / SMALLEST_PART);
        }
        if ((stop_if_short && *whole_s <= SHORT_S) || *share >= 1 ||
            (part.part > 0 && eb_now_s() - later_s >= enough_s))
            return EB_OK;
        part.parts /= part.part == 1 ? 2 : 1;
        part.part = 1;
    }
}

eb_code eb_warm_up_part(const eb_setup *setup, const eb_problem *problem, double eps, bool stop_if_short, eb_job *job,
                        double *share, bool *is_short, eb_status *status)
{
    eb_opened opened;
    double whole_s = INFINITY;
    *share = 0;
    eb_job_phase(job, "warm-up", 0);
    EB_TRY(eb_job_check(job, status));
    EB_TRY(eb_problem_open(setup, problem, job, &opened, status));
    eb_code failed = count_parts(&opened, eps, stop_if_short, ENOUGH_S, share, &whole_s, status);
    eb_problem_close(&opened);
    *is_short = whole_s <= SHORT_S;
    return failed;
}

double eb_warm_up_estimate(const eb_setup *setup, const eb_problem *problem, double eps, double enough_s, eb_job *job)
{
    eb_opened opened;
    double share, whole_s = NAN, start_s = eb_now_s();
    if (eb_problem_open(setup, problem, job, &opened, NULL))
        return NAN;
    double open_s = eb_now_s() - start_s;
    eb_tell_wide_reach(&opened, eps, job);
    eb_code failed = count_parts(&opened, eps, false, enough_s, &share, &whole_s, NULL);
    eb_problem_close(&opened);
    return failed ? NAN : open_s + whole_s;
}
