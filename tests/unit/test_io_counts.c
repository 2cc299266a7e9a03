/* Tests of counts in parts: the order of parts, what finished ones say of all, going on, and what is refused. */

#include "io/parts/counts.h"
#include "io_files.h"
#include "tests/unit/test.h"

static eb_parts_table described(double eps)
{
    eb_parts_table table = {.n = 1000, .others = 1000, .self = true, .eps = eps};
    memset(table.sha256, 'a', 64);
    (void)snprintf(table.engine, sizeof table.engine, "exact");
    return table;
}

static eb_counts opened(const char *name, unsigned parts)
{
    eb_counts counts;
    eb_status status;
    const eb_parts_table table = described(1);
    if (eb_counts_open(in_folder(name), &table, parts, false, &counts, &status))
        fail_msg("%s", status.message);
    return counts;
}

static void add(eb_counts *counts, unsigned part, uint64_t entries)
{
    eb_status status;
    const eb_counted_part counted = {true, entries, 0.5};
    if (eb_counts_add(counts, part, &counted, "a processor", &status))
        fail_msg("%s", status.message);
}

TEST(every_part_has_its_turn_once)
{
    for (unsigned parts = 1; parts <= 1000; parts++) {
        bool seen[1000] = {false};
        for (unsigned k = 0; k < parts; k++) {
            const unsigned part = eb_counts_order(parts, k);
            assert_true(part < parts && !seen[part]);
            seen[part] = true;
        }
    }
}

TEST(the_first_parts_are_spread)
{
    for (unsigned k = 0; k < 10; k++) /* of the first ten of 100 no two are neighbours */
        for (unsigned other = 0; other < k; other++)
            assert_true(abs((int)eb_counts_order(100, k) - (int)eb_counts_order(100, other)) > 1);
}

TEST(finished_parts_tell_of_all)
{
    eb_counts c = opened("told", 10);
    add(&c, 4, 500);
    assert_true(isnan(eb_counts_sum_of(&c).error));
    add(&c, 0, 700);
    const eb_counts_sum sum = eb_counts_sum_of(&c);
    assert_int_equal(sum.entries, 1200);
    assert_true(sum.expected == 6000);
    assert_true(fabs(sum.error - 10 * sqrt(20000.0 / 2 * 0.8)) < 1e-9); /* the variance is 2·100², of two of ten */
    assert_true(sum.seconds == 1 && sum.expected_s == 5);
    eb_counts_close(&c);
}

TEST(a_count_goes_on)
{
    eb_counts c = opened("again", 3);
    add(&c, 1, 10);
    eb_counts_close(&c);
    c = opened("again", 3);
    assert_int_equal(c.there, 1);
    assert_int_equal(c.part[1].entries, 10);
    add(&c, 0, 1020);
    add(&c, 2, 30);
    eb_counts_close(&c);
    c = opened("again", 3);
    assert_int_equal(c.done, 3);
    const eb_counts_sum sum = eb_counts_sum_of(&c);
    assert_true(sum.entries == 1060 && sum.expected == 1060 && sum.error == 0);
    eb_counts_close(&c);
}

TEST(another_count_is_refused)
{
    eb_counts c = opened("other", 3);
    eb_status status;
    const eb_parts_table table = described(2);
    add(&c, 1, 10);
    eb_counts_close(&c);
    assert_int_equal(eb_counts_open(in_folder("other"), &table, 3, false, &c, &status), EB_EXISTS);
    assert_non_null(strstr(status.message, "holds a count at ε = 1, not 2; the word force replaces it"));
    assert_int_equal(eb_counts_open(in_folder("other"), &table, 4, false, &c, &status), EB_EXISTS);
    assert_non_null(strstr(status.message, "is a count in 3 parts, not in 4; add parts=3, or force to begin anew"));
    assert_int_equal(eb_counts_open(in_folder("other"), &table, 4, true, &c, &status), EB_OK);
    assert_int_equal(c.done, 0);
    eb_counts_close(&c);
}

TEST(parts_of_another_cut_are_refused)
{
    eb_counts c = opened("cut", 3);
    eb_status status;
    const eb_counted_part counted = {true, 20, 0.5};
    add(&c, 1, 10);
    eb_counts_close(&c);
    c = opened("cut", 3);
    assert_int_equal(eb_counts_add(&c, 0, &counted, "another one", &status), EB_EXISTS);
    assert_non_null(strstr(status.message, "its parts were counted by a processor, and this one by another one"));
    assert_false(c.part[0].is);
    add(&c, 0, 20);
    eb_counts_close(&c);
}

TEST(damaged_counts_are_refused)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"format\": \"epsbench-count\", \"version\": 2}",
        "{\"format\": \"epsbench-parts\", \"version\": 1}",
        "{\"format\": \"epsbench-count\", \"version\": 2, \"by\": \"\", \"table\": {}, \"parts\": 3, \"counted\": []}",
        "{\"format\": \"epsbench-count\", \"version\": 2, \"table\": {}, \"parts\": 3, \"counted\": []}",
    };
    eb_status status;
    eb_counts c = opened("damaged", 3);
    const eb_parts_table table = described(1);
    add(&c, 1, 10);
    eb_counts_close(&c);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        FILE *to = fopen(in_folder("damaged/count.json"), "w");
        assert_non_null(to);
        (void)fputs(texts[k], to);
        (void)fclose(to);
        assert_int_equal(eb_counts_open(in_folder("damaged"), &table, 3, false, &c, &status), EB_BAD_FORMAT);
        assert_non_null(strstr(status.message, "damaged/count.json: "));
    }
}

static int remove_folders(void **state)
{
    static const char *const names[] = {"told", "again", "other", "cut", "damaged"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char file[64];
        (void)snprintf(file, sizeof file, "%s/count.json", names[k]);
        if (unlink(in_folder(file)) || rmdir(in_folder(names[k])))
            return -1;
    }
    return remove_folder(state);
}

RUN_TESTS_WITH(make_folder, remove_folders)
