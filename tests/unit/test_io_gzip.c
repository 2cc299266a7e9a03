/* Inflating gzip: members, padding, damage, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>

#include "io_files.h"

/* Appends one gzip member. */
static void put_gzip(build *b, const void *data, size_t size)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = b->bytes + b->size;
    z.avail_out = (uInt)(sizeof b->bytes - b->size);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    b->size += z.total_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
}

typedef struct inflated {
    eb_code code;
    eb_status status;
    unsigned char *data;
    size_t size;
} inflated;

static inflated inflate_bytes(const void *data, size_t size, size_t max_bytes)
{
    inflated i = {.data = NULL};
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    const eb_bytes bytes = {.data = copy, .size = size, .name = "points"};
    i.code = eb_inflate(&bytes, max_bytes, &i.data, &i.size, NULL, &i.status);
    free(copy);
    return i;
}

static void expect_inflated(const build *b, const void *data, size_t size)
{
    inflated i = inflate_bytes(b->bytes, b->size, size);
    if (i.code)
        fail_msg("%s", i.status.message);
    assert_int_equal(i.size, size);
    assert_memory_equal(i.data, data, size);
    free(i.data);
}

static void members_are_joined_and_padding_left_out(void **state)
{
    (void)state;
    build b = {.size = 0};
    put_gzip(&b, "one ", 4);
    expect_inflated(&b, "one ", 4);
    put_gzip(&b, "", 0);
    put_gzip(&b, "two", 3);
    expect_inflated(&b, "one two", 7);
    memset(b.bytes + b.size, 0, 100);
    b.size += 100;
    expect_inflated(&b, "one two", 7);
}

/* Larger than the chunks that go through zlib. */
static void large_data_come_back(void **state)
{
    (void)state;
    enum { SIZE = 3 * 1000 * 1000 };
    unsigned char *data = malloc(SIZE);
    assert_non_null(data);
    for (size_t k = 0; k < SIZE; k++)
        data[k] = (unsigned char)(k % 251);
    build b = {.size = 0};
    put_gzip(&b, data, SIZE);
    expect_inflated(&b, data, SIZE);
    free(data);
}

static void cut_anywhere_it_is_refused(void **state)
{
    (void)state;
    build b = {.size = 0};
    put_gzip(&b, "some points", 11);
    for (size_t size = 0; size < b.size; size++) {
        inflated i = inflate_bytes(b.bytes, size, 100);
        assert_int_equal(i.code, EB_BAD_FORMAT);
        assert_null(i.data);
    }
    inflated i = inflate_bytes(b.bytes, b.size - 1, 100);
    assert_string_equal(i.status.message,
                        "points: offset 30: expected more gzip data, found the end after inflating 11 bytes");
    i = inflate_bytes(b.bytes, 17, 100);
    assert_string_equal(i.status.message, "points: offset 0: expected gzip data of at least 18 bytes, found 17");
}

static void damage_is_found(void **state)
{
    (void)state;
    build b = {.size = 0};
    put_gzip(&b, "some points", 11);
    for (size_t k = 0; k < b.size; k++) {
        /* Flags, time, and the system it was made on say nothing about the data. */
        if (k >= 3 && k <= 9)
            continue;
        build damaged = b;
        damaged.bytes[k] ^= 1; /* the low bit: the last byte of the data ends in unused high ones */
        inflated i = inflate_bytes(damaged.bytes, damaged.size, 100);
        if (i.code == EB_OK)
            fail_msg("damage at byte %zu went unseen", k);
        free(i.data);
    }
    build checksum = b;
    checksum.bytes[b.size - 8] ^= 1;
    inflated i = inflate_bytes(checksum.bytes, checksum.size, 100);
    assert_string_equal(i.status.message, "points: offset 27: expected gzip data, found damage: incorrect data check");
    put_text(&b, "and then some text");
    i = inflate_bytes(b.bytes, b.size, 100);
    assert_int_equal(i.code, EB_BAD_FORMAT);
    assert_non_null(strstr(i.status.message, "incorrect header check"));
}

static void limits_are_kept(void **state)
{
    (void)state;
    build b = {.size = 0};
    put_gzip(&b, "some points", 11);
    inflated i = inflate_bytes(b.bytes, b.size, 10);
    assert_int_equal(i.code, EB_TOO_LARGE);
    assert_string_equal(i.status.message, "points: inflates to more than the 10 bytes there is room for");
    build nothing = {.size = 0};
    put_gzip(&nothing, "", 0);
    i = inflate_bytes(nothing.bytes, nothing.size, 10);
    assert_int_equal(i.code, EB_BAD_FORMAT);
    assert_string_equal(i.status.message, "points: offset 0: expected data, found gzip of nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_joined_and_padding_left_out),
        cmocka_unit_test(large_data_come_back),
        cmocka_unit_test(cut_anywhere_it_is_refused),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
