/* Tests of the HDF5 reader: what it maps, reads and refuses, and that a damaged file does not crash the process. */

#include <hdf5.h>
#include <zlib.h>

#include "io/load.h"
#include "io_files.h"
#include "tests/unit/test.h"

enum { N = 30, D = 7 };

static float values[N * D];

static int prepare(void **state)
{
    for (int k = 0; k < N * D; k++)
        values[k] = (float)(k * k % 101) - 50.5F;
    return make_folder(state);
}

/* How a dataset is stored. */
typedef struct storage {
    hid_t type;         /* in the file; 0: little-endian FP32 */
    hsize_t chunk;      /* rows of a chunk; 0: contiguous */
    unsigned deflate;   /* level; 0: none */
    hsize_t user_block; /* bytes before the file proper */
    bool compact;
} storage;

static hid_t create(const char *name, hsize_t user_block)
{
    hid_t plist = H5Pcreate(H5P_FILE_CREATE);
    assert_true(H5Pset_userblock(plist, user_block) >= 0);
    hid_t file = H5Fcreate(in_folder(name), H5F_ACC_TRUNC, plist, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(H5Pclose(plist) >= 0);
    return file;
}

static void add(hid_t file, const char *path, const storage *how, int rank, const hsize_t *dims, const float *data)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    assert_true(H5Pset_create_intermediate_group(links, 1) >= 0);
    if (how->chunk) {
        const hsize_t chunk[3] = {how->chunk, 3, 1};
        assert_true(H5Pset_chunk(plist, rank, chunk) >= 0);
    }
    if (how->deflate)
        assert_true(H5Pset_deflate(plist, how->deflate) >= 0);
    if (how->compact)
        assert_true(H5Pset_layout(plist, H5D_COMPACT) >= 0);
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t dataset = H5Dcreate2(file, path, how->type ? how->type : H5T_IEEE_F32LE, space, links, plist, H5P_DEFAULT);
    assert_true(dataset >= 0);
    if (data)
        assert_true(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_true(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 && H5Pclose(plist) >= 0 && H5Pclose(links) >= 0);
}

static void write_matrix(const char *name, const char *path, const storage *how)
{
    const hsize_t dims[2] = {N, D};
    hid_t file = create(name, how->user_block);
    add(file, path, how, 2, dims, values);
    assert_true(H5Fclose(file) >= 0);
}

/* An exact copy of a file's bytes. */
typedef struct contents {
    unsigned char *data;
    eb_bytes bytes;
} contents;

static contents read_file(const char *name)
{
    FILE *file = fopen(in_folder(name), "rbe");
    assert_non_null(file);
    static unsigned char data[1 << 20];
    size_t size = fread(data, 1, sizeof data, file);
    assert_int_equal(fclose(file), 0);
    contents c = {.data = malloc(size ? size : 1)};
    assert_non_null(c.data);
    memcpy(c.data, data, size);
    c.bytes = (eb_bytes){.data = c.data, .size = size, .name = name};
    return c;
}

static eb_points read_points(const contents *c, const char *object)
{
    eb_status status;
    eb_points points = {.n = 0};
    eb_bytes bytes = c->bytes;
    bytes.object = object;
    if (eb_read_hdf5(&bytes, &points, &status))
        fail_msg("%s", status.message);
    assert_int_equal(points.stride, points.d * eb_dtype_size(points.dtype));
    return points;
}

static void expect_values(const char *name, const char *object)
{
    contents c = read_file(name);
    eb_points points = read_points(&c, object);
    assert_int_equal(points.n, N);
    assert_int_equal(points.d, D);
    assert_int_equal(points.dtype, EB_F32);
    assert_memory_equal(points.rows, values, sizeof values);
    eb_points_free(&points);
    free(c.data);
}

static void expect_refused(const char *name, const char *object, eb_code code, const char *sentence)
{
    contents c = read_file(name);
    eb_status status = {.code = EB_OK};
    eb_points points = {.n = 0};
    c.bytes.object = object;
    assert_int_equal(eb_read_hdf5(&c.bytes, &points, &status), code);
    if (strncmp(status.message, sentence, strlen(sentence)) != 0)
        fail_msg("%s\nexpected at its beginning:\n%s", status.message, sentence);
    assert_null(points.owned);
    free(c.data);
}

TEST(every_storage_is_read)
{
    static const struct {
        const char *name;
        storage how;
    } cases[] = {
        {"contiguous.h5", {.chunk = 0}},   {"userblock.h5", {.user_block = 1024}},
        {"compact.h5", {.compact = true}}, {"chunked.h5", {.chunk = 4}},
        {"one-chunk.h5", {.chunk = N}},    {"deflated.h5", {.chunk = 8, .deflate = 9}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_matrix(cases[k].name, "train", &cases[k].how);
        expect_values(cases[k].name, NULL);
        expect_values(cases[k].name, "/train");
    }
}

/* Values stored in a supported form are not copied. */
TEST(contiguous_values_stay_in_the_bytes)
{
    static const hsize_t user_blocks[] = {0, 512};
    for (size_t k = 0; k < 2; k++) {
        write_matrix("map.h5", "train", &(storage){.user_block = user_blocks[k]});
        contents c = read_file("map.h5");
        eb_points points = read_points(&c, NULL);
        assert_null(points.owned);
        assert_ptr_equal(points.rows, memmem(c.data, c.bytes.size, values, sizeof values));
        free(c.data);
    }
    write_matrix("big.h5", "train", &(storage){.type = H5T_IEEE_F32BE});
    contents c = read_file("big.h5");
    eb_points points = read_points(&c, NULL);
    assert_non_null(points.owned);
    assert_memory_equal(points.rows, values, sizeof values);
    eb_points_free(&points);
    free(c.data);
}

static hid_t half(hid_t single)
{
    hid_t type = H5Tcopy(single);
    assert_true(H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 && H5Tset_size(type, 2) >= 0 && H5Tset_ebias(type, 15) >= 0);
    return type;
}

TEST(every_type_in_both_byte_orders_is_read)
{
    const float small[4] = {1, 2, 100, 5};
    const hsize_t dims[2] = {2, 2};
    const struct {
        hid_t type;
        eb_dtype dtype;
    } types[] = {
        {half(H5T_IEEE_F32LE), EB_F16}, {half(H5T_IEEE_F32BE), EB_F16}, {H5T_IEEE_F32LE, EB_F32},
        {H5T_IEEE_F32BE, EB_F32},       {H5T_IEEE_F64LE, EB_F64},       {H5T_IEEE_F64BE, EB_F64},
        {H5T_STD_U8LE, EB_U8},          {H5T_STD_U8BE, EB_U8},          {H5T_STD_I8LE, EB_I8},
        {H5T_STD_I16LE, EB_I16},        {H5T_STD_I16BE, EB_I16},        {H5T_STD_I32LE, EB_I32},
        {H5T_STD_I32BE, EB_I32},        {H5T_STD_U16LE, EB_I32},        {H5T_STD_U16BE, EB_I32},
        {H5T_STD_U32LE, EB_F64},        {H5T_STD_U32BE, EB_F64},        {H5T_STD_I64LE, EB_F64},
        {H5T_STD_I64BE, EB_F64},        {H5T_STD_U64LE, EB_F64},        {H5T_STD_U64BE, EB_F64},
    };
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        hid_t file = create("type.h5", 0);
        add(file, "x", &(storage){.type = types[k].type}, 2, dims, small);
        assert_true(H5Fclose(file) >= 0);
        contents c = read_file("type.h5");
        eb_points points = read_points(&c, NULL);
        assert_int_equal(points.dtype, types[k].dtype);
        double back[4];
        eb_to_f64(points.dtype, points.rows, 4, back);
        for (int j = 0; j < 4; j++)
            assert_true(back[j] == (double)small[j]);
        eb_points_free(&points);
        free(c.data);
    }
}

/* Every chunk of a dataset is checked; the row in the message counts from the dataset's start. */
TEST(integers_that_would_round_are_refused)
{
    int64_t wide[6] = {0, -1, INT64_MIN, 4, 5, 9007199254740993};
    const hsize_t dims[2] = {6, 1}, chunk[2] = {2, 1};
    hid_t file = create("wide.h5", 0), space = H5Screate_simple(2, dims, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(how, 2, chunk) >= 0);
    hid_t dataset = H5Dcreate2(file, "x", H5T_STD_I64BE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide) >= 0);
    (void)H5Pclose(how);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    assert_true(H5Fclose(file) >= 0);
    expect_refused("wide.h5", NULL, EB_BAD_VALUE,
                   "wide.h5: row 5, column 0 is 9007199254740993, which FP64 does not hold exactly");
}

static void add_text(hid_t file, const char *name, const char *text)
{
    bool variable = name[0] == 'd'; /* h5py writes both kinds of strings */
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(type, variable ? H5T_VARIABLE : strlen(text)) >= 0);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, variable ? (const void *)&text : (const void *)text) >= 0);
    (void)H5Aclose(attribute);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
}

/* An ann-benchmarks file: `train` is used although there are others, and the distance of its ground truth is
 * reported. */
TEST(benchmarks_are_read_by_their_keys)
{
    const hsize_t matrix[2] = {N, D}, line[1] = {N};
    static const char *const distances[] = {"euclidean", "angular"};
    static const unsigned companions[] = {EB_HAS_TEST | EB_HAS_NEIGHBORS | EB_HAS_DISTANCES, EB_HAS_TEST};
    for (size_t k = 0; k < 2; k++) {
        hid_t file = create("ann.hdf5", 0);
        add(file, "/train", &(storage){.chunk = 0}, 2, matrix, values);
        add(file, "/test", &(storage){.chunk = 0}, 2, matrix, values);
        add(file, "/neighbors", &(storage){.type = H5T_STD_I32LE}, 2, matrix, values);
        add(file, "/distances", &(storage){.type = H5T_IEEE_F64LE}, 2, matrix, values);
        add_text(file, "type", "dense");
        add_text(file, "distance", distances[k]);
        assert_true(H5Fclose(file) >= 0);
        expect_values("ann.hdf5", NULL);
        expect_values("ann.hdf5", "/test");
        contents c = read_file("ann.hdf5");
        eb_points points = read_points(&c, "/neighbors");
        assert_int_equal(points.dtype, EB_I32);
        assert_string_equal(points.remark, k == 0 ? ""
                                                  : "the file's own distance is angular; here pairs are within a "
                                                    "Euclidean distance");
        assert_int_equal(points.companions, 0);
        eb_points_free(&points);
        points = read_points(&c, NULL);
        assert_int_equal(points.companions, companions[k]);
        assert_string_equal(points.remark, k == 0 ? ""
                                                  : "the file's own distance is angular; here pairs are within a "
                                                    "Euclidean distance, so its neighbors are left out");
        eb_points_free(&points);
        free(c.data);
    }
    hid_t file = create("sets.hdf5", 0);
    add(file, "/train", &(storage){.type = H5T_STD_I32LE}, 1, line, values);
    add_text(file, "type", "sparse");
    assert_true(H5Fclose(file) >= 0);
    expect_refused("sets.hdf5", NULL, EB_BAD_FORMAT,
                   "sets.hdf5: its points are sets (type=sparse); expected rows with equal numbers of values");
}

TEST(the_right_dataset_is_found)
{
    const hsize_t matrix[2] = {N, D}, line[1] = {N}, cube[3] = {N, D, 1};
    const storage plain = {.chunk = 0};
    hid_t file = create("many.h5", 0);
    add(file, "/test", &plain, 2, matrix, values);
    add(file, "/deep/inside", &plain, 2, matrix, values);
    add(file, "/line", &plain, 1, line, values);
    add(file, "/cube", &plain, 3, cube, values);
    assert_true(H5Fclose(file) >= 0);
    expect_refused(
        "many.h5", NULL, EB_BAD_FORMAT,
        "many.h5: expected /train or one 2-d numeric dataset, found 2: /deep/inside, /test; name one as FILE:/NAME");
    expect_refused("many.h5", "/nothing", EB_BAD_FORMAT,
                   "many.h5: no dataset /nothing; 2-d numeric datasets: /deep/inside, /test");
    expect_refused("many.h5", "/deep", EB_BAD_FORMAT, "many.h5: no dataset /deep;");
    expect_refused("many.h5", "/cube", EB_BAD_FORMAT, "many.h5: /cube has 3 dimensions; expected 2");
    expect_values("many.h5", "/deep/inside");
    contents c = read_file("many.h5");
    eb_points points = read_points(&c, "/line");
    assert_int_equal(points.n, N);
    assert_int_equal(points.d, 1);
    assert_memory_equal(points.rows, values, N * sizeof *values);
    eb_points_free(&points);
    free(c.data);

    file = H5Fopen(in_folder("many.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    add(file, "/train", &(storage){.chunk = 5}, 2, matrix, values);
    assert_true(H5Fclose(file) >= 0);
    expect_values("many.h5", NULL);

    file = create("none.h5", 0);
    add(file, "/line", &plain, 1, line, values);
    assert_true(H5Fclose(file) >= 0);
    expect_refused("none.h5", NULL, EB_BAD_FORMAT, "none.h5: expected /train or one 2-d numeric dataset, found none");
    expect_refused("none.h5", "/nothing", EB_BAD_FORMAT, "none.h5: no dataset /nothing; 2-d numeric datasets: none");
}

TEST(what_cannot_be_points_is_refused)
{
    const hsize_t matrix[2] = {N, D}, wide[2] = {1, 65537}, huge[2] = {1000000000, 65536}, none[2] = {0, D};
    hid_t file = create("odd.h5", 0);
    add(file, "/long", &(storage){.type = H5T_NATIVE_LDOUBLE}, 2, matrix, values);
    add(file, "/wide", &(storage){.chunk = 1}, 2, wide, NULL);
    add(file, "/huge", &(storage){.chunk = 1, .deflate = 1}, 2, huge, NULL);
    add(file, "/none", &(storage){.chunk = 1}, 2, none, NULL);
    add(file, "/unwritten", &(storage){.chunk = 5}, 2, matrix, NULL);
    assert_true(H5Fclose(file) >= 0);
    expect_refused("odd.h5", "/long", EB_BAD_FORMAT,
                   "odd.h5: /long has elements of an unknown type; expected floats, integers or bools");
    expect_refused("odd.h5", "/wide", EB_TOO_LARGE, "odd.h5: 65537 dimensions; at most 65536 are supported");
    expect_refused("odd.h5", "/huge", EB_BAD_FORMAT,
                   "odd.h5: 1000000000 × 65536 f32 values need 262144000000000 bytes; compressed, only 0 are stored");
    expect_refused("odd.h5", "/none", EB_BAD_FORMAT, "odd.h5: no points: 0 rows of 7 dimensions");
    expect_refused("odd.h5", "/unwritten", EB_BAD_FORMAT, "odd.h5: 30 × 7 f32 values need 840 bytes; 0 are stored");
    write_file("text.h5", "some words", 10);
    expect_refused("text.h5", NULL, EB_BAD_FORMAT, "text.h5: offset 0: expected an HDF5 file: libhdf5 says: ");
}

TEST(load_names_the_dataset_in_the_source)
{
    write_matrix("named.hdf5", "points", &(storage){.chunk = 4, .deflate = 1});
    char what[600], expected[600], *absolute = realpath(in_folder("named.hdf5"), NULL);
    (void)snprintf(what, sizeof what, "%s:/points", in_folder("named.hdf5"));
    (void)snprintf(expected, sizeof expected, "%s:/points", absolute);
    eb_dataset *ds = NULL, *whole = NULL;
    eb_status status;
    assert_int_equal(eb_load(what, NULL, &ds, &status), EB_OK);
    assert_string_equal(ds->source, expected);
    assert_string_equal(ds->format, "hdf5");
    assert_int_equal(eb_load(in_folder("named.hdf5"), NULL, &whole, &status), EB_OK);
    assert_string_equal(whole->sha256, ds->sha256);
    assert_string_equal(whole->source, absolute);
    eb_dataset_free(ds);
    eb_dataset_free(whole);
    free(absolute);
}

TEST(gzipped_files_are_read)
{
    for (int chunked = 0; chunked < 2; chunked++) {
        write_matrix("plain.h5", "train", &(storage){.chunk = chunked ? 4 : 0});
        contents c = read_file("plain.h5");
        gzFile zipped = gzopen(in_folder("zipped.h5.gz"), "wb");
        assert_non_null(zipped);
        assert_int_equal(gzwrite(zipped, c.data, (unsigned)c.bytes.size), c.bytes.size);
        assert_int_equal(gzclose(zipped), Z_OK);
        free(c.data);
        char what[600];
        (void)snprintf(what, sizeof what, "%s%s", in_folder("zipped.h5.gz"), chunked ? ":/train" : "");
        eb_dataset *ds = NULL;
        eb_status status;
        if (eb_load(what, NULL, &ds, &status))
            fail_msg("%s", status.message);
        assert_int_equal(ds->n, N);
        assert_memory_equal(ds->rows, values, sizeof values);
        eb_dataset_free(ds);
    }
}

/* A file cut or altered at any place gives values within the bytes or an error; the process survives. */
TEST(damaged_files_take_nobody_down)
{
    write_matrix("whole.h5", "train", &(storage){.chunk = 8, .deflate = 9});
    contents whole = read_file("whole.h5");
    size_t size = whole.bytes.size;
    uint64_t random = 7;
    for (int k = 0; k < 60; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        bool cut = k % 3 == 0;
        size_t at = (size_t)(random >> 20) % size, kept = cut ? at : size;
        unsigned char *damaged = malloc(kept ? kept : 1);
        assert_non_null(damaged);
        memcpy(damaged, whole.data, kept);
        if (!cut)
            damaged[at] ^= (unsigned char)(1u << (random >> 61));
        const eb_bytes bytes = {.data = damaged, .size = kept, .name = "damaged.h5"};
        eb_status status = {.code = EB_OK};
        eb_points points = {.n = 0};
        eb_code code = eb_read_hdf5(&bytes, &points, &status);
        assert_int_equal(status.code, code);
        if (code)
            assert_memory_equal(status.message, "damaged.h5: ", 12);
        else
            eb_points_free(&points);
        if (cut) /* the superblock states the file's length */
            assert_int_not_equal(code, EB_OK);
        free(damaged);
    }
    free(whole.data);
}

static eb_code read_in_job(eb_job *job, void *argument, eb_status *status)
{
    contents *c = argument;
    eb_points points;
    while (!eb_job_cancelled(job))
        continue;
    c->bytes.job = job;
    return eb_read_hdf5(&c->bytes, &points, status);
}

TEST(reading_can_be_cancelled)
{
    write_matrix("cancelled.h5", "train", &(storage){.chunk = 8});
    contents c = read_file("cancelled.h5");
    eb_status status;
    eb_job *job;
    assert_int_equal(eb_job_start(read_in_job, &c, &job, &status), EB_OK);
    eb_job_cancel(job);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    free(c.data);
}

RUN_TESTS_WITH(prepare, remove_folder)
