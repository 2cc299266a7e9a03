/* man/epsbench-log.5 names every view of the log and its columns, in order, and nothing else. */

#include "tests/unit/store_log.h"
#include "tests/unit/test.h"

static char *read_manual(void)
{
    FILE *file = fopen("man/epsbench-log.5", "re");
    char *text = calloc(1, 1 << 16);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* Writes "a,b,c" for the items ".It a" and ".It b , c" from `at` to the end of the list. */
static void list_items(const char *at, char *list, size_t size)
{
    const char *end = strstr(at, "\n.El");
    size_t used = 0;
    assert_non_null(end);
    while ((at = strstr(at, "\n.It ")) && at < end) {
        at += 5;
        if (used > 0)
            list[used++] = ',';
        for (; *at != '\n' && used + 2 < size; at++)
            if (*at != ' ')
                list[used++] = *at;
    }
    list[used] = '\0';
}

TEST(the_manual_names_every_column)
{
    char *manual = read_manual(), heading[64], sql[128], documented[2048];
    eb_store *store = open_log("manual.db");
    sqlite3_stmt *views = NULL;
    size_t count = 0;
    assert_int_equal(sqlite3_prepare_v2(store->db, "SELECT name FROM sqlite_master WHERE type = 'view'", -1, &views,
                                        NULL),
                     SQLITE_OK);
    while (sqlite3_step(views) == SQLITE_ROW) {
        const char *view = (const char *)sqlite3_column_text(views, 0);
        (void)snprintf(heading, sizeof heading, "\n.Ss %s\n", view);
        (void)snprintf(sql, sizeof sql, "SELECT group_concat(name) FROM pragma_table_info('%s')", view);
        const char *section = strstr(manual, heading);
        if (!section)
            fail_msg("%s is not in the manual", view);
        list_items(section, documented, sizeof documented);
        assert_string_equal(documented, look(store, sql));
        count++;
    }
    (void)sqlite3_finalize(views);
    for (const char *at = manual; (at = strstr(at, "\n.Ss v_")); at++)
        count--;
    assert_int_equal(count, 0); /* no view that does not exist */
    eb_store_close(store);
    free(manual);
}

RUN_TESTS_WITH(make_folder, remove_folder)
