/* integers: those that no engine computes with, as such that one does: 64-bit ones and u32 to FP64 where it holds every
 * value exactly, u16 to i32.
 */
#pragma once

#include "io/reader.h"

typedef enum eb_integers { EB_NO_INTEGERS, EB_U16, EB_U32, EB_I64, EB_U64 } eb_integers;

/* What they become, and a type of their own width. */
eb_dtype eb_integers_become(eb_integers kind);
eb_dtype eb_integers_width(eb_integers kind);

/* count little-endian ones at `from`, rows of d from row `first` on, to `to`, which may be `from` where the width
 * stays. EB_BAD_VALUE with row and column of the first that FP64 does not hold. */
eb_code eb_take_integers(const char *name, eb_integers kind, const unsigned char *from, size_t first, size_t count,
                         size_t d, unsigned char *to, eb_status *status);
