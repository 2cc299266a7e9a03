/* Tests of folder: files that load could read are listed by name with their shape. Shapes come from headers; rows are
 * not read. */

#include "io/files/files.h"
#include "io/files/folder.h"
#include "tests/unit/io_files.h"
#include "tests/unit/test.h"

/* ---- shapes ---- */

static void assert_shape(eb_reader shape, const build *b, size_t n, size_t d, eb_dtype dtype)
{
    result r = read_bytes(shape, b->bytes, b->size);
    if (r.code)
        fail_msg("%s", r.status.message);
    assert_int_equal(r.points.n, n);
    assert_int_equal(r.points.d, d);
    assert_int_equal(r.points.dtype, dtype);
    assert_null(r.points.owned);
    done(&r);
}

TEST(a_shape_takes_the_first_row_and_the_size)
{
    build b = {.size = 0};
    put_le32(&b, 2);
    put(&b, "12345678", 8);
    put_le32(&b, 7); /* only reading the rows detects this error */
    put(&b, "12345678", 8);
    assert_shape(eb_shape_fvecs, &b, 2, 2, EB_F32);
    assert_shape(eb_shape_ivecs, &b, 2, 2, EB_I32);
    expect_refusal(eb_read_fvecs, &b, EB_BAD_FORMAT,
                   "points: offset 12: expected dimension 2 in row 1 as in row 0, found 7");
    b.size--;
    expect_refusal(eb_shape_fvecs, &b, EB_BAD_FORMAT,
                   "points: offset 12: row 1 is cut: expected 12 bytes (dimension 2), found 11");
    b.size = 0;
    put_le32(&b, 3);
    put(&b, "123", 3);
    assert_shape(eb_shape_bvecs, &b, 1, 3, EB_U8);
    b.size = 0;
    put_le32(&b, 0);
    expect_refusal(eb_shape_bvecs, &b, EB_BAD_FORMAT,
                   "points: offset 0: expected the first row's dimension, 1 to 65536, found 0");
}

TEST(turned_values_have_a_shape_without_being_turned)
{
    build npy = {.size = 0}, idx = {.size = 0};
    static const char header[] = "{'descr': '>f8', 'fortran_order': True, 'shape': (3, 2), }";
    put(&npy, "\x93NUMPY\x01\0", 8);
    put(&npy, (unsigned char[]){sizeof header - 1, 0}, 2);
    put_text(&npy, header);
    put(&npy, (double[6]){0}, 48);
    assert_shape(eb_shape_npy, &npy, 3, 2, EB_F64);
    expect_no_beginning_reads(eb_shape_npy, &npy);
    put(&idx, "\0\0\x0e\x03", 4);
    put_be32(&idx, 2);
    put_be32(&idx, 3);
    put_be32(&idx, 1);
    put(&idx, (double[6]){0}, 48);
    assert_shape(eb_shape_idx, &idx, 2, 3, EB_F64);
    expect_no_beginning_reads(eb_shape_idx, &idx);
}

/* ---- folders ---- */

static eb_folder list(size_t most)
{
    eb_folder folder;
    eb_status status = {0};
    if (eb_folder_list(files_folder, most, NULL, &folder, &status))
        fail_msg("%s", status.message);
    return folder;
}

TEST(files_are_listed_by_name)
{
    static const unsigned char u8[] = {2, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4};
    write_file("b.u8bin", u8, sizeof u8);
    write_file("B.U8BIN", u8, sizeof u8 - 1);
    write_file("c.csv", "1,2\n", 4);
    write_file("a.u8bin.gz", "\x1f\x8b\x08", 3);
    write_file("z.range", "no dataset", 10);
    write_file(".gz", "", 0);
    eb_folder folder = list(10);
    static const char *const names[] = {"B.U8BIN", "a.u8bin.gz", "b.u8bin", "c.csv"};
    static const char *const formats[] = {"u8bin", "u8bin.gz", "u8bin", "csv"};
    assert_int_equal(folder.count, 4);
    assert_int_equal(folder.found, 4);
    assert_int_equal(folder.path[0], '/');
    for (size_t k = 0; k < 4; k++) {
        const eb_folder_file *file = &folder.file[k];
        assert_string_equal(file->name, names[k]);
        assert_string_equal(file->format, formats[k]);
        assert_int_equal(file->n, k == 2 ? 2 : 0);
        assert_int_equal(file->reason[0] == '\0', k != 0);
    }
    assert_int_equal(folder.file[2].bytes, 12);
    assert_string_equal(folder.file[0].reason,
                        "offset 8: expected 4 bytes of 2 × 2 u8 values as the header says, found 3");
    eb_folder_free(&folder);
    folder = list(2);
    assert_int_equal(folder.count, 2);
    assert_int_equal(folder.found, 4);
    assert_string_equal(folder.file[1].name, "a.u8bin.gz");
    eb_folder_free(&folder);
}

TEST(a_magic_that_contradicts_the_name_is_a_reason)
{
    write_file("q.fvecs", "\x93NUMPY\x01\0", 8);
    eb_folder folder = list(10);
    bool found = false;
    for (size_t k = 0; k < folder.count; k++)
        if (strcmp(folder.file[k].name, "q.fvecs") == 0) {
            assert_non_null(strstr(folder.file[k].reason, "expected fvecs as the name says"));
            found = true;
        }
    assert_true(found);
    eb_folder_free(&folder);
}

TEST(a_folder_that_is_none_is_refused)
{
    eb_folder folder;
    eb_status status = {0};
    assert_int_equal(eb_folder_list(in_folder("c.csv"), 10, NULL, &folder, &status), EB_IO);
    assert_non_null(strstr(status.message, "c.csv: cannot open the folder: Not a directory"));
    assert_int_equal(eb_folder_list("", 10, NULL, &folder, &status), EB_IO);
    assert_null(folder.file);
}

TEST(home_is_expanded)
{
    char before[512];
    (void)snprintf(before, sizeof before, "%s", getenv("HOME") ? getenv("HOME") : "");
    (void)setenv("HOME", "/somewhere", 1);
    char *home = eb_expand_home("~/x"), *plain = eb_expand_home("~x/y");
    assert_string_equal(home, "/somewhere/x");
    assert_string_equal(plain, "~x/y");
    free(home);
    free(plain);
    (void)setenv("HOME", before, 1);
}

RUN_TESTS_WITH(make_folder, remove_folder)
