/* pool, pages, row_chunks: freed arrays are used again, arrays that fit no caller are not kept; copies past the caches
 * give the same bytes as memcpy. */

#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/base/pool.h"
#include "core/join/row_chunks.h"
#include "tests/unit/test.h"

#define MB ((size_t)1 << 20)

static int empty(void **state)
{
    (void)state;
    eb_pool_empty();
    return 0;
}

TEST_WITH(large_arrays_are_found_again, empty, NULL)
{
    unsigned char *a = eb_pool_take(9 * MB);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % EB_LARGE_PAGE, 0);
    assert_true(eb_pool_is_fresh(a) && eb_pool_kept() == 0);
    a[9 * MB - 1] = 5;
    eb_pool_give(a);
    assert_int_equal(eb_pool_kept(), 10 * MB);
    unsigned char *b = eb_pool_take(8 * MB);
    assert_ptr_equal(a, b);
    assert_true(!eb_pool_is_fresh(b) && eb_pool_kept() == 0);
    eb_pool_give(b);
    eb_pool_empty();
    assert_int_equal(eb_pool_kept(), 0);
}

TEST_WITH(the_smallest_that_fits_is_taken, empty, NULL)
{
    void *large = eb_pool_take(40 * MB), *middle = eb_pool_take(20 * MB);
    eb_pool_give(large);
    eb_pool_give(middle);
    assert_ptr_equal(eb_pool_take(19 * MB), middle);
    assert_ptr_equal(eb_pool_take(19 * MB), large);
    eb_pool_give(large);
    eb_pool_give(middle);
}

/* The pool never holds more than was in use at one time. */
TEST_WITH(what_does_not_fit_goes_before_more_is_made, empty, NULL)
{
    eb_pool_give(eb_pool_take(20 * MB));
    assert_int_equal(eb_pool_kept(), 20 * MB);
    void *a = eb_pool_take(30 * MB);
    assert_int_equal(eb_pool_kept(), 0);
    eb_pool_give(a);
    assert_int_equal(eb_pool_kept(), 30 * MB);
}

TEST_WITH(small_arrays_are_not_kept, empty, NULL)
{
    void *a = eb_pool_take(EB_POOLED - 1), *none = eb_pool_take(0);
    assert_true(a && none && !eb_pool_is_fresh(a));
    eb_pool_give(a);
    eb_pool_give(none);
    eb_pool_give(NULL);
    assert_int_equal(eb_pool_kept(), 0);
    assert_null(eb_pool_take(SIZE_MAX));
    assert_null(eb_pool_take(PTRDIFF_MAX));
}

TEST_WITH(resizing_keeps_what_is_filled, empty, NULL)
{
    static const size_t sizes[] = {100, 3 * MB, 12 * MB, 31 * MB, 9 * MB, 2 * MB};
    unsigned char *a = eb_pool_take(sizes[0]);
    size_t filled = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        a = eb_pool_resize(a, filled, sizes[k]);
        assert_non_null(a);
        filled = filled < sizes[k] ? filled : sizes[k];
        for (size_t x = 0; x < filled; x += 97)
            assert_int_equal(a[x], x % 251);
        for (; filled < sizes[k]; filled++)
            a[filled] = (unsigned char)(filled % 251);
    }
    assert_null(eb_pool_resize(a, filled, PTRDIFF_MAX));
    assert_int_equal(a[filled - 1], (filled - 1) % 251);
    eb_pool_give(a);
}

static eb_code take_and_give(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)context;
    (void)status;
    for (size_t k = 0; k < 50; k++) {
        size_t bytes = (8 + (task + k) % 3 * 4) * MB;
        unsigned char *a = eb_pool_take(bytes);
        if (!a)
            return EB_NO_MEMORY;
        a[0] = a[bytes - 1] = (unsigned char)thread;
        if (a[0] != thread || a[bytes - 1] != thread)
            return EB_INTERNAL;
        eb_pool_give(a);
    }
    return EB_OK;
}

TEST_WITH(threads_never_share_an_array, empty, NULL)
{
    eb_status status;
    assert_int_equal(eb_parallel(4, 16, take_and_give, NULL, NULL, &status), EB_OK);
}

TEST(populating_leaves_what_is_there)
{
    unsigned char *pages = eb_pages_map(5 * MB);
    assert_non_null(pages);
    pages[0] = 1;
    pages[3 * MB] = 2;
    eb_pages_populate(pages, 3 * MB); /* adjacent blocks */
    eb_pages_populate(pages + 3 * MB, MB);
    eb_pages_populate(pages + 4 * MB, 2 * MB);
    eb_pages_populate(pages + 5 * MB + 7, 3); /* no page begins there */
    assert_int_equal(pages[0], 1);
    assert_int_equal(pages[3 * MB], 2);
    assert_int_equal(pages[6 * MB - 1], 0);
    eb_pages_unmap(pages, 5 * MB);
    eb_pages_unmap(NULL, 1);
    assert_null(eb_pages_map(PTRDIFF_MAX));
}

TEST(copies_are_whole_at_any_alignment)
{
    unsigned char from[700], to[700], expected[700];
    for (size_t k = 0; k < sizeof from; k++)
        from[k] = (unsigned char)(k * 7);
    for (size_t at = 0; at < 70; at += 3)
        for (size_t bytes = 0; bytes < 400; bytes += 13) {
            memset(to, 0xee, sizeof to);
            memset(expected, 0xee, sizeof expected);
            eb_copy_past_caches(to + at, from + bytes % 5, bytes);
            memcpy(expected + at, from + bytes % 5, bytes);
            assert_memory_equal(to, expected, sizeof to);
        }
}

/* ---- rows in chunks ---- */

TEST(chunks_end_where_their_room_does)
{
    static const uint64_t offsets[] = {0, 0, 3, 3, 10, 11, 11, 20};
    assert_int_equal(eb_chunk_end(offsets, 7, 0, 1), 1);
    assert_int_equal(eb_chunk_end(offsets, 7, 0, 3), 3);
    assert_int_equal(eb_chunk_end(offsets, 7, 0, 100), 7);
    assert_int_equal(eb_chunk_end(offsets, 7, 3, 2), 4); /* a row that is too long is a chunk of its own */
    assert_int_equal(eb_chunk_end(offsets, 7, 3, 8), 6);
    assert_int_equal(eb_chunk_end(offsets, 7, 4, 9), 6);
    assert_int_equal(eb_chunk_end(offsets, 7, 4, 10), 7);
    assert_int_equal(eb_chunk_end(offsets, 7, 6, 1), 7);
}

TEST(chunks_grow_to_what_there_is_room_for)
{
    assert_int_equal(eb_chunk_room(0, UINT64_MAX), 1 << 22);
    assert_int_equal(eb_chunk_room(2, UINT64_MAX), 1 << 24);
    assert_int_equal(eb_chunk_room(9, UINT64_MAX), 1 << 25);
    assert_int_equal(eb_chunk_room(9, 1000), 1000);
}

RUN_TESTS_WITH(NULL, empty)
