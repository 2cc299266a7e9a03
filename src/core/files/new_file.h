/* new_file: a file that appears under its name when it is complete, or not at all.
 *
 * It is written without a name where the file system can do that (O_TMPFILE), else under one of its own in the same
 * folder. A new name is never put over another's file; a file that was there at the beginning is replaced by a rename,
 * unless it has become another one meanwhile (EB_EXISTS). Either way the old file is whole until the new one is.
 *
 * A kill leaves at most ".epsbench-….part" behind. Its writer holds a lock on it, so the next file that is begun in
 * that folder finds out, without a race, which ones nobody writes any more, and removes them.
 *
 * A link is followed: what it leads to is replaced, or made, and the link stays; other hard links keep the old bytes. A
 * new file's mode is the umask's; one that replaces another has that one's permissions, and its group where that may
 * be given.
 */
#pragma once

#include <stdio.h>

#include "core/base/status.h"

typedef struct eb_new_file eb_new_file;

/* Refused with a sentence, and nothing is made: folders, devices, pipes, this program's own output, a file that is
 * write-protected, a folder that cannot be written to. */
eb_code eb_new_file_open(const char *path, eb_new_file **out, eb_status *status);

/* Where its bytes go, from its beginning; readable too. It stays the file's. */
FILE *eb_new_file_stream(const eb_new_file *file);

/* Another file in the same folder, without a name: it is gone when the caller closes it. */
eb_code eb_new_file_scratch(const eb_new_file *file, FILE **out, eb_status *status);

/* Brings all bytes to the disk, then gives it its name. Frees it in any case. */
eb_code eb_new_file_commit(eb_new_file *file, eb_status *status);

/* Nothing appears. Frees it; NULL is fine. */
void eb_new_file_abandon(eb_new_file *file);

/* "PATH: cannot write: REASON" with EB_IO. */
eb_code eb_fail_writing(const char *path, int error, eb_status *status);
