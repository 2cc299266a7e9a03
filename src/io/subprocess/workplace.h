/* workplace: a folder of its own, in $TMPDIR or /tmp, for files that other programs read and write. */
#pragma once

#include <stddef.h>

#include "core/base/status.h"

enum { EB_WORKPLACE_BYTES = 512, EB_WORKPLACE_PATH = 4096 };

/* EB_IO if the folder cannot be made; it is "" then. */
eb_code eb_workplace_make(char folder[EB_WORKPLACE_BYTES], eb_status *status);
void eb_workplace_remove(const char *folder); /* with all files in it; "" is fine */

/* Path of a file in the folder. Returns path. */
const char *eb_workplace_path(const char *folder, const char *name, char path[EB_WORKPLACE_PATH]);

eb_code eb_workplace_write(const char *folder, const char *name, const void *bytes, size_t size, eb_status *status);

/* Text of a file, at most its first `most` bytes, heap; NULL: it is missing or empty, or out of memory. */
char *eb_workplace_read(const char *folder, const char *name, size_t most);
