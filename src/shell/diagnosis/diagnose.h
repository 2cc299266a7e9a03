/* diagnose: a lesson that never ends: "which switch is off?". Each case is a lesson of one step (round.h). */
#pragma once

#include "shell/diagnosis/round.h"

/* Begins the case place->step, whose question has had place->tries wrong answers, as the session's lesson. */
eb_code eb_diagnose(eb_session *session, const eb_lesson_place *place, eb_report *report, eb_job *job,
                    eb_status *status);
