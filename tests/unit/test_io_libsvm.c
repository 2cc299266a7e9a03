/* Tests of the reader of LIBSVM text. */

#include "io_files.h"
#include "tests/unit/test.h"

static build text_of(const char *text)
{
    build b = {.size = 0};
    put_text(&b, text);
    return b;
}

TEST(points_become_dense)
{
    static const double rows[] = {0.5, 0, 2, 0, 1e3, 0, 0, 0, 0, 1, 0, 0};
    build b = text_of("1 1:0.5 3:2 # a remark, 9:9\n-1 qid:7 2:1e3\r\n# nothing\n\n2,3\n+1\t1:1");
    result r = read_bytes(eb_read_libsvm, b.bytes, b.size);
    static const char *const labels[] = {"1", "-1", "2,3", "+1"};
    assert_int_equal(r.code, EB_OK);
    assert_int_equal(r.points.labels->points, 4);
    for (size_t k = 0; k < 4; k++)
        assert_string_equal(eb_label(r.points.labels, k), labels[k]);
    done(&r);
    expect_points(eb_read_libsvm, &b, 4, 3, EB_F64, rows);
    /* An index of 0 means that indexes start at 0. */
    b = text_of("a 0:7 1:8\nb 1:9\n3:5\n");
    expect_points(eb_read_libsvm, &b, 3, 4, EB_F64, (const double[]){7, 8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 5});
}

TEST(what_is_none_is_refused)
{
    static const struct {
        const char *text, *sentence;
        eb_code code;
    } cases[] = {
        {"", "points: offset 0: expected lines of INDEX:VALUE, found the end", EB_BAD_FORMAT},
        {"1\n2\n", "points: no points: 2 rows of 0 dimensions", EB_BAD_FORMAT},
        {"1 1:2\n1 1:x\n", "points: row 1 (line 2, offset 8): expected INDEX:VALUE, found \"1:x\"", EB_BAD_FORMAT},
        {"1 2 3\n", "points: row 0 (line 1, offset 2): expected INDEX:VALUE, found \"2\"", EB_BAD_FORMAT},
        {"1 3:1 2:1\n", "points: row 0 (line 1, offset 6): expected ascending indices, found \"2:1\"", EB_BAD_FORMAT},
        {"1 3:1 3:1\n", "points: row 0 (line 1, offset 6): expected ascending indices, found \"3:1\"", EB_BAD_FORMAT},
        {"1 -1:1\n", "points: row 0 (line 1, offset 2): expected INDEX:VALUE, found \"-1:1\"", EB_BAD_FORMAT},
        {"1 65537:1\n", "points: 65537 dimensions; at most 65536 are supported", EB_TOO_LARGE},
        {"1 9999999999999999999:1\n",
         "points: row 0 (line 1, offset 2): expected INDEX:VALUE, found \"9999999999999999999:1\"", EB_BAD_FORMAT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        build b = text_of(cases[k].text);
        expect_refusal(eb_read_libsvm, &b, cases[k].code, cases[k].sentence);
    }
}

TEST(the_first_line_tells)
{
    eb_points shape;
    eb_status status;
    eb_bytes bytes = {.data = (const unsigned char *)"x,y\n1,2\n", .size = 8, .name = "points"};
    assert_int_equal(eb_shape_libsvm(&bytes, &shape, NULL), EB_OK); /* the first number could be a label */
    bytes.data = (const unsigned char *)"x y\n1 2\n";
    assert_int_equal(eb_shape_libsvm(&bytes, &shape, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message, "points: row 0 (line 1, offset 2): expected INDEX:VALUE, found \"y\"");
}

RUN_TESTS
