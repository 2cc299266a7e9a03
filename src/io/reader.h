/* reader: a dataset format is a pure function from bytes to points. One file per format, each fuzzed.
 *
 * A reader checks every header field against the size of the bytes, every per-row dimension, shape limits and overflow;
 * it reads nothing outside [data, data + size). Messages begin with bytes->name and name offset, expected and found.
 */
#pragma once

#include <stdbool.h>

#include "core/base/job.h"
#include "core/data/dataset.h"

/* Whether a text begins with a line of names; guessed: it does when that has no number in it. */
typedef enum eb_header { EB_HEADER_GUESSED, EB_HEADER_YES, EB_HEADER_NO } eb_header;

/* What becomes of a row with a missing value. */
typedef enum eb_missing { EB_MISSING_REFUSED, EB_MISSING_DROPPED, EB_MISSING_MEAN } eb_missing;

/* What becomes of each coordinate: nothing; less its mean, over its deviation; from 0 to 1 (rescale.h). */
typedef enum eb_scale { EB_SCALE_NONE, EB_SCALE_STANDARD, EB_SCALE_MINMAX } eb_scale;

/* How a file is to be read, where that is not as it stands. All of it is part of what the dataset is called. */
typedef struct eb_reading {
    const char *format; /* "csv": as EB_FORMATS calls it; NULL: as its name and first bytes say */
    bool input_taken;   /* commands come from the standard input, so that no points can */
    eb_header header;
    const char *columns; /* of a table, which are coordinates (columns.h); NULL: all but the label */
    const char *label;   /* the column that says what points are called; NULL: none */
    eb_missing missing;
    eb_scale scale;
} eb_reading;

typedef struct eb_bytes {
    const unsigned char *data;
    size_t size;
    const char *name;   /* for messages */
    const char *object; /* what is named of a file with several things in it, FILE:/object; NULL: nothing */
    eb_reading how;
    eb_job *job;    /* on whose behalf they are read: looked at where a file may take long; may be NULL */
    bool beginning; /* for shapes: only the first bytes of the whole, as many as are inflated so far */
} eb_bytes;

/* What a header, or a text's first row, takes at most. */
#define EB_BEGINNING ((size_t)4 << 20)

/* What a reader found: n × d values, row i at rows + i·stride, little-endian. */
typedef struct eb_points {
    size_t n, d;
    eb_dtype dtype;
    const unsigned char *rows;
    size_t stride;
    void *owned;             /* what rows points into, for eb_points_free; NULL: the reader's bytes */
    char header[64];         /* a text's first line, cut, where it was taken for a header; else "" */
    size_t mapped;           /* owned is a mapping of this many bytes; 0: it came from malloc */
    size_t whole;            /* a shape's: bytes of the whole file as its header says; 0: it does not */
    eb_labels *labels;       /* of a table with label=; else NULL */
    size_t left_out, filled; /* rows, and values, that were missing */
    char remark[160];        /* what a person should know of the file; "": nothing */
    unsigned companions;     /* of a dataset (EB_HAS_TEST …) */
} eb_points;

void eb_points_free(eb_points *points); /* frees what it holds */

/* n × d values without gaps from `offset` to the end, as a header says: checks the shape, and the size of the bytes
 * unless they are only the beginning. */
eb_code eb_rows_to_end(const eb_bytes *bytes, size_t offset, unsigned long long n, unsigned long long d, eb_dtype dtype,
                       eb_points *out, eb_status *status);

typedef eb_code eb_reader(const eb_bytes *bytes, eb_points *out, eb_status *status);

/* What a format has besides points. */
enum {
    EB_IS_TEXT = 1,     /* a first line that may be a header */
    EB_IS_TABLE = 2,    /* columns to choose from, a label, missing values */
    EB_HAS_OBJECTS = 4, /* several things with names, of which bytes->object is one */
};

/* Every format: X(how names end, format, its shape: a reader for n, d and dtype alone, from the header and the size of
 * the bytes, touching nothing else of them; NULL: none, what it has, what it is). Its reader is eb_read_FORMAT.
 *
 * A shape also looks at the beginning of bytes that are still being inflated (bytes->beginning) and refuses what cannot
 * become a file of its format; it leaves n at 0 where it cannot tell it, and all where it needs more bytes, up to
 * EB_BEGINNING. */
#define EB_FORMATS(X)                                                                                                  \
    X(".fvecs", fvecs, eb_shape_fvecs, 0, "rows of FP32, each after its dimension (TEXMEX)")                           \
    X(".bvecs", bvecs, eb_shape_bvecs, 0, "rows of u8, each after its dimension (TEXMEX)")                             \
    X(".ivecs", ivecs, eb_shape_ivecs, 0, "rows of i32, each after its dimension (TEXMEX)")                            \
    X(".fbin", fbin, eb_read_fbin, 0, "n, d, then rows of FP32 (big-ann-benchmarks)")                                  \
    X(".u8bin", u8bin, eb_read_u8bin, 0, "n, d, then rows of u8 (big-ann-benchmarks)")                                 \
    X(".i8bin", i8bin, eb_read_i8bin, 0, "n, d, then rows of i8 (big-ann-benchmarks)")                                 \
    X(".ibin", ibin, eb_read_ibin, 0, "n, d, then rows of i32 (big-ann-benchmarks)")                                   \
    X(".npy", npy, eb_shape_npy, 0, "a NumPy array of floats, integers or bools")                                      \
    X(".npz", npz, eb_shape_npz, EB_HAS_OBJECTS, "named NumPy arrays")                                                 \
    X(".h5", hdf5, eb_shape_hdf5, EB_HAS_OBJECTS, "HDF5, also of ann-benchmarks")                                      \
    X(".hdf5", hdf5, eb_shape_hdf5, EB_HAS_OBJECTS, "HDF5, also of ann-benchmarks")                                    \
    X(".mat", mat, NULL, EB_HAS_OBJECTS, "named matrices of MATLAB, versions 4, 5 and 7.3")                            \
    X(".parquet", arrow, NULL, EB_IS_TABLE, "a Parquet table, by pyarrow")                                             \
    X(".feather", arrow, NULL, EB_IS_TABLE, "an Arrow table, by pyarrow")                                              \
    X(".arrow", arrow, NULL, EB_IS_TABLE, "an Arrow table, by pyarrow")                                                \
    X(".csv", csv, eb_shape_csv, EB_IS_TEXT | EB_IS_TABLE, "a table with commas, semicolons, tabs or blanks")          \
    X(".tsv", csv, eb_shape_csv, EB_IS_TEXT | EB_IS_TABLE, "a table with commas, semicolons, tabs or blanks")          \
    X(".txt", csv, eb_shape_csv, EB_IS_TEXT | EB_IS_TABLE, "a table with commas, semicolons, tabs or blanks")          \
    X(".libsvm", libsvm, eb_shape_libsvm, 0, "LIBSVM: a label, then index:value for each value but 0")                 \
    X(".svm", libsvm, eb_shape_libsvm, 0, "LIBSVM: a label, then index:value for each value but 0")                    \
    X(".idx", idx, eb_shape_idx, 0, "IDX, as used by MNIST")                                                           \
    X("-ubyte", idx, eb_shape_idx, 0, "IDX, as used by MNIST")

#define EB_DECLARE_READER(extension, format, shape, has, about) eb_reader eb_read_##format;
EB_FORMATS(EB_DECLARE_READER)
#undef EB_DECLARE_READER
eb_reader eb_shape_fvecs, eb_shape_bvecs, eb_shape_ivecs, eb_shape_npy, eb_shape_npz, eb_shape_hdf5, eb_shape_csv,
    eb_shape_libsvm, eb_shape_idx;

/* Whether the library that reads it is here; the sentence names it, and how to get it. */
eb_code eb_check_mat(eb_status *status);
eb_code eb_check_arrow(eb_status *status);

/* Where HDF5's signature stands; SIZE_MAX: nowhere. */
size_t eb_find_hdf5(const eb_bytes *bytes);

/* HDF5 goes through its library, in a child process, so that a hostile file cannot take the workbench down. Without
 * bytes->object: "/train", else the only 2-d numeric dataset. Contiguous little-endian values stay where they are in
 * the bytes, others are read into memory. */
