/* device_limits: what a GPU does at best: looked up in the session or its log, measured, shown. */
#ifndef EB_SHELL_COMMANDS_DEVICE_LIMITS_H
#define EB_SHELL_COMMANDS_DEVICE_LIMITS_H

#include "shell/session.h"

/* Fills device->limits with what is known, all 0 when nothing is. measured_at may be NULL; "" when the log has none. */
void eb_limits_look_up(const eb_session *session, eb_device *device, char measured_at[EB_MOMENT_BYTES]);

/* Measures them on a CUDA device, half a second, and keeps them in the session and its log. */
eb_code eb_limits_measure(eb_session *session, eb_device *device, eb_job *job, eb_status *status);

/* For commands that show rates: measures the limits of a CUDA device when nobody has yet. A device that cannot be
 * measured stays without. */
void eb_limits_ensure(eb_session *session, eb_device *device, eb_job *job);

/* The table "limits" of these CUDA devices (none: no table). Measures them all when `measure` says so; else only the
 * session's own device, once: a failure of that is a note. */
eb_code eb_report_limits(eb_session *session, eb_device *devices, size_t count, bool measure, eb_report *report,
                         eb_job *job, eb_status *status);

#endif
