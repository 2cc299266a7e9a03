/* Query sets and their true neighbours in a session: files of ann-benchmarks load, and a refused file changes nothing.
 */

#include <hdf5.h>
#include <math.h>

#include "core/report/find.h"
#include "io_files.h"
#include "shell_session.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

enum { N = 20, QUERIES = 3, D = 2, K = 2 };

/* Contents of a generated ann-benchmarks file; distance NULL: no such attribute. */
typedef struct benchmark {
    const char *distance;
    bool test, neighbors, distances;
    size_t dimensions; /* of the dataset `test` */
    int32_t first;     /* first id of the first row of `neighbors` */
} benchmark;

static void add(hid_t file, const char *name, hid_t type, hsize_t n, hsize_t d, const void *data)
{
    const hsize_t dims[] = {n, d};
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_true(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0);
}

static void add_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    assert_true(H5Tset_size(type, strlen(text)) >= 0);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, text) >= 0 && H5Aclose(attribute) >= 0);
    assert_true(H5Tclose(type) >= 0 && H5Sclose(space) >= 0);
}

/* Writes points 0, 1, 2 … on a line; queries lie a little beyond the first points. */
static void write_benchmark(const char *name, const benchmark *how)
{
    float train[N][D] = {{0}}, test[QUERIES * 3] = {0}, distances[QUERIES][K];
    int32_t neighbors[QUERIES][K];
    for (size_t i = 0; i < N; i++)
        train[i][0] = (float)i;
    for (size_t q = 0; q < QUERIES; q++) {
        test[q * how->dimensions] = (float)q + 0.25F;
        for (size_t j = 0; j < K; j++) {
            neighbors[q][j] = (int32_t)(q + j);
            distances[q][j] = j == 0 ? 0.25F : 0.75F;
        }
    }
    neighbors[0][0] = how->first;
    hid_t file = H5Fcreate(in_folder(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    add(file, "train", H5T_NATIVE_FLOAT, N, D, train);
    if (how->test)
        add(file, "test", H5T_NATIVE_FLOAT, QUERIES, how->dimensions, test);
    if (how->neighbors)
        add(file, "neighbors", H5T_NATIVE_INT32, QUERIES, K, neighbors);
    if (how->distances)
        add(file, "distances", H5T_NATIVE_FLOAT, QUERIES, K, distances);
    if (how->distance)
        add_text(file, "distance", how->distance);
    assert_true(H5Fclose(file) >= 0);
}

/* The line with every @ replaced by the test's folder. */
static const char *here(const char *text)
{
    static char line[1024];
    size_t used = 0;
    for (const char *p = text; *p; p++)
        used += (size_t)(*p == '@' ? snprintf(line + used, sizeof line - used, "%s", files_folder)
                                   : snprintf(line + used, sizeof line - used, "%c", *p));
    assert_true(used < sizeof line);
    return line;
}

/* The text of a record's field; "" if there is none. */
static const char *said(const eb_report *report, const char *record, const char *key)
{
    const eb_value value = eb_record_find(eb_report_find_record(report, EB_KEY(record)), EB_KEY(key));
    return value.kind == EB_TEXT ? value.as.text : "";
}

TEST(a_benchmark_brings_its_queries)
{
    static const struct {
        benchmark how;
        bool truth;
        eb_stated stated;
    } cases[] = {
        {{"euclidean", true, true, true, D, 0}, true, EB_STATED_PLAIN},
        {{NULL, true, true, false, D, 0}, true, EB_STATED_NOT},
        {{"euclidean", true, false, false, D, 0}, false, EB_STATED_NOT},
        {{"angular", true, true, true, D, 7}, false, EB_STATED_NOT},
    };
    eb_session *session = session_with_points();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_benchmark("x.hdf5", &cases[k].how);
        eb_report *report = report_of(session, here("load @/x.hdf5"));
        assert_int_equal(session->dataset->n, N);
        assert_non_null(session->queries);
        assert_int_equal(session->queries->n, QUERIES);
        assert_non_null(strstr(said(report, "query_set", "source"), "x.hdf5:/test"));
        assert_int_equal(session->truth != NULL, cases[k].truth);
        if (session->truth) {
            assert_int_equal(session->truth->stated, cases[k].stated);
            assert_int_equal(session->truth->id[K], 1);
            assert_non_null(strstr(said(report, "truth", "source"), "x.hdf5:/neighbors"));
        }
        assert_int_equal(eb_session_check_dataset(session, NULL), EB_OK);
        eb_report_free(report);
    }
    eb_session_free(session);
}

TEST(a_part_of_it_comes_alone)
{
    eb_session *session = session_with_points();
    write_benchmark("x.hdf5", &(benchmark){"euclidean", true, true, true, D, 0});
    eb_report_free(report_of(session, here("load @/x.hdf5")));
    assert_non_null(session->queries);
    eb_report_free(report_of(session, here("load @/x.hdf5:/train")));
    assert_null(session->queries);
    assert_null(session->truth);
    eb_report_free(report_of(session, here("load @/x.hdf5:/train queries=@/x.hdf5:/test truth=@/x.hdf5:/neighbors")));
    assert_true(session->truth && session->truth->k == K);
    eb_report_free(report_of(session, "synth uniform 50 3"));
    assert_null(session->queries);
    assert_null(session->truth);
    eb_session_free(session);
}

/* A refused file leaves the session's dataset as it was. */
TEST(what_does_not_fit_is_refused)
{
    eb_session *session = session_with_points();
    const eb_dataset *before = session->dataset;
    write_benchmark("wide.hdf5", &(benchmark){"euclidean", true, true, true, 3, 0});
    refuses_line(session, here("load @/wide.hdf5"), EB_BAD_VALUE,
                 "wide.hdf5:/test: expected queries of 2 dimensions in f32 as the points of ");
    write_benchmark("far.hdf5", &(benchmark){"euclidean", true, true, true, D, 9});
    refuses_line(
        session, here("load @/far.hdf5"), EB_BAD_VALUE,
        "far.hdf5:/neighbors: query 0, neighbour 1: expected the nearest first, found row 1 at a distance of 0.75 "
        "behind row 9 at 8.75");
    write_benchmark("x.hdf5", &(benchmark){"euclidean", true, true, true, D, 0});
    refuses_line(session, here("load @/x.hdf5 truth=none"), EB_USAGE, "truth= tells the neighbours of queries");
    refuses_line(session, here("load @/x.hdf5 scale=minmax queries=@/x.hdf5:/test"), EB_USAGE, "leave out scale=");
    assert_ptr_equal(session->dataset, before);
    eb_session_free(session);
}

TEST(a_query_file_that_changed_is_noticed)
{
    static const char *const file[] = {"q.csv", "t.csv"};
    for (size_t k = 0; k < 2; k++) {
        eb_session *session = session_with_points();
        eb_status status;
        write_file("b.csv", "0,0\n1,1\n2,5\n", 12);
        write_file("q.csv", "0,1\n2,2\n", 8);
        write_file("t.csv", "0,1\n1,0\n", 8);
        eb_report_free(report_of(session, here("load @/b.csv queries=@/q.csv truth=@/t.csv")));
        assert_int_equal(eb_session_check_dataset(session, &status), EB_OK);
        write_file(file[k], "0,1\n", 4);
        assert_int_equal(eb_session_check_dataset(session, &status), EB_CHANGED);
        assert_non_null(strstr(status.message, file[k]));
        eb_session_free(session);
    }
}

RUN_TESTS_WITH(make_folder, remove_folder)
