/* unattended: goes through lessons without a person, with the right answers: for lists of answers, records of a GPU,
 * and checks.
 */
#pragma once

#include "shell/lessons/play.h"

/* Goes through a lesson's file and visits each step. recording: takes the values of `gpu take` lines; NULL: not wanted.
 * Fails if a line fails, a number cannot be computed or a right answer is not a possible one. */
eb_code eb_go_through(eb_session *session, const char *path, eb_recorded *recording, eb_step_visitor *visit,
                      void *context, eb_job *job, eb_status *status);

/* Adds the table "answers": each step of the lessons with its right answer. */
eb_code eb_lessons_answer(eb_session *session, const char *const *path, size_t count, eb_report *report, eb_job *job,
                          eb_status *status);

/* That table, and a row of it. */
eb_table *eb_answers_table(eb_report *report);
void eb_answers_put(eb_table *table, const eb_gone_step *gone);

/* Writes what this GPU measures in the lessons to a file (recorded.h). EB_NO_DEVICE on a CPU. */
eb_code eb_lessons_record(eb_session *session, const char *const *path, size_t count, const char *file,
                          eb_report *report, eb_job *job, eb_status *status);
