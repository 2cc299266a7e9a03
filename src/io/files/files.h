/* files: opens a file as bytes, and later reports whether the file has changed.
 *
 * A file of up to EB_READ_LIMIT bytes is read, so that nobody can change the bytes. A larger file is mapped
 * (mapping.h); its bytes change with the file.
 */
#pragma once

#include <sys/stat.h>

#include "core/files/file_id.h"
#include "io/files/mapping.h"

/* Reading a quarter of a GiB takes a fraction of the time of its hash, and little memory beside that of engines. */
#define EB_READ_LIMIT ((size_t)256 << 20)

/* The value of EPSBENCH_READ_LIMIT in bytes, with which tests reach both ways; EB_READ_LIMIT if it is not set. EB_USAGE
 * if it is not a number. */
eb_code eb_read_limit(size_t *out, eb_status *status);

/* `what` with a leading "~/" replaced by $HOME. Heap; NULL: out of memory. */
char *eb_expand_home(const char *what);

/* Splits PATH:/object at the last ":/", unless a file has the whole name. Returns the object, which points into `path`;
 * NULL if there is none. */
char *eb_split_object(char *path);

/* An opened file. After initialising with {0}, eb_file_close may be called at any time. */
typedef struct eb_file {
    const unsigned char *data; /* NULL: not read, or dropped */
    size_t size;
    eb_mapping *mapping; /* owns data; NULL: data is on the heap */
    char *path;          /* absolute */
    struct stat opened;  /* the file's status before its first byte was read */
    eb_file_id id;       /* identity, independent of the name */
} eb_file;

/* Opens a regular file that is not empty; reads it up to the limit above, maps a larger one. If the file was written a
 * moment ago, the call waits, so that a further write changes the time of writing. */
eb_code eb_file_open(const char *path, eb_file *out, eb_status *status);

/* Maps a file of any size without waiting, to read its header. The result must not be passed to eb_file_check. `name`
 * begins the message on failure. */
eb_code eb_file_glance(const char *path, const char *name, eb_file *out, eb_status *status);

void eb_file_drop(eb_file *file); /* releases the bytes; eb_file_check still works */
void eb_file_close(eb_file *file);

/* EB_CHANGED if the path leads to another device, inode, size or time of writing. For a mapped file also if bytes are
 * missing, or if the change time differs, which reveals a time of writing that was set back. A write through another
 * program's mapping shows as soon as the system stamps the file. `when` completes the message: "since it was
 * loaded". */
eb_code eb_file_check(const eb_file *file, const char *when, eb_status *status);
