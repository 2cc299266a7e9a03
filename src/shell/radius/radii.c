#include "shell/radius/radii.h"

#include <math.h>

/* Points that have fewer than twice so many others get an S of a quarter of these. */
static double usual_selectivity(const eb_session *session, double usual)
{
    const double others = (double)session->dataset->n - 1;
    return 2 * usual <= others ? usual : fmax(1, floor(others / 4));
}

static eb_code tune_all(eb_session *session, eb_radii *radii, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    eb_target target[EB_MOST_RADII];
    unsigned passes = 0;
    for (size_t k = 0; k < radii->count; k++)
        target[k] = (eb_target){.wanted = radii->wanted[k]};
    EB_TRY(eb_session_truth(session, &setup, status));
    EB_TRY(eb_tune_dataset(&setup, session->dataset, 0, session->settings.seed, &session->curve, target, radii->count,
                           &passes, job, status));
    for (size_t k = 0; k < radii->count; k++) {
        radii->eps[k] = target[k].eps;
        eb_report_note(report, "ε = %.17g gives S = %.10g (wanted %.10g), tuned exactly by %s on %s", target[k].eps,
                       target[k].selectivity, radii->wanted[k], setup.engine->name, setup.device.name);
        eb_session_log_target(session, setup.spec, &target[k]);
    }
    return EB_OK;
}

static eb_code take_given(const double *given, size_t count, double *out, eb_radii *radii, eb_status *status)
{
    if (count > EB_MOST_RADII)
        return eb_fail(status, EB_USAGE, "at most %u radii at a time; found %zu", EB_MOST_RADII, count);
    radii->count = count;
    for (size_t k = 0; k < count; k++) {
        out[k] = given[k];
        if (k > 0 && !(given[k] > given[k - 1]))
            return eb_fail(status, EB_USAGE, "radii must ascend; found %g after %g", given[k], given[k - 1]);
    }
    return EB_OK;
}

eb_code eb_session_resolve_radii(eb_session *session, const eb_call *call, double usual, eb_report *report,
                                 eb_radii *out, eb_job *job, eb_status *status)
{
    const double *eps, *wanted;
    const size_t given = eb_call_numbers(call, "eps", &eps), asked = eb_call_numbers(call, "S", &wanted);
    *out = (eb_radii){.count = 1, .eps = {session->eps}};
    for (size_t k = 0; k < EB_MOST_RADII; k++)
        out->wanted[k] = (double)NAN;
    if (given && asked)
        return eb_fail(status, EB_USAGE, "eps and S are both given; S would tune ε, so give one of them");
    if (given) {
        EB_TRY(take_given(eps, given, out->eps, out, status));
    } else if (asked) {
        EB_TRY(take_given(wanted, asked, out->wanted, out, status));
    } else if (isnan(session->eps)) {
        if (isnan(usual))
            return eb_fail(status, EB_USAGE, "no ε yet; give eps=X, or S=X to tune it, or use `tune` first");
        out->wanted[0] = usual_selectivity(session, usual);
    }
    if (!isnan(out->wanted[0]))
        EB_TRY(tune_all(session, out, report, job, status));
    session->eps = out->eps[out->count - 1];
    return EB_OK;
}
