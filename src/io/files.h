/* files: from what a person types to the bytes of a file. */
#ifndef EB_IO_FILES_H
#define EB_IO_FILES_H

#include <stddef.h>

#include "core/base/status.h"

/* `what` with a leading "~/" replaced by $HOME's; heap; NULL: out of memory. */
char *eb_expand_home(const char *what);

/* Maps a regular file with something in it for reading; the caller munmaps. `name` begins
 * the sentence when it fails. */
eb_code eb_map_file(const char *path, const char *name, void **map, size_t *size, eb_status *status);

#endif
