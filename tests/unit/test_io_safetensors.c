/* The reader of .safetensors. */

#include "io_files.h"
#include "tests/unit/test.h"

static build tensors(const char *header)
{
    build b = {.size = 0};
    put_le32(&b, (uint32_t)strlen(header));
    put_le32(&b, 0);
    put_text(&b, header);
    return b;
}

TEST(the_only_matrix_is_taken)
{
    static const float floats[] = {1.5F, -2, 3, 4.25F, 5, 6};
    build b = tensors("{\"__metadata__\": {\"format\": \"pt\"}, \"bias\": {\"dtype\": \"U8\", \"shape\": [3], "
                      "\"data_offsets\": [0, 3]}, \"x\": {\"dtype\": \"F32\", \"shape\": [2, 3], "
                      "\"data_offsets\": [3, 27]}}   ");
    put(&b, "abc", 3);
    put(&b, floats, sizeof floats);
    expect_points(eb_read_safetensors, &b, 2, 3, EB_F32, floats);
    expect_no_beginning_reads(eb_read_safetensors, &b);
}

TEST(every_type_is_read)
{
    static const struct {
        const char *name;
        eb_dtype dtype;
    } types[] = {{"F64", EB_F64}, {"F32", EB_F32}, {"F16", EB_F16}, {"I8", EB_I8},
                 {"U8", EB_U8},   {"BOOL", EB_U8}, {"I16", EB_I16}, {"I32", EB_I32}};
    unsigned char values[6 * 8];
    for (size_t k = 0; k < sizeof values; k++)
        values[k] = (unsigned char)(7 * k + 3);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char header[128];
        size_t size = 6 * eb_dtype_size(types[t].dtype);
        (void)snprintf(header, sizeof header, "{\"x\":{\"dtype\":\"%s\",\"shape\":[3,2],\"data_offsets\":[0,%zu]}}",
                       types[t].name, size);
        build b = tensors(header);
        put(&b, values, size);
        expect_points(eb_read_safetensors, &b, 3, 2, types[t].dtype, values);
    }
}

TEST(bfloat16_and_integers_become_what_holds_them)
{
    static const uint16_t bf16[] = {0x3fc0, 0xc000, 0x0001, 0x8000};
    static const float widened[] = {1.5F, -2, 0x1p-133F, -0.0F};
    build b = tensors("{\"x\":{\"dtype\":\"BF16\",\"shape\":[2,2],\"data_offsets\":[0,8]}}");
    put(&b, bf16, sizeof bf16);
    expect_points(eb_read_safetensors, &b, 2, 2, EB_F32, widened);
    static const int64_t wide[] = {-5, INT64_C(1) << 60};
    b = tensors("{\"x\":{\"dtype\":\"I64\",\"shape\":[1,2],\"data_offsets\":[0,16]}}");
    put(&b, wide, sizeof wide);
    expect_points(eb_read_safetensors, &b, 1, 2, EB_F64, (const double[]){-5, 0x1p60});
    static const int64_t inexact[] = {3, (INT64_C(1) << 60) + 1};
    b = tensors("{\"x\":{\"dtype\":\"I64\",\"shape\":[1,2],\"data_offsets\":[0,16]}}");
    put(&b, inexact, sizeof inexact);
    expect_refusal(eb_read_safetensors, &b, EB_BAD_VALUE,
                   "points: row 0, column 1 is 1152921504606846977, which FP64 does not hold exactly");
    static const uint16_t narrow[] = {65535, 1};
    b = tensors("{\"x\":{\"dtype\":\"U16\",\"shape\":[1,2],\"data_offsets\":[0,4]}}");
    put(&b, narrow, sizeof narrow);
    expect_points(eb_read_safetensors, &b, 1, 2, EB_I32, (const int32_t[]){65535, 1});
}

static const char two[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[2,1],\"data_offsets\":[0,2]},"
                          "\"b\":{\"dtype\":\"U8\",\"shape\":[1,3],\"data_offsets\":[2,5]}}";

TEST(a_named_tensor_is_taken)
{
    build b = tensors(two);
    put_text(&b, "12345");
    eb_points points;
    eb_status status;
    eb_bytes bytes = {.data = b.bytes, .size = b.size, .name = "points", .object = "/b"};
    assert_int_equal(eb_read_safetensors(&bytes, &points, &status), EB_OK);
    assert_int_equal(points.d, 3);
    assert_memory_equal(points.rows, "345", 3);
    bytes.object = "/c";
    assert_int_equal(eb_read_safetensors(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message,
                        "points: no tensor /c; tensors of two dimensions: a, b; name one as FILE:/NAME");
}

#define ONE(dtype, shape, offsets) "{\"x\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

TEST(hostile_headers_are_refused)
{
    static const char entry[] =
        "points: tensor \"x\": expected dtype, shape and data_offsets [begin, end] in the header";
    static const struct {
        const char *header, *sentence;
        eb_code code;
    } cases[] = {
        {two, "points: expected one tensor of two dimensions, found 2: a, b; name one as FILE:/NAME", EB_BAD_FORMAT},
        {"{}", "points: expected a tensor of two dimensions, found none", EB_BAD_FORMAT},
        {"[1]", "points: offset 11: expected a JSON object as the header; found: an array", EB_BAD_FORMAT},
        {"{\"x\":7}", entry, EB_BAD_FORMAT},
        {ONE("U8", "[2,2]", "[4,0]"), entry, EB_BAD_FORMAT},
        {ONE("U8", "[2,2]", "[-4,0]"), entry, EB_BAD_FORMAT},
        {ONE("U8", "[2,-2]", "[0,4]"), entry, EB_BAD_FORMAT},
        {ONE("U8", "[2,2]", "[0,4,8]"), entry, EB_BAD_FORMAT},
        {ONE("U8", "[2,2]", "[0,8]"),
         "points: tensor \"x\": expected 4 bytes of 2 × 2 U8 values, found data_offsets for 8", EB_BAD_FORMAT},
        {ONE("U8", "[2,2]", "[8,12]"), "points: offset 64: expected 12 bytes as the header says, found 4",
         EB_BAD_FORMAT},
        {ONE("U8", "[0,4]", "[0,0]"), "points: no points: 0 rows of 4 dimensions", EB_BAD_FORMAT},
        {ONE("U8", "[1,65537]", "[0,65537]"), "points: 65537 dimensions; at most 65536 are supported", EB_TOO_LARGE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        build b = tensors(cases[k].header);
        put_text(&b, "1234");
        expect_refusal(eb_read_safetensors, &b, cases[k].code, cases[k].sentence);
    }
}

TEST(a_named_tensor_of_another_kind_is_refused)
{
    build b = tensors(ONE("F8_E4M3", "[2,2]", "[0,4]"));
    put_text(&b, "1234");
    eb_points points;
    eb_status status;
    eb_bytes bytes = {.data = b.bytes, .size = b.size, .name = "points", .object = "/x"};
    assert_int_equal(eb_read_safetensors(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(
        status.message,
        "points: tensor \"x\": expected F64, F32, F16, BF16, BOOL or an integer type, found \"F8_E4M3\"");
    b = tensors(ONE("U8", "[2,2,1]", "[0,4]"));
    put_text(&b, "1234");
    bytes.size = b.size;
    assert_int_equal(eb_read_safetensors(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message, "points: tensor \"x\": expected 1 or 2 dimensions, found 3");
}

TEST(header_lengths_are_checked)
{
    build b = {.size = 0};
    put_text(&b, "\xff\xff\xff\xff\xff\xff\xff\x7f{}");
    expect_refusal(eb_read_safetensors, &b, EB_TOO_LARGE,
                   "points: offset 0: a header of 9223372036854775807 bytes; at most 4194296 are supported");
    b.size = 0;
    put_le32(&b, 100);
    put_le32(&b, 0);
    put_text(&b, "{}");
    expect_refusal(eb_read_safetensors, &b, EB_BAD_FORMAT,
                   "points: offset 0: expected a header of 100 bytes as it says, found 2");
    b = tensors("{");
    for (int k = 0; k < 4000; k++)
        put_text(&b, "[");
    b.bytes[1] = 8; /* a header of 2049 bytes: nesting without an end */
    result r = read_bytes(eb_read_safetensors, b.bytes, b.size);
    assert_int_equal(r.code, EB_BAD_FORMAT);
    done(&r);
}

TEST(a_beginning_has_the_shape)
{
    build b = tensors(ONE("BF16", "[9,2]", "[0,36]"));
    eb_points shape;
    eb_bytes bytes = {.data = b.bytes, .size = b.size, .name = "points", .beginning = true};
    assert_int_equal(eb_shape_safetensors(&bytes, &shape, NULL), EB_OK);
    assert_int_equal(shape.n, 9);
    assert_int_equal(shape.dtype, EB_F32);
    assert_int_equal(shape.whole, b.size + 36);
    bytes.size = b.size - 1;
    assert_int_equal(eb_shape_safetensors(&bytes, &shape, NULL), EB_OK);
    assert_int_equal(shape.d, 0);
}

RUN_TESTS
