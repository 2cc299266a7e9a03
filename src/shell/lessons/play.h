/* play: a lesson as one person goes through it: predict, run, see, understand.
 *
 * It has a session of its own, on the same device with settings as they come, so that the person's dataset, ε and
 * settings stay as they were; its runs go into the same log. Nothing else keeps state: what a step needs it makes.
 */
#pragma once

#include "shell/lessons/fill.h"
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

struct eb_play {
    eb_lesson *lesson;
    size_t step, answered, right;
    bool hinted;
    unsigned where; /* EB_LESSON_ON_… */
    eb_session *session;
    eb_evaluator *values;
    eb_report *last;  /* of the command that ran last; NULL: none */
    char **ran;       /* [lesson->lines], heap: what a `run` line ran; NULL: it has not */
    eb_report *wrong; /* a table of what was predicted wrongly */
};

/* What plays a step: its lines come here one by one. */
typedef struct eb_play_scene {
    eb_play *play;
    eb_session *outer;
    eb_report *report; /* what the person sees */
    eb_job *job;
    eb_status *status;
} eb_play_scene;

/* play.c */
const eb_lesson_step *eb_play_current(const eb_play *play);

/* The line of the step that has this word, of choices the one with the letter (0: any); NULL: none. */
const eb_lesson_line *eb_play_line(const eb_play *play, eb_lesson_word word, char letter);

/* Does lines [first, end) one by one: what runs, what is taken, what is shown. */
eb_code eb_play_do(const eb_play_scene *s, size_t first, size_t end);

/* The lesson's author is told where. */
eb_code eb_play_at_line(const eb_play_scene *s, const eb_lesson_line *line, eb_code failed);

/* A line's text with its numbers, heap. */
eb_code eb_play_expand(const eb_play_scene *s, const eb_lesson_line *line, char **out);

/* All lines of a word as one paragraph of a record; nothing where there are none. */
eb_code eb_play_paragraph(const eb_play_scene *s, eb_record *record, size_t first, size_t end, eb_lesson_word word,
                          const eb_column *field);
