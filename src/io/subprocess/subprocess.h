/* subprocess: a reader whose library may crash, hang or eat memory on a hostile file. It runs in forked children and
 * nowhere else: one says what the points are, another writes them into memory shared with it; what they hold is let go
 * of when they end. The children inherit the bytes: nothing is opened by name, so what was inflated into memory is read
 * like a mapped file. The parent believes nothing that they say unchecked.
 */
#pragma once

#include <stdatomic.h>

#include "io/integers.h"

#define EB_SUBPROCESS_NAME_SIZE 512u

typedef struct eb_subprocess_request {
    const eb_bytes *bytes;
    const char *object; /* bytes->object, or the one that the first child chose; NULL: none is named */
    bool turned;        /* what is stored is d × n */
    int file;           /* has the bytes, for a library that opens names: /proc/self/fd/FILE */
} eb_subprocess_request;

/* What a child sends through its pipe, in one piece. */
typedef struct eb_subprocess_reply {
    eb_status status; /* code EB_OK: the rest holds */
    uint64_t n, d;
    eb_dtype dtype;
    eb_integers integers; /* what is stored, where that is another type */
    char remark[160];
    unsigned companions; /* of points */
    bool contiguous;     /* the values lie in the bytes as they are, from `offset` on */
    uint64_t offset;
    uint64_t more;             /* bytes behind the rows: n int32 numbers of labels, then the names, a NUL behind each */
    uint64_t left_out, filled; /* rows, and values, that were missing */
    char object[EB_SUBPROCESS_NAME_SIZE]; /* what was chosen; with labels, the column that they are from */
} eb_subprocess_reply;

typedef struct eb_subprocess {
    const char *library; /* "libhdf5": for messages */
    const char *phase;   /* "reading HDF5" */
    unsigned seconds;    /* to live, unless it calls alarm() itself */
    bool by_name;        /* opens a file: the bytes are put into one, in memory */

    /* Finds the points and says what they are. */
    void (*probe)(const eb_subprocess_request *request, eb_subprocess_reply *reply);

    /* Reads what a probe described into rows (n·d values, little-endian, of reply->dtype; d × n where turned), and what
     * more it spoke of behind them, counting finished rows in *done. */
    void (*read)(const eb_subprocess_request *request, const eb_subprocess_reply *shape, unsigned char *rows,
                 _Atomic uint64_t *done, eb_subprocess_reply *reply);
} eb_subprocess;

/* Contiguous values stay where they are in the bytes, unless they are turned. */
eb_code eb_subprocess_read(const eb_subprocess *reader, const eb_bytes *bytes, bool turned, eb_points *out,
                           eb_status *status);

/* HDF5 in a subprocess; turned for MATLAB's, whose columns come first. */
eb_code eb_read_hdf5_turned(const eb_bytes *bytes, eb_points *out, eb_status *status);

/* Puts a sentence about the file into the reply. */
void eb_subprocess_refuse(eb_subprocess_reply *reply, const eb_subprocess_request *request, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
