/* Tests of the facts and labels in a saved file: where it comes from, and what its points are called. */

#include <hdf5.h>
#include <jansson.h>

#include "io/save/save.h"
#include "io_files.h"
#include "tests/unit/test.h"

/* Points 0 and 1 are neighbours, 2 is alone. */
static eb_neighbours *small_table(eb_distances kept)
{
    static const uint32_t columns[] = {0, 1, 0, 1, 2};
    static const double distances[] = {0, 0.1, 0.1, 0, 0};
    static const uint64_t offsets[] = {0, 2, 4, 5};
    eb_neighbours *table;
    assert_int_equal(eb_neighbours_new(3, 0, 3, 5, kept, &table, NULL), EB_OK);
    memcpy(table->offsets, offsets, sizeof offsets);
    memcpy(table->columns, columns, sizeof columns);
    for (uint64_t k = 0; k < 5; k++)
        eb_neighbours_set_distance(table, k, distances[k]);
    return table;
}

static eb_labels *small_labels(void)
{
    eb_labels *labels = eb_labels_new("kind");
    assert_true(eb_labels_add(labels, "a", 1) && eb_labels_add(labels, "say \"b\"", 7) &&
                eb_labels_add(labels, "a", 1));
    return labels;
}

static void save_told(const char *name, eb_distances kept, const eb_labels *labels)
{
    eb_saver *saver;
    eb_status status;
    eb_neighbours *table = small_table(kept);
    assert_int_equal(eb_saver_open(in_folder(name), 3, kept, &saver, &status), EB_OK);
    assert_true(eb_saver_tells(saver));
    assert_int_equal(eb_facts_tell(eb_saver_facts(saver), "command", "join a\nb \xff \xce\xb5", &status), EB_OK);
    assert_int_equal(eb_facts_tell_number(eb_saver_facts(saver), "eps", 0.3, &status), EB_OK);
    assert_int_equal(eb_facts_tell(eb_saver_facts(saver), "empty", "", &status), EB_OK);
    eb_saver_label(saver, labels);
    assert_int_equal(eb_saver_rows(saver, table, &status), EB_OK);
    if (eb_saver_close(saver, &status))
        fail_msg("%s", status.message);
    eb_neighbours_free(table);
}

static void expect_text(const char *name, const char *expected)
{
    char text[1024];
    FILE *file = fopen(in_folder(name), "rbe");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    (void)fclose(file);
    assert_string_equal(text, expected);
}

TEST(csv_has_comments_and_columns)
{
    eb_labels *labels = small_labels();
    save_told("t.csv", EB_DISTANCES_F64, labels);
    expect_text("t.csv", "# command: join a?b ? \xce\xb5\n# eps: 0.3\n# empty: \ni,j,distance,label_i,label_j\n"
                         "0,0,0,\"a\",\"a\"\n0,1,0.10000000000000001,\"a\",\"say \"\"b\"\"\"\n"
                         "1,0,0.10000000000000001,\"say \"\"b\"\"\",\"a\"\n1,1,0,\"say \"\"b\"\"\",\"say \"\"b\"\"\"\n"
                         "2,2,0,\"a\",\"a\"\n");
    save_told("bare.csv", EB_DISTANCES_NONE, labels);
    expect_text("bare.csv",
                "# command: join a?b ? \xce\xb5\n# eps: 0.3\n# empty: \ni,j,label_i,label_j\n0,0,\"a\",\"a\"\n"
                "0,1,\"a\",\"say \"\"b\"\"\"\n1,0,\"say \"\"b\"\"\",\"a\"\n"
                "1,1,\"say \"\"b\"\"\",\"say \"\"b\"\"\"\n2,2,\"a\",\"a\"\n");
    save_told("plain.csv", EB_DISTANCES_NONE, NULL);
    expect_text("plain.csv", "# command: join a?b ? \xce\xb5\n# eps: 0.3\n# empty: \ni,j\n0,0\n0,1\n1,0\n1,1\n2,2\n");
    eb_labels_free(labels);
}

/* Arrays of numbers are read by our own reader; texts are compared as bytes. */
TEST(npz_has_members)
{
    eb_labels *labels = small_labels();
    save_told("t.npz", EB_DISTANCES_F32, labels);
    unsigned char bytes[8192];
    FILE *file = fopen(in_folder("t.npz"), "rbe");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    eb_points points;
    eb_bytes archive = {.data = bytes, .size = size, .name = "t", .object = "/labels"};
    static const int32_t of[] = {0, 1, 0};
    assert_int_equal(eb_read_npz(&archive, &points, NULL), EB_OK);
    assert_int_equal(points.n, 3);
    assert_int_equal(points.dtype, EB_I32);
    assert_memory_equal(points.rows, of, sizeof of);
    eb_points_free(&points);
    static const char names[] = "a\0\0\0\0\0\0say \"b\"";
    assert_non_null(memmem(bytes, size, "'descr': '|S7', 'fortran_order': False, 'shape': (2,), }", 56));
    assert_non_null(memmem(bytes, size, names, sizeof names - 1));
    const char *json = memmem(bytes, size, "{\"command\"", 10);
    assert_non_null(json);
    json_t *told = json_loads(json, JSON_DISABLE_EOF_CHECK, NULL);
    assert_string_equal(json_string_value(json_object_get(told, "command")), "join a?b ? \xce\xb5");
    assert_true(json_real_value(json_object_get(told, "eps")) == 0.3);
    json_decref(told);
    eb_labels_free(labels);
}

static void expect_h5_text(hid_t file, const char *name, const char *expected)
{
    char text[64] = "";
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    assert_true(attribute >= 0 && H5Tget_size(type) < sizeof text);
    assert_true(H5Aread(attribute, type, text) >= 0);
    assert_string_equal(text, expected);
    (void)H5Tclose(type);
    (void)H5Aclose(attribute);
}

TEST(hdf5_has_attributes_and_datasets)
{
    eb_labels *labels = small_labels();
    for (int kept = 0; kept < 2; kept++) {
        save_told("t.h5", kept ? EB_DISTANCES_F64 : EB_DISTANCES_NONE, labels);
        hid_t file = H5Fopen(in_folder("t.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        expect_h5_text(file, "command", "join a?b ? \xce\xb5");
        expect_h5_text(file, "empty", "");
        double eps = 0;
        hid_t attribute = H5Aopen(file, "eps", H5P_DEFAULT);
        assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, &eps) >= 0 && eps == 0.3);
        (void)H5Aclose(attribute);
        int32_t of[3];
        char names[14];
        hid_t dataset = H5Dopen2(file, "labels", H5P_DEFAULT);
        assert_true(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, of) >= 0);
        assert_true(of[0] == 0 && of[1] == 1 && of[2] == 0);
        (void)H5Dclose(dataset);
        dataset = H5Dopen2(file, "label_names", H5P_DEFAULT);
        hid_t type = H5Dget_type(dataset);
        assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
        assert_memory_equal(names, "a\0\0\0\0\0\0say \"b\"", 14);
        (void)H5Tclose(type);
        (void)H5Dclose(dataset);
        assert_true((H5Lexists(file, "distances", H5P_DEFAULT) > 0) == (kept != 0));
        (void)H5Fclose(file);
    }
    eb_labels_free(labels);
}

TEST(long_facts_are_cut_and_fit)
{
    eb_saver *saver;
    eb_status status;
    char *text = malloc(100001);
    memset(text, 'x', 100000);
    text[100000] = 0;
    static const char *const names[] = {"long.h5", "long.npz", "long.csv"};
    for (size_t f = 0; f < 3; f++) {
        static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                           "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};
        eb_neighbours *table = small_table(EB_DISTANCES_F64);
        assert_int_equal(eb_saver_open(in_folder(names[f]), 3, EB_DISTANCES_F64, &saver, &status), EB_OK);
        for (size_t k = 0; k < 20; k++)
            assert_int_equal(eb_facts_tell(eb_saver_facts(saver), keys[k], text, &status), EB_OK);
        assert_int_equal(eb_facts_tell(eb_saver_facts(saver), "u", text, &status), EB_INTERNAL);
        assert_int_equal(eb_saver_rows(saver, table, &status), EB_OK);
        if (eb_saver_close(saver, &status))
            fail_msg("%s", status.message);
        eb_neighbours_free(table);
    }
    free(text);
}

TEST(other_formats_have_no_room)
{
    eb_saver *saver;
    static const char *const names[] = {"t.ivecs", "t.range"};
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(eb_saver_open(in_folder(names[k]), 3, EB_DISTANCES_F64, &saver, NULL), EB_OK);
        assert_false(eb_saver_tells(saver));
        eb_saver_abandon(saver);
    }
}

RUN_TESTS_WITH(make_folder, remove_folder)
