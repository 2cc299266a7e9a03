/* schema: which file is a session log, and bringing one up to this program's version.
 *
 * Version k is migrations 1 … k in order. Views are no part of a version's tables: they are dropped and made anew after
 * a migration. All of it is one transaction: a log is of its old version or of the new one, nothing between.
 */
#pragma once

#include "store/sql.h"

#define EB_APPLICATION_ID 0x65707362 /* "epsb", at byte 68 of the file */

typedef struct eb_schema {
    int version;                   /* how many migrations */
    const char *const *migrations; /* SQL, [version] */
    const char *views;
} eb_schema;

extern const eb_schema eb_schema_current;

/* Reads the file's first bytes without SQLite, which might change it: EB_LOG when it is something else than a log, or
 * of a newer version. A missing or empty file is fine. */
eb_code eb_schema_check_file(const eb_schema *schema, const char *path, eb_status *status);

/* Migrates from whatever version the log has, none included. EB_LOG when it is no log, or newer. */
eb_code eb_schema_migrate(eb_store *store, const eb_schema *schema, eb_status *status);
