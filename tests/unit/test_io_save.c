/* Tests of save: every format is read back with other code than the product's, with and without batches, and failed
 * writes leave no file behind. */
#include <dirent.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include "io/save/save.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/own_folder.h"
#include "tests/unit/test.h"

/* A table with rows of 1 to `widest` entries, including self pairs, and awkward distances. */
static eb_neighbours *some_table(size_t n, unsigned widest, eb_distances kept)
{
    eb_neighbours *table;
    eb_status status;
    uint64_t seed = n, entries = 0;
    assert_int_equal(eb_neighbours_new(n, 0, n, (uint64_t)n * widest, kept, &table, &status), EB_OK);
    for (size_t r = 0; r < n; r++) {
        size_t width = 1 + naive_random(&seed) % widest;
        size_t first = r + width <= n ? r : n > width ? n - width : 0;
        for (size_t k = 0; k < width && first + k < n; k++) {
            table->columns[entries] = (uint32_t)(first + k);
            double distance = first + k == r ? 0 : sqrt((double)(naive_random(&seed) % 1000)) / 3;
            eb_neighbours_set_distance(table, entries++, distance);
        }
        table->offsets[r + 1] = entries;
    }
    return table;
}

/* Rows [begin, end) as a batch. */
static eb_neighbours *slice(const eb_neighbours *table, size_t begin, size_t end)
{
    eb_neighbours *batch;
    eb_status status;
    uint64_t first = table->offsets[begin], entries = table->offsets[end] - first;
    assert_int_equal(eb_neighbours_new(table->n, begin, end - begin, entries, table->kept, &batch, &status), EB_OK);
    for (size_t r = 0; r <= end - begin; r++)
        batch->offsets[r] = table->offsets[begin + r] - first;
    memcpy(batch->columns, table->columns + first, entries * sizeof *batch->columns);
    for (uint64_t k = 0; k < entries; k++)
        eb_neighbours_set_distance(batch, k, eb_neighbours_distance(table, first + k));
    return batch;
}

static eb_code save(const char *path, const eb_neighbours *table, size_t rows_per_batch, eb_status *status)
{
    eb_saver *saver;
    eb_code code = eb_saver_open(path, table->n, table->kept, &saver, status);
    if (code != EB_OK)
        return code;
    for (size_t r = 0; r < table->n && code == EB_OK; r += rows_per_batch) {
        eb_neighbours *batch = slice(table, r, table->n - r < rows_per_batch ? table->n : r + rows_per_batch);
        code = eb_saver_rows(saver, batch, status);
        eb_neighbours_free(batch);
    }
    if (code == EB_OK)
        return eb_saver_close(saver, status);
    eb_saver_abandon(saver);
    return code;
}

static unsigned char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    (void)fclose(file);
    return bytes;
}

/* ---- each format, checked against the table ---- */

static void check_ivecs(const char *path, const eb_neighbours *table)
{
    size_t size, at = 0;
    unsigned char *bytes = slurp(path, &size);
    for (size_t r = 0; r < table->n; r++) {
        int32_t count;
        memcpy(&count, bytes + at, 4);
        assert_int_equal(count, table->offsets[r + 1] - table->offsets[r]);
        assert_memory_equal(bytes + at + 4, table->columns + table->offsets[r], 4 * (size_t)count);
        at += 4 + 4 * (size_t)count;
    }
    assert_int_equal(at, size);
    free(bytes);
}

static void check_csv(const char *path, const eb_neighbours *table)
{
    size_t size;
    unsigned char *bytes = slurp(path, &size);
    char *at = (char *)bytes;
    const char *header = table->kept ? "i,j,distance\n" : "i,j\n";
    assert_memory_equal(at, header, strlen(header));
    at += strlen(header);
    for (size_t r = 0; r < table->n; r++)
        for (uint64_t k = table->offsets[r]; k < table->offsets[r + 1]; k++) {
            assert_int_equal(strtoul(at, &at, 10), r);
            assert_int_equal(*at++, ',');
            assert_int_equal(strtoul(at, &at, 10), table->columns[k]);
            if (table->kept) {
                assert_int_equal(*at++, ',');
                double distance = table->kept == EB_DISTANCES_F64 ? strtod(at, &at) : (double)strtof(at, &at);
                assert_true(distance == eb_neighbours_distance(table, k));
            }
            assert_int_equal(*at++, '\n');
        }
    assert_ptr_equal(at, bytes + size);
    free(bytes);
}

static void check_range(const char *path, const eb_neighbours *table)
{
    size_t size;
    unsigned char *bytes = slurp(path, &size);
    uint32_t n, total, count;
    memcpy(&n, bytes, 4);
    memcpy(&total, bytes + 4, 4);
    assert_int_equal(n, table->n);
    assert_int_equal(total, table->offsets[table->n]);
    assert_int_equal(size, 8 + 4 * (size_t)n + 8 * (size_t)total);
    for (size_t r = 0; r < n; r++) {
        memcpy(&count, bytes + 8 + 4 * r, 4);
        assert_int_equal(count, table->offsets[r + 1] - table->offsets[r]);
    }
    assert_memory_equal(bytes + 8 + 4 * (size_t)n, table->columns, 4 * (size_t)total);
    for (size_t k = 0; k < total; k++) {
        float distance;
        memcpy(&distance, bytes + 8 + 4 * (size_t)n + 4 * (size_t)total + 4 * k, 4);
        assert_true(distance == (float)eb_neighbours_distance(table, k));
    }
    free(bytes);
}

/* Returns the array's bytes after its header, which must state type and shape. The caller frees *owner. */
static const unsigned char *npy_in_zip(zip_t *zip, const char *name, const char *type, const char *shape, size_t bytes,
                                       unsigned char **owner)
{
    zip_stat_t about;
    assert_int_equal(zip_stat(zip, name, 0, &about), 0);
    assert_int_equal(about.comp_method, ZIP_CM_STORE);
    assert_int_equal(about.size, 128 + bytes);
    *owner = malloc(about.size);
    zip_file_t *file = zip_fopen(zip, name, 0);
    assert_non_null(file);
    assert_int_equal(zip_fread(file, *owner, about.size), about.size); /* checks the CRC at the end */
    assert_int_equal(zip_fclose(file), 0);
    char expected[160];
    int length =
        snprintf(expected, sizeof expected, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    assert_memory_equal(*owner, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(*owner + 10, expected, (size_t)length);
    assert_int_equal((*owner)[127], '\n');
    return *owner + 128;
}

static void check_npz(const char *path, const eb_neighbours *table)
{
    int error;
    zip_t *zip = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    assert_non_null(zip);
    assert_int_equal(zip_get_num_entries(zip, 0), 5);
    size_t n = table->n, entries = (size_t)table->offsets[n];
    char shape[40];
    unsigned char *owner;
    (void)snprintf(shape, sizeof shape, "(%zu,)", n + 1);
    const unsigned char *bytes = npy_in_zip(zip, "indptr.npy", "<i8", shape, 8 * (n + 1), &owner);
    assert_memory_equal(bytes, table->offsets, 8 * (n + 1));
    free(owner);
    (void)snprintf(shape, sizeof shape, "(%zu,)", entries);
    bytes = npy_in_zip(zip, "indices.npy", "<i4", shape, 4 * entries, &owner);
    assert_memory_equal(bytes, table->columns, 4 * entries);
    free(owner);
    if (table->kept) {
        const char *type = table->kept == EB_DISTANCES_F64 ? "<f8" : "<f4";
        size_t all = entries * eb_distances_width(table->kept);
        bytes = npy_in_zip(zip, "data.npy", type, shape, all, &owner);
        assert_memory_equal(bytes, table->any_distances, all);
    } else {
        bytes = npy_in_zip(zip, "data.npy", "|i1", shape, entries, &owner);
        for (size_t k = 0; k < entries; k++)
            assert_int_equal(bytes[k], 1);
    }
    free(owner);
    int64_t sides[2] = {(int64_t)n, (int64_t)n};
    bytes = npy_in_zip(zip, "shape.npy", "<i8", "(2,)", sizeof sides, &owner);
    assert_memory_equal(bytes, sides, sizeof sides);
    free(owner);
    bytes = npy_in_zip(zip, "format.npy", "|S3", "()", 3, &owner);
    assert_memory_equal(bytes, "csr", 3);
    free(owner);
    assert_int_equal(zip_close(zip), 0);
}

static void check_h5_dataset(hid_t file, const char *name, hid_t type, const void *expected, size_t count, size_t size)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset), stored = H5Dget_type(dataset);
    assert_int_equal(H5Tget_size(stored), size);
    assert_int_equal(H5Sget_simple_extent_npoints(space), count);
    void *values = malloc(count * size);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, expected, count * size);
    free(values);
    (void)H5Tclose(stored);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
}

static void check_hdf5(const char *path, const eb_neighbours *table)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    size_t entries = (size_t)table->offsets[table->n];
    check_h5_dataset(file, "indptr", H5T_NATIVE_INT64, table->offsets, table->n + 1, 8);
    check_h5_dataset(file, "indices", H5T_NATIVE_INT32, table->columns, entries, 4);
    if (table->kept)
        check_h5_dataset(file, "distances", table->kept == EB_DISTANCES_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT,
                         table->any_distances, entries, eb_distances_width(table->kept));
    else
        assert_true(H5Lexists(file, "distances", H5P_DEFAULT) <= 0);
    (void)H5Fclose(file);
}

static const struct {
    const char *path;
    void (*check)(const char *path, const eb_neighbours *table);
    bool needs_distances;
} formats[] = {{"t.ivecs", check_ivecs, false}, {"t.csv", check_csv, false},    {"t.range", check_range, true},
               {"t.npz", check_npz, false},     {"t.h5", check_hdf5, false},    {"t.hdf5", check_hdf5, false},
               {"T.NPZ", check_npz, false},     {"./t.b.csv", check_csv, false}};
#define FORMATS (sizeof formats / sizeof formats[0])

static void every_format_reads_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 57, 9000};
    for (size_t s = 0; s < 4; s++)
        for (int kept = 0; kept <= 2; kept++) {
            eb_neighbours *table = some_table(sizes[s], s == 3 ? 9 : 30, (eb_distances)kept);
            size_t batches[] = {1, 10, sizes[s]};
            for (size_t f = 0; f < FORMATS; f++)
                for (size_t b = sizes[s] > 1000; b < 3; b++) {
                    eb_status status;
                    eb_code code = save(formats[f].path, table, batches[b], &status);
                    if (formats[f].needs_distances && !kept) {
                        assert_int_equal(code, EB_USAGE);
                        continue;
                    }
                    assert_int_equal(code, EB_OK);
                    assert_int_equal(files_here(), 1);
                    formats[f].check(formats[f].path, table);
                    assert_int_equal(unlink(formats[f].path), 0);
                }
            eb_neighbours_free(table);
        }
}

static void numpy_reads_the_npz(void **state)
{
    (void)state;
    /* Uses the first python3 that has numpy: the one in the path, or the system's. */
    const char *which =
        "for p in python3 /usr/bin/python3; do $p -c 'import numpy' 2>/dev/null && "
        "printf '#!/bin/sh\\nexec %s \"$@\"\\n' $(command -v $p) >python && exec chmod +x python; done; exit 1";
    if (system(which) != 0)
        skip();
    eb_neighbours *table = some_table(50, 9, EB_DISTANCES_F64);
    eb_status status;
    assert_int_equal(save("t.npz", table, 7, &status), EB_OK);
    assert_int_equal(system("./python -c 'import numpy\n"
                            "z = numpy.load(\"t.npz\")\n"
                            "assert z[\"format\"].item() == b\"csr\" and tuple(z[\"shape\"]) == (50, 50)\n"
                            "assert z[\"indptr\"][-1] == len(z[\"indices\"]) == len(z[\"data\"])\n"
                            "try: import scipy.sparse\n"
                            "except ImportError: raise SystemExit\n"
                            "m = scipy.sparse.load_npz(\"t.npz\")\n"
                            "assert m.shape == (50, 50) and m.nnz == len(z[\"data\"]) and (m.diagonal() == 0).all()'"),
                     0);
    assert_int_equal(unlink("t.npz"), 0);
    assert_int_equal(unlink("python"), 0);
    eb_neighbours_free(table);
}

static void odd_numbers_in_csv(void **state)
{
    (void)state;
    eb_neighbours *table = some_table(3, 1, EB_DISTANCES_F64);
    table->distances[0] = (double)NAN;
    table->distances[1] = 1e-300;
    table->distances[2] = (double)INFINITY;
    eb_status status;
    assert_int_equal(save("t.csv", table, 3, &status), EB_OK);
    size_t size;
    unsigned char *bytes = slurp("t.csv", &size);
    assert_string_equal((char *)bytes, "i,j,distance\n0,0,nan\n1,1,1e-300\n2,2,inf\n");
    free(bytes);
    assert_int_equal(unlink("t.csv"), 0);
    eb_neighbours_free(table);
}

/* ---- the file's life ---- */

static void assert_refused(const char *path, eb_code code, const char *part_of_sentence)
{
    eb_saver *saver;
    eb_status status;
    assert_int_equal(eb_saver_open(path, 5, EB_DISTANCES_F64, &saver, &status), code);
    assert_non_null(strstr(status.message, path));
    if (!strstr(status.message, part_of_sentence))
        fail_msg("\"%s\" is not in: %s", part_of_sentence, status.message);
}

static void places_that_cannot_be_written(void **state)
{
    (void)state;
    assert_refused("t.foo", EB_USAGE, ".npz .ivecs .csv .h5 .hdf5 .range");
    assert_refused("", EB_USAGE, ".npz");
    assert_refused(".npz", EB_USAGE, ".npz");
    assert_refused("missing/t.npz", EB_IO, "missing: No such file or directory");
    assert_refused("/proc/t.npz", EB_IO, "/proc");
    assert_int_equal(mkdir("t.csv", 0777), 0);
    assert_refused("t.csv", EB_IO, "is a folder");
    assert_int_equal(rmdir("t.csv"), 0);
    assert_int_equal(mkfifo("t.csv", 0666), 0);
    assert_refused("t.csv", EB_IO, "not a regular file");
    assert_int_equal(unlink("t.csv"), 0);
    assert_int_equal(files_here(), 0);
}

static void a_file_appears_only_when_complete(void **state)
{
    (void)state;
    eb_neighbours *table = some_table(20, 5, EB_DISTANCES_F64), *half = slice(table, 0, 10),
                  *late = slice(table, 11, 20);
    for (size_t f = 0; f < FORMATS; f++) {
        eb_saver *saver;
        eb_status status;
        FILE *old = fopen(formats[f].path, "w"); /* the old file stays until the new one is complete */
        assert_non_null(old);
        assert_int_equal(fputs("old", old) < 0, 0);
        (void)fclose(old);
        for (int end = 0; end < 3; end++) {
            assert_int_equal(eb_saver_open(formats[f].path, 20, EB_DISTANCES_F64, &saver, &status), EB_OK);
            assert_int_equal(eb_saver_rows(saver, half, &status), EB_OK);
            if (end == 0) {
                eb_saver_abandon(saver);
            } else if (end == 1) {
                assert_int_equal(eb_saver_close(saver, &status), EB_INTERNAL); /* incomplete: rows are missing */
                assert_non_null(strstr(status.message, "10 of 20 rows"));
            } else {
                assert_int_equal(eb_saver_rows(saver, late, &status), EB_INTERNAL); /* row 10 is left out */
                assert_int_equal(eb_saver_rows(saver, half, &status), EB_INTERNAL);
                assert_int_equal(eb_saver_close(saver, &status), EB_INTERNAL);
            }
            assert_int_equal(files_here(), 1);
            size_t size;
            unsigned char *bytes = slurp(formats[f].path, &size);
            assert_string_equal((char *)bytes, "old");
            free(bytes);
        }
        assert_int_equal(save(formats[f].path, table, 20, &status), EB_OK); /* and finally replaced */
        formats[f].check(formats[f].path, table);
        struct stat about;
        mode_t mask = umask(0);
        (void)umask(mask);
        assert_int_equal(stat(formats[f].path, &about), 0);
        assert_int_equal(about.st_mode & 0777, 0666 & ~mask);
        assert_int_equal(unlink(formats[f].path), 0);
    }
    eb_saver_abandon(NULL);
    eb_neighbours_free(late);
    eb_neighbours_free(half);
    eb_neighbours_free(table);
}

static void a_link_leads_to_the_file(void **state)
{
    (void)state;
    eb_neighbours *table = some_table(20, 5, EB_DISTANCES_F64);
    eb_status status;
    assert_int_equal(save("t.csv", table, 20, &status), EB_OK);
    assert_int_equal(symlink("t.csv", "link.csv"), 0);
    assert_int_equal(save("link.csv", table, 20, &status), EB_OK);
    struct stat about;
    assert_int_equal(lstat("link.csv", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    check_csv("t.csv", table);
    assert_int_equal(unlink("link.csv"), 0);
    assert_int_equal(unlink("t.csv"), 0);
    eb_neighbours_free(table);
}

/* *state: the distances of the second batch. */
static void distances_are_all_of_a_kind(void **state)
{
    eb_neighbours *with = some_table(2, 1, EB_DISTANCES_F64), *without = some_table(2, 1, *(eb_distances *)*state);
    eb_neighbours *first = slice(with, 0, 1), *second = slice(without, 1, 2);
    eb_saver *saver;
    eb_status status;
    assert_int_equal(eb_saver_open("t.csv", 2, EB_DISTANCES_F64, &saver, &status), EB_OK);
    assert_int_equal(eb_saver_rows(saver, first, &status), EB_OK);
    assert_int_equal(eb_saver_rows(saver, second, &status), EB_INTERNAL);
    eb_saver_abandon(saver);
    eb_neighbours_free(first);
    eb_neighbours_free(second);
    eb_neighbours_free(with);
    eb_neighbours_free(without);
}

/* ---- full disk ---- */

/* Saves in a separate process with files limited to `room` bytes, like a full disk; the exit status tells the result.
 * Tests use sizes from nothing to just too little, so that each write, flush and close fails once. */
static int save_without_room(const char *path, const eb_neighbours *table, rlim_t room)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {.rlim_cur = room, .rlim_max = room};
        eb_status status;
        (void)signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(90);
        eb_code code = save(path, table, 1000, &status);
        if (code == EB_IO && !(strstr(status.message, path) && strstr(status.message, "File too large")))
            _exit(91);
        _exit((int)code);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}

static void a_full_disk_leaves_nothing_but_a_sentence(void **state)
{
    (void)state;
    eb_neighbours *table = some_table(30000, 9, EB_DISTANCES_F64);
    eb_status status;
    for (size_t f = 0; f < 6; f++) {
        struct stat about;
        assert_int_equal(save(formats[f].path, table, 1000, &status), EB_OK);
        assert_int_equal(stat(formats[f].path, &about), 0);
        assert_int_equal(unlink(formats[f].path), 0);
        rlim_t size = (rlim_t)about.st_size, rooms[] = {0, 200, size / 8, size / 2, size - 5000, size - 1};
        for (size_t k = 0; k < sizeof rooms / sizeof rooms[0]; k++) {
            assert_int_equal(save_without_room(formats[f].path, table, rooms[k]), EB_IO);
            assert_int_equal(files_here(), 0);
        }
        assert_int_equal(save_without_room(formats[f].path, table, size + 65536), EB_OK);
        formats[f].check(formats[f].path, table);
        assert_int_equal(unlink(formats[f].path), 0);
    }
    eb_neighbours_free(table);
}

/* ---- out of memory ---- */

/* Saves with only `room` bytes of address space left. Returns the process's wait status. */
static int save_without_memory(const char *path, const eb_neighbours *table, rlim_t room)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsigned long pages = 0;
        eb_status status = {.message = ""};
        FILE *statm = fopen("/proc/self/statm", "re");
        if (!statm || fscanf(statm, "%lu", &pages) != 1 || fclose(statm) != 0)
            _exit(90);
        rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGE_SIZE) + room;
        const struct rlimit limit = {most, most};
        if (setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(90);
        eb_saver *saver;
        eb_code code = eb_saver_open(path, table->n, table->kept, &saver, &status);
        if (code == EB_OK && (code = eb_saver_rows(saver, table, &status)) != EB_OK)
            eb_saver_abandon(saver);
        else if (code == EB_OK)
            code = eb_saver_close(saver, &status);
        if (code != EB_OK && status.message[0] == '\0')
            _exit(91);
        if (code == EB_NO_MEMORY && strstr(status.message, "libhdf5"))
            _exit(92);
        _exit((int)code);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    return ended;
}

static void without_memory_there_is_a_sentence(void **state)
{
    (void)state;
#if defined EB_SANITIZE_ADDRESS || defined EB_SANITIZE_THREAD
    skip(); /* sanitizers need the address space */
#endif
    static const char *const paths[] = {"t.h5", "t.npz", "t.range", "t.csv", "t.ivecs"};
    size_t libraries = 0, saved = 0;
    eb_neighbours *table = some_table(1000, 9, EB_DISTANCES_F64);
    for (size_t f = 0; f < sizeof paths / sizeof paths[0]; f++)
        for (rlim_t room = 0; room < (f == 0 ? 3u << 20 : 1u << 20); room += f == 0 ? 32u << 10 : 64u << 10) {
            int ended = save_without_memory(paths[f], table, room);
            if (!WIFEXITED(ended))
                fail_msg("%s with %llu bytes: signal %d", paths[f], (unsigned long long)room, WTERMSIG(ended));
            int code = WEXITSTATUS(ended);
            assert_true(code == EB_OK || code == EB_NO_MEMORY || code == EB_IO || code == 92);
            assert_int_equal(files_here(), code == EB_OK ? 1 : 0);
            saved += f == 0 && code == EB_OK;
            libraries += code == 92;
            if (code == EB_OK)
                assert_int_equal(unlink(paths[f]), 0);
        }
    assert_true(saved > 10);
    assert_true(libraries > 10);
    eb_neighbours_free(table);
}

/* ---- cancelling ---- */

typedef struct errand {
    const char *path;
    const eb_neighbours *table;
    bool at_the_end; /* true: cancel before completing; false: before the rows */
} errand;

static eb_code save_and_be_cancelled(eb_job *job, void *argument, eb_status *status)
{
    const errand *e = argument;
    eb_saver *saver;
    eb_code code = eb_saver_open(e->path, e->table->n, e->table->kept, &saver, status);
    if (code != EB_OK)
        return code;
    eb_saver_watch(saver, job);
    if (!e->at_the_end)
        eb_job_cancel(job);
    code = eb_saver_rows(saver, e->table, status);
    if (e->at_the_end) {
        eb_progress progress = eb_job_progress(job);
        assert_int_equal(code, EB_OK);
        assert_int_equal(progress.done, e->table->n);
        eb_job_cancel(job);
        return eb_saver_close(saver, status);
    }
    eb_saver_abandon(saver);
    return code;
}

static void a_cancel_leaves_nothing(void **state)
{
    (void)state;
    eb_neighbours *table = some_table(30000, 9, EB_DISTANCES_F64);
    for (size_t f = 0; f < 6; f++)
        for (int at_the_end = 0; at_the_end <= 1; at_the_end++) {
            errand e = {.path = formats[f].path, .table = table, .at_the_end = at_the_end};
            eb_job *job;
            eb_status status;
            bool copies = f >= 2; /* .ivecs and .csv are complete when the last row is written */
            assert_int_equal(eb_job_start(save_and_be_cancelled, &e, &job, &status), EB_OK);
            assert_int_equal(eb_job_finish(job, &status), at_the_end && !copies ? EB_OK : EB_CANCELLED);
            if (at_the_end && !copies)
                assert_int_equal(unlink(e.path), 0);
            assert_int_equal(files_here(), 0);
        }
    eb_neighbours_free(table);
}

static void too_many_pairs_for_the_range_format(void **state)
{
    (void)state;
    /* A batch that claims more entries than exist: it must be refused before any is read. */
    eb_neighbours *table = some_table(2, 1, EB_DISTANCES_F64), *second = slice(table, 1, 2);
    eb_saver *saver;
    eb_status status;
    assert_int_equal(eb_saver_open("t.range", 2, EB_DISTANCES_F64, &saver, &status), EB_OK);
    eb_neighbours *first = slice(table, 0, 1);
    assert_int_equal(eb_saver_rows(saver, first, &status), EB_OK);
    second->offsets[1] = 2147483647u;
    assert_int_equal(eb_saver_rows(saver, second, &status), EB_TOO_LARGE);
    assert_non_null(strstr(status.message, "2147483648"));
    eb_saver_abandon(saver);
    assert_int_equal(files_here(), 0);
    eb_neighbours_free(first);
    eb_neighbours_free(second);
    eb_neighbours_free(table);
}

int main(void)
{
    static eb_distances none = EB_DISTANCES_NONE, narrow = EB_DISTANCES_F32;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_there_is_a_sentence), /* first: the heap has no freed memory to reuse yet */
        cmocka_unit_test(every_format_reads_back),
        cmocka_unit_test(numpy_reads_the_npz),
        cmocka_unit_test(odd_numbers_in_csv),
        cmocka_unit_test(places_that_cannot_be_written),
        cmocka_unit_test(a_file_appears_only_when_complete),
        cmocka_unit_test(a_link_leads_to_the_file),
        cmocka_unit_test_prestate(distances_are_all_of_a_kind, &none),
        cmocka_unit_test_prestate(distances_are_all_of_a_kind, &narrow),
        cmocka_unit_test(a_full_disk_leaves_nothing_but_a_sentence),
        cmocka_unit_test(a_cancel_leaves_nothing),
        cmocka_unit_test(too_many_pairs_for_the_range_format),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
