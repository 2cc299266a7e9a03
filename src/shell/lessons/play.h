/* play: a lesson in progress: asks the questions of its steps, takes answers, runs commands and shows the explanations.
 *
 * A play has its own session with default settings on the person's device, so that the person's dataset, ε and settings
 * do not change. Its runs go into the person's log.
 *
 * A wrong first answer leaves the question open for a second try; only the first counts. The lines after the question
 * run once, at the first answer.
 */
#pragma once

#include "shell/lessons/lesson.h"
#include "shell/lessons/recorded.h"
#include "shell/lessons/texts.h"
#include "shell/session.h"

typedef struct eb_play {
    eb_lesson *lesson;
    size_t step;            /* from 0; lesson->steps: the lesson is over */
    size_t answered, right; /* by the first try */
    size_t later;           /* right by the second try */
    size_t tries;           /* wrong answers to the open question */
    char wrong_try[64];     /* the last of them */
    bool hinted;
    bool unlogged;  /* the commands that run are not logged */
    bool resumed;   /* an earlier process began the lesson */
    unsigned where; /* EB_LESSON_ON_CPU or EB_LESSON_ON_GPU */
    eb_session *session;
    eb_evaluator *values;
    eb_report *last;        /* the last command's report; NULL: none */
    char **ran;             /* [lesson->lines], heap: the command of each `run` line; NULL: not run yet */
    eb_report *shown;       /* what the lines after the question show; NULL: they have not run */
    eb_report *wrong;       /* a table of wrong predictions; NULL: none */
    eb_recorded recorded;   /* without a GPU: what one measured */
    eb_recorded *recording; /* on a GPU: takes the values of `gpu take` lines; NULL: nobody wants them; not owned */
    size_t before;          /* steps of earlier plays of a lesson that never ends, for the log */
    eb_code (*go_on)(eb_session *session, eb_report *report, eb_job *job, eb_status *status); /* begins the next play of
                                                                    such a lesson; NULL: the lesson ends */
} eb_play;

/* Takes ownership of the lesson, also when it fails. */
eb_code eb_play_new(const eb_session *outer, eb_lesson *lesson, eb_play **out, eb_status *status);
void eb_play_free(eb_play *play); /* NULL is fine */

/* Moves the table "wrong" of wrong predictions into the report, for sessions without a log. Adds nothing if there are
 * none, and on a second call. */
void eb_play_wrong(eb_play *play, eb_report *report);

/* Goes to a step, from 0: runs and shows its lines before the question, then asks. kept: what the log knows of earlier
 * tries; NULL: there were none. Does nothing after the last step. */
eb_code eb_play_ask(eb_play *play, eb_session *outer, size_t step, const eb_lesson_place *kept, eb_report *report,
                    eb_job *job, eb_status *status);

/* Runs all steps before this one without showing or logging anything, since its lines may use what they take. */
eb_code eb_play_catch_up(eb_play *play, eb_session *outer, size_t step, eb_job *job, eb_status *status);

/* Logs which question of the session's lesson is open; a failure ends logging, not the lesson. */
void eb_play_stay(eb_session *session);

/* Shows the open question again, after a wrong try also the record "again"; nothing if the lesson is over. */
eb_code eb_play_remind(eb_play *play, eb_report *report, eb_job *job, eb_status *status);

/* After a wrong try, shows the question without what is given. */
eb_code eb_play_repeat(eb_play *play, eb_report *report, eb_job *job, eb_status *status);

/* Shows the hints of the step; EB_NOT_FOUND if it has none. */
eb_code eb_play_hint(eb_play *play, eb_report *report, eb_job *job, eb_status *status);

/* An answer and its result. */
typedef struct eb_outcome {
    char question[512], answer[64], expected[64];
    bool correct, hinted;
    bool open; /* the answer was a wrong first try, so that the question is still open */
} eb_outcome;

/* True if a session has a lesson with an open question to which the text is a possible answer, or one that begins with
 * a digit where a number is expected, so that `answer` says what is wrong with it. */
bool eb_play_takes(const eb_session *session, const char *text);

/* Runs the rest of the step. After a wrong first try, shows what is wrong with it and leaves the question open; else
 * shows the step's results, the right answer and the explanation. Stays at this step. answer NULL: shows the answer,
 * and the score does not change. EB_USAGE, with nothing run, if the text is not a possible answer. */
eb_code eb_play_answer(eb_play *play, eb_session *outer, const char *answer, eb_report *report, eb_outcome *out,
                       eb_job *job, eb_status *status);

/* The arguments of all functions that carry out lines of a step. */
typedef struct eb_play_scene {
    eb_play *play;
    eb_session *outer;
    eb_report *report; /* shown to the person */
    eb_job *job;
    eb_status *status;
} eb_play_scene;

/* A step whose answer has been told, for those that go through lessons without a person. */
typedef struct eb_gone_step {
    const eb_play_scene *scene; /* scene->play->step is the step, from 0 */
    const eb_outcome *outcome;
    double took_s;
} eb_gone_step;

typedef eb_code eb_step_visitor(const eb_gone_step *gone, void *context);

/* play.c */
const eb_lesson_step *eb_play_current(const eb_play *play);

/* The first line of the step with this keyword and, unless letter is 0, this choice's letter; NULL: none. */
const eb_lesson_line *eb_play_line(const eb_play *play, eb_lesson_word word, char letter);

/* Carries out the run, take and show lines among lines [first, end). */
eb_code eb_play_do(const eb_play_scene *s, size_t first, size_t end);

/* Adds an answer to the record, with the text of its choice. */
eb_code eb_play_put_choice(const eb_play_scene *s, eb_record *record, const eb_column *field, const char *answer);

/* Puts the lesson's path and the line's number before the error's message; returns `failed`. */
eb_code eb_play_at_line(const eb_play_scene *s, const eb_lesson_line *line, eb_code failed);

/* A line's text with each {SQL} replaced by its value; heap. */
eb_code eb_play_expand(const eb_play_scene *s, const eb_lesson_line *line, char **out);

/* Adds the texts of all lines with this keyword to the record as one paragraph; nothing if there are none. */
eb_code eb_play_paragraph(const eb_play_scene *s, eb_record *record, size_t first, size_t end, eb_lesson_word word,
                          const eb_column *field);
