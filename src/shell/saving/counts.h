/* counts: `join … count save=FOLDER/`: counts in equal parts of the work, each of which is on the disk when it is
 * counted (io/parts/counts.h). */
#pragma once

#include "shell/saving/request.h"

/* Counts the parts that are missing, at most request->most of them, and reports what all finished ones say. If
 * interrupted, the finished parts stay: EB_CANCELLED. */
eb_code eb_save_count(const eb_session *session, const eb_parts_request *request, eb_report *report, eb_job *job,
                      eb_status *status);
