/* pages: large blocks of memory directly from the operating system, on large pages where available.
 *
 * The kernel clears fresh memory page by page on first touch, which takes longer than filling it. Code that fills a lot
 * populates the memory first, with each thread on large pages of its own.
 */
#pragma once

#include <stddef.h>

#define EB_LARGE_PAGE ((size_t)2 << 20)

static inline size_t eb_whole_pages(size_t bytes)
{
    return (bytes + EB_LARGE_PAGE - 1) / EB_LARGE_PAGE * EB_LARGE_PAGE;
}

/* Maps whole, aligned large pages: zero, not yet populated. NULL: out of memory. */
void *eb_pages_map(size_t bytes);
void eb_pages_unmap(void *pages, size_t bytes); /* `bytes` as passed to eb_pages_map; NULL is fine */

/* Populates the large pages that begin in [start, start + bytes). Pages that exist keep their contents. Calls for
 * adjacent blocks share no page. Other threads may write to the pages meanwhile. */
void eb_pages_populate(void *start, size_t bytes);

/* memcpy by non-temporal stores, where the CPU has them: the target is not read before it is written, and the contents
 * of the caches stay. Use it for data that is not read soon. */
void eb_copy_past_caches(void *to, const void *from, size_t bytes);
