/* Exporting: the file appears under its name only when it is complete. */
#include "store/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct export_format {
    const char *extension;
    eb_code (*write)(eb_export *export, eb_status *status);
} export_format;

static const export_format formats[] = {{".csv", eb_export_csv},
                                        {".json", eb_export_json},
                                        {".sql", eb_export_sql},
                                        {".eb", eb_export_script}};

eb_code eb_export_check(const eb_export *export, eb_status *status)
{
    if (!ferror(export->file))
        return EB_OK;
    return eb_fail(status, EB_IO, "%s: cannot write: %s", export->path, strerror(errno));
}

void eb_export_real(FILE *file, double x)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    (void)fputs(text, file);
}

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

/* A link is followed: its target is replaced, not the link. */
static eb_code resolve_target(const char *path, char **target, eb_status *status)
{
    struct stat there;
    *target = realpath(path, NULL);
    if (!*target && errno != ENOENT)
        return eb_fail(status, EB_IO, "%s: cannot write there: %s", path, strerror(errno));
    if (!*target && !(*target = strdup(path)))
        return eb_fail_memory(status, "a file's name", strlen(path) + 1);
    if (stat(*target, &there) == 0 && !S_ISREG(there.st_mode))
        return eb_fail(status, EB_IO, "%s: is %s, not a regular file; nothing was written", path,
                       S_ISDIR(there.st_mode) ? "a folder" : "a device or pipe");
    return EB_OK;
}

/* mkstemp makes the file its owner's alone; the finished one shall be as the umask has any new file. */
static void give_usual_mode(int fd)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(fd, 0666 & ~mask); /* refused: the owner can read it all the same */
}

static eb_code write_and_sync(eb_export *export, const export_format *format, eb_status *status)
{
    eb_code failed = format->write(export, status);
    if (!failed && (fflush(export->file) != 0 || fsync(fileno(export->file)) != 0))
        failed = eb_fail(status, EB_IO, "%s: cannot write: %s", export->path, strerror(errno));
    return failed;
}

static eb_code write_file(eb_export *export, const export_format *format, const char *target, char *temporary,
                          eb_status *status)
{
    int fd = mkstemp(temporary);
    if (fd < 0)
        return eb_fail(status, EB_IO, "%s: cannot create a file beside it: %s", export->path, strerror(errno));
    give_usual_mode(fd);
    export->file = fdopen(fd, "w");
    if (!export->file) {
        (void)close(fd);
        (void)unlink(temporary);
        return eb_fail_memory(status, "a file", BUFSIZ);
    }
    eb_code failed = write_and_sync(export, format, status);
    if (fclose(export->file) != 0 && !failed)
        failed = eb_fail(status, EB_IO, "%s: cannot write: %s", export->path, strerror(errno));
    if (!failed && rename(temporary, target) != 0)
        failed = eb_fail(status, EB_IO, "%s: cannot put the finished file there: %s", export->path, strerror(errno));
    if (failed)
        (void)unlink(temporary);
    return failed;
}

static eb_code export_to(eb_export *export, const export_format *format, eb_status *status)
{
    char *target = NULL, *temporary = NULL;
    eb_code failed = resolve_target(export->path, &target, status);
    if (!failed && asprintf(&temporary, "%s.XXXXXX", target) < 0) {
        temporary = NULL;
        failed = eb_fail_memory(status, "a file's name", strlen(target) + 8);
    }
    if (!failed)
        failed = write_file(export, format, target, temporary, status);
    free(temporary);
    free(target);
    return failed;
}

eb_code eb_store_export(eb_store *store, const char *path, int64_t session, uint64_t *rows, eb_status *status)
{
    const export_format *format = format_of(path);
    if (!format)
        return eb_fail(status, EB_USAGE, "%s: the name's end tells the format; known are .csv .json .sql .eb", path);
    eb_export export = {.store = store, .path = path, .session = session};
    /* One moment for all tables, whatever others write meanwhile. */
    eb_code failed = eb_sql_begin_reading(store, status);
    if (failed)
        return failed;
    if (session > 0)
        failed = eb_need_session(store, session, status);
    if (!failed)
        failed = export_to(&export, format, status);
    failed = eb_sql_end(store, failed, status);
    if (!failed && rows)
        *rows = export.rows;
    return failed;
}
