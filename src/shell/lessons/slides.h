/* slides: a lesson gone through with the right answers, for a class to predict on: a report of slides.
 *
 * Its fields are `lesson` and `about`, and `slides`, how many. Slide k, from 1, is the record slide_k, which begins a
 * page, with what follows it up to the next: the items it shows, of keys slide_k_KEY. A slide's fields without titles
 * are for programs: `kind`, `heading`, `step`, `steps`. Of a step there are
 *
 *   question   given, question, a choice's text of each letter; `right`, the answer, and `hint` without titles
 *   evidence   for each `show` of the lesson: run, the command that it is of, and evidence; in the lesson's order,
 *              also before the question
 *   answer     expected, why; run and evidence where the step shows nothing; `right` without a title
 */
#pragma once

#include "shell/lessons/lesson.h"
#include "shell/session.h"

/* Takes ownership of the lesson, also when it fails. The lesson that goes on in the session is left alone. */
eb_code eb_slides_make(eb_session *session, eb_lesson *lesson, eb_report *report, eb_job *job, eb_status *status);

/* EB_USAGE, with the line of the step: a question or an explanation has no room on a slide of 80 × 24. */
eb_code eb_slides_check(const eb_lesson *lesson, const eb_report *report, eb_status *status);
