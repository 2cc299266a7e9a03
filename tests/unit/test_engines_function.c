/* A person's function for a GPU, as far as possible without one: NVRTC compiles plain C, its messages have the file's
 * own lines, and a child without a driver says so. Skipped without libnvrtc, but for the last test. */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/jit/function.h"
#include "kernels/jit/nvrtc.h"
#include "tests/unit/own_folder.h"
#include "tests/unit/test.h"

static eb_code compile(const char *text, char **ptx, char **log)
{
    eb_status status = {.message = ""};
    if (!eb_nvrtc_open())
        skip();
    return eb_function_compile(text, "/a folder/twice.c", "twice(k % 4u, 7)", 100, ptx, log, &status);
}

TEST(plain_c_is_compiled)
{
    char *ptx, *log;
    assert_int_equal(compile("static unsigned two(void) { return 2; }\n"
                             "unsigned twice(unsigned a, unsigned b) { return two() * a + b; }\n",
                             &ptx, &log),
                     EB_OK);
    assert_non_null(strstr(ptx, ".entry eb_call_function"));
    free(ptx);
    free(log);
}

TEST(messages_have_the_lines_of_the_file)
{
    char *ptx, *log;
    assert_int_equal(compile("unsigned twice(unsigned a, unsigned b)\n{\n    return a + c;\n}\n", &ptx, &log),
                     EB_BAD_VALUE);
    assert_null(ptx);
    assert_non_null(log);
    if (!strstr(log, "/a folder/twice.c(3): error: "))
        fail_msg("%s", log);
    free(log);
}

TEST(a_file_without_the_function_is_refused)
{
    char *ptx, *log;
    assert_int_equal(compile("unsigned thrice(unsigned a) { return a; }\n", &ptx, &log), EB_BAD_VALUE);
    assert_null(ptx);
    free(log);
}

TEST(a_call_without_its_files_or_a_driver_fails)
{
    char *arguments[] = {"program", EB_FUNCTION_ARGUMENT, "0", "100", NULL};
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const pid_t process = fork();
    int ended = 0;
    if (process == 0) {
        (void)dup2(null, STDERR_FILENO);
        _exit(eb_function_main(4, arguments));
    }
    assert_int_equal(close(null), 0);
    assert_int_equal(waitpid(process, &ended, 0), process);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), EB_FUNCTION_NO_DRIVER);
}

RUN_TESTS_WITH(make_folder, remove_folder)
