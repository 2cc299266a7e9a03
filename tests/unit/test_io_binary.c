/* Tests of the readers of .fvecs .bvecs .ivecs, .fbin .u8bin .i8bin and IDX. */

#include "io_files.h"
#include "tests/unit/test.h"

static const float floats[6] = {1.5F, -2, 3e30F, 0, -0.0F, 1e-40F};
static const int32_t integers[6] = {1, -2, INT32_MAX, INT32_MIN, 0, 77};
static const uint8_t octets[6] = {1, 2, 255, 0, 128, 77};

static build vecs(uint32_t d, const void *values, size_t n, size_t element)
{
    build b = {.size = 0};
    for (size_t i = 0; i < n; i++) {
        put_le32(&b, d);
        put(&b, (const unsigned char *)values + i * d * element, d * element);
    }
    return b;
}

static build bin(uint32_t n, uint32_t d, const void *values, size_t size)
{
    build b = {.size = 0};
    put_le32(&b, n);
    put_le32(&b, d);
    put(&b, values, size);
    return b;
}

static build idx(unsigned char type, const uint32_t *sizes, unsigned char dimensions)
{
    build b = {.size = 0};
    const unsigned char magic[] = {0, 0, type, dimensions};
    put(&b, magic, sizeof magic);
    for (unsigned k = 0; k < dimensions; k++)
        put_be32(&b, sizes[k]);
    return b;
}

TEST(vecs_of_every_type_are_read)
{
    build f = vecs(3, floats, 2, 4), i = vecs(2, integers, 3, 4), u = vecs(6, octets, 1, 1);
    expect_points(eb_read_fvecs, &f, 2, 3, EB_F32, floats);
    expect_points(eb_read_ivecs, &i, 3, 2, EB_I32, integers);
    expect_points(eb_read_bvecs, &u, 1, 6, EB_U8, octets);
}

TEST(vecs_rows_stay_where_they_are)
{
    build f = vecs(3, floats, 2, 4);
    result r = read_bytes(eb_read_fvecs, f.bytes, f.size);
    assert_int_equal(r.code, EB_OK);
    assert_null(r.points.owned);
    assert_ptr_equal(r.points.rows, r.copy + 4);
    assert_int_equal(r.points.stride, 16);
    done(&r);
}

TEST(vecs_cut_anywhere_but_between_rows_are_refused)
{
    build f = vecs(3, floats, 2, 4);
    for (size_t size = 0; size < f.size; size++) {
        result r = read_bytes(eb_read_fvecs, f.bytes, size);
        assert_int_equal(r.code, size == 16 ? EB_OK : EB_BAD_FORMAT);
        done(&r);
    }
    f.size -= 3;
    expect_refusal(eb_read_fvecs, &f, EB_BAD_FORMAT,
                   "points: offset 16: row 1 is cut: expected 16 bytes (dimension 3), found 13");
}

TEST(vecs_with_lying_dimensions_are_refused)
{
    build f = vecs(3, floats, 2, 4);
    f.bytes[16] = 2;
    expect_refusal(eb_read_fvecs, &f, EB_BAD_FORMAT,
                   "points: offset 16: expected dimension 3 in row 1 as in row 0, found 2");
    f.bytes[0] = 0;
    expect_refusal(eb_read_fvecs, &f, EB_BAD_FORMAT,
                   "points: offset 0: expected the first row's dimension, 1 to 65536, found 0");
    memset(f.bytes, 0xff, 4);
    expect_refusal(eb_read_fvecs, &f, EB_BAD_FORMAT,
                   "points: offset 0: expected the first row's dimension, 1 to 65536, found -1");
    build tiny = {.size = 3};
    expect_refusal(eb_read_bvecs, &tiny, EB_BAD_FORMAT,
                   "points: offset 0: expected a row's 4-byte dimension, found 3 bytes");
}

TEST(bins_of_every_type_are_read)
{
    build f = bin(2, 3, floats, sizeof floats), u = bin(3, 2, octets, sizeof octets),
          i = bin(6, 1, octets, sizeof octets);
    expect_points(eb_read_fbin, &f, 2, 3, EB_F32, floats);
    expect_points(eb_read_u8bin, &u, 3, 2, EB_U8, octets);
    expect_points(eb_read_i8bin, &i, 6, 1, EB_I8, octets);
    expect_no_beginning_reads(eb_read_fbin, &f);
    expect_no_beginning_reads(eb_read_u8bin, &u);
}

TEST(bins_with_lying_headers_are_refused)
{
    build longer = bin(2, 3, octets, 6), shorter = bin(2, 2, octets, 6), none = bin(0, 3, octets, 0);
    longer.bytes[longer.size++] = 0;
    expect_refusal(eb_read_u8bin, &longer, EB_BAD_FORMAT,
                   "points: offset 8: expected 6 bytes of 2 × 3 u8 values as the header says, found 7");
    expect_refusal(eb_read_u8bin, &shorter, EB_BAD_FORMAT,
                   "points: offset 8: expected 4 bytes of 2 × 2 u8 values as the header says, found 6");
    expect_refusal(eb_read_u8bin, &none, EB_BAD_FORMAT, "points: no points: 0 rows of 3 dimensions");
    build wide = bin(1, 65537, octets, 6), many = bin(0x80000000u, 1, octets, 6),
          huge = bin(0x7fffffffu, 65536, octets, 6);
    expect_refusal(eb_read_u8bin, &wide, EB_TOO_LARGE, "points: 65537 dimensions; at most 65536 are supported");
    expect_refusal(eb_read_u8bin, &many, EB_TOO_LARGE, "points: 2147483648 points; at most 2147483647 are supported");
    /* n · d · 4 = 2^49 − 2^18: computed in 32 bits, the product would be small. */
    expect_refusal(
        eb_read_fbin, &huge, EB_BAD_FORMAT,
        "points: offset 8: expected 562949953159168 bytes of 2147483647 × 65536 f32 values as the header says, "
        "found 6");
}

TEST(idx_of_every_type_is_read)
{
    const double doubles[2] = {1.25, -1e300};
    const int16_t shorts[2] = {-32768, 258};
    build u = idx(0x08, (const uint32_t[]){2, 1, 3}, 3), i8 = idx(0x09, (const uint32_t[]){6}, 1);
    put(&u, octets, 6);
    put(&i8, octets, 6);
    expect_points(eb_read_idx, &u, 2, 3, EB_U8, octets);
    expect_points(eb_read_idx, &i8, 6, 1, EB_I8, octets);
    build i16 = idx(0x0b, (const uint32_t[]){1, 2}, 2), i32 = idx(0x0c, (const uint32_t[]){3, 2}, 2);
    put_reversed(&i16, shorts, 2, 2);
    put_reversed(&i32, integers, 6, 4);
    expect_points(eb_read_idx, &i16, 1, 2, EB_I16, shorts);
    expect_points(eb_read_idx, &i32, 3, 2, EB_I32, integers);
    build f = idx(0x0d, (const uint32_t[]){2, 3}, 2), g = idx(0x0e, (const uint32_t[]){2, 1}, 2);
    put_reversed(&f, floats, 6, 4);
    put_reversed(&g, doubles, 2, 8);
    expect_points(eb_read_idx, &f, 2, 3, EB_F32, floats);
    expect_points(eb_read_idx, &g, 2, 1, EB_F64, doubles);
    expect_no_beginning_reads(eb_read_idx, &u);
    expect_no_beginning_reads(eb_read_idx, &g);
}

TEST(idx_with_lying_headers_is_refused)
{
    build type = idx(0x0a, (const uint32_t[]){1}, 1), none = idx(0x08, NULL, 0);
    expect_refusal(eb_read_idx, &type, EB_BAD_FORMAT,
                   "points: offset 2: expected an element type (08, 09, 0b to 0e), found 0a");
    expect_refusal(eb_read_idx, &none, EB_BAD_FORMAT, "points: offset 3: expected at least 1 dimension, found 0");
    build magic = {.size = 0};
    put_text(&magic, "text");
    expect_refusal(eb_read_idx, &magic, EB_BAD_FORMAT,
                   "points: offset 0: expected IDX magic (two zero bytes, type, dimensions), found \"text\"");
    build sizes = idx(0x08, (const uint32_t[]){1, 1}, 2);
    sizes.size -= 4;
    expect_refusal(eb_read_idx, &sizes, EB_BAD_FORMAT,
                   "points: offset 4: expected 8 bytes of sizes for 2 dimensions, found 4");
    /* Sizes whose product wraps to 2 in 64 bits. */
    build wraps = idx(0x08, (const uint32_t[]){2, 0x80000000u, 0x80000000u, 4, 1}, 5);
    put(&wraps, octets, 2);
    expect_refusal(eb_read_idx, &wraps, EB_TOO_LARGE, "points: 2147483648 dimensions; at most 65536 are supported");
    build more = idx(0x08, (const uint32_t[]){2, 2}, 2);
    put(&more, octets, 5);
    expect_refusal(eb_read_idx, &more, EB_BAD_FORMAT,
                   "points: offset 12: expected 4 bytes of 2 × 2 u8 values as the header says, found 5");
}

RUN_TESTS
