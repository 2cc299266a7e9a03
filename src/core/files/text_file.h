/* text_file: opening a text that a person wrote (a script, settings, a lesson) without the risk of waiting for ever:
 * pipes and devices are refused, and the file's size is limited.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/base/status.h"

#define EB_SETTINGS_BYTES ((uint64_t)1 << 20) /* largest settings file, lesson or other file written by hand */
#define EB_SCRIPT_BYTES ((uint64_t)64 << 20)
#define EB_HISTORY_BYTES ((uint64_t)16 << 20)

/* "a directory", "a pipe", "a character device", … for a file that is not regular. */
const char *eb_kind_of_file(mode_t mode);

/* Opens a regular file of at most `most` bytes. An error message calls the file `name` and expects `what`: "a lesson".
 * If open() failed, errno keeps its error, so that callers can recognise a missing file; otherwise errno is 0. */
eb_code eb_text_open(const char *path, const char *name, const char *what, uint64_t most, int *fd, eb_status *status);
eb_code eb_text_stream(const char *path, const char *name, const char *what, uint64_t most, FILE **out,
                       eb_status *status);

/* Reads a file of at most EB_SETTINGS_BYTES as a text, which the caller frees. errno as for eb_text_open. */
eb_code eb_text_read(const char *path, const char *what, char **out, eb_status *status);

/* Makes the checks of eb_text_open for a file that a library opens by its name. A missing file is no error. */
eb_code eb_text_check(const char *path, const char *name, const char *what, uint64_t most, eb_status *status);
