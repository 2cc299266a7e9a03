/* integers: converts integer types that no engine computes with: 64-bit integers and u32 to FP64, if it holds every
 * value exactly, and u16 to i32. */
#pragma once

#include "io/reader.h"

typedef enum eb_integers { EB_NO_INTEGERS, EB_U16, EB_U32, EB_I64, EB_U64 } eb_integers;

/* The type after conversion, and a type as wide as the stored integers. */
eb_dtype eb_integers_become(eb_integers kind);
eb_dtype eb_integers_width(eb_integers kind);

/* Converts count little-endian integers at `from` to `to`, which may equal `from` if the width stays the same. They
 * belong to rows of d, from row `first` on. EB_BAD_VALUE with row and column of the first value that FP64 does not
 * hold. */
eb_code eb_take_integers(const char *name, eb_integers kind, const unsigned char *from, size_t first, size_t count,
                         size_t d, unsigned char *to, eb_status *status);
