/* Tests of tables in parts: several writers of one table, what is refused, and reading back. */

#include "io/parts/keeper.h"
#include "io/parts/stored.h"
#include "io_files.h"
#include "tests/unit/test.h"

enum { POINTS = 6 };

static void assert_says(const eb_status *status, const char *part)
{
    if (!strstr(status->message, part))
        fail_msg("\"%s\" does not say \"%s\"", status->message, part);
}

/* Each point's neighbours are the points that differ from it by at most 1. */
static eb_neighbours *rows(size_t first, size_t end, eb_distances kept)
{
    eb_neighbours *table;
    assert_int_equal(eb_neighbours_new(POINTS, first, end - first, 3 * POINTS, kept, &table, NULL), EB_OK);
    uint64_t at = 0;
    for (size_t r = first; r < end; r++) {
        for (size_t j = r ? r - 1 : 0; j <= r + 1 && j < POINTS; j++) {
            table->columns[at] = (uint32_t)j;
            eb_neighbours_set_distance(table, at++, j == r ? 0 : 1);
        }
        table->offsets[r - first + 1] = at;
    }
    return table;
}

static eb_parts_table described(void)
{
    eb_parts_table table = {.n = POINTS, .others = POINTS, .self = true, .eps = 1, .kept = EB_DISTANCES_F64};
    memset(table.sha256, 'a', 64);
    (void)snprintf(table.engine, sizeof table.engine, "ref64");
    return table;
}

static eb_parts *opened(const char *name, bool shared)
{
    eb_parts *parts;
    eb_status status;
    const eb_parts_table table = described();
    if (eb_parts_open(in_folder(name), &table, &(eb_parts_how){.shared = shared}, &parts, &status))
        fail_msg("%s", status.message);
    return parts;
}

static void write_part(eb_parts *parts, size_t first, size_t end)
{
    eb_part *part;
    eb_status status;
    assert_int_equal(eb_part_open(parts, first, end, &part, &status), EB_OK);
    for (size_t r = first; r < end; r++) { /* a batch a row */
        eb_neighbours *table = rows(r, r + 1, EB_DISTANCES_F64);
        assert_int_equal(eb_part_rows(part, table, NULL, &status), EB_OK);
        eb_neighbours_free(table);
    }
    assert_int_equal(eb_part_close(part, &status), EB_OK);
}

static eb_code complete(eb_parts *parts, eb_status *status)
{
    eb_facts facts = {.count = 0};
    assert_int_equal(eb_facts_tell(&facts, "dataset", "line", status), EB_OK);
    assert_int_equal(eb_facts_tell_number(&facts, "eps", 1, status), EB_OK);
    eb_code failed = eb_parts_complete(parts, &facts, NULL, status);
    eb_facts_free(&facts);
    return failed;
}

static eb_code compare(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    size_t *next = context;
    eb_neighbours *expected = rows(batch->first_row, batch->first_row + batch->rows, EB_DISTANCES_F64);
    assert_int_equal(batch->first_row, *next);
    for (size_t r = 0; r <= batch->rows; r++)
        assert_int_equal(batch->offsets[r], expected->offsets[r]);
    size_t entries = (size_t)batch->offsets[batch->rows];
    assert_memory_equal(batch->columns, expected->columns, entries * sizeof *batch->columns);
    assert_memory_equal(batch->distances, expected->distances, entries * sizeof *batch->distances);
    *next += batch->rows;
    eb_neighbours_free(expected);
    eb_neighbours_free(batch);
    return EB_OK;
}

static void expect_table(const char *name, size_t parts, uint64_t room)
{
    eb_stored *stored;
    eb_status status;
    size_t next = 0;
    if (eb_stored_open(in_folder(name), &stored, &status))
        fail_msg("%s", status.message);
    assert_int_equal(eb_stored_parts(stored), parts);
    assert_int_equal(eb_stored_entries(stored), 3 * POINTS - 2);
    assert_string_equal(eb_stored_fact(stored, "dataset"), "line");
    assert_int_equal(eb_stored_verify(stored, 2, NULL, &status), EB_OK);
    assert_int_equal(eb_stored_rows(stored, room, compare, &next, NULL, &status), EB_OK);
    assert_int_equal(next, POINTS);
    eb_stored_close(stored);
}

TEST(several_writers_make_one_table)
{
    eb_status status;
    eb_parts *a = opened("ranks", true), *b = opened("ranks", true);
    write_part(a, 0, 2);
    write_part(b, 4, 6);
    assert_int_equal(complete(a, &status), EB_BAD_FORMAT);
    assert_says(&status, "the parts have 4 of 6 rows");
    write_part(b, 2, 4);
    assert_int_equal(eb_parts_count(a), 1);
    assert_int_equal(complete(a, &status), EB_OK);
    assert_int_equal(eb_parts_count(a), 3);
    assert_int_equal(eb_parts_entries(a), 3 * POINTS - 2);
    eb_parts_close(a);
    eb_parts_close(b);
    expect_table("ranks", 3, 1 << 20);
    expect_table("ranks", 3, 1);
    eb_parts *again = opened("ranks", false);
    assert_true(eb_parts_are_complete(again));
    assert_int_equal(eb_parts_there(again), 3);
    eb_parts_close(again);
}

/* As a process leaves it that is killed after it has written the index. */
TEST(records_beside_a_finished_table_are_removed)
{
    eb_status status;
    eb_parts *parts = opened("killed", false);
    write_part(parts, 0, 3);
    write_part(parts, 3, POINTS);
    char *record = strdup(in_folder("killed/part-0000000003.json")), *kept = strdup(in_folder("record"));
    assert_non_null(record);
    assert_non_null(kept);
    assert_int_equal(link(record, kept), 0);
    assert_int_equal(complete(parts, &status), EB_OK);
    eb_parts_close(parts);
    assert_int_equal(access(record, F_OK), -1);
    assert_int_equal(rename(kept, record), 0);
    parts = opened("killed", false);
    assert_true(eb_parts_are_complete(parts));
    assert_int_equal(complete(parts, &status), EB_OK);
    eb_parts_close(parts);
    assert_int_equal(access(record, F_OK), -1);
    expect_table("killed", 2, 1 << 20);
    free(record);
    free(kept);
}

TEST(listed_rows_are_put_in_order)
{
    static const uint32_t even[] = {0, 2, 4}, odd[] = {1, 3, 5};
    static const uint32_t *const points[] = {odd, even};
    eb_status status;
    eb_parts *parts = opened("listed", false);
    for (size_t k = 0; k < 2; k++) {
        eb_part *part;
        assert_int_equal(eb_part_open_listed(parts, k, 3, &part, &status), EB_OK);
        for (size_t r = 0; r < 3; r++) {
            eb_neighbours *table = rows(points[k][r], points[k][r] + 1, EB_DISTANCES_F64);
            table->first_row = r;
            assert_int_equal(eb_part_rows(part, table, &points[k][r], &status), EB_OK);
            eb_neighbours_free(table);
        }
        assert_int_equal(eb_part_close(part, &status), EB_OK);
    }
    assert_int_equal(complete(parts, &status), EB_OK);
    eb_parts_close(parts);
    expect_table("listed", 2, 1 << 20);
    expect_table("listed", 2, 1);
}

TEST(gaps_are_found)
{
    size_t first, end;
    eb_parts *parts = opened("gaps", false);
    write_part(parts, 2, 3);
    assert_true(eb_parts_gap(parts, 0, 4, &first, &end));
    assert_int_equal(first, 0);
    assert_int_equal(end, 2);
    write_part(parts, 0, 2);
    assert_true(eb_parts_gap(parts, 0, 2, &first, &end));
    assert_int_equal(first, 3);
    assert_int_equal(end, 5);
    assert_true(eb_parts_gap(parts, 5, 9, &first, &end));
    assert_int_equal(first, 5);
    assert_int_equal(end, 6);
    write_part(parts, 3, 6);
    assert_false(eb_parts_gap(parts, 0, 2, &first, &end));
    eb_parts_close(parts);
}

TEST(wrong_rows_are_refused)
{
    eb_status status;
    eb_part *part;
    eb_parts *parts = opened("wrong", false);
    eb_neighbours *table = rows(1, 2, EB_DISTANCES_F64), *bare = rows(0, 1, EB_DISTANCES_NONE);
    assert_int_equal(eb_part_open(parts, 3, 3, &part, &status), EB_INTERNAL);
    assert_int_equal(eb_part_open(parts, 3, 7, &part, &status), EB_INTERNAL);
    assert_int_equal(eb_part_open(parts, 0, 2, &part, &status), EB_OK);
    assert_int_equal(eb_part_rows(part, table, NULL, &status), EB_INTERNAL);
    assert_says(&status, "expected row 0");
    eb_part_abandon(part);
    assert_int_equal(eb_part_open(parts, 0, 2, &part, &status), EB_OK);
    assert_int_equal(eb_part_rows(part, bare, NULL, &status), EB_INTERNAL);
    assert_int_equal(eb_part_close(part, &status), EB_INTERNAL);
    assert_int_equal(eb_part_open(parts, 1, 3, &part, &status), EB_OK);
    assert_int_equal(eb_part_rows(part, table, NULL, &status), EB_OK);
    assert_int_equal(eb_part_close(part, &status), EB_INTERNAL);
    assert_says(&status, "1 of 2 rows were written");
    write_part(parts, 1, 2);
    assert_int_equal(eb_part_open(parts, 1, 2, &part, &status), EB_INTERNAL);
    eb_neighbours_free(table);
    eb_neighbours_free(bare);
    eb_parts_close(parts);
}

TEST(other_tables_are_refused_and_replaced)
{
    eb_status status;
    eb_parts *parts = opened("other", false), *second;
    eb_parts_table other = described();
    const eb_parts_how alone = {.threads = 1}, replace = {.replace = true};
    write_part(parts, 0, 3);
    assert_int_equal(eb_parts_open(in_folder("other"), &other, &alone, &second, &status), EB_EXISTS);
    assert_says(&status, "another process is writing");
    eb_parts_close(parts);
    other.eps = 2;
    assert_int_equal(eb_parts_open(in_folder("other"), &other, &alone, &second, &status), EB_EXISTS);
    assert_says(&status, "holds a table at ε = 1, not 2");
    assert_int_equal(eb_parts_open(in_folder("other"), &other, &replace, &second, &status), EB_OK);
    assert_int_equal(eb_parts_there(second), 0);
    eb_parts_close(second);
    eb_stored *stored;
    assert_int_equal(eb_stored_open(in_folder("other"), &stored, &status), EB_NOT_FOUND);
    assert_says(&status, "expected index.json of a finished table");
}

TEST(a_part_without_its_arrays_is_written_again)
{
    eb_parts *parts = opened("cut", false);
    write_part(parts, 0, 3);
    write_part(parts, 3, 6);
    eb_parts_close(parts);
    assert_int_equal(truncate(in_folder("cut/part-0000000003.indices.npy"), 130), 0);
    parts = opened("cut", false);
    assert_int_equal(eb_parts_there(parts), 1);
    assert_false(eb_parts_has(parts, 3));
    write_part(parts, 3, 6);
    eb_status status;
    write_file("cut/part-0000000002.indices.npy", "cut otherwise, then killed", 26);
    assert_int_equal(complete(parts, &status), EB_OK);
    eb_parts_close(parts);
    assert_int_equal(access(in_folder("cut/part-0000000002.indices.npy"), F_OK), -1);
    expect_table("cut", 2, 1 << 20);
}

/* ---- parts that ranks write ---- */

static eb_kept kept_rows(const void *order, size_t size, size_t first, size_t end)
{
    eb_kept told = {.size = 0};
    eb_status status;
    eb_neighbours *table = rows(first, end, EB_DISTANCES_F64);
    if (eb_parts_keep(order, size, table, 1, NULL, &told, &status))
        fail_msg("%s", status.message);
    eb_neighbours_free(table);
    return told;
}

TEST(ranks_write_parts_of_a_folder_that_one_has_open)
{
    void *order;
    size_t size;
    eb_status status;
    eb_parts *other;
    const eb_parts_table table = described();
    eb_parts *parts = opened("kept", false);
    assert_int_equal(eb_parts_order(parts, &order, &size, &status), EB_OK);
    const eb_kept none = {.size = 0}, late = kept_rows(order, size, 4, 6), early = kept_rows(order, size, 0, 4);
    assert_int_equal(eb_parts_open(in_folder("kept"), &table, &(eb_parts_how){.replace = true}, &other, &status),
                     EB_EXISTS);
    assert_says(&status, "another process is writing parts there");
    assert_int_equal(eb_parts_take(parts, 2, &late, &status), EB_OK);
    assert_int_equal(eb_parts_take(parts, 3, &none, &status), EB_OK);
    assert_int_equal(eb_parts_take(parts, 1, &early, &status), EB_OK);
    assert_int_equal(eb_parts_rows(parts), POINTS);
    assert_int_equal(complete(parts, &status), EB_OK);
    eb_parts_close(parts);
    free(order);
    expect_table("kept", 2, 1 << 20);
}

static void move(const char *from, const char *to)
{
    char old[512];
    (void)snprintf(old, sizeof old, "%s", in_folder(from));
    assert_int_equal(rename(old, in_folder(to)), 0);
}

TEST(a_rank_needs_the_folder_of_the_others)
{
    void *order;
    size_t size;
    eb_status status;
    eb_kept told;
    eb_parts *parts = opened("elsewhere", false);
    assert_int_equal(eb_parts_order(parts, &order, &size, &status), EB_OK);
    told = kept_rows(order, size, 0, 6);
    assert_int_equal(unlink(in_folder("elsewhere/part-0000000000.indices.npy")), 0); /* it was on another disk */
    assert_int_equal(eb_parts_take(parts, 2, &told, &status), EB_IO);
    assert_says(&status, "rank 2 has written part 0 to a folder of this name on its host, and it is not in this one");
    move("elsewhere", "gone");
    eb_neighbours *whole = rows(0, 6, EB_DISTANCES_F64);
    assert_int_equal(eb_parts_keep(order, size, whole, 1, NULL, &told, &status), EB_IO);
    assert_says(&status, "cannot open the folder: No such file or directory; every rank writes there");
    assert_int_equal(eb_parts_keep(order, size - 1, whole, 1, NULL, &told, &status), EB_INTERNAL);
    move("gone", "elsewhere");
    eb_neighbours_free(whole);
    eb_parts_close(parts);
    free(order);
}

/* Empties the folders of the tables first. */
static int remove_folders(void **state)
{
    static const char *const names[] = {"ranks", "killed", "listed", "gaps",     "wrong",
                                        "other", "cut",    "kept",   "elsewhere"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        DIR *folder = opendir(in_folder(names[k]));
        for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
            (void)unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and ".." */
        if (!folder || closedir(folder) || rmdir(in_folder(names[k])))
            return -1;
    }
    return remove_folder(state);
}

RUN_TESTS_WITH(make_folder, remove_folders)
