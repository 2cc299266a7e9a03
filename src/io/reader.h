/* reader: a dataset format is a pure function from bytes to points. One file per format, each fuzzed.
 *
 * A reader checks every header field against the size of the bytes, every per-row dimension, shape limits and overflow;
 * it reads nothing outside [data, data + size). Messages begin with bytes->name and name offset, expected and found.
 */
#ifndef EB_IO_READER_H
#define EB_IO_READER_H

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "io/load.h"

typedef struct eb_bytes {
    const unsigned char *data;
    size_t size;
    const char *name; /* for messages */
    eb_header header; /* of texts */
    eb_job *job;      /* on whose behalf they are read: looked at where a file may take long; may be NULL */
} eb_bytes;

/* What a reader found: n × d values, row i at rows + i·stride, little-endian. */
typedef struct eb_points {
    size_t n, d;
    eb_dtype dtype;
    const unsigned char *rows;
    size_t stride;
    void *owned;     /* what rows points into, for eb_points_free; NULL: the reader's bytes */
    char header[64]; /* a text's first line, cut, where it was taken for a header; else "" */
    size_t mapped;   /* owned is a mapping of this many bytes; 0: it came from malloc */
} eb_points;

void eb_points_free(eb_points *points); /* frees what it holds */

typedef eb_code eb_reader(const eb_bytes *bytes, eb_points *out, eb_status *status);

/* Every format: X(how names end, format, the same reader for n, d and dtype alone, from the header and the size of the
 * bytes, touching nothing else of them; NULL: it takes reading it all). Its reader is eb_read_FORMAT. */
#define EB_FORMATS(X)                                                                                                  \
    X(".fvecs", fvecs, eb_shape_fvecs)                                                                                 \
    X(".bvecs", bvecs, eb_shape_bvecs)                                                                                 \
    X(".ivecs", ivecs, eb_shape_ivecs)                                                                                 \
    X(".fbin", fbin, eb_read_fbin)                                                                                     \
    X(".u8bin", u8bin, eb_read_u8bin)                                                                                  \
    X(".i8bin", i8bin, eb_read_i8bin)                                                                                  \
    X(".npy", npy, eb_shape_npy)                                                                                       \
    X(".h5", hdf5, NULL)                                                                                               \
    X(".hdf5", hdf5, NULL)                                                                                             \
    X(".csv", csv, NULL)                                                                                               \
    X(".tsv", csv, NULL)                                                                                               \
    X(".txt", csv, NULL)                                                                                               \
    X(".idx", idx, eb_shape_idx)                                                                                       \
    X("-ubyte", idx, eb_shape_idx)

#define EB_DECLARE_READER(extension, format, shape) eb_reader eb_read_##format;
EB_FORMATS(EB_DECLARE_READER)
#undef EB_DECLARE_READER
eb_reader eb_shape_fvecs, eb_shape_bvecs, eb_shape_ivecs, eb_shape_npy, eb_shape_idx;

/* HDF5 goes through its library, in a child process, so that a hostile file cannot take the workbench down. `object` is
 * the dataset's path inside the file; NULL, as in eb_read_hdf5: "/train", else the only 2-d numeric dataset. Contiguous
 * little-endian values stay where they are in the bytes, others are read into memory. */
eb_code eb_read_hdf5_object(const eb_bytes *bytes, const char *object, eb_points *out, eb_status *status);

/* Inflates a whole gzip file (several members allowed) into *out (free()). max_bytes bounds the result. */
eb_code eb_inflate(const eb_bytes *bytes, size_t max_bytes, unsigned char **out, size_t *out_size, eb_job *job,
                   eb_status *status);

#endif
