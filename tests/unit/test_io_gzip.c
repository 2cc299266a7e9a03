/* Tests of inflating gzip: members, padding, damage, limits. */

#include <zlib.h>

#include "io/formats.h"
#include "io_files.h"
#include "tests/unit/test.h"

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
    i.code = eb_inflate(&bytes, NULL, max_bytes, &i.data, &i.size, &i.status);
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

TEST(members_are_joined_and_padding_left_out)
{
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

/* Data larger than the chunks passed to zlib. */
TEST(large_data_come_back)
{
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

TEST(cut_anywhere_it_is_refused)
{
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

TEST(damage_is_found)
{
    build b = {.size = 0};
    put_gzip(&b, "some points", 11);
    for (size_t k = 0; k < b.size; k++) {
        /* Flags, time and system do not affect the data. */
        if (k >= 3 && k <= 9)
            continue;
        build damaged = b;
        damaged.bytes[k] ^= 1; /* flips a low bit: the last byte of the data may have unused high bits */
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

TEST(limits_are_kept)
{
    build b = {.size = 0};
    put_gzip(&b, "some points", 11);
    inflated i = inflate_bytes(b.bytes, b.size, 10);
    assert_int_equal(i.code, EB_TOO_LARGE);
    assert_string_equal(i.status.message, "points: inflates to more than the 10 bytes there is room for");
    build nothing = {.size = 0};
    put_gzip(&nothing, "", 0);
    i = inflate_bytes(nothing.bytes, nothing.size, 10);
    assert_int_equal(i.code, EB_BAD_FORMAT);
    assert_string_equal(i.status.message, "points: offset 0: expected data, found gzip of 0 bytes");
}

/* ---- formats inside ---- */

#define MIB ((size_t)1 << 20)

/* Inflates a head followed by 24 MiB of one byte: a small decompression bomb. */
static inflated inflate_bomb(const char *extension, const build *head, unsigned char filling)
{
    static unsigned char block[MIB], bomb[MIB];
    inflated i = {.data = NULL};
    z_stream z = {0};
    memset(block, filling, sizeof block);
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = bomb;
    z.avail_out = sizeof bomb;
    z.next_in = (Bytef *)(uintptr_t)head->bytes;
    z.avail_in = (uInt)head->size;
    assert_int_equal(deflate(&z, Z_NO_FLUSH), Z_OK);
    for (int k = 0; k < 24; k++) {
        z.next_in = block;
        z.avail_in = sizeof block;
        assert_int_equal(deflate(&z, Z_NO_FLUSH), Z_OK);
    }
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const eb_bytes bytes = {.data = bomb, .size = z.total_out, .name = "points"};
    i.code = eb_inflate(&bytes, eb_format_named(extension), 16 * MIB, &i.data, &i.size, &i.status);
    assert_int_equal(deflateEnd(&z), Z_OK);
    return i;
}

static void expect_end(const char *extension, const build *head, unsigned char filling, eb_code code,
                       const char *sentence)
{
    inflated i = inflate_bomb(extension, head, filling);
    assert_string_equal(i.status.message, sentence);
    assert_int_equal(i.code, code);
    assert_null(i.data);
}

/* Zeros are no file of any format. The limit is 16 MiB: inflating all of them would report that limit instead. */
TEST(a_bomb_of_no_format_ends_at_once)
{
    const build none = {.size = 0};
    expect_end(".fvecs", &none, 0, EB_BAD_FORMAT,
               "points: offset 0: expected the first row's dimension, 1 to 65536, found 0");
    expect_end(".fbin", &none, 0, EB_BAD_FORMAT, "points: no points: 0 rows of 0 dimensions");
    expect_end(".npy", &none, 0, EB_BAD_FORMAT,
               "points: offset 0: expected \"\\x93NUMPY\" and a version, found "
               "\"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"");
    expect_end(".idx", &none, 0, EB_BAD_FORMAT,
               "points: offset 2: expected an element type (08, 09, 0b to 0e), found 00");
    expect_end(".h5", &none, 0, EB_BAD_FORMAT,
               "points: offset 0: expected an HDF5 file, found \"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"");
    expect_end(".csv", &none, 0, EB_BAD_FORMAT,
               "points: offset 0: expected lines of numbers, found none in 4194304 bytes");
    expect_end(".csv", &none, '\n', EB_BAD_FORMAT,
               "points: offset 0: expected lines of numbers, found none in 4194304 bytes");
}

TEST(a_header_that_is_contradicted_ends_it)
{
    build head = {.size = 0};
    put_le32(&head, 100000);
    put_le32(&head, 10);
    expect_end(".fbin", &head, 7, EB_BAD_FORMAT,
               "points: expected 4000008 inflated bytes as the header inside says, found more");
    head.size = 0;
    put_le32(&head, 10);
    put_le32(&head, 1);
    expect_end(".fbin", &head, 7, EB_BAD_FORMAT,
               "points: expected 48 inflated bytes as the header inside says, found more");
    head.size = 0;
    put_le32(&head, 2000000000);
    put_le32(&head, 1000);
    expect_end(".u8bin", &head, 7, EB_TOO_LARGE,
               "points: inflates to 2000000000008 bytes as the header inside says; there is room for 16777216");
    head.size = 0;
    put_le32(&head, 0x01010101);
    expect_end(".ivecs", &head, 1, EB_BAD_FORMAT,
               "points: offset 0: expected the first row's dimension, 1 to 65536, found 16843009");
    head.size = 0;
    put_le32(&head, 3);
    put_text(&head, "123");
    expect_end(".bvecs", &head, 3, EB_BAD_FORMAT,
               "points: offset 7: expected dimension 3 in row 1 as in row 0, found 50529027");
    head.size = 0;
    put_text(&head, "1,2,3\n4,5,6\n7,8\n9,10,11\n");
    expect_end(".csv", &head, '\n', EB_BAD_FORMAT,
               "points: row 2 (line 3, offset 12): expected 3 cells as in row 0, found 2; missing=drop "
               "leaves such rows out");
    head.size = 0;
    put_text(&head, "1,2,3\n4,5,6\n");
    expect_end(".csv", &head, 0, EB_BAD_FORMAT,
               "points: offset 4194304: expected rows of 3 cells, found no line in 4194304 bytes");
    head.size = 0;
    for (int k = 0; k < 1000; k++)
        put_text(&head, "4 5 6\n");
    expect_end(".csv", &head, ',', EB_BAD_FORMAT,
               "points: offset 4194304: expected rows of 3 cells, found no line in 4194304 bytes");
    head.size = 0;
    put_text(&head, "\x93NUMPY");
    expect_end(".fvecs", &head, 0, EB_BAD_FORMAT,
               "points: offset 0: expected fvecs as the name says, found the first bytes of npy; format=npy "
               "reads it");
}

/* Half a MiB of gzip cannot hold the size that the header states, even though memory could. */
TEST(a_promise_that_gzip_cannot_keep_ends_it)
{
    static unsigned char data[MIB / 2];
    build head = {.size = 0}, packed = {.size = 0};
    put_le32(&head, 2000000000);
    put_le32(&head, 100);
    memcpy(data, head.bytes, head.size);
    put_gzip(&packed, data, sizeof data);
    inflated i = {.data = NULL};
    const eb_bytes bytes = {.data = packed.bytes, .size = packed.size, .name = "points"};
    i.code = eb_inflate(&bytes, eb_format_named(".u8bin"), SIZE_MAX / 2, &i.data, &i.size, &i.status);
    assert_int_equal(i.code, EB_BAD_FORMAT);
    assert_non_null(
        strstr(i.status.message, "points: expected 200000000008 inflated bytes as the header inside says, found "));
    assert_null(i.data);
}

/* An HDF5 superblock gives the file's end, counted from the end of a user block. */
TEST(hdf5_ends_where_its_superblock_says)
{
    static unsigned char data[MIB];
    static const unsigned char newer[] = "\x89HDF\r\n\x1a\n\x03\x08\x08\0"
                                         "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
                                         "\0\0\x0f\0\0\0\0\0\x30\0\0\0\0\0\0";
    eb_points points = {.n = 0};
    eb_status status = {.message = ""};
    eb_bytes bytes = {.data = data, .size = sizeof data, .name = "points", .beginning = true};
    memcpy(data, newer, sizeof newer);
    assert_int_equal(eb_shape_hdf5(&bytes, &points, &status), EB_OK);
    assert_int_equal(points.whole, 0xf0000);
    memset(data, 0, sizeof newer);
    memcpy(data + 2048, newer, sizeof newer);
    assert_int_equal(eb_shape_hdf5(&bytes, &points, &status), EB_OK);
    assert_int_equal(points.whole, 0xf0000 + 2048);
    bytes.beginning = false;
    bytes.size = 0xf0000;
    assert_int_equal(eb_shape_hdf5(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message, "points: offset 2048: expected 985088 bytes as the header says, found 983040");
    data[2048 + 8] = 9;
    assert_int_equal(eb_shape_hdf5(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message, "points: offset 2056: expected version 0 to 3 of HDF5's superblock, found 9");
    data[2048 + 8] = 0; /* version 0 stores its sizes elsewhere, and they are 0 here */
    assert_int_equal(eb_shape_hdf5(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message, "points: offset 2061: expected HDF5 addresses of 2, 4 or 8 bytes, found 0");
}

/* The result is the reader's own, or none: valid files of every kind pass. */
TEST(honest_files_are_not_stopped)
{
    enum { N = 100000, D = 3 };
    static unsigned char data[N * 20 + 2 * MIB], packed[2 * MIB];
    static const char *const extensions[] = {".fbin", ".fvecs", ".csv"};
    for (size_t k = 0; k < 3; k++) {
        const uint32_t shape[2] = {N, D}, d = D;
        size_t size = 0;
        if (k == 0)
            memcpy(data, shape, size = sizeof shape);
        if (k == 2) /* a comment longer than the first chunk inspected */
            for (size = MIB, memset(data, '#', size); size == MIB;)
                data[size++] = '\n';
        for (uint32_t i = 0; i < N; i++) {
            const uint32_t row[D] = {i % 7, i % 11, i % 13};
            if (k == 1)
                memcpy(data + size, &d, sizeof d);
            size += k == 1 ? sizeof d : 0;
            if (k == 2)
                size += (size_t)sprintf((char *)data + size, "%u,%u,%u\n", row[0], row[1], row[2]);
            else
                memcpy(data + size, row, sizeof row);
            size += k == 2 ? 0 : sizeof row;
        }
        uLongf packed_size = sizeof packed;
        z_stream z = {0};
        assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        z.next_in = data;
        z.avail_in = (uInt)size;
        z.next_out = packed;
        z.avail_out = (uInt)packed_size;
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        const eb_bytes bytes = {.data = packed, .size = z.total_out, .name = "points"};
        inflated i = {.data = NULL};
        i.code = eb_inflate(&bytes, eb_format_named(extensions[k]), SIZE_MAX / 2, &i.data, &i.size, &i.status);
        if (i.code)
            fail_msg("%s: %s", extensions[k], i.status.message);
        assert_int_equal(i.size, size);
        assert_memory_equal(i.data, data, size);
        free(i.data);
        assert_int_equal(deflateEnd(&z), Z_OK);
    }
}

RUN_TESTS
