/* Tests of options for tables: coordinate columns, labels, missing values, and scaling of coordinates. */
#include <math.h>

#include "io/columns.h"
#include "io/reader.h"
#include "io_files.h"
#include "tests/unit/test.h"

static result read_so(const char *text, eb_reading how)
{
    result r = {.copy = malloc(strlen(text))};
    assert_non_null(r.copy);
    memcpy(r.copy, text, strlen(text));
    const eb_bytes bytes = {.data = r.copy, .size = strlen(text), .name = "points", .how = how};
    r.code = eb_read_csv(&bytes, &r.points, &r.status);
    return r;
}

static void expect_rows(result r, size_t n, size_t d, const double *rows)
{
    if (r.code)
        fail_msg("%s", r.status.message);
    assert_int_equal(r.points.n, n);
    assert_int_equal(r.points.d, d);
    for (size_t k = 0; k < n * d; k++) {
        double x;
        memcpy(&x, r.points.rows + k * sizeof x, sizeof x);
        if (x != rows[k])
            fail_msg("value %zu is %.17g, expected %.17g", k, x, rows[k]);
    }
}

static void expect_sentence(result r, eb_code code, const char *sentence)
{
    assert_string_equal(r.status.message, sentence);
    assert_int_equal(r.code, code);
    done(&r);
}

static const char flowers[] = "id,length,width,kind\n7,1,2,\"a\"\n8,3,4,b \n9,5,6,\"say \"\"a\"\"\"\n";

TEST(columns_are_chosen_by_name_and_number)
{
    static const double both[] = {1, 2, 3, 4, 5, 6}, turned[] = {2, 1, 4, 3, 6, 5}, one[] = {1, 3, 5};
    static const char *const same[] = {"1,2", "1..2", "length,width", "length..width", "length..2", "1,width"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        result r = read_so(flowers, (eb_reading){.columns = same[k]});
        expect_rows(r, 3, 2, both);
        done(&r);
    }
    result r = read_so(flowers, (eb_reading){.columns = "width,length"});
    expect_rows(r, 3, 2, turned);
    done(&r);
    r = read_so(flowers, (eb_reading){.columns = "1"});
    expect_rows(r, 3, 1, one);
    assert_null(r.points.labels);
    done(&r);
    /* A column selected by name makes the first line a header, even if it contains a number. */
    r = read_so("a,2\n1,2\n", (eb_reading){.columns = "a"});
    expect_rows(r, 1, 1, one);
    done(&r);
}

TEST(labels_are_kept_beside_the_points)
{
    static const double rows[] = {7, 1, 2, 8, 3, 4, 9, 5, 6};
    static const char *const names[] = {"a", "b", "say \"a\""};
    result r = read_so(flowers, (eb_reading){.label = "kind"});
    expect_rows(r, 3, 3, rows);
    assert_non_null(r.points.labels);
    assert_string_equal(r.points.labels->column, "kind");
    for (size_t k = 0; k < 3; k++)
        assert_string_equal(eb_label(r.points.labels, k), names[k]);
    assert_int_equal(eb_labels_longest(r.points.labels), 7);
    done(&r);
    /* A column may be both label and coordinate. */
    r = read_so("1,2\n3,2\n", (eb_reading){.label = "1", .columns = "0,1"});
    expect_rows(r, 2, 2, (const double[]){1, 2, 3, 2});
    assert_int_equal(r.points.labels->names, 1);
    assert_string_equal(r.points.labels->column, "1");
    done(&r);
}

TEST(many_labels_are_each_kept_once)
{
    eb_labels *labels = eb_labels_new("many");
    char name[16];
    for (unsigned k = 0; k < 20000; k++) {
        int length = snprintf(name, sizeof name, "n%u", k * 7919 % 5000);
        assert_true(eb_labels_add(labels, name, (size_t)length));
    }
    assert_int_equal(labels->names, 5000);
    for (unsigned k = 0; k < 20000; k++) {
        (void)snprintf(name, sizeof name, "n%u", k * 7919 % 5000);
        assert_string_equal(eb_label(labels, k), name);
    }
    assert_true(eb_labels_add(labels, "a\0b", 3) && eb_labels_add(labels, "a", 1) && eb_labels_add(labels, "", 0));
    assert_int_equal(labels->names, 5002);
    eb_labels_free(labels);
}

TEST(columns_that_are_not_there_are_named)
{
    expect_sentence(read_so(flowers, (eb_reading){.columns = "1,4"}), EB_USAGE,
                    "points: columns= names \"4\"; there are columns 0 to 3, called \"id\", \"length\", \"width\", "
                    "\"kind\"");
    expect_sentence(read_so("1,2\n", (eb_reading){.columns = "0..2"}), EB_USAGE,
                    "points: columns= names \"2\"; there are columns 0 to 1, without names");
    expect_sentence(read_so(flowers, (eb_reading){.label = "species"}), EB_USAGE,
                    "points: label= names \"species\"; there are columns 0 to 3, called \"id\", \"length\", \"width\", "
                    "\"kind\"");
    expect_sentence(read_so(flowers, (eb_reading){.columns = "1,length"}), EB_USAGE,
                    "points: columns= names column 1 twice; expected each once");
    expect_sentence(read_so(flowers, (eb_reading){.columns = "2..1"}), EB_USAGE,
                    "points: columns= names 2..1; expected the first of these before the last");
    expect_sentence(read_so("a\nb\n", (eb_reading){.label = "a"}), EB_USAGE,
                    "points: no column is left to be a coordinate beside the label");
    expect_sentence(read_so("x,y\n1,2,3\n", (eb_reading){.columns = "x"}), EB_BAD_FORMAT,
                    "points: row 0 (line 2): expected 2 cells as the header has, found 3");
}

TEST(text_columns_are_named_with_what_helps)
{
    expect_sentence(
        read_so(flowers, (eb_reading){.columns = NULL}), EB_BAD_FORMAT,
        "points: row 0, column 3 \"kind\" (line 2, offset 27): expected a number, found \"\"a\"\"; column 3 "
        "holds text: columns=1..2 leaves it out, columns=1..2 label=kind keeps it as labels");
    expect_sentence(read_so("1,a b,2,c\n1,NA,2,d\n", (eb_reading){.columns = NULL}), EB_BAD_FORMAT,
                    "points: row 0, column 1 (line 1, offset 2): expected a number, found \"a b\"; columns 1,3 hold "
                    "text: columns=0,2 leaves them out, columns=0,2 label=1 keeps one as labels");
    expect_sentence(
        read_so("a,b\nc,d\n", (eb_reading){.columns = NULL}), EB_BAD_FORMAT,
        "points: row 0, column 0 \"a\" (line 2, offset 4): expected a number, found \"c\"; no column that is "
        "asked for holds numbers");
    /* Text in a column that begins with numbers is an error, and so is a number with commas. */
    expect_sentence(read_so("1,2\n3,oops\n", (eb_reading){.columns = NULL}), EB_BAD_FORMAT,
                    "points: row 1, column 1 (line 2, offset 6): expected a number, found \"oops\"");
}

TEST(missing_values_go_by_the_policy)
{
    static const char gaps[] = "x,y\n1,2\n,4\n5,n/a\n7,8\n";
    expect_sentence(read_so(gaps, (eb_reading){.columns = NULL}), EB_BAD_FORMAT,
                    "points: row 1, column 0 \"x\" (line 3, offset 8): expected a number, found an empty cell; "
                    "missing=drop leaves such rows out, missing=mean fills in the column's mean");
    result r = read_so(gaps, (eb_reading){.missing = EB_MISSING_DROPPED});
    expect_rows(r, 2, 2, (const double[]){1, 2, 7, 8});
    assert_int_equal(r.points.left_out, 2);
    assert_int_equal(r.points.filled, 0);
    done(&r);
    r = read_so(gaps, (eb_reading){.missing = EB_MISSING_MEAN});
    expect_rows(r, 4, 2, (const double[]){1, 2, 13.0 / 3, 4, 5, 14.0 / 3, 7, 8});
    assert_int_equal(r.points.left_out, 0);
    assert_int_equal(r.points.filled, 2);
    done(&r);
    /* Labels are those of the rows kept; gaps in columns not selected do not matter. */
    r = read_so("1,2,a\n,3,b\n4,?,c\n", (eb_reading){.missing = EB_MISSING_DROPPED, .label = "2", .columns = "0"});
    expect_rows(r, 2, 1, (const double[]){1, 4});
    assert_int_equal(r.points.labels->points, 2);
    assert_string_equal(eb_label(r.points.labels, 1), "c");
    done(&r);
    for (size_t k = 0; k < 13; k++) {
        static const char *const signs[] = {"",  "NA", "n/a", "#N/A", "NaN",  "Null",    "none",
                                            "?", "-",  ".",   "-nan", "+NaN", "\"-nan\""};
        char text[32];
        (void)snprintf(text, sizeof text, "1,2\n3,%s\n", signs[k]);
        r = read_so(text, (eb_reading){.missing = EB_MISSING_DROPPED});
        expect_rows(r, 1, 2, (const double[]){1, 2});
        done(&r);
    }
    expect_sentence(
        read_so("1,x\n3,4\n", (eb_reading){.missing = EB_MISSING_DROPPED}), EB_BAD_FORMAT,
        "points: row 0, column 1 (line 1, offset 2): expected a number, found \"x\"; header=yes missing=drop "
        "takes this line "
        "for a header");
    expect_sentence(read_so("1,-\n,4\n", (eb_reading){.missing = EB_MISSING_DROPPED}), EB_BAD_VALUE,
                    "points: every row has a missing value, 2 rows; missing=drop leaves none");
    expect_sentence(read_so("1,-\n,-\n", (eb_reading){.missing = EB_MISSING_MEAN}), EB_BAD_VALUE,
                    "points: coordinate 1 has no value in any row; columns= can leave it out");
}

/* ---- separators and decimal signs that are asked for ---- */

TEST(separators_and_decimal_signs_are_chosen)
{
    static const struct {
        const char *text;
        eb_separator separator;
        eb_decimal decimal;
    } cases[] = {
        {"1,5\t2\n3\t4,5\n", EB_SEPARATOR_GUESSED, EB_DECIMAL_COMMA},
        {"1,5 2\n3 4,5\n", EB_SEPARATOR_GUESSED, EB_DECIMAL_COMMA},
        {"\"1,5\",\"2\"\n\"3\",\"4,5\"\n", EB_SEPARATOR_GUESSED, EB_DECIMAL_COMMA},
        {"1,5;2\n3;4,5\n", EB_SEPARATOR_SEMICOLON, EB_DECIMAL_COMMA},
        {"1.5,2\n3,4.5\n", EB_SEPARATOR_COMMA, EB_DECIMAL_POINT},
        {"1.5 \t2\n3\t4.5\n", EB_SEPARATOR_TAB, EB_DECIMAL_GUESSED},
        {"1.5 2\n3 4.5\n", EB_SEPARATOR_BLANK, EB_DECIMAL_GUESSED},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        result r = read_so(cases[k].text, (eb_reading){.separator = cases[k].separator, .decimal = cases[k].decimal});
        expect_rows(r, 2, 2, (const double[]){1.5, 2, 3, 4.5});
        assert_string_equal(r.points.remark, "");
        done(&r);
    }
    expect_sentence(
        read_so("1.5;2\n", (eb_reading){.decimal = EB_DECIMAL_COMMA}), EB_BAD_FORMAT,
        "points: row 0, column 0 (line 1, offset 0): expected a number, found \"1.5\"; the decimal sign is a "
        "comma");
}

TEST(remarks_name_what_a_person_may_miss)
{
    static const struct {
        const char *text, *remark;
    } cases[] = {
        {"x;y\n1,5;2\n", "numbers have decimal commas"},
        {"Longitude,LAT\n180,-90\n", "distances of longitude and latitude are in degrees of a plane"},
        {"lon,lat\n180,-91\n", ""},
        {"id,x\n1,2\n", "column id is a coordinate; label=id makes it the label"},
        {",x\n1,2\n", "column 0 numbers the rows and is left out; columns=0..1 reads it"},
        {",x\n7,2\n3,5\n", "column 0 is a coordinate; label=0 makes it the label"},
        {"\"x\",\"y\"\n\"1\",2,3\n", "column 0 numbers the rows and is left out; columns=0..2 reads it"},
        {"t,x\ns,mm\n1,2\n", "line 2 is taken for units: s,mm"},
        {"t,x\ns,mm\nm,mm\n1,2\n", ""},
        {"sep=;\n1,5;2\n", "numbers have decimal commas"},
        {"0,1,2\n3,4,5\n", "the first line numbers the columns; header=yes takes it for a header"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        result r = read_so(cases[k].text, (eb_reading){.columns = NULL});
        assert_string_equal(r.points.remark, cases[k].remark);
        done(&r);
    }
    result r = read_so("id,x,kind\n1,2,a\n", (eb_reading){.label = "kind"});
    assert_string_equal(r.points.remark, "column id is a coordinate; columns=1 label=kind leaves it out");
    done(&r);
    r = read_so("id,x\n1,2\n", (eb_reading){.columns = "id,x"});
    assert_string_equal(r.points.remark, "");
    done(&r);
}

/* ---- scaling ---- */

static eb_points points_of(const double *rows, size_t n, size_t d)
{
    return (
        eb_points){.n = n, .d = d, .dtype = EB_F64, .rows = (const unsigned char *)rows, .stride = d * sizeof *rows};
}

static void expect_scaled(eb_points *points, eb_scale how, eb_dtype dtype, const double *expected)
{
    eb_status status = {.message = ""};
    if (eb_rescale(points, how, "points", NULL, &status))
        fail_msg("%s", status.message);
    assert_int_equal(points->dtype, dtype);
    for (size_t k = 0; k < points->n * points->d; k++) {
        double x;
        eb_to_f64(dtype, points->rows + k * eb_dtype_size(dtype), 1, &x);
        if (fabs(x - expected[k]) > 1e-15 + (dtype == EB_F32 ? 1e-7 : 0))
            fail_msg("value %zu is %.17g, expected %.17g", k, x, expected[k]);
    }
    eb_points_free(points);
}

/* Expected values are from scikit-learn 1.9, to the last bit or two; it makes a constant column 0. */
TEST(coordinates_are_brought_to_one_size)
{
    static const double rows[] = {1, 0.1, 1000, 2, 0.1, -1000, 6, 0.1, 3000};
    static const double standard[] = {-0.92582009977255146, 0, 0,
                                      -0.46291004988627573, 0, -1.2247448713915889,
                                      1.3887301496588271,   0, 1.2247448713915889};
    static const double minmax[] = {0, 0, 0.5, 0.2, 0, 0, 1, 0, 1};
    eb_points points = points_of(rows, 3, 3);
    expect_scaled(&points, EB_SCALE_STANDARD, EB_F64, standard);
    points = points_of(rows, 3, 3);
    expect_scaled(&points, EB_SCALE_MINMAX, EB_F64, minmax);
    /* A mean far from 0 loses no significant digits. */
    static const double far[] = {1e8 + 1, 1e8 + 2, 1e8 + 3}, near[] = {-1.2247448713915889, 0, 1.2247448713915889};
    points = points_of(far, 3, 1);
    expect_scaled(&points, EB_SCALE_STANDARD, EB_F64, near);
}

TEST(scaled_points_keep_what_their_type_holds)
{
    static const uint8_t bytes[] = {9, 0, 9, 51, 9, 255}; /* rows of two bytes every four, as in a file with gaps */
    eb_points points = {.n = 2, .d = 2, .dtype = EB_U8, .rows = bytes, .stride = 4};
    expect_scaled(&points, EB_SCALE_MINMAX, EB_F32, (const double[]){0, 0, 0, 1});
    static const int32_t wide[] = {-3, 1, 5};
    points = (eb_points){.n = 3, .d = 1, .dtype = EB_I32, .rows = (const unsigned char *)wide, .stride = 4};
    expect_scaled(&points, EB_SCALE_MINMAX, EB_F64, (const double[]){0, 0.5, 1});
}

TEST(what_cannot_be_scaled_is_told)
{
    static const double rows[] = {-1.5e308, 1.5e308};
    eb_status status = {.message = ""};
    eb_points points = points_of(rows, 2, 1);
    assert_int_equal(eb_rescale(&points, EB_SCALE_MINMAX, "points", NULL, &status), EB_BAD_VALUE);
    assert_string_equal(status.message,
                        "points: coordinate 0 goes from -1.5e+308 to 1.5e+308, too far apart to be scaled "
                        "in FP64; expected scale=none, or smaller values");
    assert_ptr_equal(points.rows, rows);
}

RUN_TESTS
