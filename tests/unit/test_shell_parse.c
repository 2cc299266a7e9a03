/* The command parser: accepted lines, messages for all others, and termination on any input. */
#include <math.h>

#include "shell/language/command.h"
#include "shell/language/words.h"
#include "tests/unit/test.h"

static eb_call *parse(const char *line)
{
    const char *rest;
    eb_call *call = NULL;
    eb_status status = {0};
    if (eb_parse(line, &rest, &call, &status))
        fail_msg("\"%s\": %s", line, status.message);
    assert_non_null(call);
    return call;
}

TEST(commands_follow_each_other)
{
    const char *at = "info;; tune S=64 # comment; not a command\n\n # only a comment\nload 'a;b';quit";
    const char *const expected[] = {"info", NULL, "tune S=64", NULL, NULL, "load 'a;b'", "quit"};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        eb_call *call = NULL;
        eb_status status = {0};
        assert_int_equal(eb_parse(at, &at, &call, &status), EB_OK);
        if (expected[k])
            assert_string_equal(call->text, expected[k]);
        else
            assert_null(call);
        eb_call_free(call);
    }
    assert_string_equal(at, "");
}

TEST(a_failure_leaves_the_next_command)
{
    const char *const lines[] = {"jion 'a;b' # c ; d\ninfo", "load 'open; x\ninfo", "join ref64 eps=x;info",
                                 "load \"\\q\";info", "note 'open; x\ninfo"};
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        const char *rest = NULL;
        eb_call *call = NULL;
        assert_int_equal(eb_parse(lines[k], &rest, &call, NULL), EB_USAGE);
        assert_string_equal(rest, "info");
    }
}

TEST(words_have_columns)
{
    const char *line = "aε b";
    assert_int_equal(eb_column_of(line, line), 1);
    assert_int_equal(eb_column_of(line, strchr(line, 'b')), 4);
}

/* xorshift64*: the same text on every machine. */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545F4914F6CDD1Du;
}

/* Random sequences of words that occur in commands; they reach more of the parser than random bytes do. */
TEST(it_ends_on_anything)
{
    static const char *const pieces[] = {"load",   "join ",  "tune",     "S=",      "eps=", "note ", "watch ",
                                         "1",      "..",     ",",        "64",      "-",    "'",     "\"",
                                         "\\",     ";",      "\n",       "#",       " ",    "=",     "count",
                                         "memory", "4GiB",   "ref64",    "ε",       "\xFF", "1e9",   "set",
                                         "\t",     "help ",  "compare ", "fasted",  "[",    "]",     ".",
                                         "+",      "tensor", "sm_80",    "set ",    "S ",   "paper", "fasted.tensor",
                                         "preset", "more=",  "ablate ",  "default="};
    uint64_t seed = 20240607;
    for (size_t round = 0; round < 20000; round++) {
        char line[256] = "";
        size_t count = next_random(&seed) % 16;
        for (size_t k = 0; k < count; k++)
            strcat(line, pieces[next_random(&seed) % (sizeof pieces / sizeof pieces[0])]);
        const char *at = line;
        while (*at) {
            const char *rest = NULL;
            eb_call *call = NULL;
            eb_status status = {0};
            eb_code failed = eb_parse_at(line, at, &rest, &call, &status);
            assert_true(rest > at && rest <= line + strlen(line));
            assert_true(failed ? status.message[0] != '\0' && !call : true);
            if (call)
                assert_non_null(call->text);
            eb_call_free(call);
            at = rest;
        }
    }
}

/* The log keeps a command as typed; running that text again must mean the same. */
TEST(the_text_parses_to_the_same)
{
    const char *const lines[] = {"load 'a b'",
                                 "join ref64 eps=1e-3 count ; x",
                                 "note run=3 it's # here",
                                 "set threads 4",
                                 "set fasted.tensor sm_80 tensor=sm_90 preset best-symmetric",
                                 "compare fasted ref64 ted S 64 more=ref64[-filter,-integers]",
                                 "help fas",
                                 "counters fasted[paper],ref64 S=8"};
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        eb_call *once = parse(lines[k]), *twice = parse(once->text);
        assert_string_equal(once->text, twice->text);
        for (const eb_argument *argument = once->command->argument; argument->name; argument++) {
            const char *a = eb_call_text(once, argument->name), *b = eb_call_text(twice, argument->name);
            assert_true((!a && !b) || strcmp(a, b) == 0);
        }
        eb_call_free(once);
        eb_call_free(twice);
    }
}

RUN_TESTS
