/* number_effects: what each number type of tensor cores does to the loaded points, for `numbers`. */
#pragma once

#include "shell/session.h"

/* Table "effects" and the conclusion; needs a dataset. */
eb_code eb_report_number_effects(const eb_session *session, eb_report *report, eb_job *job, eb_status *status);
