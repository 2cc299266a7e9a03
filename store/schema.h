/* schema: recognises session logs, and migrates a log to this program's version.
 *
 * Version k consists of migrations 1 … k in order. Views do not belong to a version: a migration drops them and makes
 * them anew. A migration is one transaction, so a log has either the old or the new version.
 */
#pragma once

#include "store/sql.h"

#define EB_APPLICATION_ID 0x65707362 /* "epsb", at byte 68 of the file */

typedef struct eb_schema {
    int version;                   /* number of migrations */
    const char *const *migrations; /* SQL, [version] */
    const char *views;
} eb_schema;

extern const eb_schema eb_schema_current;

/* Checks the file's first bytes without SQLite, which might change the file. EB_LOG if it is not a session log, or of a
 * newer version. A missing or empty file is fine. */
eb_code eb_schema_check_file(const eb_schema *schema, const char *path, eb_status *status);

/* Migrates a log of any older version, or creates its tables in an empty file. EB_LOG if it is not a session log, or of
 * a newer version. */
eb_code eb_schema_migrate(eb_store *store, const eb_schema *schema, eb_status *status);
