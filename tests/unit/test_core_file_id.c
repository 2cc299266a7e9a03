/* file_id: the identity of files. A dataset's own file is never overwritten, by whatever name; a later file with the
 * same inode is another file. */
#include <fcntl.h>
#include <sys/stat.h>

#include "core/files/file_id.h"
#include "tests/unit/own_folder.h"
#include "tests/unit/test.h"

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A file system may give a removed file's inode to the next file; the time of birth distinguishes them. Size and time
 * of change may differ for one file. */
TEST(a_later_file_with_the_same_inode_is_another)
{
    const eb_file_id first = {.device = 7, .inode = 42, .born_ns = 1000, .changed_ns = 2000, .bytes = 10};
    eb_file_id other = first;
    assert_true(eb_same_file(&first, &other) && eb_file_unchanged(&first, &other));
    other.born_ns++;
    assert_false(eb_same_file(&first, &other));
    assert_false(eb_file_unchanged(&first, &other));
    other = first;
    other.inode++;
    assert_false(eb_same_file(&first, &other));
    other = first;
    other.device++;
    assert_false(eb_same_file(&first, &other));
    other = first;
    other.changed_ns++;
    other.bytes++;
    assert_true(eb_same_file(&first, &other) && !eb_file_unchanged(&first, &other));
    assert_false(eb_same_file(&(eb_file_id){0}, &(eb_file_id){0}));
}

/* If the file system keeps times of birth, a link has the file's, and writing does not change it. */
TEST(a_birth_stays)
{
    eb_file_id before, now;
    put("born", "one");
    assert_true(eb_file_id_of("born", &before));
    put("born", "two, longer");
    assert_int_equal(link("born", "other"), 0);
    assert_true(eb_file_id_of("other", &now));
    assert_true(eb_same_file(&before, &now) && !eb_file_unchanged(&before, &now));
    struct statx about;
    assert_int_equal(statx(AT_FDCWD, "born", 0, STATX_BTIME, &about), 0);
    assert_true((now.born_ns != 0) == ((about.stx_mask & STATX_BTIME) != 0));
    assert_int_equal(unlink("other"), 0);
    assert_int_equal(unlink("born"), 0);
}

RUN_TESTS_WITH(make_folder, remove_folder)
