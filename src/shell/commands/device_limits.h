/* device_limits: what a GPU does at best: a table. */
#pragma once

#include "shell/session.h"

/* The table "limits" of these CUDA devices (none: no table). Measures them all when `measure` says so; else only the
 * session's own device, once: a failure of that is a note. */
eb_code eb_report_limits(eb_session *session, eb_device *devices, size_t count, bool measure, eb_report *report,
                         eb_job *job, eb_status *status);
