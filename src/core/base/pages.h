/* pages: large stretches of memory straight from the system, on large pages where it has them.
 *
 * The first touch of fresh memory clears it page by page, which takes longer than filling it: those who fill a lot have
 * it populated ahead, by threads that stay out of each other's large pages.
 */
#pragma once

#include <stddef.h>

#define EB_LARGE_PAGE ((size_t)2 << 20)

static inline size_t eb_whole_pages(size_t bytes)
{
    return (bytes + EB_LARGE_PAGE - 1) / EB_LARGE_PAGE * EB_LARGE_PAGE;
}

/* Whole large pages, aligned to one, zero, not yet populated. NULL: the system has no such room. */
void *eb_pages_map(size_t bytes);
void eb_pages_unmap(void *pages, size_t bytes); /* `bytes` as they were asked for; NULL is fine */

/* Makes the pages that begin in [start, start + bytes), where they are not there yet; what is there keeps its contents.
 * Of stretches that lie one behind the other each makes its own. Others may write to them meanwhile. */
void eb_pages_populate(void *start, size_t bytes);

/* memcpy by stores that go past the caches, where the machine has them: the target, at least, is not read before it is
 * written, and what the caches hold stays there. For what is not looked at soon. */
void eb_copy_past_caches(void *to, const void *from, size_t bytes);
