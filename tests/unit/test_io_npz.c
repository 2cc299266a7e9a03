/* Tests of the reader of .npz, on archives made here by libzip: whole, cut and inconsistent. */

#include <zip.h>

#include "io_files.h"
#include "tests/unit/test.h"

static const float rows[6] = {1.5F, -2, 3, 4.25F, 5, 6};

/* A .npy array of these values. */
static build array(const char *type, const char *shape, const void *values, size_t size)
{
    build b = {.size = 0};
    char text[120];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s}\n", type, shape);
    const unsigned char head[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, 0};
    put(&b, head, sizeof head);
    put_text(&b, text);
    put(&b, values, size);
    return b;
}

typedef struct entry {
    const char *name;
    const build *content;
} entry;

static build archive(const entry *entries, size_t count, bool deflated)
{
    build b = {.size = 0};
    zip_error_t error;
    zip_source_t *whole = zip_source_buffer_create(NULL, 0, 0, &error);
    zip_t *zip = zip_open_from_source(whole, ZIP_TRUNCATE, &error);
    assert_non_null(zip);
    zip_source_keep(whole);
    for (size_t k = 0; k < count; k++) {
        zip_source_t *source = zip_source_buffer(zip, entries[k].content->bytes, entries[k].content->size, 0);
        zip_int64_t index = zip_file_add(zip, entries[k].name, source, 0);
        assert_true(index >= 0);
        assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)index, deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                                  0),
                         0);
    }
    assert_int_equal(zip_close(zip), 0);
    assert_int_equal(zip_source_open(whole), 0);
    zip_int64_t got = zip_source_read(whole, b.bytes, sizeof b.bytes);
    assert_true(got > 0);
    b.size = (size_t)got;
    (void)zip_source_close(whole);
    zip_source_free(whole);
    return b;
}

static result read_object(const build *b, const char *object)
{
    result r = {.copy = malloc(b->size)};
    assert_non_null(r.copy);
    memcpy(r.copy, b->bytes, b->size);
    const eb_bytes bytes = {.data = r.copy, .size = b->size, .name = "points", .object = object};
    r.code = eb_read_npz(&bytes, &r.points, &r.status);
    return r;
}

TEST(the_only_matrix_is_read)
{
    const build x = array("<f4", "(2, 3)", rows, sizeof rows), y = array("<i4", "(2,)", rows, 8), note = {.size = 3};
    const entry entries[] = {{"y.npy", &y}, {"note.txt", &note}, {"x.npy", &x}};
    for (int deflated = 0; deflated < 2; deflated++) {
        build b = archive(entries, 3, deflated);
        expect_points(eb_read_npz, &b, 2, 3, EB_F32, rows);
        expect_no_beginning_reads(eb_read_npz, &b);
        const eb_bytes bytes = {.data = b.bytes, .size = b.size, .name = "points"};
        eb_points shape;
        assert_int_equal(eb_shape_npz(&bytes, &shape, NULL), EB_OK);
        assert_int_equal(shape.n, 2);
        assert_int_equal(shape.d, 3);
        assert_int_equal(shape.dtype, EB_F32);
    }
}

TEST(an_array_is_named)
{
    const build x = array("<f4", "(2, 3)", rows, sizeof rows), y = array("<f4", "(3, 2)", rows, sizeof rows),
                z = array("<f4", "(6,)", rows, sizeof rows);
    const entry entries[] = {{"x.npy", &x}, {"y.npy", &y}, {"z.npy", &z}};
    build b = archive(entries, 3, true);
    static const char *const names[] = {"/x", "y", "/z"};
    static const size_t n[] = {2, 3, 6};
    for (size_t k = 0; k < 3; k++) {
        result r = read_object(&b, names[k]);
        assert_int_equal(r.code, EB_OK);
        assert_int_equal(r.points.n, n[k]);
        assert_memory_equal(r.points.rows, rows, sizeof rows);
        done(&r);
    }
    expect_refusal(eb_read_npz, &b, EB_BAD_FORMAT,
                   "points: expected one array of two dimensions, found 2: x, y; name one as FILE:/NAME");
    result r = read_object(&b, "/w");
    assert_string_equal(r.status.message,
                        "points: no array /w; arrays of two dimensions: x, y; name one as FILE:/NAME");
    done(&r);
}

TEST(what_is_no_matrix_is_refused)
{
    static const int64_t wide[6] = {1, 2, 3, INT64_MAX, 5, 6};
    const build flat = array("<f4", "(6,)", rows, sizeof rows), cut = array("<f4", "(2, 3)", rows, 20),
                text = array("<U1", "(6,)", rows, sizeof rows), inexact = array("<i8", "(2, 3)", wide, sizeof wide);
    const entry only[] = {{"x.npy", &flat}}, sparse[] = {{"indptr.npy", &flat}, {"data.npy", &flat}},
                short_one[] = {{"x.npy", &cut}}, words[] = {{"x.npy", &text}}, integers[] = {{"x.npy", &inexact}};
    build b = archive(only, 1, false);
    expect_refusal(eb_read_npz, &b, EB_BAD_FORMAT,
                   "points: expected one array of two dimensions, found none; name one as FILE:/NAME");
    b = archive(sparse, 2, false);
    expect_refusal(eb_read_npz, &b, EB_BAD_FORMAT,
                   "points: a sparse scipy matrix; expected a dense array, as from np.savez(FILE, matrix.toarray())");
    b = archive(integers, 1, true);
    expect_refusal(eb_read_npz, &b, EB_BAD_VALUE,
                   "points: x: row 1, column 0 is 9223372036854775807, which FP64 does not hold exactly");
    b = archive(short_one, 1, false);
    result r = read_object(&b, "x");
    assert_string_equal(r.status.message, "points: x: expected 92 bytes as its header says, found 88");
    done(&r);
    b = archive(words, 1, false);
    r = read_object(&b, "x");
    assert_string_equal(r.status.message, "points: x: offset 20: expected an array of numbers, found text");
    done(&r);
}

/* After any one byte changes, the archive is refused or gives the same points; CRCs protect the values. */
TEST(damaged_archives_are_refused)
{
    const build x = array("<f4", "(2, 3)", rows, sizeof rows);
    const entry entries[] = {{"x.npy", &x}};
    build b = archive(entries, 1, true);
    size_t refused = 0;
    for (size_t k = 0; k < b.size; k++) {
        b.bytes[k] ^= 0x55;
        result r = read_bytes(eb_read_npz, b.bytes, b.size);
        if (r.code == EB_OK)
            assert_memory_equal(r.points.rows, rows, sizeof rows);
        else
            assert_memory_equal(r.status.message, "points: ", 8);
        refused += r.code != EB_OK;
        done(&r);
        b.bytes[k] ^= 0x55;
    }
    assert_true(refused > b.size / 3);
}

RUN_TESTS
