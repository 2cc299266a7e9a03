/* unattended: goes through lessons without a person, with the right answers: for lists of answers, records of a GPU,
 * and checks.
 */
#pragma once

#include "shell/lessons/play.h"

/* A step whose answer has been shown. Nothing is owned by the visitor. */
typedef struct eb_gone_step {
    const eb_play *play; /* play->step is the step, from 0 */
    const eb_outcome *outcome;
    const eb_report *shown; /* what a person would see of the step */
    double took_s;
} eb_gone_step;

typedef eb_code eb_step_visitor(const eb_gone_step *gone, void *context, eb_status *status);

/* Goes through a lesson's file and visits each step. recording: takes the values of `gpu take` lines; NULL: not wanted.
 * Fails if a line fails, a number cannot be computed or a right answer is not a possible one. */
eb_code eb_go_through(eb_session *session, const char *path, eb_recorded *recording, eb_step_visitor *visit,
                      void *context, eb_job *job, eb_status *status);

/* Adds the table "answers": each step of the lessons with its right answer. */
eb_code eb_lessons_answer(eb_session *session, const char *const *path, size_t count, eb_report *report, eb_job *job,
                          eb_status *status);

/* Writes what this GPU measures in the lessons to a file (recorded.h). EB_NO_DEVICE on a CPU. */
eb_code eb_lessons_record(eb_session *session, const char *const *path, size_t count, const char *file,
                          eb_report *report, eb_job *job, eb_status *status);
