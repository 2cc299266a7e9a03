#include "core/base/pages.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* An atomic addition of zero faults the page in and preserves concurrent writes of other threads. */
static void touch(unsigned char *at)
{
    (void)atomic_fetch_add_explicit((_Atomic unsigned char *)at, 0, memory_order_relaxed);
}

/* A page fault locks less of the process than madvise does, so the first byte is touched. If that made a large page,
 * madvise has nothing left to do. Kernels before 5.14 lack MADV_POPULATE_WRITE. */
static void make_page(unsigned char *start)
{
    const size_t small_page = 4096;
    touch(start);
#ifdef MADV_POPULATE_WRITE
    if (madvise(start, EB_LARGE_PAGE, MADV_POPULATE_WRITE) == 0)
        return;
#endif
    for (size_t at = small_page; at < EB_LARGE_PAGE; at += small_page)
        touch(start + at);
}

void eb_pages_populate(void *start, size_t bytes)
{
    uintptr_t at = (uintptr_t)start;
    size_t end = eb_whole_pages(at + bytes) - at;
    for (size_t page = eb_whole_pages(at) - at; page < end; page += EB_LARGE_PAGE)
        make_page((unsigned char *)start + page);
}

#ifdef __SSE2__
/* Copies whole cache lines. The four stores of a line are adjacent, so that it goes to memory in one write. */
static void stream_lines(unsigned char *to, const unsigned char *from, size_t lines)
{
    for (size_t k = 0; k < lines; k++, to += 64, from += 64) {
        const __m128i *source = (const void *)from;
        __m128i *target = (void *)to, a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1),
                c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    _mm_sfence();
}

void eb_copy_past_caches(void *to, const void *from, size_t bytes)
{
    size_t before = (64 - (uintptr_t)to % 64) % 64;
    before = before < bytes ? before : bytes;
    size_t lines = (bytes - before) / 64, done = before + 64 * lines;
    memcpy(to, from, before);
    stream_lines((unsigned char *)to + before, (const unsigned char *)from + before, lines);
    memcpy((unsigned char *)to + done, (const unsigned char *)from + done, bytes - done);
}
#else
void eb_copy_past_caches(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
#endif
