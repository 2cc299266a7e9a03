/* folder: lists the files of a folder that `load` could read, with their shape where a header contains it. */
#pragma once

#include <stdint.h>

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_folder_file {
    char *name;      /* without the folder */
    char format[16]; /* "fvecs", "npy.gz" */
    uint64_t bytes;  /* size of the file */
    uint64_t n, d;   /* 0: only known after reading the whole file (CSV, HDF5, .gz) */
    eb_dtype dtype;  /* where n > 0 */
    char *reason;    /* why `load` would refuse the file, judging by its header; "": no reason found */
} eb_folder_file;

typedef struct eb_folder {
    char *path;           /* absolute */
    size_t count, found;  /* files described, and found */
    eb_folder_file *file; /* [found], by name; only the first `count` have more than a name */
} eb_folder;

/* Lists at most `most` regular files whose names end as a known format's (EB_FORMATS). A leading "~/" is expanded.
 * EB_IO if the folder cannot be read. */
eb_code eb_folder_list(const char *path, size_t most, eb_job *job, eb_folder *out, eb_status *status);
/* Lists quickly: at most 2000 names, for at most half a second. */
eb_code eb_folder_glance(const char *path, size_t most, eb_job *job, eb_folder *out, eb_status *status);
void eb_folder_free(eb_folder *folder); /* frees the members, not the struct */
