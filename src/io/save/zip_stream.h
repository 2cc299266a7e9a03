/* zip_stream: a stream for libzip to write an archive to. By itself it writes to names only, beside which it leaves
 * temporary ones when it is killed.
 */
#ifndef EB_IO_SAVE_ZIP_STREAM_H
#define EB_IO_SAVE_ZIP_STREAM_H

#include <stdio.h>
#include <zip.h>

typedef struct eb_zip_stream {
    FILE *file; /* stays the caller's; to be kept, as this struct, until the archive is closed */
    zip_error_t error;
} eb_zip_stream;

/* An archive that is written to stream->file from its beginning when it is closed; NULL with *error. */
zip_t *eb_zip_to_stream(eb_zip_stream *stream, zip_error_t *error);

#endif
