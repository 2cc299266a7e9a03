/* precision: the command `precision`: how much of the truth's result each number type of tensor cores keeps, predicted
 * from a sample and measured. */
#include <stdlib.h>

#include "shell/commands/accuracy_report.h"
#include "shell/commands/commands.h"
#include "shell/precision/report.h"

enum { USUAL_K = 10 };

typedef struct watching {
    eb_session *session;
    const eb_trying *t;
} watching;

static void report_so_far(void *context, eb_report *report)
{
    const watching *w = context;
    eb_report_trying(w->session, w->t, report);
}

static void changed(void *context)
{
    const watching *w = context;
    eb_live_changed(w->session->live);
}

/* The session keeps a comparison that has an accuracy, for `accuracy` and `hist`. */
static void hand_over(eb_session *session, eb_trying *t)
{
    bool any = false;
    for (size_t k = 0; t->measured && k < t->measured->count; k++)
        any |= t->measured->compared[k];
    if (any) {
        eb_comparison_keep(session, t->measured);
        t->measured = NULL;
    }
}

eb_code eb_cmd_precision(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_trying t = {.want = eb_call_number(call, "want", 0.999),
                   .k = (size_t)eb_call_integer(call, "k", USUAL_K),
                   .predict = eb_call_flag(call, "predict"),
                   .changed = changed};
    watching w = {session, &t};
    t.context = &w;
    EB_TRY(eb_trying_choose(session, eb_call_text(call, "types"), &t, status));
    EB_TRY(eb_session_resolve_eps(session, call, report, &t.eps, job, status));
    eb_live_tell(session->live, report_so_far, &w);
    const eb_code failed = eb_trying_run(session, &t, job, status);
    eb_live_tell(session->live, NULL, NULL);
    eb_report_trying(session, &t, report);
    eb_conclude_trying(&t, report);
    hand_over(session, &t);
    eb_trying_free(&t);
    return failed;
}
