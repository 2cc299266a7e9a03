/* check: what is wrong with a lesson, apart from lines that cannot be run: numbers written by hand, steps without
 * evidence, choices without an explanation, slips that count as right, answers of 0, figures that part, answers that
 * the run contradicts.
 */
#pragma once

#include "shell/lessons/course.h"
#include "shell/session.h"

/* Goes through a lesson's file: tables "answers" and "findings". Fails if a line fails, a slide is too full (slides.h),
 * or the right answer of a step is not the measured one. EB_USAGE names file and line. */
eb_code eb_lesson_check(eb_session *session, const char *path, eb_report *report, eb_job *job, eb_status *status);

/* The same for all lessons of a course, and for its order. Only the table "findings" is made. */
eb_code eb_course_check(eb_session *session, const eb_course *course, eb_report *report, eb_job *job,
                        eb_status *status);

/* The next number in a text that should come from a report: one with a decimal point, or a percentage, outside {…}.
 * Returns its length, with *at at its first character; 0: none. */
size_t eb_written_number(const char **at);
