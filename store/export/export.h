/* export: the interface of the writers for CSV, JSON, SQL and scripts. Each writes the whole log or one session to an
 * open file. */
#pragma once

#include <errno.h>
#include <stdio.h>

#include "core/files/new_file.h"
#include "store/sql.h"

typedef struct eb_export {
    eb_store *store;
    FILE *file;
    const char *path; /* for messages */
    int64_t session;  /* 0: the whole log */
    uint64_t rows;    /* runs or commands written */
} eb_export;

eb_code eb_export_csv(eb_export *export, eb_status *status);
eb_code eb_export_json(eb_export *export, eb_status *status);
eb_code eb_export_sql(eb_export *export, eb_status *status);
eb_code eb_export_script(eb_export *export, eb_status *status);

/* EB_IO if writing to the file failed. Call it after each row, while errno still has the cause. */
static inline eb_code eb_export_check(const eb_export *export, eb_status *status)
{
    return ferror(export->file) ? eb_fail_writing(export->path, errno, status) : EB_OK;
}
