/* numbers: parts of the command `numbers`. */
#pragma once

#include "core/data/number_format.h"
#include "shell/session.h"

/* What each number type does to the loaded points: table "effects" and the conclusion. */
eb_code eb_report_number_effects(const eb_session *session, eb_report *report, eb_job *job, eb_status *status);

/* Table "lookup". */
eb_code eb_report_lookup_tables(const eb_session *session, const eb_call *call, eb_report *report, eb_status *status);
