/* subprocess: the interface of a reader whose library may crash, hang or use up memory on a hostile file. The library
 * runs only in forked children: a first child finds the shape of the points, a second one writes them into memory
 * shared with it. Their memory is freed when they end. The children inherit the bytes, so inflated bytes are read like
 * a mapped file. The parent checks everything that they reply. */
#pragma once

#include <stdatomic.h>

#include "io/bytes.h"
#include "io/reader.h"

#define EB_SUBPROCESS_NAME_SIZE 512u

typedef struct eb_subprocess_request {
    const eb_bytes *bytes;
    const char *object; /* bytes->object, or the object that the first child chose; NULL: not named */
    bool turned;        /* the stored values are d × n */
    int file;           /* a descriptor of the bytes, for libraries that open names: /proc/self/fd/FILE */
} eb_subprocess_request;

/* A child's reply, sent through its pipe in one piece. */
typedef struct eb_subprocess_reply {
    eb_status status; /* the rest is valid if the code is EB_OK */
    uint64_t n, d;
    eb_dtype dtype;
    eb_foreign foreign; /* the stored type, if it is not dtype */
    char remark[160];
    unsigned companions; /* as in eb_points */
    bool contiguous;     /* the values lie unchanged in the bytes, from `offset` on */
    uint64_t offset;
    uint64_t more;             /* bytes after the rows: n int32 label numbers, then the names, each with a NUL */
    uint64_t left_out, filled; /* as in eb_points */
    char object[EB_SUBPROCESS_NAME_SIZE]; /* the object chosen; for points with labels, the label's column */
} eb_subprocess_reply;

typedef struct eb_subprocess {
    const char *library; /* "libhdf5": for messages */
    const char *phase;   /* "reading HDF5" */
    unsigned seconds;    /* time limit, unless the child calls alarm() itself */
    bool by_name;        /* the library opens files: the bytes are copied to one in memory */

    /* Runs in the first child: finds the points and their shape. */
    void (*probe)(const eb_subprocess_request *request, eb_subprocess_reply *reply);

    /* Runs in the second child: reads the points that the probe described into rows (n·d little-endian values of
     * shape->dtype; d × n if turned), puts the announced further bytes after the rows, and counts finished rows in
     * *done while it works. A remark of this reply replaces that of the probe. */
    void (*read)(const eb_subprocess_request *request, const eb_subprocess_reply *shape, unsigned char *rows,
                 _Atomic uint64_t *done, eb_subprocess_reply *reply);
} eb_subprocess;

/* Reads points with a reader. Contiguous values stay in the bytes unless they are turned. */
eb_code eb_subprocess_read(const eb_subprocess *reader, const eb_bytes *bytes, bool turned, eb_points *out,
                           eb_status *status);

/* Reads HDF5 with its values turned, as MATLAB stores columns first. */
eb_code eb_read_hdf5_turned(const eb_bytes *bytes, eb_points *out, eb_status *status);

/* Makes the reply a failure: "NAME: SENTENCE" with EB_BAD_FORMAT. */
void eb_subprocess_refuse(eb_subprocess_reply *reply, const eb_subprocess_request *request, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
