/* new_file: a file that appears under its name when it is complete, or not at all.
 *
 * It is written without a name where the file system supports that (O_TMPFILE), else under a temporary name in the same
 * folder. A file that existed at the beginning is replaced by a rename. If another process creates or changes the
 * target meanwhile, that file is kept: EB_EXISTS. The old file stays complete until the new one is.
 *
 * A killed process leaves at most ".epsbench-….part" behind. A writer holds a lock on such a file, so the next
 * eb_new_file_open in that folder detects without a race which of them have no writer any more, and removes them.
 *
 * A link is followed: its target is replaced or created, and the link stays. Other hard links keep the old bytes. The
 * umask gives the mode of a new file. A file that replaces another one gets its permissions and, where allowed, its
 * group.
 */
#pragma once

#include <stdio.h>

#include "core/base/status.h"

typedef struct eb_new_file eb_new_file;

/* Begins a file. EB_IO, with nothing created, for folders, devices, pipes, this program's own output, write-protected
 * files and folders that cannot be written to. */
eb_code eb_new_file_open(const char *path, eb_new_file **out, eb_status *status);

/* The stream to write to, which can be read too. The file owns it. */
FILE *eb_new_file_stream(const eb_new_file *file);

/* Opens another file in the same folder, without a name. It vanishes when the caller closes it. */
eb_code eb_new_file_scratch(const eb_new_file *file, FILE **out, eb_status *status);

/* Writes all bytes to the disk, then gives the file its name. Frees it in any case. */
eb_code eb_new_file_commit(eb_new_file *file, eb_status *status);

/* Discards the file and frees it; NULL is fine. */
void eb_new_file_abandon(eb_new_file *file);

/* "PATH: cannot write: REASON" with EB_IO. */
eb_code eb_fail_writing(const char *path, int error, eb_status *status);
