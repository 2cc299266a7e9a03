/* formats: which reader is for which file: by the name's extension, checked against the first bytes; by those alone
 * when the extension says nothing.
 */
#pragma once

#include "io/reader.h"

typedef struct eb_format {
    const char *extension; /* ".fvecs": how names end */
    const char *name;      /* "fvecs" */
    eb_reader *read;
    eb_reader *shape;  /* what the beginning tells, at no cost (reader.h); NULL: nothing */
    unsigned has;      /* EB_IS_TEXT … */
    const char *about; /* "rows of FP32, each behind its dimension" */
} eb_format;

size_t eb_format_count(void);
const eb_format *eb_format_at(size_t index);

/* The format that bytes->how names, or of a file called bytes->name; *gzip: its bytes are compressed. EB_BAD_FORMAT
 * with the known formats when neither the name nor the first bytes tell. */
eb_code eb_format_of(const eb_bytes *bytes, const eb_format **out, bool *gzip, eb_status *status);

/* Refuses (uncompressed) bytes that begin as another format does: those with a magic: .npy, .npz, Arrow and HDF5. */
eb_code eb_format_check_magic(const eb_format *format, const eb_bytes *bytes, eb_status *status);

/* By the end of a file's name alone; NULL: unknown. */
const eb_format *eb_format_of_name(const char *name, bool *gzip);

/* A folder, or a file whose name says that it can be read here. */
bool eb_could_be_loaded(const char *path);

/* Whether the library that reads it is here; the sentence names it, and how to get it. */
eb_code eb_format_check_library(const eb_format *format, eb_status *status);

/* By what it is called or its files end in, "csv", ".csv"; EB_USAGE with the known ones. */
eb_code eb_format_called(const char *name, const char *where, const eb_format **out, eb_status *status);

/* By extension; NULL: unknown. */
const eb_format *eb_format_named(const char *extension);

/* What is inflated, or read from a pipe, must fit the memory that is free now, with an eighth kept for everything else:
 * so many bytes. */
size_t eb_inflating_limit(void);

/* Inflates a whole gzip file (several members allowed) into *out (free()). max_bytes bounds the result. What is
 * inflated is looked at as it comes: a beginning that `inside` refuses, a header that promises more than there is room
 * for or than so little gzip can hold, and more bytes than it promises end it at once. inside NULL: not looked at. */
eb_code eb_inflate(const eb_bytes *bytes, const eb_format *inside, size_t max_bytes, unsigned char **out,
                   size_t *out_size, eb_status *status);
