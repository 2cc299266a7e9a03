/* bytes: what the readers share: integers at unaligned places, elements turned round, bytes shown in a message. */
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

/* Column-major n × d elements of `size` bytes at src to row-major ones at dst. */
void eb_transpose(unsigned char *dst, const unsigned char *src, size_t n, size_t d, size_t size);

/* "\x93NUM", at most `shown` of the bytes, in quotes and with ASCII escapes; "the end" when there are none. Returns
 * buffer. */
#define EB_SHOWN_BYTES 24u
#define EB_SHOWN_SIZE (4 * EB_SHOWN_BYTES + 8)
char *eb_show_bytes(char buffer[EB_SHOWN_SIZE], const unsigned char *data, size_t size);

/* Memory that can be had without swapping, in bytes (MemAvailable); UINT64_MAX when the system does not say. */
uint64_t eb_available_memory(void);

/* Private writable memory this process has mapped, in bytes, as RLIMIT_DATA counts it; 0 when
 * the system does not say. */
uint64_t eb_private_memory(void);
