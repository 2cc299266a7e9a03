/* only_reading: restricts SQL that people type to reading. eb_only_reading is for sqlite3_set_authorizer; it also
 * denies ATTACH and PRAGMA, which SQLite counts as read-only. */
#pragma once

#include <sqlite3.h>

#include "core/base/job.h"

static inline int eb_only_reading(void *unused, int action, const char *a, const char *b, const char *database,
                                  const char *view)
{
    (void)unused, (void)a, (void)b, (void)database, (void)view;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

/* For sqlite3_progress_handler: interrupts a long statement when the job is cancelled. */
enum { EB_STEPS_BETWEEN_LOOKS = 100000 };

static inline int eb_look_for_cancel(void *job) { return job && eb_job_cancelled(job); }
