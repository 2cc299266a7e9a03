/* library: finds the files of lessons, NAME.lesson: the person's own in $XDG_DATA_HOME/epsbench/lessons, then those of
 * the program. An own lesson replaces the program's lesson of the same name.
 */
#pragma once

#include <stdbool.h>

#include "core/base/status.h"
#include "core/report/report.h"

typedef struct eb_library {
    char **path; /* of the lessons, sorted by name */
    size_t count;
} eb_library;

/* EB_NOT_FOUND, with the folders' names, if there are no lessons. */
eb_code eb_library_open(eb_library *out, eb_status *status);
void eb_library_close(eb_library *library); /* frees the members */

/* *path: a lesson's file by its name or a unique prefix of it, owned by the library. EB_USAGE lists the names. */
eb_code eb_library_find(const eb_library *library, const char *name, const char **path, eb_status *status);

/* Writes the lesson's name, "rounding" for "…/rounding.lesson", into buffer and returns it. */
const char *eb_library_name(const char *path, char *buffer, size_t size);

/* Reads another file in a folder of lessons, such as "exercises/swizzle.exercise", as a text, which the caller frees,
 * and writes its path. EB_NOT_FOUND: there is none. */
eb_code eb_library_text(const char *name, const char *what, char *path, size_t size, char **out, eb_status *status);

/* The folder of the ladder's kernels (kernels/ladder), whose functions lessons show. False: it is not there. */
bool eb_library_ladder(char *folder, size_t size);
