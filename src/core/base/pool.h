/* pool: memory for large arrays that are made again and again, a neighbour table each trial.
 *
 * What is given back is kept for the next caller, whose writes then find it touched. It never keeps what a caller
 * could not use: where none of the kept arrays fits, they go back to the system before a fresh one is made. So the pool
 * holds no more at any time than was in use at one time, and a memory limit that holds for the callers holds for it.
 * Small arrays are malloc's. One pool a process; any thread may call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Arrays from this size on are of whole large pages and are kept. */
#define EB_POOLED ((size_t)1 << 20)

/* NULL: there is no such room. At least one byte. */
void *eb_pool_take(size_t bytes);

/* As realloc, for an array of which the first `kept` bytes are filled. NULL: no room, the array is as it was. */
void *eb_pool_resize(void *array, size_t kept, size_t bytes);
void eb_pool_give(void *array); /* NULL is fine */

/* The array is nobody's before: its pages are to be made yet (pages.h), by threads of the caller's choice. */
bool eb_pool_is_fresh(const void *array);

/* What is kept goes back to the system: nobody will take soon. */
void eb_pool_empty(void);

/* Bytes kept for takers now. */
size_t eb_pool_kept(void);
