/* file: exports the log to a file in the format of its extension. The file appears only when it is complete. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/files/new_file.h"
#include "store/export/export.h"

typedef struct export_format {
    const char *extension;
    eb_code (*write)(eb_export *export, eb_status *status);
} export_format;

static const export_format formats[] = {{".csv", eb_export_csv},
                                        {".json", eb_export_json},
                                        {".sql", eb_export_sql},
                                        {".eb", eb_export_script}};

static const export_format *format_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        size_t tail = strlen(formats[k].extension);
        if (length > tail && strcasecmp(path + length - tail, formats[k].extension) == 0)
            return &formats[k];
    }
    return NULL;
}

static eb_code export_to(eb_export *export, const export_format *format, eb_status *status)
{
    eb_new_file *target;
    EB_TRY(eb_new_file_open(export->path, &target, status));
    export->file = eb_new_file_stream(target);
    eb_code failed = format->write(export, status);
    if (!failed)
        return eb_new_file_commit(target, status);
    eb_new_file_abandon(target);
    return failed;
}

eb_code eb_store_export(eb_store *store, const char *path, int64_t session, uint64_t *rows, eb_status *status)
{
    const export_format *format = format_of(path);
    if (!format)
        return eb_fail(status, EB_USAGE, "%s: the name's end tells the format; known are .csv .json .sql .eb .md .html",
                       path);
    eb_export export = {.store = store, .path = path, .session = session};
    /* One read transaction, so that all tables are from the same moment. */
    EB_TRY(eb_sql_begin_reading(store, status));
    eb_code failed = session > 0 ? eb_need_session(store, session, status) : EB_OK;
    if (!failed)
        failed = export_to(&export, format, status);
    failed = eb_sql_end(store, failed, status);
    if (!failed && rows)
        *rows = export.rows;
    return failed;
}
