/* npy: what another reader asks of NumPy's array file, which is a part of its own. */
#pragma once

#include "io/reader.h"

/* eb_shape_npy, and how many dimensions the header speaks of: 1 or 2. */
eb_code eb_npy_look(const eb_bytes *bytes, eb_points *out, unsigned *dimensions, eb_status *status);
