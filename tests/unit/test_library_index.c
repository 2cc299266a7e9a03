/* Tests of an index on disk: a saved index is loaded bit for bit, with the facts of its making, and gives the same
 * answers. An index that is damaged, cut, of another version or of other points is refused with a message. */
#include <math.h>
#include <unistd.h>

#include "core/inverted/quality.h"
#include "io/inverted/index_file.h"
#include "kernels/inverted/cpu/build.h"
#include "kernels/inverted/cpu/search.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/own_folder.h"
#include "tests/unit/test.h"

enum { N = 230, D = 6, NLIST = 7, M = 3 };

static eb_index_got got_of(const eb_dataset *ds, const uint32_t *rows, size_t n)
{
    const eb_inverted_request ask = {.points = ds, .rows = rows, .n = n, .shape = {NLIST, M}, .rounds = 3, .seed = 11};
    eb_index_got got;
    eb_status status = {.message = ""};
    if (eb_index_get(&ask, NULL, 0, 2, NULL, &got, &status))
        fail_msg("%s", status.message);
    return got;
}

static void expect_same(const eb_inverted_file *a, const eb_inverted_file *b)
{
    const size_t places = (size_t)a->blocks[NLIST] * EB_LIST_BLOCK;
    assert_true(a->n == b->n && a->d == b->d && a->exponent == b->exponent && a->piece == b->piece);
    assert_memory_equal(&a->shape, &b->shape, sizeof a->shape);
    assert_memory_equal(a->centroids, b->centroids, NLIST * a->d * sizeof(float));
    assert_memory_equal(a->books, b->books, EB_BOOK_ENTRIES * a->d * sizeof(float));
    assert_memory_equal(a->blocks, b->blocks, (NLIST + 1) * sizeof *a->blocks);
    assert_memory_equal(a->count, b->count, NLIST * sizeof *a->count);
    assert_memory_equal(a->row, b->row, places * sizeof *a->row);
    assert_memory_equal(a->codes, b->codes, places * M);
}

/* ---- save and load ---- */

TEST(what_is_saved_is_loaded)
{
    static const eb_dtype dtypes[] = {EB_F32, EB_U8, EB_F64};
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++) {
        eb_dataset *ds = hostile_points(f, dtypes[f % 3], N, D, 100 + f);
        uint32_t rows[N];
        for (uint32_t i = 0; i < N; i++)
            rows[i] = i < 13 ? i : i + 20;
        eb_index read;
        eb_status status = {.message = ""};
        const bool some = f % 2;
        eb_index_got got = got_of(ds, some ? rows : NULL, some ? N - 20 : N);
        assert_int_equal(eb_index_save(got.index, "a program 1.2", "there.ivf", &status), EB_OK);
        if (eb_index_load("there.ivf", ds, 2, NULL, &read, &status))
            fail_msg("%s: %s", hostile_name(f), status.message);
        expect_same(&read.file, &got.index->file);
        assert_true(eb_same_origin(&read.origin, &got.index->origin));
        assert_true(read.build_s == got.index->build_s);
        assert_string_equal(read.program, "a program 1.2");
        assert_string_equal(read.built, got.index->built);
        assert_string_equal(read.loaded_from, "there.ivf");
        assert_int_equal(unlink("there.ivf"), 0);
        eb_index *kept; /* the cache has this index, and keeps one copy */
        assert_int_equal(eb_index_keep(&read, &kept, &status), EB_OK);
        assert_ptr_equal(kept, got.index);
        eb_index_release(kept);
        eb_index_release(got.index);
        eb_dataset_free(ds);
    }
}

TEST(a_loaded_one_is_found_and_answers_alike)
{
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F32, N, D, 300);
    eb_status status;
    eb_index read, *kept;
    eb_index_got got = got_of(ds, NULL, N), others[EB_CACHED_INDEXES];
    assert_int_equal(eb_index_save(got.index, "", "alike.ivf", &status), EB_OK);
    for (size_t k = 0; k < EB_CACHED_INDEXES; k++) { /* other indexes evict it from the cache */
        eb_dataset *other = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 400 + k);
        others[k] = got_of(other, NULL, N);
        eb_index_release(others[k].index);
        eb_dataset_free(other);
    }
    assert_null(eb_index_find(&got.index->origin));
    assert_int_equal(eb_index_load("alike.ivf", ds, 1, NULL, &read, &status), EB_OK);
    assert_int_equal(eb_index_keep(&read, &kept, &status), EB_OK);
    assert_ptr_not_equal(kept, got.index);
    eb_index_got again = got_of(ds, NULL, N);
    assert_true(again.kept);
    assert_ptr_equal(again.index, kept);

    const eb_inverted_question question = {.k = 5, .nprobe = 3, .lut = EB_TABLE_E5M3, .scale = EB_TABLE_SCALE};
    uint32_t row[2][5 * N];
    double distance[2][5 * N];
    for (size_t k = 0; k < 2; k++) {
        eb_inverted_searcher *searcher;
        const eb_inverted_file *file = k ? &kept->file : &got.index->file;
        assert_int_equal(eb_inverted_open(file, NULL, 2, &searcher, &status), EB_OK);
        assert_int_equal(eb_inverted_find(searcher, &question, (const float *)(const void *)ds->rows, N, row[k],
                                          distance[k], NULL, &status),
                         EB_OK);
        eb_inverted_close(searcher);
    }
    assert_memory_equal(row[0], row[1], sizeof row[0]);
    assert_memory_equal(distance[0], distance[1], sizeof distance[0]);
    assert_int_equal(unlink("alike.ivf"), 0);
    eb_index_release(again.index);
    eb_index_release(kept);
    eb_index_release(got.index);
    eb_dataset_free(ds);
}

/* ---- refusals ---- */

static unsigned char *bytes_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    unsigned char *bytes = malloc(*size);
    rewind(file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void put_bytes(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

TEST(a_damaged_file_is_refused)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 500);
    eb_status status;
    eb_index read;
    size_t size;
    eb_index_got got = got_of(ds, NULL, N);
    assert_int_equal(eb_index_save(got.index, "", "sound.ivf", &status), EB_OK);
    unsigned char *bytes = bytes_of("sound.ivf", &size);
    for (size_t at = 0; at < size; at += at < EB_INDEX_HEAD ? 97 : 511) {
        bytes[at] ^= 4;
        put_bytes("damaged.ivf", bytes, size);
        assert_int_equal(eb_index_load("damaged.ivf", ds, 1, NULL, &read, &status), EB_BAD_FORMAT);
        assert_non_null(strstr(status.message, at < 8 ? "expected an index file" : "the checksum does not match"));
        bytes[at] ^= 4;
    }
    const size_t cuts[] = {1, 8, 31, 900, size - 1};
    for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; k++) {
        put_bytes("damaged.ivf", bytes, cuts[k]);
        assert_int_equal(eb_index_load("damaged.ivf", ds, 1, NULL, &read, &status), EB_BAD_FORMAT);
    }
    assert_int_equal(unlink("damaged.ivf"), 0);
    assert_int_equal(unlink("sound.ivf"), 0);
    assert_int_equal(eb_index_load("sound.ivf", ds, 1, NULL, &read, &status), EB_IO);
    free(bytes);
    eb_index_release(got.index);
    eb_dataset_free(ds);
}

/* Each number in the file that describes its contents is checked, whether signed or not. */
TEST(what_contradicts_itself_is_refused)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 501);
    eb_status status;
    eb_index read;
    size_t size;
    eb_index_got got = got_of(ds, NULL, N);
    assert_int_equal(eb_index_save(got.index, "", "sound.ivf", &status), EB_OK);
    unsigned char *bytes = bytes_of("sound.ivf", &size);
    size -= EB_INDEX_DIGEST;
    const size_t centroids = EB_INDEX_HEAD, counts = centroids + (NLIST + EB_BOOK_ENTRIES) * D * sizeof(float),
                 rows = size - got.index->file.blocks[NLIST] * EB_LIST_BLOCK * sizeof(uint32_t);
    const struct {
        size_t at;
        unsigned char by;
        const char *says;
    } change[] = {{0, 1, "expected an index file"},
                  {8, 2, "expected version 1 of an index file, found 3"},
                  {14, 0x40, "damaged"},                        /* the exponent */
                  {16, 2, "expected lists of 228 points"},      /* n */
                  {24, 1, "expected the shape of an index"},    /* d = 7: no multiple of 3 pieces */
                  {38, 0x20, "expected the shape of an index"}, /* nlist */
                  {40, 1, "bytes as the header says"},          /* m = 2 */
                  {48, 0xe6, "expected the shape of an index"}, /* points = 0 */
                  {56, 3, "of its making are damaged"},         /* rounds = 0 */
                  {95, 0x80, "of its making are damaged"},      /* build_s < 0 */
                  {96, 0x80, "of its making are damaged"},      /* the hash */
                  {centroids + 3, 0, NULL},
                  {counts, 1, "expected lists of"},
                  {rows, 1, "which cannot be there"},
                  {rows + 3, 0x40, "which cannot be there"},
                  {size - 1, 0x80, "which cannot be there"}};
    for (size_t k = 0; k < sizeof change / sizeof change[0]; k++) {
        bytes[change[k].at] ^= change[k].by;
        const eb_code failed = eb_index_parse(bytes, size, "x.ivf", &read, &status);
        bytes[change[k].at] ^= change[k].by;
        if (!change[k].says) {
            assert_int_equal(failed, EB_OK);
            eb_inverted_free(&read.file);
            continue;
        }
        assert_int_equal(failed, EB_BAD_FORMAT);
        if (!strstr(status.message, change[k].says))
            fail_msg("byte %zu: %s", change[k].at, status.message);
    }
    const float nan = NAN;
    memcpy(bytes + centroids + D * sizeof nan, &nan, sizeof nan);
    assert_int_equal(eb_index_parse(bytes, size, "x.ivf", &read, &status), EB_BAD_FORMAT);
    assert_non_null(strstr(status.message, "centroid 1 has a coordinate"));
    for (size_t cut = 0; cut < size; cut += 173) /* no cut file is read beyond its end */
        assert_int_equal(eb_index_parse(bytes, cut, "x.ivf", &read, &status), EB_BAD_FORMAT);
    assert_int_equal(unlink("sound.ivf"), 0);
    free(bytes);
    eb_index_release(got.index);
    eb_dataset_free(ds);
}

TEST(an_index_of_other_points_is_refused)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 502),
               *other = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 503),
               *fewer = hostile_points(HOSTILE_RANDOM, EB_F32, N - 1, D, 502);
    eb_status status;
    eb_index read;
    eb_index_got got = got_of(ds, NULL, N);
    assert_int_equal(eb_index_save(got.index, "", "of.ivf", &status), EB_OK);
    assert_int_equal(eb_index_load("of.ivf", other, 1, NULL, &read, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "of.ivf: an index of other points"));
    assert_int_equal(eb_index_load("of.ivf", fewer, 1, NULL, &read, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "these are 229 × 6"));
    assert_int_equal(unlink("of.ivf"), 0);
    eb_index_release(got.index);
    eb_dataset_free(ds);
    eb_dataset_free(other);
    eb_dataset_free(fewer);
}

TEST(what_cannot_be_written_leaves_nothing)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 504);
    eb_status status;
    eb_index_got got = got_of(ds, NULL, N);
    assert_int_equal(eb_index_save(got.index, "", "nowhere/x.ivf", &status), EB_IO);
    assert_int_equal(eb_index_save(got.index, "", ".", &status), EB_IO);
    assert_int_equal(files_here(), 0);
    eb_index_release(got.index);
    eb_dataset_free(ds);
}

/* ---- quality ---- */

TEST(lists_and_losses_are_measured)
{
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++) {
        eb_dataset *ds = hostile_points(f, EB_F32, N, D, 600 + f);
        eb_index_got got = got_of(ds, NULL, N);
        const eb_inverted_file *file = &got.index->file;
        eb_inverted_quality quality, again;
        eb_status status;
        assert_int_equal(eb_inverted_quality_of(file, ds, 1, NULL, &quality, &status), EB_OK);
        assert_int_equal(eb_inverted_quality_of(file, ds, 3, NULL, &again, &status), EB_OK);
        assert_memory_equal(&quality, &again, sizeof quality);
        double residual = 0, wide[D];
        float x[D];
        for (size_t l = 0; l < NLIST; l++)
            for (size_t p = 0; p < file->count[l]; p++) {
                eb_inverted_row(file, ds, file->row[file->blocks[l] * EB_LIST_BLOCK + p], wide, x);
                for (size_t k = 0; k < D; k++)
                    residual += pow((double)x[k] - (double)file->centroids[l * D + k], 2);
            }
        residual = ldexp(residual, -2 * file->exponent) / N;
        assert_true(fabs(quality.residual - residual) <= 1e-9 * residual);
        assert_true(quality.lost <= quality.residual * (1 + 1e-6)); /* the best of 256 entries, one of them near 0 */
        assert_true(quality.least <= quality.median && quality.median <= quality.most && quality.most <= N);
        assert_true(quality.imbalance >= 1 - 1e-12 && quality.imbalance <= NLIST);
        eb_index_release(got.index);
        eb_dataset_free(ds);
    }
}

RUN_TESTS_WITH(make_folder, remove_folder)
