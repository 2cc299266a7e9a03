/* Tests of files that change while or after they are loaded: no crash, and the change is reported. */

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

#include "io/files/files.h"
#include "io/load.h"
#include "io_files.h"
#include "tests/unit/test.h"

enum { N = 3000, D = 8, HEADER = 8, SIZE = HEADER + N * D * 4 };

static unsigned char points[SIZE];

static void make_points(void)
{
    const uint32_t shape[2] = {N, D};
    float values[D];
    memcpy(points, shape, sizeof shape);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < D; k++)
            values[k] = (float)(i * 31 + k);
        memcpy(points + HEADER + i * sizeof values, values, sizeof values);
    }
}

/* Maps even small files, or reads them into memory. */
static void map_them(bool mapped) { assert_int_equal(setenv("EPSBENCH_READ_LIMIT", mapped ? "0" : "1000000", 1), 0); }

static eb_dataset *load(const char *name)
{
    eb_status status;
    eb_dataset *ds = NULL;
    if (eb_load(in_folder(name), NULL, &ds, &status))
        fail_msg("%s", status.message);
    return ds;
}

static eb_dataset *load_points(const char *name, bool mapped)
{
    map_them(mapped);
    write_file(name, points, sizeof points);
    eb_dataset *ds = load(name);
    assert_int_equal(eb_dataset_check(ds, NULL), EB_OK);
    return ds;
}

static void expect_changed(const eb_dataset *ds, const char *what)
{
    eb_status status = {.message = ""};
    assert_int_equal(eb_dataset_check(ds, &status), EB_CHANGED);
    assert_int_equal(status.code, EB_CHANGED);
    assert_memory_equal(status.message, ds->source, strlen(ds->source));
    if (!strstr(status.message, ": changed since it was loaded; load it again: expected 96008 bytes written 20") ||
        !strstr(status.message, what))
        fail_msg("%s\nexpected in it: %s", status.message, what);
}

static void overwrite(const char *name, size_t at, const char *bytes)
{
    int fd = open(in_folder(name), O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, strlen(bytes), (off_t)at), strlen(bytes));
    assert_int_equal(close(fd), 0);
}

static void bytes_that_were_read_stay(void **state)
{
    (void)state;
    eb_dataset *ds = load_points("read.fbin", false);
    overwrite("read.fbin", HEADER, "other");
    assert_memory_equal(eb_row(ds, 0), points + HEADER, D * 4);
    expect_changed(ds, "found 96008 bytes written 20");
    assert_int_equal(truncate(in_folder("read.fbin"), 7), 0);
    assert_memory_equal(eb_row(ds, N - 1), points + SIZE - D * 4, D * 4);
    expect_changed(ds, "found 7 bytes written 20");
    eb_dataset_free(ds);
}

static void bytes_that_are_mapped_go_with_their_file(void **state)
{
    (void)state;
    eb_dataset *ds = load_points("mapped.fbin", true);
    overwrite("mapped.fbin", HEADER, "other");
    assert_memory_equal(eb_row(ds, 0), "other", 5); /* else the file was not mapped, and the rest tests nothing */
    expect_changed(ds, "found 96008 bytes written 20");
    eb_dataset_free(ds);
}

static void rows_that_are_cut_off_are_zeros(void **state)
{
    (void)state;
    static const unsigned char zeros[D * 4];
    eb_dataset *ds = load_points("cut.fbin", true);
    assert_int_equal(truncate(in_folder("cut.fbin"), 100), 0);
    assert_memory_equal(eb_row(ds, N - 1), zeros, sizeof zeros);
    assert_memory_equal(eb_row(ds, N / 2), zeros, sizeof zeros);
    expect_changed(ds, "found 100 bytes written 20");
    /* Datasets loaded meanwhile are unaffected by the mapping that was cut. */
    eb_dataset *other = load_points("whole.fbin", true);
    eb_dataset_free(ds);
    ds = load_points("whole-too.fbin", true);
    assert_int_equal(eb_dataset_check(other, NULL), EB_OK);
    assert_memory_equal(eb_row(other, N - 1), points + SIZE - D * 4, D * 4);
    eb_dataset_free(other);
    eb_dataset_free(ds);
}

typedef struct reading {
    const eb_dataset *ds;
    pthread_barrier_t *start;
} reading;

static void *read_rows(void *argument)
{
    const reading *r = argument;
    unsigned sum = 0;
    (void)pthread_barrier_wait(r->start);
    for (size_t i = N; i-- > 0;)
        sum += eb_row(r->ds, i)[0];
    return sum > 0 ? argument : NULL;
}

/* All threads fault, some of them on the same page. */
static void every_thread_goes_on(void **state)
{
    (void)state;
    enum { THREADS = 8, ROUNDS = 50 };
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread[THREADS];
        pthread_barrier_t start;
        eb_mapping *mapping;
        write_file("threads.fbin", points, sizeof points);
        int fd = open(in_folder("threads.fbin"), O_RDWR | O_CLOEXEC);
        assert_int_equal(eb_map(fd, SIZE, "threads", &mapping, NULL), EB_OK);
        eb_dataset ds = {.rows = eb_mapping_data(mapping) + HEADER, .stride = D * 4};
        reading r = {&ds, &start};
        assert_false(eb_mapping_torn(mapping));
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (size_t t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&thread[t], NULL, read_rows, &r), 0);
        for (size_t t = 0; t < THREADS; t++)
            assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_true(eb_mapping_torn(mapping));
        eb_unmap(mapping);
        assert_int_equal(close(fd), 0);
        (void)pthread_barrier_destroy(&start);
    }
}

static void a_time_set_back_hides_nothing(void **state)
{
    (void)state;
    struct stat about;
    eb_dataset *ds = load_points("back.fbin", true);
    assert_int_equal(stat(in_folder("back.fbin"), &about), 0);
    overwrite("back.fbin", HEADER, "other");
    const struct timespec times[2] = {about.st_atim, about.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, in_folder("back.fbin"), times, 0), 0);
    expect_changed(ds, "its time set back");
    eb_dataset_free(ds);
}

static void another_file_in_its_place_is_a_change(void **state)
{
    (void)state;
    char old[512];
    for (int mapped = 0; mapped < 2; mapped++) {
        eb_dataset *ds = load_points("replaced.fbin", mapped);
        write_file("new.fbin", points, sizeof points);
        (void)snprintf(old, sizeof old, "%s", in_folder("new.fbin"));
        assert_int_equal(rename(old, in_folder("replaced.fbin")), 0);
        expect_changed(ds, "found another file in its place, 96008 bytes written 20");
        assert_int_equal(unlink(in_folder("replaced.fbin")), 0);
        expect_changed(ds, "found none: No such file or directory");
        eb_dataset_free(ds);
    }
}

static void what_is_in_no_file_does_not_change(void **state)
{
    (void)state;
    eb_dataset *ds = NULL;
    assert_int_equal(eb_load("demo:stars", NULL, &ds, NULL), EB_OK);
    assert_int_equal(eb_dataset_check(ds, NULL), EB_OK);
    eb_dataset_free(ds);
}

/* Scaled, gathered and reordered points are copies of the struct whose rows are the program's own memory. */
static void copies_of_mapped_points_keep_their_bytes(void **state)
{
    (void)state;
    make_points();
    eb_dataset *ds = load_points("copied.fbin", true);
    unsigned char *rows = malloc(ds->n * ds->stride);
    assert_non_null(rows);
    memcpy(rows, ds->rows, ds->n * ds->stride);
    eb_dataset copy = *ds;
    copy.rows = rows;
    eb_dataset_passed(ds, 0, ds->n);
    eb_dataset_passed(&copy, 0, copy.n);
    assert_memory_equal(rows, points + HEADER, ds->n * ds->stride);
    assert_memory_equal(ds->rows, points + HEADER, ds->n * ds->stride);
    free(rows);
    eb_dataset_free(ds);
}

static void a_limit_is_a_number_of_bytes(void **state)
{
    (void)state;
    static const char *const wrong[] = {"much", "-1", "1k", " 5", "99999999999999999999999"};
    eb_status status;
    eb_dataset *ds = NULL;
    size_t limit;
    write_file("limit.fbin", points, sizeof points);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(setenv("EPSBENCH_READ_LIMIT", wrong[k], 1), 0);
        assert_int_equal(eb_load(in_folder("limit.fbin"), NULL, &ds, &status), EB_USAGE);
        assert_non_null(strstr(status.message, "expected a number of bytes"));
    }
    assert_int_equal(unsetenv("EPSBENCH_READ_LIMIT"), 0);
    assert_int_equal(eb_read_limit(&limit, NULL), EB_OK);
    assert_int_equal(limit, EB_READ_LIMIT);
}

/* ---- while loading ---- */

typedef struct cutting {
    const char *path;
    const unsigned char *data;
    size_t size;
    _Atomic bool stop;
    unsigned seed;
} cutting;

static void rest(unsigned *seed, long most_us)
{
    const struct timespec pause = {.tv_nsec = rand_r(seed) % most_us * 1000};
    (void)nanosleep(&pause, NULL);
}

/* Repeatedly cuts the file at some length, and restores it. */
static void *cut_and_restore(void *argument)
{
    cutting *c = argument;
    int fd = open(c->path, O_WRONLY | O_CLOEXEC);
    while (fd >= 0 && !atomic_load(&c->stop)) {
        rest(&c->seed, 60000);
        if (ftruncate(fd, rand_r(&c->seed) % (long)c->size) != 0)
            break;
        rest(&c->seed, 2000);
        if (pwrite(fd, c->data, c->size, 0) != (ssize_t)c->size)
            break;
    }
    if (fd >= 0)
        (void)close(fd);
    return NULL;
}

/* Loading gives the points of the whole file or an error message. */
static void load_while_it_is_cut(const char *name, const void *data, size_t size)
{
    enum { ROUNDS = 25 };
    char path[512], hash[65];
    write_file(name, data, size);
    eb_dataset *ds = load(name);
    memcpy(hash, ds->sha256, sizeof hash);
    eb_dataset_free(ds);
    (void)snprintf(path, sizeof path, "%s", in_folder(name));
    cutting c = {.path = path, .data = data, .size = size, .seed = 7};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cut_and_restore, &c), 0);
    for (int round = 0; round < ROUNDS; round++) {
        eb_status status = {.message = ""};
        eb_code failed = eb_load(path, NULL, &ds, &status);
        if (failed && failed != EB_CHANGED && failed != EB_BAD_FORMAT && failed != EB_BAD_VALUE)
            fail_msg("%s: %s", eb_code_name(failed), status.message);
        if (failed)
            continue;
        /* Cut at a row's end, some formats are still valid: that is another dataset with another hash. */
        assert_true(strcmp(ds->sha256, hash) == 0 || ds->n < N);
        eb_dataset_free(ds);
    }
    atomic_store(&c.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void loading_survives_what_happens_to_the_file(void **state)
{
    (void)state;
    static unsigned char text[N * D * 12], packed[SIZE], hdf5[8192];
    size_t used = 0, hdf5_size;
    uLongf packed_size = sizeof packed;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < D; k++)
            used +=
                (size_t)snprintf((char *)text + used, sizeof text - used, "%zu%c", i * 31 + k, k + 1 < D ? ',' : '\n');
    write_file("packed", points, sizeof points);
    gzFile file = gzopen(in_folder("packed"), "wb1");
    assert_int_equal(gzwrite(file, points, sizeof points), sizeof points);
    assert_int_equal(gzclose(file), Z_OK);
    FILE *back = fopen(in_folder("packed"), "rbe");
    assert_non_null(back);
    packed_size = fread(packed, 1, sizeof packed, back);
    assert_int_equal(fclose(back), 0);
    FILE *seed = fopen("tests/fuzz/seeds/hdf5/deflated", "rbe");
    assert_non_null(seed);
    hdf5_size = fread(hdf5, 1, sizeof hdf5, seed);
    assert_int_equal(fclose(seed), 0);
    for (int mapped = 0; mapped < 2; mapped++) {
        map_them(mapped);
        load_while_it_is_cut("cut.h5", hdf5, hdf5_size);
        load_while_it_is_cut("cut.fbin", points, sizeof points);
        load_while_it_is_cut("cut.csv", text, used);
        load_while_it_is_cut("cut.fbin.gz", packed, packed_size);
    }
}

int main(void)
{
    make_points();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_were_read_stay),
        cmocka_unit_test(bytes_that_are_mapped_go_with_their_file),
        cmocka_unit_test(rows_that_are_cut_off_are_zeros),
        cmocka_unit_test(every_thread_goes_on),
        cmocka_unit_test(a_time_set_back_hides_nothing),
        cmocka_unit_test(another_file_in_its_place_is_a_change),
        cmocka_unit_test(what_is_in_no_file_does_not_change),
        cmocka_unit_test(copies_of_mapped_points_keep_their_bytes),
        cmocka_unit_test(a_limit_is_a_number_of_bytes),
        cmocka_unit_test(loading_survives_what_happens_to_the_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
