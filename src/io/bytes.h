/* bytes: helpers that the readers share: unaligned integers, byte order, transposing, conversion of types, bytes and
 * names in a message, free memory.
 */
#pragma once

#include "core/data/dataset.h"

static inline uint32_t eb_le32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t eb_be32(const unsigned char *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

/* Copies count elements of `size` bytes (1, 2, 4 or 8) from src to dst with their byte order reversed. */
void eb_copy_reversed(unsigned char *dst, const unsigned char *src, size_t count, size_t size);

/* Copies column-major n × d elements of `size` bytes from src to row-major ones at dst. */
void eb_transpose(unsigned char *dst, const unsigned char *src, size_t n, size_t d, size_t size);

/* Stored types that no engine computes with. 64-bit integers and u32 become FP64, if it holds every value exactly, u16
 * becomes i32, bfloat16 becomes FP32. */
typedef enum eb_foreign { EB_NOT_FOREIGN, EB_U16, EB_U32, EB_I64, EB_U64, EB_FOREIGN_BF16 } eb_foreign;

/* The type after conversion, and a type as wide as the stored values. */
eb_dtype eb_foreign_become(eb_foreign kind);
eb_dtype eb_foreign_width(eb_foreign kind);

/* Converts count little-endian values at `from` to `to`, which may equal `from` if the width stays the same. They
 * belong to rows of d, from row `first` on. EB_BAD_VALUE with row and column of the first value that FP64 does not
 * hold. */
eb_code eb_take_foreign(const char *name, eb_foreign kind, const unsigned char *from, size_t first, size_t count,
                        size_t d, unsigned char *to, eb_status *status);

/* Shows at most EB_SHOWN_BYTES of the bytes in quotes with ASCII escapes, "\x93NUM"; "the end" if size is 0. Returns
 * buffer. */
#define EB_SHOWN_BYTES 24u
#define EB_SHOWN_SIZE (4 * EB_SHOWN_BYTES + 8)
char *eb_show_bytes(char buffer[EB_SHOWN_SIZE], const void *bytes, size_t size);

/* Reads a whole number of 1 to 18 digits and nothing else; false otherwise. */
bool eb_read_digits(const char *text, size_t length, uint64_t *out);

/* Replaces all bytes that are not printable ASCII by '?'. */
void eb_make_printable(char *text);

/* Appends a name, made printable, to a list for a message: "a, b". A list longer than `size` is cut. */
void eb_list_name(char *list, size_t size, const char *name);

/* Memory available without swapping, in bytes (MemAvailable); UINT64_MAX when the system does not report it. */
uint64_t eb_available_memory(void);
