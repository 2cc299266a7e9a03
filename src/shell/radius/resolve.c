#include "shell/radius/resolve.h"

#include <math.h>

static eb_code tune_one(eb_session *session, double wanted, eb_report *report, double *eps, eb_job *job,
                        eb_status *status)
{
    eb_setup setup;
    eb_target target = {.wanted = wanted};
    unsigned passes = 0;
    EB_TRY(eb_session_truth(session, &setup, status));
    EB_TRY(eb_tune_dataset(&setup, session->dataset, 0, session->settings.seed, &session->curve, &target, 1, &passes,
                           job, status));
    *eps = target.eps;
    eb_report_note(report, "ε = %.17g gives S = %.10g (wanted %.10g), tuned exactly by %s on %s", target.eps,
                   target.selectivity, wanted, setup.engine->name, setup.device.name);
    eb_session_log_target(session, setup.spec, &target);
    return EB_OK;
}

eb_code eb_resolve_eps(eb_session *session, const eb_call *call, eb_report *report, double *eps, eb_job *job,
                       eb_status *status)
{
    bool given = eb_call_has(call, "eps"), wanted = eb_call_has(call, "S");
    if (given && wanted)
        return eb_fail(status, EB_USAGE, "eps and S are both given; S would tune ε, so give one of them");
    eb_code failed = EB_OK;
    if (given)
        *eps = eb_call_number(call, "eps", NAN);
    else if (wanted)
        failed = tune_one(session, eb_call_number(call, "S", NAN), report, eps, job, status);
    else if (!isnan(session->eps))
        *eps = session->eps;
    else
        return eb_fail(status, EB_USAGE, "no ε yet; give eps=X, or S=X to tune it, or use `tune` first");
    if (!failed)
        session->eps = *eps;
    return failed;
}
