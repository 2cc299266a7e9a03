/* Tests of true neighbours from files: reading, and the errors that FP64 verification finds. */

#include <math.h>
#include <zlib.h>

#include "io/ground_truth/ground_truth.h"
#include "io/load.h"
#include "io_files.h"
#include "tests/unit/test.h"

enum { N = 60, QUERIES = 5, D = 4, K = 3, THREADS = 2 };

/* Points and queries in the folder, and their neighbours by sorting. */
static eb_dataset *points, *queries;
static uint32_t nearest[QUERIES][K];
static double squares[QUERIES][K];

/* ---- files ---- */

static eb_dataset *load(const char *name)
{
    eb_status status;
    eb_dataset *ds = NULL;
    if (eb_load(in_folder(name), NULL, &ds, &status))
        fail_msg("%s", status.message);
    return ds;
}

static void write_points(const char *name, size_t n, unsigned seed)
{
    build b = {.size = 0};
    put_le32(&b, (uint32_t)n);
    put_le32(&b, D);
    for (size_t i = 0; i < n * D; i++) {
        const float x = (float)(rand_r(&seed) % 1000) / 7;
        put(&b, &x, sizeof x);
    }
    write_file(name, b.bytes, b.size);
}

static void find_nearest(size_t q)
{
    bool taken[N] = {false};
    for (size_t j = 0; j < K; j++) {
        size_t best = N;
        for (size_t i = 0; i < N; i++)
            if (!taken[i] && (best == N || eb_truth_distance2_between(queries, q, points, i, 0) <
                                               eb_truth_distance2_between(queries, q, points, best, 0)))
                best = i;
        taken[best] = true;
        nearest[q][j] = (uint32_t)best;
        squares[q][j] = eb_truth_distance2_between(queries, q, points, best, 0);
    }
}

static int prepare(void **state)
{
    if (make_folder(state))
        return -1;
    write_points("base.fbin", N, 1);
    write_points("queries.fbin", QUERIES, 2);
    points = load("base.fbin");
    queries = load("queries.fbin");
    for (size_t q = 0; q < QUERIES; q++)
        find_nearest(q);
    return 0;
}

static int clear(void **state)
{
    eb_dataset_free(points);
    eb_dataset_free(queries);
    return remove_folder(state);
}

/* A file as big-ann-benchmarks writes it: without distances, or with squared distances raised to a power. */
static build neighbours(double power)
{
    build b = {.size = 0};
    put_le32(&b, QUERIES);
    put_le32(&b, K);
    for (size_t j = 0; j < (size_t)QUERIES * K; j++)
        put_le32(&b, nearest[j / K][j % K]);
    for (size_t j = 0; j < (size_t)QUERIES * K && power > 0; j++) {
        const float stated = (float)pow(squares[j / K][j % K], power);
        put(&b, &stated, sizeof stated);
    }
    return b;
}

static eb_ground_truth *load_truth(const char *name)
{
    eb_status status;
    eb_ground_truth *truth = NULL;
    if (eb_load_ground_truth(in_folder(name), NULL, &truth, &status))
        fail_msg("%s", status.message);
    return truth;
}

static void expect_truth(const char *name, eb_stated stated)
{
    eb_status status;
    eb_ground_truth *truth = load_truth(name);
    assert_int_equal(truth->queries, QUERIES);
    assert_int_equal(truth->k, K);
    assert_memory_equal(truth->id, nearest, sizeof nearest);
    assert_int_equal(truth->distance != NULL, stated != EB_STATED_NOT);
    if (eb_ground_truth_verify(truth, points, queries, THREADS, NULL, &status))
        fail_msg("%s", status.message);
    assert_int_equal(truth->stated, stated);
    for (size_t q = 0; q < QUERIES; q++)
        for (size_t k = 1; k <= K; k++)
            assert_true(eb_ground_truth_reach(truth, points, queries, q, k) == sqrt(squares[q][k - 1]));
    assert_int_equal(eb_ground_truth_check(truth, NULL), EB_OK);
    eb_ground_truth_free(truth);
}

/* ---- reading ---- */

static void write_zipped(const char *name, const build *b)
{
    gzFile zipped = gzopen(in_folder(name), "wb");
    assert_non_null(zipped);
    assert_int_equal(gzwrite(zipped, b->bytes, (unsigned)b->size), b->size);
    assert_int_equal(gzclose(zipped), Z_OK);
}

TEST(every_form_is_read)
{
    const build bare = neighbours(0), plain = neighbours(0.5), squared = neighbours(1);
    write_file("gt.ibin", bare.bytes, bare.size);
    write_file("plain.bin", plain.bytes, plain.size);
    write_file("bigann-60", squared.bytes, squared.size);
    write_zipped("gt.bin.gz", &squared);
    expect_truth("gt.ibin", EB_STATED_NOT);
    expect_truth("plain.bin", EB_STATED_PLAIN);
    expect_truth("bigann-60", EB_STATED_SQUARED);
    expect_truth("gt.bin.gz", EB_STATED_SQUARED);
}

static void put_npy(build *b, const char *type)
{
    char header[128];
    const int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d)}\n",
                                type, QUERIES, K);
    const unsigned char begin[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, 0};
    put(b, begin, sizeof begin);
    put_text(b, header);
}

TEST(a_matrix_of_ids_is_read)
{
    build vecs = {.size = 0}, wide = {.size = 0};
    for (size_t q = 0; q < QUERIES; q++) {
        put_le32(&vecs, K);
        put(&vecs, nearest[q], sizeof nearest[q]);
    }
    put_npy(&wide, "<i8");
    for (size_t j = 0; j < (size_t)QUERIES * K; j++) {
        const int64_t id = nearest[j / K][j % K];
        put(&wide, &id, sizeof id);
    }
    write_file("gt.ivecs", vecs.bytes, vecs.size);
    write_file("gt.npy", wide.bytes, wide.size);
    expect_truth("gt.ivecs", EB_STATED_NOT);
    expect_truth("gt.npy", EB_STATED_NOT);
}

static void refuses(const build *b, const char *sentence)
{
    const eb_bytes bytes = {.data = b->bytes, .size = b->size, .name = "gt"};
    eb_neighbour_bytes out;
    eb_status status = {.message = ""};
    assert_int_equal(eb_read_neighbours(&bytes, &out, &status), EB_BAD_FORMAT);
    assert_string_equal(status.message, sentence);
}

TEST(sizes_are_checked)
{
    const build whole = neighbours(1);
    for (size_t size = 0; size < whole.size + 16; size++) {
        const eb_bytes bytes = {.data = whole.bytes, .size = size, .name = "gt"};
        eb_neighbour_bytes out;
        const bool right = size == 8 + sizeof nearest || size == whole.size;
        assert_int_equal(eb_read_neighbours(&bytes, &out, NULL), right ? EB_OK : EB_BAD_FORMAT);
    }
    build b = {.size = 0};
    refuses(&b, "gt: offset 0: expected 8 bytes of header (queries, k), found 0");
    put_le32(&b, 2);
    put_le32(&b, 0);
    refuses(&b, "gt: no points: 2 rows of 0 dimensions");
    b = neighbours(0);
    b.bytes[4] = 4;
    refuses(&b,
            "gt: offset 8: expected 80 bytes of 5 × 4 ids as the header says, or twice as many with their distances, "
            "found 60");
    b.bytes[3] = 0x7f; /* close to 2³¹ queries: more than the bytes hold, without overflow */
    assert_int_equal(eb_read_neighbours(&(eb_bytes){.data = b.bytes, .size = b.size, .name = "gt"},
                                        &(eb_neighbour_bytes){0}, NULL),
                     EB_BAD_FORMAT);
}

TEST(ids_are_whole_numbers)
{
    static const char *const text[] = {"1,2.5\n", "1,-1\n", "1,2147483647\n"};
    static const char *const said[] = {"2.5", "-1", "2147483647"};
    for (size_t k = 0; k < 3; k++) {
        eb_status status;
        eb_ground_truth *truth = NULL;
        char expected[128];
        write_file("gt.csv", text[k], strlen(text[k]));
        (void)snprintf(expected, sizeof expected, "query 0, neighbour 1: expected a row of the points, found %s",
                       said[k]);
        assert_int_equal(eb_load_ground_truth(in_folder("gt.csv"), NULL, &truth, &status), EB_BAD_VALUE);
        assert_non_null(strstr(status.message, expected));
        assert_null(truth);
    }
}

TEST(a_changed_file_is_noticed)
{
    const build b = neighbours(1);
    write_file("gone.ibin", b.bytes, b.size);
    write_file("gone.csv", "1,2\n", 4);
    eb_ground_truth *bin = load_truth("gone.ibin"), *csv = load_truth("gone.csv");
    write_file("gone.ibin", b.bytes, b.size - 4);
    write_file("gone.csv", "1,2,3\n", 6);
    assert_int_equal(eb_ground_truth_check(bin, NULL), EB_CHANGED);
    assert_int_equal(eb_ground_truth_check(csv, NULL), EB_CHANGED);
    eb_ground_truth_free(bin);
    eb_ground_truth_free(csv);
}

/* ---- verifying ---- */

/* A new ground truth that a test may damage. */
static eb_ground_truth *made(bool distances)
{
    eb_ground_truth *truth = eb_ground_truth_new("gt", QUERIES, K, distances);
    assert_non_null(truth);
    memcpy(truth->id, nearest, sizeof nearest);
    for (size_t j = 0; j < (size_t)QUERIES * K && distances; j++)
        truth->distance[j] = (float)squares[j / K][j % K];
    return truth;
}

static void finds(eb_ground_truth *truth, const eb_dataset *of, const char *sentence)
{
    eb_status status = {.message = ""};
    assert_int_equal(eb_ground_truth_verify(truth, points, of, THREADS, NULL, &status), EB_BAD_VALUE);
    if (!strstr(status.message, sentence))
        fail_msg("%s\nexpected in it:\n%s", status.message, sentence);
    eb_ground_truth_free(truth);
}

TEST(wrong_ids_are_found)
{
    eb_ground_truth *truth = made(false);
    truth->id[2 * K + 1] = N;
    finds(truth, queries, "gt: query 2, neighbour 1: expected a row of the points, 0 to 59, found 60");
    truth = made(false);
    truth->id[3 * K + 2] = truth->id[3 * K];
    finds(truth, queries, "gt: query 3: expected different neighbours, found row ");
    truth = made(false);
    truth->id[K] = nearest[1][1];
    truth->id[K + 1] = nearest[1][0];
    finds(truth, queries, "gt: query 1, neighbour 1: expected the nearest first, found row ");
    finds(made(false), points, "gt: expected the neighbours of 60 queries, as many as ");
    truth = eb_ground_truth_new("gt", QUERIES, N + 1, false);
    finds(truth, queries, "gt: expected at most 60 neighbours a query, the points there are; found 61");
}

TEST(wrong_distances_are_found)
{
    char expected[160];
    eb_ground_truth *truth = made(true);
    truth->distance[K + 2] = NAN;
    finds(truth, queries, "gt: query 1, neighbour 2: expected distances in ascending order, found nan");
    truth = made(true);
    truth->distance[K + 2] = 0;
    finds(truth, queries,
          "gt: query 1, neighbour 2: expected distances in ascending order, found 0 behind a greater one");
    truth = made(true);
    truth->distance[4 * K + 2] *= 1.01F;
    (void)snprintf(expected, sizeof expected,
                   "gt: query 4, neighbour 2: expected the distance of row %u, %.9g, or its square", nearest[4][2],
                   sqrt(squares[4][2]));
    finds(truth, queries, expected);
    truth = made(true); /* squared distances, and plain ones for one query */
    for (size_t j = 0; j < K; j++)
        truth->distance[3 * K + j] = sqrtf(truth->distance[3 * K + j]);
    finds(truth, queries, "gt: query 3, neighbour 0: expected the distance of row ");
}

/* Two neighbours whose distances are equal up to FP32 rounding may be in either order; others may not. */
TEST(rounding_is_forgiven)
{
    write_file("near.csv", "10000,1\n10000,2\n10000,40\n", 25);
    write_file("one.csv", "10000,0\n", 8);
    eb_dataset *near = load("near.csv"), *one = load("one.csv");
    static const uint32_t order[][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}};
    for (size_t k = 0; k < 3; k++) {
        eb_status status = {.message = ""};
        eb_ground_truth *truth = eb_ground_truth_new("gt", 1, 3, false);
        memcpy(truth->id, order[k], sizeof order[k]);
        const eb_code expected = k < 2 ? EB_OK : EB_BAD_VALUE;
        assert_int_equal(eb_ground_truth_verify(truth, near, one, 1, NULL, &status), expected);
        assert_true(eb_ground_truth_reach(truth, near, one, 0, 2) == (k < 2 ? 2 : 40));
        eb_ground_truth_free(truth);
    }
    eb_dataset_free(near);
    eb_dataset_free(one);
}

/* Points whose squares overflow FP64 are scaled by a power of two. */
TEST(far_points_are_verified)
{
    write_file("far.csv", "1e200,0\n2e200,0\n3e200,0\n", 24);
    write_file("origin.csv", "0,1e200\n", 8);
    eb_dataset *far = load("far.csv"), *origin = load("origin.csv");
    eb_ground_truth *truth = eb_ground_truth_new("gt", 1, 3, false);
    const uint32_t right[] = {0, 1, 2}, wrong[] = {2, 1, 0};
    memcpy(truth->id, right, sizeof right);
    assert_int_equal(eb_ground_truth_verify(truth, far, origin, 1, NULL, NULL), EB_OK);
    assert_true(fabs(eb_ground_truth_reach(truth, far, origin, 0, 1) / (sqrt(2) * 1e200) - 1) < 1e-12);
    memcpy(truth->id, wrong, sizeof wrong);
    assert_int_equal(eb_ground_truth_verify(truth, far, origin, 1, NULL, NULL), EB_BAD_VALUE);
    eb_ground_truth_free(truth);
    eb_dataset_free(far);
    eb_dataset_free(origin);
}

RUN_TESTS_WITH(prepare, clear)
