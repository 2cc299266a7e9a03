/* io_files: for tests of readers: builds bytes piece by piece, reads them from an exact copy, and writes files in a
 * temporary folder. */
#pragma once

#include <dirent.h>
#include <unistd.h>

#include "io/reader.h"
#include "tests/unit/test.h"

typedef struct build {
    unsigned char bytes[16384];
    size_t size;
} build;

static inline void put(build *b, const void *data, size_t size)
{
    assert_true(size <= sizeof b->bytes - b->size);
    memcpy(b->bytes + b->size, data, size);
    b->size += size;
}

static inline void put_text(build *b, const char *text) { put(b, text, strlen(text)); }

static inline void put_le32(build *b, uint32_t x)
{
    const unsigned char bytes[] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                                   (unsigned char)(x >> 24)};
    put(b, bytes, sizeof bytes);
}

static inline void put_be32(build *b, uint32_t x)
{
    const unsigned char bytes[] = {(unsigned char)(x >> 24), (unsigned char)(x >> 16), (unsigned char)(x >> 8),
                                   (unsigned char)x};
    put(b, bytes, sizeof bytes);
}

/* Appends elements of `size` bytes with their bytes reversed. */
static inline void put_reversed(build *b, const void *data, size_t count, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t k = 0; k < count; k++)
        for (size_t j = size; j-- > 0;)
            put(b, bytes + k * size + j, 1);
}

/* A reader's result on some bytes. The copy is exactly as long as the bytes, so that sanitizers detect a read beyond
 * its end. */
typedef struct result {
    eb_code code;
    eb_status status;
    eb_points points;
    unsigned char *copy;
} result;

static inline result read_bytes(eb_reader reader, const void *data, size_t size)
{
    result r = {.copy = malloc(size ? size : 1)};
    assert_non_null(r.copy);
    memcpy(r.copy, data, size);
    const eb_bytes bytes = {.data = r.copy, .size = size, .name = "points"};
    r.code = reader(&bytes, &r.points, &r.status);
    return r;
}

static inline void done(result *r)
{
    eb_points_free(&r->points);
    free(r->copy);
}

/* Reads b, which must give these n × d values of this type; `rows` has no gaps. */
static inline void expect_points(eb_reader reader, const build *b, size_t n, size_t d, eb_dtype dtype, const void *rows)
{
    result r = read_bytes(reader, b->bytes, b->size);
    if (r.code)
        fail_msg("%s", r.status.message);
    assert_int_equal(r.points.n, n);
    assert_int_equal(r.points.d, d);
    assert_int_equal(r.points.dtype, dtype);
    size_t row = d * eb_dtype_size(dtype);
    for (size_t i = 0; i < n; i++)
        assert_memory_equal(r.points.rows + i * r.points.stride, (const unsigned char *)rows + i * row, row);
    done(&r);
}

/* Reads b, which must be refused with this message. */
static inline void expect_refusal(eb_reader reader, const build *b, eb_code code, const char *sentence)
{
    result r = read_bytes(reader, b->bytes, b->size);
    assert_string_equal(r.status.message, sentence);
    assert_int_equal(r.code, code);
    assert_int_equal(r.status.code, code);
    done(&r);
}

/* Every proper prefix of b is refused with a message that names the file. */
static inline void expect_no_beginning_reads(eb_reader reader, const build *b)
{
    for (size_t size = 0; size < b->size; size++) {
        result r = read_bytes(reader, b->bytes, size);
        if (r.code == EB_OK)
            fail_msg("read, though cut at byte %zu", size);
        assert_int_equal(r.status.code, r.code);
        assert_memory_equal(r.status.message, "points: ", 8);
        done(&r);
    }
}

/* Set-up and tear-down of a folder for a group's files; in_folder returns a path in a static buffer. */
static char files_folder[64];

static inline int make_folder(void **state)
{
    (void)state;
    (void)snprintf(files_folder, sizeof files_folder, "/tmp/epsbench-test-XXXXXX");
    return mkdtemp(files_folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    DIR *folder = opendir(files_folder);
    if (!folder)
        return -1;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        (void)unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and ".." */
    return closedir(folder) || rmdir(files_folder);
}

static inline const char *in_folder(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", files_folder, name);
    return path;
}

static inline void write_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(in_folder(name), "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}
