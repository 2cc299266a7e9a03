/* library: where lessons are: a teacher's own ($XDG_DATA_HOME/epsbench/lessons), then those that came with the program.
 * Of two of one name the first counts. A file's name is NAME.lesson.
 */
#pragma once

#include "core/base/status.h"
#include "core/report/report.h"

typedef struct eb_library {
    char **path; /* of lessons, by name */
    size_t count;
} eb_library;

/* EB_NOT_FOUND, naming the folders, where there is none. */
eb_code eb_library_open(eb_library *out, eb_status *status);
void eb_library_close(eb_library *library); /* frees what it holds */

/* A lesson's file by its name or a unique beginning of it; EB_USAGE names those there are. */
eb_code eb_library_find(const eb_library *library, const char *name, const char **path, eb_status *status);

/* "rounding" of "…/rounding.lesson" into buffer. */
const char *eb_library_name(const char *path, char *buffer, size_t size);
