/* file_id: which file a name leads to, whatever it is called: links and other names of it are the same file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* inode 0: no file. The birth tells a file from one that later got its inode; 0 where the file system keeps none. */
typedef struct eb_file_id {
    uint64_t device, inode;
    int64_t born_ns, changed_ns; /* its birth, and when its bytes last changed */
    uint64_t bytes;
} eb_file_id;

/* False, and no file in *out: there is none (errno says why). Links are followed. */
bool eb_file_id_of(const char *path, eb_file_id *out);
bool eb_file_id_of_fd(int fd, eb_file_id *out);

/* The same file; two that are none are not. Unchanged: nor was it written to in between. */
bool eb_same_file(const eb_file_id *a, const eb_file_id *b);
bool eb_file_unchanged(const eb_file_id *before, const eb_file_id *now);
