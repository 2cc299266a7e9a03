/* bytes: helpers that the readers share: unaligned integers, byte order, transposing, bytes in a message, free
 * memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

/* Shows at most EB_SHOWN_BYTES of the bytes in quotes with ASCII escapes, "\x93NUM"; "the end" if size is 0. Returns
 * buffer. */
#define EB_SHOWN_BYTES 24u
#define EB_SHOWN_SIZE (4 * EB_SHOWN_BYTES + 8)
char *eb_show_bytes(char buffer[EB_SHOWN_SIZE], const unsigned char *data, size_t size);

/* Memory available without swapping, in bytes (MemAvailable); UINT64_MAX when the system does not report it. */
uint64_t eb_available_memory(void);

/* Private writable memory of this process, in bytes, as RLIMIT_DATA counts it; 0 when the system does not report it. */
uint64_t eb_private_memory(void);
