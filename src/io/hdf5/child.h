/* hdf5_child: the half of the HDF5 reader that calls libhdf5. It runs in a forked child and nowhere else: the library
 * may crash, hang or eat memory on a hostile file, and what it holds is let go of when the child ends.
 */
#ifndef EB_IO_HDF5_CHILD_H
#define EB_IO_HDF5_CHILD_H

#include <stdatomic.h>

#include "io/integers.h"

#define EB_HDF5_NAME_SIZE 512u

typedef struct eb_hdf5_request {
    const eb_bytes *bytes;
    const char *object; /* NULL: "/train", else the only 2-d numeric dataset */
} eb_hdf5_request;

/* What a child sends through its pipe, in one piece. The parent believes nothing of it unchecked. */
typedef struct eb_hdf5_reply {
    eb_status status; /* code EB_OK: the rest holds */
    uint64_t n, d;
    eb_dtype dtype;
    eb_integers integers; /* what is stored, where that is another type */
    char remark[160];
    bool contiguous; /* the values lie in the bytes as they are, from `offset` on */
    uint64_t offset;
    char object[EB_HDF5_NAME_SIZE]; /* the dataset that was chosen */
} eb_hdf5_reply;

/* Finds the dataset and says what it is. */
void eb_hdf5_probe(const eb_hdf5_request *request, eb_hdf5_reply *reply);

/* Reads the dataset that a probe described into rows (n·d values, little-endian), counting finished rows in *done. */
void eb_hdf5_read(const eb_hdf5_request *request, const eb_hdf5_reply *shape, unsigned char *rows,
                  _Atomic uint64_t *done, eb_hdf5_reply *reply);

#endif
