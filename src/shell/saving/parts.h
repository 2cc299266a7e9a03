/* parts: `join … save=pairs/` and `save pairs/` into a folder of parts (io/parts/parts.h), and `load pairs/`.
 *
 * A join into a folder runs once, part by part. Each part is on the disk before the next begins, so the same command
 * goes on after an interruption. The parts that are there are not joined again. Points that do not fit the memory limit
 * are cut into slabs (core/slabs/slabs.h), each of which is a part.
 */
#pragma once

#include "io/parts/stored.h"
#include "shell/saving/request.h"

/* Writes the parts that are missing, completes the folder and reports it. A note says how many parts were there. If
 * interrupted, the finished parts stay: EB_CANCELLED. */
eb_code eb_save_parts(const eb_session *session, const eb_parts_request *request, eb_report *report, eb_job *job,
                      eb_status *status);

/* Opens a finished table, checks its files' checksums, and makes it the session's last table. EB_NO_DATASET unless the
 * points it was made of are loaded; the message has the line that loads them. */
eb_code eb_load_parts(eb_session *session, const char *path, eb_report *report, eb_job *job, eb_status *status);

/* Makes the finished table of the folder the session's last one, without reading its files. */
eb_code eb_keep_parts(eb_session *session, const char *path, eb_status *status);
