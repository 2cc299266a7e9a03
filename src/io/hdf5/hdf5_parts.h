/* hdf5_parts: what the files of this reader share, all of it in the child. Where they fail, the reply holds a sentence.
 */
#pragma once

#include <hdf5.h>

#include "io/subprocess/subprocess.h"

/* ---- describe.c: a dataset's shape, type and storage ---- */

typedef struct eb_hdf5_description {
    int rank;
    hsize_t dims[2];
    bool numeric, little_endian;
    eb_dtype dtype;
    eb_integers integers; /* stored, and become dtype */
} eb_hdf5_description;

/* False: libhdf5 failed. */
bool eb_hdf5_describe(hid_t dataset, eb_hdf5_description *out);

/* Fills n, d, dtype and where the values are. */
void eb_hdf5_reply_dataset(hid_t dataset, const eb_subprocess_request *request, eb_subprocess_reply *reply);

/* Refuses with what libhdf5 says. */
void eb_hdf5_refuse(eb_subprocess_reply *reply, const eb_subprocess_request *request, const char *what);

/* libhdf5's type of such values in memory, which is little-endian. */
hid_t eb_hdf5_type(eb_dtype dtype);

/* ---- image.c ---- */

/* The request's bytes as a file, of which no copy is made. Negative: libhdf5 failed. */
hid_t eb_hdf5_open_image(const eb_subprocess_request *request);
