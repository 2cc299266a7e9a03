/* only_reading: what people's own SQL may do. For sqlite3_set_authorizer, statements that read and do nothing else.
 * ATTACH and PRAGMA are "read-only" to SQLite, and are no reading of the data. */
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

/* For sqlite3_progress_handler, so that what never ends can be ended. */
enum { EB_STEPS_BETWEEN_LOOKS = 100000 };

static inline int eb_look_for_cancel(void *job) { return job && eb_job_cancelled(job); }
