/* The reader of JSON lines. */

#include "io_files.h"
#include "tests/unit/test.h"

static build text_of(const char *text)
{
    build b = {.size = 0};
    put_text(&b, text);
    return b;
}

static const double rows[] = {1, -2.5, 3e-5, 4};

TEST(arrays_are_read)
{
    build b = text_of("\xef\xbb\xbf[1, -2.5]\r\n\n# a remark\n [3e-5,4] ");
    expect_points(eb_read_jsonl, &b, 2, 2, EB_F64, rows);
    b = text_of("[18446744073709551616]\n"); /* 2^64, which is no 64-bit integer */
    expect_points(eb_read_jsonl, &b, 1, 1, EB_F64, (const double[]){0x1p64});
}

TEST(the_only_key_is_taken)
{
    build b = text_of("{\"id\": \"a\", \"tags\": [\"x\", 1], \"e\": [1, -2.5]}\n{\"e\": [3e-5, 4], \"b\": [9]}\n");
    expect_points(eb_read_jsonl, &b, 2, 2, EB_F64, rows);
    result r = read_bytes(eb_read_jsonl, b.bytes, b.size);
    assert_string_equal(r.points.remark, "the points are the arrays of the key e");
    done(&r);
}

/* As OpenAI answers, for a batch and for several texts. */
TEST(keys_inside_others_are_taken)
{
    static const char *const texts[] = {
        "{\"id\": 1, \"data\": [{\"index\": 0, \"e\": [1, -2.5]}]}\n{\"data\": [{\"e\": [3e-5, 4]}]}\n",
        "{\"data\": [{\"e\": [1, -2.5]}, {\"e\": [3e-5, 4]}], \"usage\": {\"tokens\": 8}}\n",
        "{\n  \"data\": [\n    {\"e\": [1, -2.5]},\n    {\"e\": [3e-5, 4]}\n  ]\n}\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        build b = text_of(texts[k]);
        expect_points(eb_read_jsonl, &b, 2, 2, EB_F64, rows);
        result r = read_bytes(eb_read_jsonl, b.bytes, b.size);
        assert_string_equal(r.points.remark, "the points are the arrays of the key data/e");
        done(&r);
    }
    build b = text_of("[[1, -2.5],\n [3e-5, 4]]\n");
    expect_points(eb_read_jsonl, &b, 2, 2, EB_F64, rows);
    b = text_of("{\"a/b\": [1, -2.5]}\n{\"a/b\": [3e-5, 4]}\n");
    expect_points(eb_read_jsonl, &b, 2, 2, EB_F64, rows);
}

TEST(a_named_key_is_taken)
{
    static const char text[] = "{\"a\": [1], \"b\": [1, -2.5]}\n{\"b\": [3e-5, 4]}\n";
    eb_bytes bytes = {.data = (const unsigned char *)text, .size = sizeof text - 1, .name = "points", .object = "/b"};
    eb_points points;
    eb_status status;
    assert_int_equal(eb_read_jsonl(&bytes, &points, &status), EB_OK);
    assert_int_equal(points.n, 2);
    assert_memory_equal(points.rows, rows, sizeof rows);
    assert_string_equal(points.remark, "");
    eb_points_free(&points);
    bytes.object = "/c";
    assert_int_equal(eb_read_jsonl(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message,
                        "points: line 1: no key c; keys that hold arrays of numbers: a, b; name one as FILE:/NAME");
    bytes.object = "/a";
    assert_int_equal(eb_read_jsonl(&bytes, &points, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message, "points: line 2: expected an array in the key \"a\", found nothing");
}

TEST(hostile_lines_are_refused)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "points: offset 0: expected lines of JSON, found the end"},
        {"\n\n", "points: offset 2: expected lines of JSON, found the end"},
        {"[]\n", "points: line 1: expected numbers, found an empty array"},
        {"[1, 2]\n[3]\n", "points: line 2: expected 2 numbers as in the first line, found 1"},
        {"[1]\n\n[]\n", "points: line 3: expected 1 numbers as in the first line, found 0"},
        {"[1, \"2\"]\n", "points: line 1, value 1: expected a number, found a string"},
        {"[null]\n", "points: line 1, value 0: expected a number, found null"},
        {"[1, [2]]\n", "points: line 1, value 1: expected a number, found an array"},
        {"[[1], 2]\n", "points: line 1: expected an array, found a number"},
        {"{\"a\": {\"b\": [1]}}\n{\"a\": [1]}\n",
         "points: line 2: expected an object with the key \"a/b\", found an array"},
        {"{\"a\": {\"b\": [1]}}\n{\"a\": {}}\n", "points: line 2: expected an array in the key \"a/b\", found nothing"},
        {"[1]\n{\"a\": [1]}\n", "points: line 2: expected an array, found an object"},
        {"{\"a\": [1]}\n[1]\n", "points: line 2: expected an object with the key \"a\", found an array"},
        {"{\"a\": [1]}\n{\"a\": 1}\n", "points: line 2: expected an array in the key \"a\", found a number"},
        {"{\"a\": 1, \"b\": []}\n", "points: line 1: expected a key that holds an array of numbers, found none"},
        {"{\"a\": [1], \"b\": [2]}\n",
         "points: line 1: expected one key that holds an array of numbers, found 2: a, b; name one as FILE:/NAME"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        build b = text_of(cases[k].text);
        expect_refusal(eb_read_jsonl, &b, EB_BAD_FORMAT, cases[k].sentence);
    }
}

/* The parser's words depend on its version, the beginning of the sentence does not. */
TEST(lines_that_are_no_json_are_refused)
{
    static const char *const texts[] = {"[1]\n[NaN]\n",  "[1]\n[1e999]\n", "[1]\n[1] [2]\n", "[1]\n[1\n",
                                        "[1]\n{\"a\"\n", "[1]\nx\n",       "[1]\n[1,]\n",    "[1]\n[\"\xff\"]\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        result r = read_bytes(eb_read_jsonl, texts[k], strlen(texts[k]));
        assert_int_equal(r.code, EB_BAD_FORMAT);
        assert_memory_equal(r.status.message, "points: line 2, column ", 23);
        done(&r);
    }
}

TEST(deep_nesting_is_refused)
{
    build b = {.size = 0};
    for (int k = 0; k < 8000; k++)
        put_text(&b, "[");
    result r = read_bytes(eb_read_jsonl, b.bytes, b.size);
    assert_int_equal(r.code, EB_BAD_FORMAT);
    assert_memory_equal(r.status.message, "points: line 1, column ", 23);
    done(&r);
}

TEST(the_first_line_has_the_shape)
{
    static const unsigned char text[] = "[1, 2, 3]\n[x";
    eb_points shape;
    eb_bytes bytes = {.data = text, .size = sizeof text - 1, .name = "points", .beginning = true};
    assert_int_equal(eb_shape_jsonl(&bytes, &shape, NULL), EB_OK);
    assert_int_equal(shape.n, 0);
    assert_int_equal(shape.d, 3);
    bytes.size = 5;
    assert_int_equal(eb_shape_jsonl(&bytes, &shape, NULL), EB_OK);
    assert_int_equal(shape.d, 0);
    bytes.beginning = false;
    assert_int_equal(eb_shape_jsonl(&bytes, &shape, NULL), EB_BAD_FORMAT);
}

RUN_TESTS
