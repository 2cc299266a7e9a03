/* npy: the shape of a .npy array, for the reader of archives. */
#pragma once

#include "io/reader.h"

/* eb_shape_npy, which also returns the number of dimensions in the header, 1 or 2. */
eb_code eb_npy_look(const eb_bytes *bytes, eb_points *out, unsigned *dimensions, eb_status *status);
