/* reader: the interface of a file format: a pure function from bytes to points. Each format has one file and a fuzzer.
 *
 * A reader checks every header field against the size of the bytes, every per-row dimension, the limits of shapes, and
 * overflow. It reads nothing outside [data, data + size). Its messages begin with bytes->name and give the offset, what
 * was expected and what was found.
 */
#pragma once

#include <stdbool.h>

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "io/bytes.h"

/* Whether a text begins with a line of names. GUESSED: the first line holds names if no cell in it is a number. */
typedef enum eb_header { EB_HEADER_GUESSED, EB_HEADER_YES, EB_HEADER_NO } eb_header;

/* What separates the cells of a text table, and the sign before a number's decimals. GUESSED: the first lines decide.
 */
typedef enum eb_separator {
    EB_SEPARATOR_GUESSED,
    EB_SEPARATOR_COMMA,
    EB_SEPARATOR_SEMICOLON,
    EB_SEPARATOR_TAB,
    EB_SEPARATOR_BLANK,
} eb_separator;
typedef enum eb_decimal { EB_DECIMAL_GUESSED, EB_DECIMAL_POINT, EB_DECIMAL_COMMA } eb_decimal;

/* Treatment of rows with a missing value. */
typedef enum eb_missing { EB_MISSING_REFUSED, EB_MISSING_DROPPED, EB_MISSING_MEAN } eb_missing;

/* Scaling of each coordinate (eb_rescale). STANDARD: subtract the mean, divide by the deviation; MINMAX: to 0 … 1. */
typedef enum eb_scale { EB_SCALE_NONE, EB_SCALE_STANDARD, EB_SCALE_MINMAX } eb_scale;

/* Choices for reading a file. All but input_taken become part of the dataset's source. */
typedef struct eb_reading {
    const char *format; /* a name of EB_FORMATS, "csv"; NULL: decided by the file's name and first bytes */
    bool input_taken;   /* commands come from the standard input, so points cannot */
    eb_header header;
    const char *columns; /* the coordinates of a table (columns.h); NULL: all columns but the label */
    const char *label;   /* the column of the points' labels; NULL: none */
    eb_missing missing;
    eb_scale scale;
    bool bf16; /* two-byte values of .npy are bfloat16 */
    eb_separator separator;
    eb_decimal decimal;
} eb_reading;

typedef struct eb_bytes {
    const unsigned char *data;
    size_t size;
    const char *name;   /* for messages */
    const char *path;   /* the file that `load` can read again, for advice; NULL: none */
    const char *object; /* the object named in FILE:/object, for files of several objects; NULL: none */
    eb_reading how;
    eb_job *job;    /* its cancel flag is tested during long work; may be NULL */
    bool brief;     /* messages without lines to type, for lists of files */
    bool beginning; /* for shapes: the bytes are only the beginning, as much as is inflated so far */
} eb_bytes;

/* Most bytes of a header, or of a text's first row. */
#define EB_BEGINNING ((size_t)4 << 20)

/* A reader's result: n × d little-endian values, row i at rows + i·stride. */
typedef struct eb_points {
    size_t n, d;
    eb_dtype dtype;
    const unsigned char *rows;
    size_t stride;
    void *owned;             /* memory of rows, freed by eb_points_free; NULL: rows points into the reader's bytes */
    char header[64];         /* the text's first line, cut, if it is a header; else "" */
    size_t mapped;           /* size of `owned` if it is a mapping; 0: it is on the heap */
    size_t whole;            /* from a shape: bytes of the whole file by its header; 0: unknown */
    eb_labels *labels;       /* of a table read with label=; else NULL */
    size_t left_out, filled; /* counts of rows left out and of values filled in because of missing values */
    char remark[160];        /* lines that a person should know about the file; "": none */
    unsigned companions;     /* further objects of the file (EB_HAS_TEST …) */
} eb_points;

void eb_points_free(eb_points *points); /* frees the members, not the struct */

/* Replaces the rows by `rows`, n × d values on the heap, and frees the rows that the points owned before. */
void eb_points_own(eb_points *points, eb_dtype dtype, unsigned char *rows);

/* Replaces contiguous rows of `kind` by rows of the type that it becomes. Changes nothing for EB_NOT_FOREIGN. */
eb_code eb_points_convert(eb_points *points, eb_foreign kind, const char *name, eb_status *status);

/* Brings all coordinates to a similar size, so that no coordinate dominates distances because of its unit. Like
 * scikit-learn's StandardScaler (subtract the mean, divide by the deviation of all n points) and MinMaxScaler (to
 * 0 … 1). A constant coordinate becomes 0. Sums are FP64 in the order of the points, so results are the same bits
 * everywhere. Values that FP32 holds exactly become FP32; FP64 and i32 become FP64. All values must be finite. `name`
 * begins the message on failure. */
eb_code eb_rescale(eb_points *points, eb_scale how, const char *name, eb_job *job, eb_status *status);

/* Sets *out to n × d values that fill the bytes from `offset` to the end. Checks the shape, and the size of the bytes
 * unless they are only a beginning. */
eb_code eb_rows_to_end(const eb_bytes *bytes, size_t offset, unsigned long long n, unsigned long long d, eb_dtype dtype,
                       eb_points *out, eb_status *status);

typedef eb_code eb_reader(const eb_bytes *bytes, eb_points *out, eb_status *status);

enum {
    EB_IS_TEXT = 1,     /* the first line may be a header */
    EB_IS_TABLE = 2,    /* has columns to choose from, a label, missing values */
    EB_HAS_OBJECTS = 4, /* has several named objects; bytes->object chooses one */
    EB_MAY_BE_BF16 = 8, /* has two-byte values that dtype=bf16 reads as bfloat16 */
};

/* All formats: X(end of names, format, shape, properties, description). The reader of a format is eb_read_FORMAT. Its
 * shape, eb_shape_FORMAT or NULL, is a reader that finds only n, d and dtype, from the header and the size of the
 * bytes.
 *
 * A shape also works on the beginning of bytes that are still being inflated (bytes->beginning). It refuses bytes that
 * cannot become a file of its format. It leaves n at 0 if it cannot find n, and everything at 0 if it needs more bytes,
 * up to EB_BEGINNING.
 */
#define EB_FORMATS(X)                                                                                                  \
    X(".fvecs", fvecs, eb_shape_fvecs, 0, "rows of FP32, each after its dimension (TEXMEX)")                           \
    X(".bvecs", bvecs, eb_shape_bvecs, 0, "rows of u8, each after its dimension (TEXMEX)")                             \
    X(".ivecs", ivecs, eb_shape_ivecs, 0, "rows of i32, each after its dimension (TEXMEX)")                            \
    X(".fbin", fbin, eb_read_fbin, 0, "n, d, then rows of FP32 (big-ann-benchmarks)")                                  \
    X(".u8bin", u8bin, eb_read_u8bin, 0, "n, d, then rows of u8 (big-ann-benchmarks)")                                 \
    X(".i8bin", i8bin, eb_read_i8bin, 0, "n, d, then rows of i8 (big-ann-benchmarks)")                                 \
    X(".ibin", ibin, eb_read_ibin, 0, "n, d, then rows of i32 (big-ann-benchmarks)")                                   \
    X(".npy", npy, eb_shape_npy, EB_MAY_BE_BF16, "a NumPy array of floats, integers or bools")                         \
    X(".npz", npz, eb_shape_npz, EB_HAS_OBJECTS | EB_MAY_BE_BF16, "named NumPy arrays")                                \
    X(".h5", hdf5, eb_shape_hdf5, EB_HAS_OBJECTS, "HDF5, also of ann-benchmarks")                                      \
    X(".hdf5", hdf5, eb_shape_hdf5, EB_HAS_OBJECTS, "HDF5, also of ann-benchmarks")                                    \
    X(".mat", mat, NULL, EB_HAS_OBJECTS, "named matrices of MATLAB, versions 4, 5 and 7.3")                            \
    X(".safetensors", safetensors, eb_shape_safetensors, EB_HAS_OBJECTS, "named tensors, also of BF16")                \
    X(".parquet", arrow, NULL, EB_IS_TABLE, "a Parquet table, by pyarrow")                                             \
    X(".feather", arrow, NULL, EB_IS_TABLE, "an Arrow table, by pyarrow")                                              \
    X(".arrow", arrow, NULL, EB_IS_TABLE, "an Arrow table, by pyarrow")                                                \
    X(".csv", csv, eb_shape_csv, EB_IS_TEXT | EB_IS_TABLE, "a table with commas, semicolons, tabs or blanks")          \
    X(".tsv", csv, eb_shape_csv, EB_IS_TEXT | EB_IS_TABLE, "a table with commas, semicolons, tabs or blanks")          \
    X(".txt", csv, eb_shape_csv, EB_IS_TEXT | EB_IS_TABLE, "a table with commas, semicolons, tabs or blanks")          \
    X(".jsonl", jsonl, eb_shape_jsonl, EB_HAS_OBJECTS, "a JSON array of numbers a line, or an object that holds one")  \
    X(".json", jsonl, eb_shape_jsonl, EB_HAS_OBJECTS, "a JSON array of numbers a line, or an object that holds one")   \
    X(".libsvm", libsvm, eb_shape_libsvm, 0, "LIBSVM: a label, then index:value for each value but 0")                 \
    X(".svm", libsvm, eb_shape_libsvm, 0, "LIBSVM: a label, then index:value for each value but 0")                    \
    X(".idx", idx, eb_shape_idx, 0, "IDX, as used by MNIST")                                                           \
    X("-ubyte", idx, eb_shape_idx, 0, "IDX, as used by MNIST")

#define EB_DECLARE_READER(extension, format, shape, has, about) eb_reader eb_read_##format;
EB_FORMATS(EB_DECLARE_READER)
#undef EB_DECLARE_READER
eb_reader eb_shape_fvecs, eb_shape_bvecs, eb_shape_ivecs, eb_shape_npy, eb_shape_npz, eb_shape_hdf5, eb_shape_csv,
    eb_shape_libsvm, eb_shape_idx, eb_shape_jsonl, eb_shape_safetensors;

/* Checks that the format's library is installed. The message names the library and how to install it. */
eb_code eb_check_mat(eb_status *status);
eb_code eb_check_arrow(eb_status *status);

/* eb_shape_npy, which also returns the number of dimensions in the header, 1 or 2: for the reader of archives. */
eb_code eb_npy_look(const eb_bytes *bytes, eb_points *out, unsigned *dimensions, eb_status *status);

/* Offset of HDF5's signature; SIZE_MAX if there is none. */
size_t eb_find_hdf5(const eb_bytes *bytes);

/* libhdf5 runs in a child process, so that a hostile file cannot crash the workbench. Without bytes->object the reader
 * takes "/train", or else the only 2-d numeric dataset. Contiguous little-endian values stay in the bytes; other values
 * are read into memory. */
