/* array: writes one .npy array of a part, with its checksum. Private to io/parts. */
#pragma once

#include "core/files/new_file.h"
#include "io/parts/record.h"

/* One .npy array of one dimension that is being written: bytes from `from` on. */
typedef struct eb_array_out {
    eb_new_file *file;
    char *path;
    char type[32]; /* NumPy's: "<i8" */
    size_t width;  /* bytes of an item */
    uint64_t items;
    eb_array_file done; /* complete after eb_array_close */
} eb_array_out;

eb_code eb_array_open(const char *folder, const char *name, const char *type, size_t width, eb_array_out *out,
                      eb_status *status);
eb_code eb_array_write(eb_array_out *out, const void *items, size_t count, eb_job *job, eb_status *status);

/* Writes the header, then reads the file for its checksum: after all items. */
eb_code eb_array_finish(eb_array_out *out, eb_job *job, eb_status *status);
eb_code eb_array_commit(eb_array_out *out, eb_status *status); /* gives the finished file its name */
void eb_array_abandon(eb_array_out *out);                      /* zeroed or committed arrays too */
