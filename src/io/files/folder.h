/* folder: the files of a folder that `load` could read, with their shape where a header tells it at no cost. */
#pragma once

#include <stdint.h>

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_folder_file {
    char *name;      /* within the folder */
    char format[16]; /* "fvecs", "npy.gz" */
    uint64_t bytes;  /* of the file */
    uint64_t n, d;   /* 0: only reading it all would tell (CSV, HDF5, .gz) */
    eb_dtype dtype;  /* where n > 0 */
    char *reason;    /* why `load` would refuse it, as far as the header tells; "": nothing against it */
} eb_folder_file;

typedef struct eb_folder {
    char *path;           /* absolute */
    size_t count, found;  /* found > count: the rest was left out */
    eb_folder_file *file; /* [count], by name */
} eb_folder;

/* At most `most` files. A file belongs to the list by its name's end (EB_FORMATS), regular files only. A
 * leading "~/" is expanded. EB_IO when the folder cannot be read. */
eb_code eb_folder_list(const char *path, size_t most, eb_job *job, eb_folder *out, eb_status *status);
/* The same for a first look, which never takes long: of the first 2000 names, as many as half a second is enough for.
 */
eb_code eb_folder_glance(const char *path, size_t most, eb_job *job, eb_folder *out, eb_status *status);
void eb_folder_free(eb_folder *folder); /* frees what it holds */
