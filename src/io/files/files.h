/* files: from what a person types to the bytes of a file, and whether the file is still what it was.
 *
 * A file of up to EB_READ_LIMIT bytes is read, so that nobody can change what we have; a larger one is mapped
 * (mapping.h), and changes with its file.
 */
#pragma once

#include <sys/stat.h>

#include "core/files/file_id.h"
#include "io/files/mapping.h"

/* A quarter of a GiB is read in a fraction of the time that its hash takes, and is little beside what engines need. */
#define EB_READ_LIMIT ((size_t)256 << 20)

/* The limit that EPSBENCH_READ_LIMIT names in bytes, so that tests reach both ways; else EB_READ_LIMIT. EB_USAGE when
 * it names none. */
eb_code eb_read_limit(size_t *out, eb_status *status);

/* `what` with a leading "~/" replaced by $HOME's; heap; NULL: out of memory. */
char *eb_expand_home(const char *what);

/* Splits PATH:/object at the last ":/", unless a file has the whole name. The object, whose text is inside `path`;
 * NULL: none is named. */
char *eb_split_object(char *path);

/* Set up with {0}; then eb_file_close is fine at any time. */
typedef struct eb_file {
    const unsigned char *data; /* NULL: never there, or dropped */
    size_t size;
    eb_mapping *mapping; /* what holds data; NULL: memory of our own */
    char *path;          /* absolute */
    struct stat opened;  /* what it was before its first byte was taken */
    eb_file_id id;       /* whatever it is called */
} eb_file;

/* A regular file with something in it. `name` begins the sentence when it fails. A file written a moment ago is waited
 * for, so that its time of writing tells of the next writing too. */
eb_code eb_file_open(const char *path, const char *name, size_t read_limit, eb_file *out, eb_status *status);

/* Mapped, whatever its size, and not for eb_file_check: to look at a header. */
eb_code eb_file_glance(const char *path, const char *name, eb_file *out, eb_status *status);

void eb_file_drop(eb_file *file); /* the bytes; what the file was stays known */
void eb_file_close(eb_file *file);

/* EB_CHANGED when the path no longer leads to that device, inode, size and time of writing, when the bytes of a mapped
 * one are not all there any more, or when so much as its status was changed, which hides a time that was set back. What
 * another program writes through a mapping of its own is seen as soon as the system stamps the file. `when` says since
 * when: "since it was loaded". */
eb_code eb_file_check(const eb_file *file, const char *when, eb_status *status);
