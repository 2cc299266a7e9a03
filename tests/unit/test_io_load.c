/* Tests of load: from a typed path to a sealed dataset. */

#include <sys/stat.h>
#include <zlib.h>

#include "io/load.h"
#include "io_files.h"
#include "tests/unit/test.h"

static const float floats[6] = {1, -2, 3, 0.5F, 4, 7};

static build fvecs(void)
{
    build b = {.size = 0};
    for (size_t i = 0; i < 2; i++) {
        put_le32(&b, 3);
        put(&b, floats + 3 * i, 3 * sizeof *floats);
    }
    return b;
}

static build npy(const float *values)
{
    build b = {.size = 0};
    static const char head[] = "\x93NUMPY\x01\x00\x3c\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}  \n";
    put(&b, head, sizeof head - 1);
    put(&b, values, 6 * sizeof *values);
    return b;
}

static void write_gzip(const char *name, const build *b)
{
    gzFile file = gzopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, b->bytes, (unsigned)b->size), b->size);
    assert_int_equal(gzclose(file), Z_OK);
}

static eb_dataset *load(const char *what)
{
    eb_status status;
    eb_dataset *ds = NULL;
    if (eb_load(what, NULL, &ds, &status))
        fail_msg("%s", status.message);
    return ds;
}

/* Expects an error message that is the path followed by `end`. */
static void expect_refused(const char *what, eb_code code, const char *end)
{
    eb_status status = {.code = EB_OK};
    eb_dataset *ds = NULL;
    assert_int_equal(eb_load(what, NULL, &ds, &status), code);
    assert_int_equal(status.code, code);
    assert_null(ds);
    size_t length = strlen(status.message), tail = strlen(end);
    if (length < tail || strcmp(status.message + length - tail, end) != 0)
        fail_msg("%s\nexpected at its end:\n%s", status.message, end);
}

TEST(the_same_points_have_the_same_hash)
{
    build f = fvecs(), n = npy(floats), csv = {.size = 0};
    put_text(&csv, "1,-2,3\n0.5,4,7\n");
    write_file("a.fvecs", f.bytes, f.size);
    write_gzip("a.fvecs.gz", &f);
    write_file("b.npy", n.bytes, n.size);
    write_gzip("B.NPY.GZ", &n);
    write_file("no-extension", n.bytes, n.size);
    write_file("c.csv", csv.bytes, csv.size);
    eb_dataset *first = load(in_folder("a.fvecs"));
    static const char *const same[] = {"a.fvecs.gz", "b.npy", "B.NPY.GZ", "no-extension"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        eb_dataset *ds = load(in_folder(same[k]));
        assert_string_equal(ds->sha256, first->sha256);
        assert_string_equal(ds->format, k == 0 ? "fvecs" : "npy");
        eb_dataset_free(ds);
    }
    /* SHA-256 of "f32 2 3
     * " and the values, computed by another program. */
    assert_string_equal(first->sha256, "95ad7f0f3303424f4765a8aaf5449a8231be0a7e408808e2476825de9f73324d");
    eb_dataset *doubles = load(in_folder("c.csv"));
    assert_string_not_equal(doubles->sha256, first->sha256);
    assert_string_equal(doubles->format, "csv");
    for (size_t i = 0; i < 2; i++)
        assert_true(eb_truth_distance2(doubles, 0, i) == eb_truth_distance2(first, 0, i));
    eb_dataset_free(doubles);
    eb_dataset_free(first);
}

TEST(the_source_loads_it_again)
{
    build f = fvecs();
    write_file("a.fvecs", f.bytes, f.size);
    char before[512], *absolute = realpath(in_folder("a.fvecs"), NULL);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(files_folder), 0);
    eb_dataset *ds = load("./a.fvecs");
    assert_int_equal(chdir(before), 0);
    assert_string_equal(ds->source, absolute);
    eb_dataset_free(ds);

    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    assert_int_equal(setenv("HOME", files_folder, 1), 0);
    ds = load("~/a.fvecs");
    assert_string_equal(ds->source, absolute);
    eb_dataset_free(ds);
    if (home)
        assert_int_equal(setenv("HOME", home, 1), 0);
    free(home);
    free(absolute);
}

TEST(what_is_no_file_of_points_is_refused)
{
    write_file("empty.fvecs", "", 0);
    write_file("notes.md", "words", 5);
    write_file("liar.npy.gz", "words", 5);
    assert_int_equal(mkfifo(in_folder("pipe.fvecs"), 0600), 0);
    expect_refused(in_folder("nothing.fvecs"), EB_IO, "/nothing.fvecs: cannot open: No such file or directory");
    expect_refused(in_folder("nothing.h5:/train"), EB_IO, "/nothing.h5: cannot open: No such file or directory");
    char advised[400];
    (void)snprintf(advised, sizeof advised, ": expected a regular file, found a directory; `files %s` lists its files",
                   files_folder);
    expect_refused(files_folder, EB_IO, advised);
    expect_refused(in_folder("pipe.fvecs"), EB_IO, "/pipe.fvecs: expected a regular file, found a pipe");
    expect_refused("/dev/null", EB_IO, "/dev/null: expected a regular file, found a character device");
    expect_refused(in_folder("empty.fvecs"), EB_BAD_FORMAT, ": offset 0: expected points, found an empty file");
    expect_refused("", EB_USAGE, "no file named: expected a file, demo or demo:stars");
    expect_refused(
        in_folder("notes.md"), EB_BAD_FORMAT,
        "/notes.md: unknown format: expected a name ending in .fvecs .bvecs .ivecs .fbin .u8bin .i8bin "
        ".ibin .npy .npz .h5 "
        ".hdf5 .mat .safetensors .parquet .feather .arrow .csv .tsv .txt .jsonl .json .libsvm .svm .idx -ubyte, "
        "each also as .gz");
    expect_refused(in_folder("liar.npy.gz"), EB_BAD_FORMAT,
                   ": offset 0: expected gzip data (1f 8b 08) as the name says, found \"wor\"");
    expect_refused(
        in_folder("a.fvecs:/train"), EB_USAGE,
        "/a.fvecs: :/train names an object inside HDF5, .npz, .mat, .safetensors or .jsonl, but this is fvecs");
}

/* Expects the message `said`, then the line that reads the file as `format`. */
static void expect_read_as(const char *name, const char *said, const char *format)
{
    char end[1024];
    (void)snprintf(end, sizeof end, "%s; `load %s format=%s` reads it", said, in_folder(name), format);
    expect_refused(in_folder(name), EB_BAD_FORMAT, end);
}

TEST(names_and_first_bytes_must_agree)
{
    build n = npy(floats), f = fvecs();
    write_file("npy.fvecs", n.bytes, n.size);
    write_gzip("npy.fvecs.gz", &n);
    write_gzip("unsaid.gz", &f);
    write_gzip("unsaid", &f);
    expect_read_as("npy.fvecs", ": offset 0: expected fvecs as the name says, found the first bytes of npy", "npy");
    expect_read_as("npy.fvecs.gz", ": offset 0: expected fvecs as the name says, found the first bytes of npy", "npy");
    expect_refused(
        in_folder("unsaid.gz"), EB_BAD_FORMAT,
        "/unsaid.gz: expected an extension before .gz that shows the format, one of .fvecs .bvecs .ivecs .fbin "
        ".u8bin .i8bin .ibin .npy .npz .h5 .hdf5 .mat .safetensors .parquet .feather .arrow .csv .tsv .txt .jsonl "
        ".json "
        ".libsvm .svm .idx "
        "-ubyte, each "
        "also as .gz");
    expect_refused(in_folder("unsaid"), EB_BAD_FORMAT,
                   "/unsaid: gzip data; expected a name that shows the format inside, such as x.fvecs.gz");
}

TEST(idx_is_known_without_a_name)
{
    static const unsigned char idx[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
    write_file("digits", idx, sizeof idx);
    write_file("digits-idx2-ubyte", idx, sizeof idx);
    for (int k = 0; k < 2; k++) {
        eb_dataset *ds = load(in_folder(k ? "digits" : "digits-idx2-ubyte"));
        assert_string_equal(ds->format, "idx");
        assert_int_equal(ds->n, 2);
        assert_int_equal(ds->d, 3);
        assert_memory_equal(eb_row(ds, 1), idx + 15, 3);
        eb_dataset_free(ds);
    }
}

TEST(values_that_are_not_finite_are_named)
{
    float values[6];
    memcpy(values, floats, sizeof values);
    values[4] = -(float)__builtin_inf();
    build n = npy(values), csv = {.size = 0};
    write_file("inf.npy", n.bytes, n.size);
    expect_refused(in_folder("inf.npy"), EB_BAD_VALUE, "/inf.npy: row 1, column 1 is -Inf; expected a finite number");
    put_text(&csv, "x,y\n1,2\n3,nan\n");
    write_file("nan.csv", csv.bytes, csv.size);
    expect_refused(in_folder("nan.csv"), EB_BAD_VALUE, "/nan.csv: row 1, column 1 is NaN; expected a finite number");
}

TEST(demo_is_in_the_program)
{
    eb_dataset *ds = load("demo");
    assert_int_equal(ds->n, 4000);
    assert_int_equal(ds->d, 784);
    assert_int_equal(ds->dtype, EB_U8);
    assert_string_equal(ds->source, "demo");
    assert_string_equal(ds->sha256, "c5369ce5c59a52419cd51f0354958b632587e7019786ddc100d7134d0f190719");
    eb_dataset_free(ds);
    ds = load("demo:stars");
    assert_int_equal(ds->n, 100000);
    assert_int_equal(ds->d, 3);
    assert_int_equal(ds->dtype, EB_F32);
    assert_string_equal(ds->source, "demo:stars");
    assert_string_equal(ds->sha256, "f3e2a9251a5914ae9f729cb22608b839398dc2dd2a70b72e590a1a62ba2dbff0");
    eb_dataset_free(ds);
}

static eb_code load_in_job(eb_job *job, void *argument, eb_status *status)
{
    eb_dataset *ds = NULL;
    while (!eb_job_cancelled(job))
        continue;
    eb_code code = eb_load(argument, job, &ds, status);
    assert_null(ds);
    return code;
}

TEST(loading_can_be_cancelled)
{
    eb_status status;
    eb_job *job;
    static char demo[] = "demo";
    assert_int_equal(eb_job_start(load_in_job, demo, &job, &status), EB_OK);
    eb_job_cancel(job);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
}

RUN_TESTS_WITH(make_folder, remove_folder)
