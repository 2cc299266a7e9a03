/* Tests of the reader of .npy. */

#include "io_files.h"
#include "tests/unit/test.h"

static const float floats[6] = {1.5F, -2, 3, 4.25F, 5, 6};

static build npy(unsigned char version, const char *dictionary)
{
    build b = {.size = 0};
    const unsigned char head[] = {0x93, 'N', 'U', 'M', 'P', 'Y', version, 0};
    put(&b, head, sizeof head);
    uint32_t length = (uint32_t)strlen(dictionary);
    if (version == 1) {
        const unsigned char bytes[] = {(unsigned char)length, (unsigned char)(length >> 8)};
        put(&b, bytes, sizeof bytes);
    } else {
        put_le32(&b, length);
    }
    put_text(&b, dictionary);
    return b;
}

TEST(every_version_is_read)
{
    for (unsigned char version = 1; version <= 3; version++) {
        build b = npy(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }                   \n");
        put(&b, floats, sizeof floats);
        expect_points(eb_read_npy, &b, 2, 3, EB_F32, floats);
        expect_no_beginning_reads(eb_read_npy, &b);
    }
}

TEST(every_type_in_both_byte_orders_is_read)
{
    static const struct {
        const char *name;
        eb_dtype dtype;
    } types[] = {{"f2", EB_F16}, {"f4", EB_F32}, {"f8", EB_F64}, {"u1", EB_U8},
                 {"i1", EB_I8},  {"i2", EB_I16}, {"i4", EB_I32}};
    unsigned char values[6 * 8];
    for (size_t k = 0; k < sizeof values; k++)
        values[k] = (unsigned char)(7 * k + 3);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        size_t size = eb_dtype_size(types[t].dtype);
        for (const char *order = "<>=|"; *order; order++) {
            char text[128];
            (void)snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (3, 2)}\n", *order,
                           types[t].name);
            build b = npy(1, text);
            if (*order == '>')
                put_reversed(&b, values, 6, size);
            else
                put(&b, values, 6 * size);
            expect_points(eb_read_npy, &b, 3, 2, types[t].dtype, values);
        }
    }
}

static void put_text_of(build *b, char order, const char *type)
{
    char text[128];
    (void)snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (3, 2)}\n", order, type);
    *b = npy(1, text);
}

/* bfloat16 has no name in NumPy: dtype=bf16 says that two-byte values are that. */
TEST(two_byte_values_are_bfloat16_when_asked)
{
    static const uint16_t bf16[6] = {0x3fc0, 0xc000, 0x0001, 0x8000, 0x7f7f, 0};
    static const float widened[6] = {1.5F, -2, 0x1p-133F, -0.0F, 0x1.fep127F, 0};
    static const char *const types[] = {"<u2", ">u2", "|V2", "<V2"};
    eb_points points;
    eb_status status;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        build b;
        put_text_of(&b, types[k][0], types[k] + 1);
        if (types[k][0] == '>')
            put_reversed(&b, bf16, 6, 2);
        else
            put(&b, bf16, sizeof bf16);
        const eb_bytes bytes = {.data = b.bytes, .size = b.size, .name = "points", .how = {.bf16 = true}};
        assert_int_equal(eb_shape_npy(&bytes, &points, &status), EB_OK);
        assert_int_equal(points.dtype, EB_F32);
        assert_int_equal(eb_read_npy(&bytes, &points, &status), EB_OK);
        assert_int_equal(points.dtype, EB_F32);
        assert_memory_equal(points.rows, widened, sizeof widened);
        eb_points_free(&points);
    }
    build b;
    put_text_of(&b, '<', "V2");
    put(&b, bf16, sizeof bf16);
    expect_refusal(eb_read_npy, &b, EB_BAD_FORMAT,
                   "points: offset 20: two-byte values of a type that NumPy does not name; dtype=bf16 reads bfloat16");
    put_text_of(&b, '<', "f2");
    put(&b, bf16, sizeof bf16);
    const eb_bytes bytes = {.data = b.bytes, .size = b.size, .name = "points", .how = {.bf16 = true}};
    assert_int_equal(eb_read_npy(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message, "points: offset 20: expected u2 or V2, with < or > or | before it, for "
                                        "dtype=bf16 in the header, found \"'<f2', 'fortran_order': \"...");
}

/* 64-bit integers become FP64 if exact, u16 becomes i32, and booleans become u8. */
TEST(integers_become_what_holds_them)
{
    static const int64_t i8[6] = {0, -1, 9007199254740992, -9007199254740994, INT64_MIN, 3};
    static const uint64_t u8[6] = {0, 1, 9007199254740992, 18446744073709549568u, 1u << 31, 3};
    static const uint32_t u4[6] = {0, 1, 4294967295u, 7, 8, 9};
    static const uint16_t u2[6] = {0, 1, 65535, 7, 8, 9};
    static const uint8_t b1[6] = {0, 1, 1, 0, 0, 1};
    double expected[6];
    int32_t narrow[6];
    for (int reversed = 0; reversed < 2; reversed++) {
        char order = reversed ? '>' : '<';
        void (*const add)(build *, const void *, size_t, size_t) = put_reversed;
        build b;
        put_text_of(&b, order, "i8");
        reversed ? add(&b, i8, 6, 8) : put(&b, i8, sizeof i8);
        for (size_t k = 0; k < 6; k++)
            expected[k] = (double)i8[k];
        expect_points(eb_read_npy, &b, 3, 2, EB_F64, expected);
        put_text_of(&b, order, "u8");
        reversed ? add(&b, u8, 6, 8) : put(&b, u8, sizeof u8);
        for (size_t k = 0; k < 6; k++)
            expected[k] = (double)u8[k];
        expect_points(eb_read_npy, &b, 3, 2, EB_F64, expected);
        put_text_of(&b, order, "u4");
        reversed ? add(&b, u4, 6, 4) : put(&b, u4, sizeof u4);
        for (size_t k = 0; k < 6; k++)
            expected[k] = u4[k];
        expect_points(eb_read_npy, &b, 3, 2, EB_F64, expected);
        put_text_of(&b, order, "u2");
        reversed ? add(&b, u2, 6, 2) : put(&b, u2, sizeof u2);
        for (size_t k = 0; k < 6; k++)
            narrow[k] = u2[k];
        expect_points(eb_read_npy, &b, 3, 2, EB_I32, narrow);
    }
    build bools;
    put_text_of(&bools, '|', "b1");
    put(&bools, b1, sizeof b1);
    expect_points(eb_read_npy, &bools, 3, 2, EB_U8, b1);
}

TEST(integers_that_would_round_are_refused)
{
    static const int64_t values[6] = {0, 1, 2, -9007199254740993, 4, 5};
    build b;
    put_text_of(&b, '<', "i8");
    put(&b, values, sizeof values);
    expect_refusal(eb_read_npy, &b, EB_BAD_VALUE,
                   "points: row 1, column 1 is -9007199254740993, which FP64 does not hold exactly");
    put_text_of(&b, '<', "u8");
    put(&b, values, sizeof values);
    expect_refusal(eb_read_npy, &b, EB_BAD_VALUE,
                   "points: row 1, column 1 is 18437736874454810623, which FP64 does not hold exactly");
    put_text_of(&b, '<', "u4");
    put(&b, values, 23);
    expect_refusal(eb_read_npy, &b, EB_BAD_FORMAT,
                   "points: offset 68: expected 24 bytes of 3 × 2 i32 values as the header says, found 23");
}

TEST(fortran_order_is_transposed)
{
    const float columns[6] = {1.5F, 4.25F, -2, 5, 3, 6};
    build b = npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}\n");
    put(&b, columns, sizeof columns);
    expect_points(eb_read_npy, &b, 2, 3, EB_F32, floats);
    build reversed = npy(1, "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3)}\n");
    put_reversed(&reversed, columns, 6, 4);
    expect_points(eb_read_npy, &reversed, 2, 3, EB_F32, floats);
    build line = npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (6,)}\n");
    put(&line, floats, sizeof floats);
    expect_points(eb_read_npy, &line, 6, 1, EB_F32, floats);
}

/* Larger than a block of the transposition, and no multiple of it. */
TEST(large_fortran_order_is_transposed)
{
    enum { N = 37, D = 70 };
    build b = npy(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (37, 70)}\n");
    int16_t rows[N * D], columns[N * D];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++)
            rows[i * D + k] = columns[k * N + i] = (int16_t)(i * D + k);
    put(&b, columns, sizeof columns);
    expect_points(eb_read_npy, &b, N, D, EB_I16, rows);
}

TEST(the_dictionary_may_be_written_otherwise)
{
    static const char *const ways[] = {
        "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}",
        "  { 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' , }\t\n\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L)}",
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        build b = npy(2, ways[k]);
        put(&b, floats, sizeof floats);
        expect_points(eb_read_npy, &b, 2, 3, EB_F32, floats);
    }
}

TEST(refused_headers_say_where)
{
    static const struct {
        const char *dictionary, *sentence;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1)}",
         "points: offset 60: expected a shape of 1 or 2 sizes, (n, d), in the header, found \"(2, 3, 1)\""},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
         "points: offset 60: expected a shape of 1 or 2 sizes, (n, d), in the header, found \"()}\""},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 6}",
         "points: offset 60: expected a shape of 1 or 2 sizes, (n, d), in the header, found \"6}\""},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}",
         "points: offset 61: expected a size in the shape in the header, found \"-2, 3)}\""},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
         "points: offset 44: expected True or False for fortran_order in the header, found \"0, 'shape': (2, 3)}\""},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3)}",
         "points: offset 20: expected an array of numbers, found complex numbers"},
        {"{'descr': '<m8', 'fortran_order': False, 'shape': (2, 3)}",
         "points: offset 20: expected a type of f2 f4 f8 u1 u2 u4 u8 i1 i2 i4 i8 b1, with < or > or | before it, in "
         "the header, found "
         "\"'<m8', 'fortran_order': \"..."},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,)}",
         "points: offset 20: expected an array of numbers, found records"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (2, 3)}",
         "points: offset 27: expected the keys descr, fortran_order and shape, once each, in the header, found "
         "\"'descr': '<f4', 'shape':\"..."},
        {"{'colour': 1}",
         "points: offset 11: expected the keys descr, fortran_order and shape, once each, in the header, found "
         "\"'colour': 1}\""},
        {"{'descr': '<f4', 'shape': (2, 3)}",
         "points: offset 43: expected descr, fortran_order and shape in the header, found the end"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
         "points: offset 68: expected nothing after \"}\" in the header, found \"x\""},
        {"{'descr' '<f4'}", "points: offset 19: expected \":\" in the header, found \"'<f4'}\""},
        {"{'descr: 5}", "points: offset 11: expected a string in quotes in the header, found \"'descr: 5}\""},
        {"[1]", "points: offset 10: expected \"{\" in the header, found \"[1]\""},
        {"", "points: offset 10: expected \"{\" in the header, found the end"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        build b = npy(1, cases[k].dictionary);
        expect_refusal(eb_read_npy, &b, EB_BAD_FORMAT, cases[k].sentence);
    }
}

TEST(sizes_that_lie_are_refused)
{
    build more = npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}");
    put(&more, floats, sizeof floats);
    expect_refusal(eb_read_npy, &more, EB_BAD_FORMAT,
                   "points: offset 67: expected 16 bytes of 2 × 2 f32 values as the header says, found 24");
    build huge = npy(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (99999999999999999999, 1)}");
    expect_refusal(eb_read_npy, &huge, EB_BAD_FORMAT,
                   "points: offset 60: expected a size below 10^19 in the shape in the header, found "
                   "\"99999999999999999999, 1)\"...");
    /* n · d wraps to 0 in 64 bits. */
    build wraps = npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}");
    expect_refusal(eb_read_npy, &wraps, EB_TOO_LARGE, "points: 4294967296 dimensions; at most 65536 are supported");
    build empty = npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3)}");
    expect_refusal(eb_read_npy, &empty, EB_BAD_FORMAT, "points: no points: 0 rows of 3 dimensions");
}

TEST(heads_that_lie_are_refused)
{
    build version = npy(4, "{}");
    expect_refusal(eb_read_npy, &version, EB_BAD_FORMAT, "points: offset 6: expected version 1 to 3, found 4");
    build length = npy(1, "{}");
    length.bytes[9] = 1;
    expect_refusal(eb_read_npy, &length, EB_BAD_FORMAT,
                   "points: offset 8: expected a header of 258 bytes as it says, found 2");
    build magic = npy(1, "{}");
    magic.bytes[1] = 'n';
    expect_refusal(eb_read_npy, &magic, EB_BAD_FORMAT,
                   "points: offset 0: expected \"\\x93NUMPY\" and a version, found "
                   "\"\\x93nUMPY\\x01\\x00\\x02\\x00\"");
}

RUN_TESTS
