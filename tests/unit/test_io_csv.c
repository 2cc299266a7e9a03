/* Tests of the reader of CSV, TSV and tables separated by blanks, and of decimal numbers. */
#include <math.h>

#include "core/base/decimal.h"
#include "io_files.h"
#include "tests/unit/test.h"

static const double expected[6] = {1, -2.5, 3e4, 0.125, 5, 1e-3};

static void expect_table(const char *text)
{
    build b = {.size = 0};
    put_text(&b, text);
    expect_points(eb_read_csv, &b, 2, 3, EB_F64, expected);
}

static void expect_complaint(const char *text, eb_code code, const char *sentence)
{
    build b = {.size = 0};
    put_text(&b, text);
    expect_refusal(eb_read_csv, &b, code, sentence);
}

TEST(every_separator_is_read)
{
    expect_table("1,-2.5,3e4\n0.125,5,1e-3\n");
    expect_table("1\t-2.5\t3e4\n0.125\t5\t1e-3\n");
    expect_table("1;-2.5;3e4\n0.125;5;1e-3\n");
    expect_table("1 -2.5 3e4\n0.125 5 1e-3\n");
    expect_table("   1   -2.5\t 3e4  \n\t.125 5. 1e-3\n");
    expect_table(" 1 , -2.5 ,\t3e4 \n0.125, 5 ,1e-3");
    expect_table("\"1\",\"-2.5\",\"3e4\"\n0.125,\" 5 \",1e-3\n");
}

TEST(headers_blank_lines_and_comments_are_skipped)
{
    expect_table("x,y,z\n1,-2.5,3e4\n0.125,5,1e-3\n");
    expect_table("\"x, left\",\"say \"\"y\"\"\",z\r\n1,-2.5,3e4\r\n0.125,5,1e-3\r\n");
    expect_table("\xef\xbb\xbfx,y,z\n1,-2.5,3e4\n0.125,5,1e-3\n");
    expect_table("\n# made by hand\n  # and more\n\nx y z\n1 -2.5 3e4\n\n0.125 5 1e-3\n   \n");
    expect_table("some words, with a comma\n1 -2.5 3e4\n0.125 5 1e-3\n");
    expect_table("feature 1\tfeature 2\tfeature 3\n1\t-2.5\t3e4\n0.125\t5\t1e-3\n");
    expect_table(
        "1 -2.5\t3e4\n0.125 5\t1e-3\n"); /* the first row is no header, though no cell between tabs is a number */
    expect_table("+1,-2.5,3E+4\n0.125,5.0000000000000000000000,0.001\n");
}

TEST(the_headers_separator_wins)
{
    expect_table("a;b;c\n1;-2.5;3e4\n0.125;5;1e-3\n");
    expect_table("x, in cm;y, in cm;z\n1;-2,5;3e4\n0,125;5;1e-3\n");
    expect_table("pos (x,y)\tb\tc d\n1\t-2.5\t3e4\n0.125\t5\t1e-3\n");
    expect_table("\"\";\"b\";\"c\"\n\"1\";-2,5;3e4\n\"0,125\";5;1e-3\n");
    expect_complaint(
        "x\ty\n1\tdark blue\n", EB_BAD_FORMAT,
        "points: row 0, column 1 \"y\" (line 2, offset 6): expected a number, found \"dark blue\"; column 1 "
        "holds text: columns=0 leaves it out, label=y keeps it as labels");
}

TEST(semicolons_allow_one_decimal_sign)
{
    expect_table("1;-2,5;3e4\n0,125;5;1e-3\n");
    expect_table("1;-2,5;30000\r\n,125;5,;0,001\r\n");
    expect_complaint("a;b\n1;2,5\n3.5;4\n", EB_BAD_FORMAT,
                     "points: row 1, column 0 \"a\" (line 3, offset 10): expected a number, found \"3.5\"; the decimal "
                     "sign is a comma");
    expect_complaint("a;b\n1.5;2\n3,5;4\n", EB_BAD_FORMAT,
                     "points: row 1, column 0 \"a\" (line 3, offset 10): expected a number, found \"3,5\"; the decimal "
                     "sign is a point");
    expect_complaint("1;2,5,5\n", EB_BAD_FORMAT,
                     "points: row 0, column 0 (line 1, offset 0): expected a number, found \"1;2\"");
    /* Elsewhere a comma may separate thousands, so that it is only read if asked for. */
    expect_complaint(
        "x\ty\n1,5\t2\n", EB_BAD_FORMAT,
        "points: row 0, column 0 \"x\" (line 2, offset 4): expected a number, found \"1,5\"; decimal=comma "
        "reads decimal commas");
}

TEST(bad_cells_are_named)
{
    expect_complaint("1,2\n3,2.x\n", EB_BAD_FORMAT,
                     "points: row 1, column 1 (line 2, offset 6): expected a number, found \"2.x\"");
    expect_complaint("x,y\n\n1,2\n3,\n", EB_BAD_FORMAT,
                     "points: row 1, column 1 \"y\" (line 4, offset 11): expected a number, found an empty cell; "
                     "missing=drop leaves such rows out, missing=mean fills in the column's mean");
    /* A line of numbers and text could be a damaged first row, so it is an error, not a header. */
    expect_complaint("1,2.x\n3,4\n", EB_BAD_FORMAT,
                     "points: row 0, column 1 (line 1, offset 2): expected a number, found \"2.x\"; header=yes takes "
                     "this line for a header");
    expect_complaint("1,2\n3,0x10\n", EB_BAD_FORMAT,
                     "points: row 1, column 1 (line 2, offset 6): expected a number, found \"0x10\"");
}

TEST(uneven_rows_are_named)
{
    expect_complaint("1,2\n3,4,5\n", EB_BAD_FORMAT,
                     "points: row 1 (line 2, offset 4): expected 2 cells as in row 0, found 3; missing=drop leaves "
                     "such rows out");
    expect_complaint("1 2\n3\n", EB_BAD_FORMAT,
                     "points: row 1 (line 2, offset 4): expected 2 cells as in row 0, found 1; missing=drop leaves "
                     "such rows out");
    expect_complaint("1,2\n3,4,\n", EB_BAD_FORMAT,
                     "points: row 1 (line 2, offset 4): expected 2 cells as in row 0, found 3; missing=drop leaves "
                     "such rows out");
}

TEST(nothing_to_read_is_refused)
{
    expect_complaint("", EB_BAD_FORMAT, "points: offset 0: expected rows of numbers, found the end");
    expect_complaint("\n \n# only words\n", EB_BAD_FORMAT,
                     "points: offset 16: expected rows of numbers, found the end");
    expect_complaint("x,y\n", EB_BAD_FORMAT, "points: offset 4: expected rows of numbers, found the end");
}

TEST(too_many_columns_are_refused)
{
    enum { COLUMNS = EB_MAX_DIMENSIONS + 1 };
    char *text = malloc((size_t)2 * COLUMNS);
    assert_non_null(text);
    for (size_t k = 0; k < COLUMNS; k++) {
        text[2 * k] = '7';
        text[2 * k + 1] = k + 1 < COLUMNS ? ' ' : '\n';
    }
    result r = read_bytes(eb_read_csv, text, (size_t)2 * COLUMNS);
    assert_int_equal(r.code, EB_TOO_LARGE);
    assert_string_equal(r.status.message, "points: 65537 dimensions; at most 65536 are supported");
    done(&r);
    free(text);
}

static bool decimal(const char *text, double *out) { return eb_read_decimal(text, text + strlen(text), out); }

TEST(decimals_are_rounded_correctly)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"-0.0", -0.0},
        {"0.1", 0x1.999999999999ap-4},
        {"9007199254740993", 0x1p53}, /* a tie rounds to even */
        {"9007199254740992.999", 0x1p53},
        {"9007199254740993.0000000000000000001", 0x1.0000000000001p53},
        {"1e23", 0x1.52d02c7e14af6p+76}, /* 1e23 is not exact in FP64: the fast exact power must not be used */
        {"123456789012345678e-10", 0x1.78c29dcd3a4b0p+23},
        {"4.9406564584124654e-324", 0x1p-1074},
        {"2.4703282292062327e-324", 0}, /* just below half of the smallest number */
        {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
        {"1e-999999999999999999999", 0},
        {"00000000000000000000000000000000000001.50000000000000000000000000000000", 1.5},
        {".5", 0.5},
        {"5.", 5},
        {"1e22", 1e22},
        {"1e-22", 1e-22},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value;
        assert_true(decimal(cases[k].text, &value));
        if (strcmp(cases[k].text, "123456789012345678e-10") == 0)
            assert_true(value == strtod("123456789012345678e-10", NULL));
        else if (value != cases[k].value || signbit(value) != signbit(cases[k].value))
            fail_msg("%s gave %a", cases[k].text, value);
    }
}

TEST(what_is_no_decimal_is_refused)
{
    static const char *const texts[] = {"",    "-",     ".",   "e5",  "1e",    "1e+",  "1.2.3",
                                        "1,5", "0x1p3", "1 2", "--1", "infin", "nano", "1f"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        double value;
        if (decimal(texts[k], &value))
            fail_msg("\"%s\" gave %g", texts[k], value);
    }
    double value;
    assert_true(decimal("NaN", &value) && isnan(value));
    assert_true(decimal("-Infinity", &value) && isinf(value) && value < 0);
    assert_true(decimal("inf", &value) && isinf(value) && value > 0);
    assert_true(decimal("1e999", &value) && isinf(value));
}

/* Every FP64 printed with 17 digits is read back, even in a locale with a decimal comma. */
TEST(printed_numbers_come_back)
{
    uint64_t bits = 42;
    for (int k = 0; k < 20000; k++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double x, back;
        uint64_t mixed = bits ^ bits >> 29;
        memcpy(&x, &mixed, sizeof x);
        if (!isfinite(x))
            continue;
        char text[40];
        (void)snprintf(text, sizeof text, k % 3 == 0 ? "%.17g" : k % 3 == 1 ? "%.15g" : "%.7g", x);
        assert_true(decimal(text, &back));
        if (back != strtod(text, NULL))
            fail_msg("%s gave %.17g", text, back);
    }
}

RUN_TESTS
