#include "core/base/pages.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

void *eb_pages_map(size_t bytes)
{
    if (bytes > PTRDIFF_MAX - 2 * EB_LARGE_PAGE)
        return NULL;
    size_t whole = eb_whole_pages(bytes ? bytes : 1), with_slack = whole + EB_LARGE_PAGE;
    unsigned char *start = mmap(NULL, with_slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = (EB_LARGE_PAGE - (uintptr_t)start % EB_LARGE_PAGE) % EB_LARGE_PAGE;
    if (before)
        (void)munmap(start, before);
    if (before < EB_LARGE_PAGE)
        (void)munmap(start + before + whole, EB_LARGE_PAGE - before);
    (void)madvise(start + before, whole, MADV_HUGEPAGE); /* advice */
    return start + before;
}

void eb_pages_unmap(void *pages, size_t bytes)
{
    if (pages)
        (void)munmap(pages, eb_whole_pages(bytes ? bytes : 1));
}

/* A kernel before 5.14 does not know how: adding zero touches a page and leaves what others have written there. */
void eb_pages_populate(void *start, size_t bytes)
{
    const size_t small_page = 4096;
#ifdef MADV_POPULATE_WRITE
    if (madvise(start, bytes, MADV_POPULATE_WRITE) == 0)
        return;
#endif
    for (size_t at = 0; at < bytes; at += small_page)
        (void)atomic_fetch_add_explicit((_Atomic unsigned char *)start + at, 0, memory_order_relaxed);
}
