/* file_id: the identity of a file, by which links and other names of the same file are recognised. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The time of birth distinguishes a file from a later one that reuses its inode. */
typedef struct eb_file_id {
    uint64_t device, inode;      /* inode 0: no file */
    int64_t born_ns, changed_ns; /* times of birth (0: the file system keeps none) and of the last write */
    uint64_t bytes;
} eb_file_id;

/* Follow links. False: there is no file (errno says why), and *out is no file. */
bool eb_file_id_of(const char *path, eb_file_id *out);
bool eb_file_id_of_fd(int fd, eb_file_id *out);

/* True if both are the same file; false if there is no file. eb_file_unchanged is true if the file was also not written
 * to in between. */
bool eb_same_file(const eb_file_id *a, const eb_file_id *b);
bool eb_file_unchanged(const eb_file_id *before, const eb_file_id *now);
