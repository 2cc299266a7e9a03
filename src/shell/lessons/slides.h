/* slides: makes a report of slides from a lesson, so that a teacher can show it to a class, which predicts the answers.
 *
 * The report has the fields `lesson`, `about` and `slides`, the number of slides. Slide k, from 1, begins a page: it is
 * the record slide_k and the items up to the next slide, with keys slide_k_KEY. Fields without titles are for programs:
 * `kind`, `heading`, `step`, `steps`. The kinds of a step's slides, with their fields:
 *
 *   question   given, question, the text of each choice; without titles `right`, the answer, and `hint`
 *   evidence   one for each `show` or `code` line, in the lesson's order, also before the question: run, its command;
 *              evidence
 *   answer     expected, compared (the model's figure and the measured one), why; run and evidence if the step shows
 *              nothing; without a title `right`
 */
#pragma once

#include "shell/lessons/play.h"
#include "shell/session.h"

/* Takes ownership of the lesson, also after a failure. Does not change the session's lesson in progress. visit (may be
 * NULL) sees each step. */
eb_code eb_slides_make(eb_session *session, eb_lesson *lesson, eb_step_visitor *visit, void *context, eb_report *report,
                       eb_job *job, eb_status *status);

/* EB_USAGE with the line of the step if a question or an explanation does not fit on a slide of 80 × 24. */
eb_code eb_slides_check(const eb_lesson *lesson, const eb_report *report, eb_status *status);
