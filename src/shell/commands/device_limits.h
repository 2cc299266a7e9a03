/* device_limits: reports the measured limits of GPUs (peak rates and bandwidths) as a table. */
#pragma once

#include "shell/session.h"

/* Table "limits" of the CUDA devices; no table if count is 0. With `measure` all devices are measured, and a failure is
 * an error. Without, only the session's device is measured, if its limits are unknown, and a failure is a note. */
eb_code eb_report_limits(eb_session *session, eb_device *devices, size_t count, bool measure, eb_report *report,
                         eb_job *job, eb_status *status);
