#include "shell/diagnosis/diagnose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/commands/commands.h"
#include "shell/defaults.h"
#include "shell/diagnosis/round.h"
#include "shell/lessons/play.h"

typedef struct diagnosis {
    eb_witness witness;
    eb_clues clues;
    eb_case c;
    eb_lesson *lesson;
    eb_report *shown;
    char by[128];
    char why_not[sizeof((eb_status *)0)->message]; /* why this GPU did not count; "": it did, or there is none */
} diagnosis;

/* Counts on the session's GPU. Without its counters, or without the variant's kernel, the recorded ones stay. */
static eb_code count_now(diagnosis *r, eb_job *job, eb_status *status)
{
    bool now = false;
    eb_status why;
    const eb_code failed = eb_evidence_count(&r->witness, &r->c.full, &r->c.evidence[r->c.right], &now, job, &why);
    if (now)
        (void)snprintf(r->by, sizeof r->by, "this GPU");
    if (failed == EB_CANCELLED)
        return eb_fail(status, failed, "%s", why.message);
    if (failed) /* the message may name the variant */
        (void)snprintf(r->why_not, sizeof r->why_not, "%s",
                       strchr(why.message, '[') ? "it cannot run this variant" : why.message);
    return EB_OK;
}

static eb_code make_case(diagnosis *r, const eb_session *session, uint64_t number, eb_job *job, eb_status *status)
{
    EB_TRY(eb_witness_open(session, &r->witness, status));
    EB_TRY(eb_clues_read(&r->clues, status));
    EB_TRY(eb_case_make(&r->witness, &r->clues, session->settings.seed, number, &r->c, job, status));
    const eb_counted *counted = &r->witness.counted;
    (void)snprintf(r->by, sizeof r->by, "an %s, recorded on %s", counted->gpu, counted->date);
    if (eb_device_named_cpu(session->settings.device))
        return EB_OK;
    return count_now(r, job, status);
}

static eb_code go_on(eb_session *session, eb_report *report, eb_job *job, eb_status *status);

/* Makes the case the session's lesson, with the score so far, and asks. */
static eb_code ask(diagnosis *r, eb_session *session, const eb_lesson_place *place, eb_report *report, eb_job *job,
                   eb_status *status)
{
    eb_play *play, *old = session->play;
    eb_lesson *lesson = r->lesson;
    const bool goes_on = old && old->go_on == go_on;
    r->lesson = NULL;
    EB_TRY(eb_play_new(session, lesson, &play, status));
    play->answered = goes_on ? old->answered : 0;
    play->right = goes_on ? old->right : 0;
    play->before = r->c.number - 1;
    play->go_on = go_on;
    play->last = r->shown;
    r->shown = NULL;
    eb_play_free(old);
    session->play = play;
    session->free_play = eb_play_free;
    EB_TRY(eb_play_ask(play, session, 0, place, report, job, status));
    eb_play_stay(session);
    return EB_OK;
}

eb_code eb_diagnose(eb_session *session, const eb_lesson_place *place, eb_report *report, eb_job *job,
                    eb_status *status)
{
    diagnosis *r = calloc(1, sizeof *r);
    if (!r)
        return eb_fail_memory(status, "a case", sizeof *r);
    eb_code failed = make_case(r, session, place->step, job, status);
    if (!failed)
        failed = eb_round_lesson(&r->c, &r->clues, r->by, &r->lesson, status);
    if (!failed)
        failed = eb_round_report(&r->c, &r->witness, &r->shown, status);
    if (!failed)
        failed = ask(r, session, place, report, job, status);
    if (!failed && r->why_not[0])
        eb_report_note(report, "this GPU did not count: %s", r->why_not);
    eb_lesson_free(r->lesson);
    eb_report_free(r->shown);
    eb_clues_free(&r->clues);
    eb_witness_close(&r->witness);
    free(r);
    return failed;
}

static eb_code go_on(eb_session *session, eb_report *report, eb_job *job, eb_status *status)
{
    eb_lesson_progress progress = {.answered = session->play->answered, .first = session->play->right};
    if (session->store)
        EB_TRY(eb_store_lesson_progress(session->store, EB_DIAGNOSIS, &progress, status));
    if (progress.answered > 0)
        eb_report_note(report,
                       "%llu of %llu cases named rightly; the next one follows, and `lesson next` leads back to the "
                       "lessons",
                       (unsigned long long)progress.first, (unsigned long long)progress.answered);
    return eb_diagnose(session, &(eb_lesson_place){.step = session->play->before + 2}, report, job, status);
}

/* The case after those of the log that were answered. */
static eb_code next_number(const eb_session *session, uint64_t *number, eb_status *status)
{
    eb_lesson_progress progress = {0};
    if (session->store)
        EB_TRY(eb_store_lesson_progress(session->store, EB_DIAGNOSIS, &progress, status));
    *number = progress.answered + 1;
    return EB_OK;
}

eb_code eb_cmd_diagnose(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    uint64_t number = (uint64_t)eb_call_integer(call, "case", 0);
    if (number == 0)
        EB_TRY(next_number(session, &number, status));
    return eb_diagnose(session, &(eb_lesson_place){.step = number}, report, job, status);
}
