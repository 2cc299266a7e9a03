/* pool: reuse of large arrays that are allocated again and again, such as the neighbour table of each trial.
 *
 * A freed array is kept for the next caller, whose pages then are populated already. If no kept array is large enough,
 * all of them are returned to the system before a new one is mapped. So the pool never holds more than was in use at
 * one time, and a memory limit that the callers obey holds for the pool too. Arrays below EB_POOLED come from malloc.
 * There is one pool per process; any thread may call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Arrays of at least this many bytes consist of whole large pages and are kept. */
#define EB_POOLED ((size_t)1 << 20)

/* Allocates at least one byte. NULL: out of memory. */
void *eb_pool_take(size_t bytes);

/* Like realloc; only the first `kept` bytes are preserved. NULL: out of memory, the array is unchanged. */
void *eb_pool_resize(void *array, size_t kept, size_t bytes);
void eb_pool_give(void *array); /* frees it; NULL is fine */

/* True if the array was never used before, so that its pages are not yet populated (pages.h). */
bool eb_pool_is_fresh(const void *array);

/* Returns all kept arrays to the system. */
void eb_pool_empty(void);

size_t eb_pool_kept(void); /* bytes of all kept arrays */
