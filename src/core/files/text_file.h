/* text_file: a text that a person wrote (a script, settings, a lesson), opened so that no file of that name can keep
 * the program: a pipe that nobody writes to is refused like a device that never ends, and a file is of a limited size.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/base/status.h"

#define EB_SETTINGS_BYTES ((uint64_t)1 << 20) /* of the files that a person writes by hand */
#define EB_SCRIPT_BYTES ((uint64_t)64 << 20)
#define EB_HISTORY_BYTES ((uint64_t)16 << 20)

/* "a directory", "a pipe", "a character device", … for what is no regular file. */
const char *eb_kind_of_file(mode_t mode);

/* Opens a regular file of at most so many bytes. The sentence names `name` and says that it expected `what`:
 * "a lesson". errno stays as open left it, so that a file that is not there can be told from others; 0 when the file
 * was there. */
eb_code eb_text_open(const char *path, const char *name, const char *what, uint64_t most, int *fd, eb_status *status);
eb_code eb_text_stream(const char *path, const char *name, const char *what, uint64_t most, FILE **out,
                       eb_status *status);

/* The same for a file that a library opens by its name. A file that is not there is none that could be refused. */
eb_code eb_text_check(const char *path, const char *name, const char *what, uint64_t most, eb_status *status);
