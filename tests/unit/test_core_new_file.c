/* new_file: a file appears whole or not at all, whatever has its name, whoever else writes, and whenever the process is
 * killed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/new_file.h"
#include "tests/unit/own_folder.h"
#include "tests/unit/test.h"

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    (void)fclose(file);
    assert_string_equal(found, text);
}

static eb_new_file *begin(const char *path, const char *text)
{
    eb_status status = {0};
    eb_new_file *file = NULL;
    if (eb_new_file_open(path, &file, &status) != EB_OK)
        fail_msg("%s", status.message);
    assert_true(fputs(text, eb_new_file_stream(file)) >= 0);
    return file;
}

static void write_whole(const char *path, const char *text)
{
    eb_status status = {0};
    if (eb_new_file_commit(begin(path, text), &status) != EB_OK)
        fail_msg("%s", status.message);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

/* ---- failures, simulated in a child process ---- */

/* O_TMPFILE fails; the process is killed at the rename. */
enum { NO_UNNAMED = 1, KILL_AT_RENAME = 2 };

static void filter_calls(unsigned what)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat, 1, 0),
#ifdef SYS_rename
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rename, 0, 1),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
#endif
        BPF_STMT(BPF_RET | BPF_K, what & KILL_AT_RENAME ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, what & NO_UNNAMED ? SECCOMP_RET_ERRNO | EOPNOTSUPP : SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog all = {.len = sizeof program / sizeof program[0], .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0)
        _exit(77);
}

/* Runs act in a child process, which a failed assertion ends. */
static pid_t start(unsigned filter, void (*act)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    (void)setenv("CMOCKA_TEST_ABORT", "1", 1);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (filter)
        filter_calls(filter);
    act();
    _exit(0);
}

/* Runs act in a child process and returns its wait status. */
static int in_child(unsigned filter, void (*act)(void))
{
    pid_t child = start(filter, act);
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 77)
        skip();
    return ended;
}

static void begin_and_die(void)
{
    (void)begin("t", "new");
    (void)raise(SIGKILL);
}

static void replace_t(void) { write_whole("t", "new"); }

/* ---- tests ---- */

TEST(it_appears_when_it_is_complete)
{
    eb_status status;
    mode_t before = umask(027);
    eb_new_file *file = begin("t", "some");
    assert_int_not_equal(access("t", F_OK), 0);
    assert_true(fputs(" text", eb_new_file_stream(file)) >= 0);
    assert_int_equal(eb_new_file_commit(file, &status), EB_OK);
    (void)umask(before);
    assert_holds("t", "some text");
    assert_int_equal(mode_of("t"), 0640);
    eb_new_file_abandon(begin("t", "other"));
    eb_new_file_abandon(NULL);
    assert_holds("t", "some text");
    assert_int_equal(files_here(), 1);
    assert_int_equal(unlink("t"), 0);
}

TEST(a_replaced_file_keeps_its_mode)
{
    put("t", "old");
    assert_int_equal(chmod("t", 0604), 0);
    assert_int_equal(link("t", "other name"), 0);
    write_whole("t", "new");
    assert_holds("t", "new");
    assert_int_equal(mode_of("t"), 0604);
    assert_holds("other name", "old");
    assert_int_equal(files_here(), 2);
    assert_int_equal(unlink("t"), 0);
    assert_int_equal(unlink("other name"), 0);
}

TEST(links_are_followed)
{
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(symlink("t", "d/one"), 0); /* its target does not exist yet and is relative to the link's folder */
    assert_int_equal(symlink("d/one", "two"), 0);
    write_whole("two", "first");
    assert_holds("d/t", "first");
    write_whole("two", "second");
    assert_holds("d/t", "second");
    struct stat about;
    assert_int_equal(lstat("two", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(lstat("d/one", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(unlink("two") | unlink("d/one") | unlink("d/t") | rmdir("d"), 0);
}

static void assert_refused(const char *path, const char *part_of_sentence)
{
    eb_new_file *file;
    eb_status status = {0};
    assert_int_not_equal(eb_new_file_open(path, &file, &status), EB_OK);
    if (!strstr(status.message, path) || !strstr(status.message, part_of_sentence))
        fail_msg("\"%s\" and \"%s\" are not in: %s", path, part_of_sentence, status.message);
}

TEST(places_that_are_no_files)
{
    char far_too_long[400];
    memset(far_too_long, 'x', sizeof far_too_long - 1);
    far_too_long[sizeof far_too_long - 1] = '\0';
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(symlink("/dev/null", "null"), 0);
    assert_int_equal(symlink("round", "round"), 0);
    put("file", "old");
    assert_refused("", "no file named");
    assert_refused("d", "is a folder");
    assert_refused("d/", "is a folder");
    assert_refused("pipe", "a device or pipe, not a regular file");
    assert_refused("/dev/null", "a device or pipe");
    assert_refused("null", "a device or pipe");
    assert_refused("round", "Too many levels");
    assert_refused("file/t", "Not a directory");
    assert_refused("missing/t", "missing: No such file or directory");
    assert_refused("missing/", "missing: No such file or directory");
    assert_refused("/proc/t", "/proc");
    assert_refused(far_too_long, "too long");
    assert_int_equal(files_here(), 5);
    assert_int_equal(rmdir("d") | unlink("pipe") | unlink("null") | unlink("round") | unlink("file"), 0);
}

static void write_to_own_output(void)
{
    int file = open("out", O_RDWR | O_CREAT, 0666), ends[2];
    if (dup2(file, STDOUT_FILENO) < 0)
        _exit(1);
    assert_refused("out", "this program's output");
    assert_refused("/dev/stdout", "this program's output");
    if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0)
        _exit(1);
    assert_refused("/dev/stdout", "a device or pipe");
    if (unlink("out") != 0)
        _exit(1);
    char name[40];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    assert_refused(name, "no name");
}

TEST(its_own_output_is_no_place)
{
    assert_int_equal(in_child(0, write_to_own_output), 0);
    assert_int_equal(files_here(), 0);
}

TEST(what_may_not_be_written_stays)
{
    if (geteuid() == 0) {
        print_message("root may write everywhere\n");
        skip();
    }
    assert_int_equal(mkdir("d", 0777), 0);
    put("d/t", "old");
    assert_int_equal(chmod("d/t", 0444), 0);
    assert_refused("d/t", "cannot replace the file there: Permission denied");
    assert_int_equal(chmod("d/t", 0644) | chmod("d", 0555), 0);
    assert_refused("d/t", "cannot create a file in d: Permission denied");
    assert_refused("d/new", "cannot create a file in d: Permission denied");
    assert_int_equal(chmod("d", 0777), 0);
    assert_holds("d/t", "old");
    assert_int_equal(unlink("d/t") | rmdir("d"), 0);
}

static void assert_kept(eb_new_file *file, const char *text)
{
    eb_status status = {0};
    assert_int_equal(eb_new_file_commit(file, &status), EB_EXISTS);
    assert_non_null(strstr(status.message, "t: another process wrote"));
    assert_holds("t", text);
    assert_int_equal(files_here(), 1);
}

static void meet_others(void)
{
    eb_new_file *file = begin("t", "ours");
    put("t", "theirs");
    assert_kept(file, "theirs");
    file = begin("t", "ours");
    put("t", "changed");
    assert_kept(file, "changed");
    file = begin("t", "ours");
    put("u", "changed");
    assert_int_equal(rename("u", "t"), 0);
    assert_kept(file, "changed");
    file = begin("t", "ours");
    assert_int_equal(unlink("t"), 0);
    eb_status status;
    assert_int_equal(eb_new_file_commit(file, &status), EB_OK);
    assert_holds("t", "ours");
    assert_int_equal(files_here(), 1);
    assert_int_equal(unlink("t"), 0);
}

TEST(who_wrote_meanwhile_loses_nothing)
{
    meet_others();
    assert_int_equal(in_child(NO_UNNAMED, meet_others), 0);
}

TEST(a_kill_leaves_the_old_file)
{
    for (unsigned unnamed = 0; unnamed <= 1; unnamed++) {
        unsigned filter = unnamed ? 0 : NO_UNNAMED;
        int ended = in_child(filter, begin_and_die);
        assert_true(WIFSIGNALED(ended));
        assert_int_equal(files_here(), unnamed ? 0 : 1);
        put("t", "old");
        ended = in_child(filter | KILL_AT_RENAME, replace_t);
        assert_true(WIFSIGNALED(ended));
        assert_holds("t", "old");
        assert_int_equal(files_here(), 2); /* the first process's file was removed */
        write_whole("t", "new");
        assert_holds("t", "new");
        assert_int_equal(files_here(), 1);
        assert_int_equal(unlink("t"), 0);
    }
}

TEST(writing_works_without_unnamed_files)
{
    assert_int_equal(in_child(NO_UNNAMED, replace_t), 0);
    assert_holds("t", "new");
    put("t", "old");
    assert_int_equal(chmod("t", 0600), 0);
    assert_int_equal(in_child(NO_UNNAMED, replace_t), 0);
    assert_holds("t", "new");
    assert_int_equal(mode_of("t"), 0600);
    assert_int_equal(files_here(), 1);
    assert_int_equal(unlink("t"), 0);
}

static int ready[2];

static void begin_and_wait(void)
{
    (void)begin("t", "theirs");
    if (write(ready[1], "", 1) != 1)
        _exit(1);
    for (;;)
        (void)pause();
}

/* Unfinished files of a living writer and files with other names are not removed. */
TEST(nothing_of_others_is_removed)
{
    static const char *const names[] = {".epsbench-0123456789abcde.part", ".epsbench-0123456789abcdeF.part",
                                        ".epsbench-0123456789abcdef.part~", "epsbench-0123456789abcdef.part"};
    for (size_t k = 0; k < 4; k++)
        put(names[k], "a person's");
    assert_int_equal(symlink(names[0], ".epsbench-0123456789abcdef.part"), 0);
    assert_int_equal(pipe(ready), 0);
    pid_t writer = start(NO_UNNAMED, begin_and_wait);
    char byte;
    assert_int_equal(close(ready[1]), 0);
    if (read(ready[0], &byte, 1) == 1) {
        assert_int_equal(files_here(), 6);
        write_whole("u", "ours");
        assert_int_equal(files_here(), 7);
        assert_int_equal(kill(writer, SIGKILL), 0);
    }
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    (void)close(ready[0]);
    write_whole("u", "ours");
    assert_int_equal(files_here(), 6);
    assert_int_equal(unlink("u") | unlink(".epsbench-0123456789abcdef.part"), 0);
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(unlink(names[k]), 0);
}

static void write_many(void)
{
    char name[32];
    (void)snprintf(name, sizeof name, "t%d", (int)getpid());
    for (int k = 0; k < 150; k++)
        write_whole(name, "whole");
    assert_holds(name, "whole");
    assert_int_equal(unlink(name), 0);
}

TEST(many_writers_leave_each_other_alone)
{
    enum { WRITERS = 6 };
    pid_t writer[WRITERS];
    for (int k = 0; k < WRITERS; k++)
        writer[k] = start(NO_UNNAMED, write_many);
    for (int k = 0; k < WRITERS; k++) {
        int ended;
        assert_int_equal(waitpid(writer[k], &ended, 0), writer[k]);
        assert_true(WIFEXITED(ended));
        assert_true(WEXITSTATUS(ended) == 0 || WEXITSTATUS(ended) == 77);
    }
    assert_int_equal(files_here(), 0);
}

static void write_too_much(void)
{
    eb_status status = {0};
    const struct rlimit limit = {100, 100};
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    eb_new_file *file = begin("t", "");
    for (int k = 0; k < 1000; k++)
        (void)fprintf(eb_new_file_stream(file), "%d\n", k);
    assert_int_equal(eb_new_file_commit(file, &status), EB_IO);
    assert_string_equal(status.message, "t: cannot write: File too large");
}

TEST(a_full_disk_leaves_the_old_file)
{
    put("t", "old");
    assert_int_equal(in_child(0, write_too_much), 0);
    assert_holds("t", "old");
    assert_int_equal(files_here(), 1);
    assert_int_equal(unlink("t"), 0);
}

TEST(scratch_files_have_no_name)
{
    FILE *scratch;
    eb_status status;
    char read_back[8] = "";
    eb_new_file *file = begin("t", "");
    assert_int_equal(eb_new_file_scratch(file, &scratch, &status), EB_OK);
    assert_true(fputs("waits", scratch) >= 0);
    rewind(scratch);
    assert_int_equal(fread(read_back, 1, sizeof read_back - 1, scratch), 5);
    assert_string_equal(read_back, "waits");
    assert_int_equal(files_here(), 0);
    assert_int_equal(fclose(scratch), 0);
    eb_new_file_abandon(file);
}

RUN_TESTS_WITH(make_folder, remove_folder)
