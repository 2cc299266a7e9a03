/* play: a lesson as one person goes through it: predict, run, see, understand.
 *
 * It has a session of its own, on the same device with settings as they come, so that the person's dataset, ε and
 * settings stay as they were; its runs go into the same log. Nothing else keeps state: what a step needs it makes.
 */
#ifndef EB_SHELL_LESSONS_PLAY_H
#define EB_SHELL_LESSONS_PLAY_H

#include "shell/lessons/lesson.h"
#include "shell/session.h"

typedef struct eb_play eb_play;

/* Takes ownership of the lesson, also when it fails. */
eb_code eb_play_new(const eb_session *outer, eb_lesson *lesson, eb_play **out, eb_status *status);
void eb_play_free(eb_play *play); /* NULL is fine */

const eb_lesson *eb_play_lesson(const eb_play *play);
const char *eb_play_ran(const eb_play *play, size_t line); /* what a `run` line ran last; NULL: it has not */
unsigned eb_play_where(const eb_play *play);               /* EB_LESSON_ON_CPU or …_GPU: whose lines count */
size_t eb_play_step(const eb_play *play);                  /* from 0; lesson->steps: it is over */
void eb_play_score(const eb_play *play, size_t *answered, size_t *right);

/* A table "wrong" of what was predicted wrongly, where the log keeps none; nothing where nothing was. It is told once.
 */
void eb_play_wrong(eb_play *play, eb_report *report);

/* Goes to a step, from 0: what comes before its question is run and shown, then the question is asked. */
eb_code eb_play_ask(eb_play *play, eb_session *outer, size_t step, eb_report *report, eb_job *job, eb_status *status);

/* The question that waits for an answer, once more; nothing where the lesson is over. */
eb_code eb_play_remind(eb_play *play, eb_report *report, eb_job *job, eb_status *status);

/* The hints of the step, in the report; EB_NOT_FOUND where it has none. */
eb_code eb_play_hint(eb_play *play, eb_report *report, eb_job *job, eb_status *status);

/* What an answer came to. */
typedef struct eb_outcome {
    char question[512], answer[64], expected[64];
    bool correct, hinted;
} eb_outcome;

/* Runs the rest of the step and shows it, what was right, and the explanation. answer NULL: the right one is told, and
 * nobody's score changes.
 * EB_USAGE, with nothing run, for what is no answer to the question. Does not go on. */
eb_code eb_play_answer(eb_play *play, eb_session *outer, const char *answer, eb_report *report, eb_outcome *out,
                       eb_job *job, eb_status *status);

#endif
