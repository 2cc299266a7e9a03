/* precision: the command `precision`: how much of the truth's result each number type of tensor cores keeps, predicted
 * from a sample and measured. */
#include <stdlib.h>

#include "shell/commands/accuracy_report.h"
#include "shell/commands/commands.h"
#include "shell/commands/sample_report.h"
#include "shell/conclude/held.h"
#include "shell/lab/model_report.h"
#include "shell/precision/report.h"
#include "shell/radius/targets.h"

enum { USUAL_K = 10, USUAL_S = 64 };
#define PATIENCE_S 10.0 /* a longer exact pass of tune leaves ε sampled */

typedef struct precision {
    eb_session *session;
    eb_targets targets;
    eb_trying *t; /* [targets.count] */
} precision;

static void report_all(const precision *p, eb_report *report)
{
    if (p->targets.count == 1)
        eb_report_trying(p->session, p->t, report);
    else
        eb_report_breakdown(p->session, p->t, p->targets.count, report);
}

static void report_so_far(void *context, eb_report *report) { report_all(context, report); }

static void changed(void *context)
{
    const precision *p = context;
    eb_live_changed(p->session->live);
}

/* The session keeps the last comparison that has an accuracy, for `accuracy` and `hist`. */
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

static eb_code try_all(precision *p, const eb_trying *like, eb_job *job, eb_status *status)
{
    eb_code failed = EB_OK;
    for (size_t k = 0; k < p->targets.count; k++) {
        p->t[k] = *like;
        p->t[k].eps = p->targets.target[k].eps;
        p->t[k].selectivity = p->targets.target[k].wanted;
    }
    eb_live_tell(p->session->live, report_so_far, p);
    for (size_t k = 0; k < p->targets.count && !failed; k++) {
        failed = eb_trying_run(p->session, &p->t[k], job, status);
        eb_trying_log(p->session, &p->t[k]);
    }
    eb_live_tell(p->session->live, NULL, NULL);
    return failed;
}

eb_code eb_cmd_precision(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    precision p = {.session = session};
    eb_machine machine;
    EB_TRY(eb_model_gpu(session, eb_call_text(call, "on"), &machine, status));
    eb_trying like = {.want = eb_call_number(call, "want", 0.999),
                      .k = (size_t)eb_call_integer(call, "k", USUAL_K),
                      .machine = &machine,
                      .predict = eb_call_flag(call, "predict"),
                      .changed = changed,
                      .context = &p};
    eb_held held[EB_NUMBERS];
    char sentence[EB_HELD_BYTES];
    EB_TRY(eb_numbers_held(session->dataset, session->settings.threads, job, held, status));
    like.held = eb_held_sentence(held, session->dataset->dtype, sentence);
    EB_TRY(eb_read_sample(call, &like.sample, status));
    EB_TRY(eb_trying_choose(session, eb_call_text(call, "types"), &like, status));
    EB_TRY(eb_resolve_targets(session, call, USUAL_S, PATIENCE_S, report, &p.targets, job, status));
    p.t = calloc(p.targets.count, sizeof *p.t);
    if (!p.t)
        return eb_fail_memory(status, "what is tried", p.targets.count * sizeof *p.t);
    const eb_code failed = try_all(&p, &like, job, status);
    report_all(&p, report);
    if (p.targets.count == 1)
        eb_conclude_trying(p.t, report);
    for (size_t k = 0; k < p.targets.count; k++) {
        hand_over(session, &p.t[k]);
        eb_trying_free(&p.t[k]);
    }
    free(p.t);
    return failed;
}
