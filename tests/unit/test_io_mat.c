/* Tests of the reader of .mat, on files written here by libmatio and libhdf5. */

#include <hdf5.h>

#include "io/formats.h"
#include "io_files.h"
#include "tests/unit/test.h"

static const double columns[6] = {1, 4, -2, 5, 3, 6}; /* a 2 × 3 matrix by columns */
static const double rows[6] = {1, -2, 3, 4, 5, 6};

static result read_named(const char *name, const char *object)
{
    result r = {.copy = NULL};
    FILE *file = fopen(in_folder(name), "rbe");
    assert_non_null(file);
    r.copy = malloc(1 << 20);
    assert_non_null(r.copy);
    size_t size = fread(r.copy, 1, 1 << 20, file);
    (void)fclose(file);
    const eb_bytes bytes = {.data = r.copy, .size = size, .name = "points", .object = object};
    r.code = eb_read_mat(&bytes, &r.points, &r.status);
    return r;
}

static void expect_matrix(const char *name, const char *object, eb_dtype dtype)
{
    result r = read_named(name, object);
    if (r.code)
        fail_msg("%s", r.status.message);
    assert_int_equal(r.points.n, 2);
    assert_int_equal(r.points.d, 3);
    assert_int_equal(r.points.dtype, dtype);
    for (size_t i = 0; i < 2; i++) {
        double x[3];
        eb_to_f64(dtype, r.points.rows + i * r.points.stride, 3, x);
        assert_memory_equal(x, rows + 3 * i, sizeof x);
    }
    done(&r);
}

static void expect_sentence(const char *name, const char *object, const char *sentence)
{
    result r = read_named(name, object);
    assert_string_equal(r.status.message, sentence);
    assert_int_not_equal(r.code, EB_OK);
    done(&r);
}

/* MATLAB 7.3 files are HDF5 behind 512 bytes, in column-major order. */
TEST(hdf5_files_are_turned)
{
    const hsize_t dims[2] = {3, 2}, many[2] = {1, 70000};
    hid_t how = H5Pcreate(H5P_FILE_CREATE);
    assert_true(H5Pset_userblock(how, 512) >= 0);
    for (int chunked = 0; chunked < 2; chunked++) {
        hid_t file = H5Fcreate(in_folder("new.mat"), H5F_ACC_TRUNC, how, H5P_DEFAULT);
        hid_t space = H5Screate_simple(2, dims, NULL), storage = H5Pcreate(H5P_DATASET_CREATE);
        const hsize_t chunk[2] = {2, 1};
        if (chunked)
            assert_true(H5Pset_chunk(storage, 2, chunk) >= 0);
        hid_t dataset = H5Dcreate2(file, "X", H5T_IEEE_F64LE, space, H5P_DEFAULT, storage, H5P_DEFAULT);
        assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns) >= 0);
        assert_true(H5Dclose(dataset) >= 0 && H5Pclose(storage) >= 0 && H5Sclose(space) >= 0 && H5Fclose(file) >= 0);
        expect_matrix("new.mat", NULL, EB_F64);
        expect_matrix("new.mat", "/X", EB_F64);
        expect_sentence("new.mat", "/Y", "points: no dataset /Y; 2-d numeric datasets: /X; name one as FILE:/NAME");
    }
    /* More rows than the limit on dimensions. */
    hid_t file = H5Fcreate(in_folder("long.mat"), H5F_ACC_TRUNC, how, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, many, NULL);
    hid_t dataset = H5Dcreate2(file, "X", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    unsigned char *zeros = calloc(1, 70000);
    assert_true(H5Dwrite(dataset, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
    free(zeros);
    assert_true(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 && H5Fclose(file) >= 0 && H5Pclose(how) >= 0);
    result r = read_named("long.mat", NULL);
    assert_int_equal(r.code, EB_OK);
    assert_int_equal(r.points.n, 70000);
    assert_int_equal(r.points.d, 1);
    done(&r);
}

#ifdef EB_HAVE_MATIO
#include <matio.h>

static void add(mat_t *file, const char *name, enum matio_classes class, enum matio_types type, size_t n, size_t d,
                const void *values, enum matio_compression how)
{
    size_t dims[2] = {n, d};
    matvar_t *v = Mat_VarCreate(name, class, type, 2, dims, (void *)(uintptr_t)values, MAT_F_DONT_COPY_DATA);
    assert_non_null(v);
    assert_int_equal(Mat_VarWrite(file, v, how), 0);
    Mat_VarFree(v);
}

TEST(matrices_are_read_packed_or_not)
{
    static const float single[6] = {1, 4, -2, 5, 3, 6};
    static const int64_t wide[6] = {1, 4, -2, 5, 3, 6};
    static const int16_t narrow[6] = {1, 4, -2, 5, 3, 6};
    for (int packed = 0; packed < 2; packed++) {
        enum matio_compression how = packed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE;
        mat_t *file = Mat_CreateVer(in_folder("one.mat"), NULL, MAT_FT_MAT5);
        add(file, "X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 3, columns, how);
        add(file, "y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 1, columns, how);
        add(file, "name", MAT_C_CHAR, MAT_T_UTF8, 1, 3, "abc", how);
        assert_int_equal(Mat_Close(file), 0);
        expect_matrix("one.mat", NULL, EB_F64);
        file = Mat_CreateVer(in_folder("many.mat"), NULL, MAT_FT_MAT5);
        add(file, "a", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 3, columns, how);
        add(file, "f", MAT_C_SINGLE, MAT_T_SINGLE, 2, 3, single, how);
        add(file, "w", MAT_C_INT64, MAT_T_INT64, 2, 3, wide, how);
        add(file, "s", MAT_C_INT16, MAT_T_INT16, 2, 3, narrow, how);
        add(file, "text", MAT_C_CHAR, MAT_T_UTF8, 1, 3, "abc", how);
        assert_int_equal(Mat_Close(file), 0);
        expect_matrix("many.mat", "/a", EB_F64);
        expect_matrix("many.mat", "/f", EB_F32);
        expect_matrix("many.mat", "w", EB_F64);
        expect_matrix("many.mat", "/s", EB_I16);
        expect_sentence("many.mat", NULL,
                        "points: expected one matrix of numbers, found 4: a, f, w, s; name one as FILE:/NAME");
        expect_sentence("many.mat", "/b",
                        "points: no variable b; numeric variables: a, f, w, s; name one as FILE:/NAME");
        expect_sentence("many.mat", "/text", "points: text is not a matrix of real numbers");
    }
}

/* A file cut or altered at any place gives points or an error. */
TEST(damaged_files_take_nobody_down)
{
    mat_t *file = Mat_CreateVer(in_folder("whole.mat"), NULL, MAT_FT_MAT5);
    add(file, "X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 3, columns, MAT_COMPRESSION_ZLIB);
    assert_int_equal(Mat_Close(file), 0);
    unsigned char bytes[4096], damaged[4096];
    FILE *whole = fopen(in_folder("whole.mat"), "rbe");
    assert_non_null(whole);
    size_t size = fread(bytes, 1, sizeof bytes, whole);
    (void)fclose(whole);
    for (size_t k = 0; k < size; k += 3) {
        memcpy(damaged, bytes, size);
        damaged[k] ^= 0x21;
        result r = read_bytes(eb_read_mat, damaged, k % 2 ? k : size);
        if (r.code)
            assert_memory_equal(r.status.message, "points: ", 8);
        done(&r);
    }
    file = Mat_CreateVer(in_folder("few.mat"), NULL, MAT_FT_MAT5);
    add(file, "X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 3, columns, MAT_COMPRESSION_NONE);
    assert_int_equal(Mat_Close(file), 0);
    whole = fopen(in_folder("few.mat"), "rbe");
    assert_non_null(whole);
    size = fread(bytes, 1, sizeof bytes, whole);
    (void)fclose(whole);
    bytes[0xa3] = 0x10; /* in the number of rows */
    write_file("few.mat", (const char *)bytes, size);
    char expected[128];
    (void)snprintf(expected, sizeof expected,
                   "points: X claims 268435458 × 3 values, which a file of %zu bytes cannot hold", size);
    expect_sentence("few.mat", NULL, expected);
    write_file("text.mat", "some words", 10);
    expect_sentence("text.mat", NULL, "points: offset 0: expected a MATLAB file of version 4, 5 or 7.3");
}
#else
TEST(matrices_are_read_packed_or_not)
{
    write_file("text.mat", "some words", 10);
    expect_sentence("text.mat", NULL,
                    "points: built without libmatio, which reads version 5; install libmatio-dev and build again");
}

TEST(damaged_files_take_nobody_down)
{
    assert_int_equal(eb_format_check_library(eb_format_named(".mat"), NULL), EB_USAGE);
}
#endif

RUN_TESTS_WITH(make_folder, remove_folder)
