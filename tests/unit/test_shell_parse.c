/* The command parser: what it accepts, what it says about the rest, and that it ends on anything. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/language/command.h"
#include "shell/language/words.h"

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

static void fails(const char *line, eb_code code, const char *sentence)
{
    const char *rest;
    eb_call *call = NULL;
    eb_status status = {0};
    assert_int_equal(eb_parse(line, &rest, &call, &status), code);
    assert_int_equal(status.code, code);
    assert_null(call);
    if (!strstr(status.message, sentence))
        fail_msg("\"%s\" says \"%s\", expected \"%s\" in it", line, status.message, sentence);
}

static void refuses(const char *line, const char *sentence) { fails(line, EB_USAGE, sentence); }

static void text_is(const char *line, const char *argument, const char *expected)
{
    eb_call *call = parse(line);
    assert_string_equal(eb_call_text(call, argument), expected);
    eb_call_free(call);
}

static void number_is(const char *line, const char *argument, double expected)
{
    eb_call *call = parse(line);
    assert_true(eb_call_number(call, argument, NAN) == expected);
    eb_call_free(call);
}

static void size_is(const char *line, uint64_t expected)
{
    eb_call *call = parse(line);
    assert_true(eb_call_size(call, "memory", 0) == expected);
    eb_call_free(call);
}

static void words_and_quotes(void **state)
{
    (void)state;
    text_is("load data.csv", "what", "data.csv");
    text_is("  load\t data.csv  ", "what", "data.csv");
    text_is("load 'two words.csv'", "what", "two words.csv");
    text_is("load \"a \\\"b\\\" \\\\ \\n\\t;#.csv\"", "what", "a \"b\" \\ \n\t;#.csv");
    text_is("load '\\n \"'", "what", "\\n \"");
    text_is("load it's", "what", "it's");
    text_is("load a#b", "what", "a#b");
    text_is("load \"x y.h5\":/train", "what", "x y.h5:/train");
    text_is("load what='a b'", "what", "a b");
    text_is("load wh=x", "what", "x");
    text_is("\"load\" x", "what", "x");
    text_is("load C:\\new", "what", "C:\\new");
    text_is("load /data/ε=3/gîst.fvecs", "what", "/data/ε=3/gîst.fvecs");
}

static void an_equals_sign_may_be_part_of_a_name(void **state)
{
    (void)state;
    text_is("load seed=42.csv", "what", "seed=42.csv");
    text_is("load a=b=c", "what", "a=b=c");
    text_is("load 'what=x'", "what", "what=x");
    refuses("join ref64 esp=3", "no argument \"esp\"; did you mean eps?");
    refuses("join x=ref64", "no argument \"x\"");
}

static void numbers(void **state)
{
    (void)state;
    number_is("join ref64 eps=0.5", "eps", 0.5);
    number_is("join ref64 eps=.5", "eps", 0.5);
    number_is("join ref64 eps=1e-3", "eps", 1e-3);
    number_is("join ref64 eps=1455.8605702", "eps", 1455.8605702);
    number_is("join ref64 S=64", "S", 64.0);
    number_is("join ref64 s=64", "S", 64.0);
    number_is("join ref64 eps=\"2\"", "eps", 2.0);
    number_is("join ref64 eps 2.5", "eps", 2.5);
    const char *const bad[] = {"join ref64 eps=",    "join ref64 eps=abc", "join ref64 eps=1x",  "join ref64 eps=nan",
                               "join ref64 eps=inf", "join ref64 eps=0x4", "join ref64 eps=1,5", "join ref64 eps=1e999",
                               "join ref64 eps=-1",  "join ref64 eps=--1", "join ref64 eps=1e"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        refuses(bad[k], "eps expects a number of at least 0, found");
    refuses("join ref64 eps="
            "1111111111222222222233333333334444444444555555555566666666667777",
            "found \"1111");
}

static void integers(void **state)
{
    (void)state;
    eb_call *call = parse("synth uniform 1e6 16 seed=9");
    assert_int_equal(eb_call_integer(call, "n", 0), 1000000);
    assert_int_equal(eb_call_integer(call, "d", 0), 16);
    assert_int_equal(eb_call_integer(call, "seed", 0), 9);
    eb_call_free(call);
    call = parse("synth uniform 10 16");
    assert_false(eb_call_has(call, "seed"));
    assert_int_equal(eb_call_integer(call, "seed", 77), 77);
    eb_call_free(call);
    refuses("synth uniform 64k 16", "n expects a whole number from 1 to 2147483647, found \"64k\"");
    refuses("synth uniform 1.5 16", "n expects a whole number");
    refuses("synth uniform 0 16", "found \"0\"");
    refuses("synth uniform 2147483648 16", "found \"2147483648\"");
    refuses("synth uniform 99999999999999999999 16", "found \"99999999999999999999\"");
    refuses("synth uniform 10 65537", "d expects a whole number from 1 to 65536");
}

static void lists_and_ranges(void **state)
{
    (void)state;
    const double *values;
    eb_call *call = parse("tune S=64,128,256");
    assert_int_equal(eb_call_numbers(call, "S", &values), 3);
    assert_true(values[0] == 64.0 && values[1] == 128.0 && values[2] == 256.0);
    eb_call_free(call);
    call = parse("tune 1,2,3,4,5,6,7,8,9");
    assert_int_equal(eb_call_numbers(call, "S", &values), 9);
    assert_true(values[8] == 9.0);
    eb_call_free(call);
    call = parse("sweep eps=0.5..2.");
    assert_int_equal(eb_call_numbers(call, "eps", &values), 2);
    assert_true(values[0] == 0.5 && values[1] == 2.0);
    assert_int_equal(eb_call_numbers(call, "S", &values), 0);
    eb_call_free(call);
    refuses("tune S=64,,128", "S expects numbers");
    refuses("tune S=64,", "S expects numbers");
    refuses("tune S=,", "S expects numbers");
    refuses("tune S=64,-1", "S expects numbers");
    refuses("sweep eps=2..1", "eps expects a range A..B");
    refuses("sweep eps=1..1", "A below B");
    refuses("sweep eps=1", "eps expects a range");
    refuses("sweep eps=1...2x", "eps expects a range");
    refuses("sweep eps=..", "eps expects a range");
}

static void steps(void **state)
{
    (void)state;
    static const struct {
        const char *line, *name;
        size_t count;
        double values[8];
    } cases[] = {{"grid n=1e3..1e6", "n", 7, {1000, 3162, 10000, 31623, 100000, 316228, 1000000}},
                 {"grid d=64..4096", "d", 7, {64, 128, 256, 512, 1024, 2048, 4096}},
                 {"grid d=64..100", "d", 2, {64, 100}},
                 {"grid n=1e3..1e6*10", "n", 4, {1000, 10000, 100000, 1000000}},
                 {"grid n=10..40*1.5", "n", 5, {10, 15, 23, 34, 40}},
                 {"grid n=1000,5e3,7000", "n", 3, {1000, 5000, 7000}},
                 {"grid d=17", "d", 1, {17}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const double *values;
        eb_call *call = parse(cases[k].line);
        assert_int_equal(eb_call_numbers(call, cases[k].name, &values), cases[k].count);
        assert_memory_equal(values, cases[k].values, cases[k].count * sizeof *values);
        eb_call_free(call);
    }
    static const char *const wrong[] = {"100..10",    "10..10",    "1..10",         "10..",         "..10",
                                        "10..100*1",  "10..100*",  "10.5",          "20,10",        "10,10",
                                        "10,,20",     "10,20.5",   "1e3..1e9*1.01", "10..100*1.01", "10..1e10",
                                        "10..20..30", "10..100*x", "-5..5"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char line[64];
        (void)snprintf(line, sizeof line, "grid n=%s", wrong[k]);
        refuses(line, "n expects whole numbers from 2 to 2147483647, ascending, at most 64, as A..B, A..B*2 or A,B,C");
    }
    char many[400] = "grid n=2";
    for (int k = 3; k < 70; k++)
        (void)snprintf(many + strlen(many), sizeof many - strlen(many), ",%d", k);
    refuses(many, "at most 64");
}

static void sizes(void **state)
{
    (void)state;
    size_is("set memory=1048576", 1048576);
    size_is("set memory=4e9", 4000000000u);
    size_is("set memory=512M", 512ull << 20);
    size_is("set memory=512MiB", 512ull << 20);
    size_is("set memory=512MB", 512000000u);
    size_is("set memory=4GiB", 4ull << 30);
    size_is("set memory=1.5G", 3ull << 29);
    size_is("set memory=2000kB", 2000000u);
    size_is("set memory=2097152B", 2097152u);
    refuses("set memory=4X", "memory expects a size of at least 1048576 bytes as 512M, 4GiB or 4e9, found \"4X\"");
    refuses("set memory=M", "memory expects");
    refuses("set memory=4GiBs", "memory expects");
    refuses("set memory=-1G", "memory expects");
    refuses("set memory=1e30", "memory expects");
    refuses("set memory=20000000P", "memory expects");
}

static void flags_and_choices(void **state)
{
    (void)state;
    eb_call *call = parse("join ref64 count");
    assert_true(eb_call_flag(call, "count"));
    eb_call_free(call);
    call = parse("join count ref64 eps=1"); /* a flag's whole name is the flag wherever it stands */
    assert_true(eb_call_flag(call, "count"));
    assert_string_equal(eb_call_text(call, "engine"), "ref64");
    eb_call_free(call);
    call = parse("join ref64 cou");
    assert_true(eb_call_flag(call, "count"));
    eb_call_free(call);
    call = parse("join ref64 count=off");
    assert_true(eb_call_has(call, "count"));
    assert_false(eb_call_flag(call, "count"));
    eb_call_free(call);
    call = parse("join ref64");
    assert_false(eb_call_flag(call, "count"));
    eb_call_free(call);
    text_is("synth exp 10 2", "kind", "exponential");
    text_is("mode m", "form", "markdown");
    refuses("mode x", "no form \"x\"; there are: text, json, csv, markdown");
    refuses("mode jsn", "did you mean json?");
    refuses("join ref64 count=maybe", "count expects on or off, found \"maybe\"");
    refuses("synth cauchy 10 2", "no kind \"cauchy\"; there are: uniform, exponential, gaussian");
    refuses("set device=tpu", "device expects cpu or cuda:N, found \"tpu\"");
}

/* A command's name goes before an engine's that begins alike. */
static void topics_are_terms(void **state)
{
    (void)state;
    text_is("help ties", "topic", "ties");
    text_is("help cov", "topic", "CoV");
    text_is("help derived   rate # a comment", "topic", "derived rate");
    text_is("help 'derived rate'", "topic", "derived rate");
    text_is("help derived r; quit", "topic", "derived rate");
    text_is("help topic=exec", "topic", "executed rate");
    text_is("help pairs only the fast one has", "topic", "wrong side");
    text_is("help eps", "topic", "ε");
    text_is("help |R|", "topic", "|R|");
    text_is("help cluster", "topic", "cluster"); /* and not the command clusters, */
    text_is("help clus", "topic", "clusters");   /* whose prefix it is */
    text_is("help neighbours", "topic", "neighbours");
    text_is("help terms", "topic", "terms");
    text_is("help bracet", "topic", "bracet"); /* words to search for */
    text_is("help derived rat tail", "topic", "derived rat tail");
    refuses("help 'ties", "");
    refuses("help tune 'ties", "");
}

static void topics_are_commands_and_engines(void **state)
{
    (void)state;
    text_is("help tu", "topic", "tune");
    text_is("help topic=tu", "topic", "tune");
    text_is("help ref64", "topic", "ref64");
    text_is("help fas", "topic", "fasted");
    text_is("help FASTED", "topic", "fasted");
    text_is("help re", "topic", "replay");
    text_is("help ref", "topic", "ref64");
    text_is("help t", "topic", "t"); /* more than one: to be searched for */
    text_is("help fasted[paper]", "topic", "fasted[paper]");
    refuses("help ''", "a word to explain is missing");
}

/* A value for an engine's option becomes a spec that gives it. */
static void option_values(void **state)
{
    (void)state;
    text_is("set tensor=sm_80", "tensor", "fasted[tensor=sm_80]");
    text_is("set tensor sm_80", "tensor", "fasted[tensor=sm_80]");
    text_is("set tensor='sm_80'", "tensor", "fasted[tensor=sm_80]");
    text_is("set tens \"sm_8\"", "tensor", "fasted[tensor=sm_8]"); /* shortened: whoever takes the spec knows */
    text_is("set preset=paper", "preset", "fasted[preset=paper]");
    text_is("set preset best-symmetric+swizzle", "preset", "fasted[preset=best-symmetric+swizzle]");
    text_is("ablate preset=best list", "preset", "fasted[preset=best]");
    refuses("set tensor=sm_", "column 12: \"sm_\" is ambiguous: sm_80, sm_90");
    refuses("set tensor=sm_70", "column 12: no tensor \"sm_70\"; did you mean sm_80?");
    refuses("set  tensor  sm_70", "column 14: no tensor");
    refuses("set tensor=", "column 12: no tensor \"\"; there are: sm_80, sm_90");
    refuses("set tensor", "column 11: tensor expects sm_80 or sm_90, found the end of the command");
    refuses("set tensor=sm_80 tensor=sm_90", "column 25: tensor is given twice");
    refuses("set preset=papr", "no preset \"papr\"; did you mean paper?");
    refuses("set preset=best-swizle", "no switch \"swizle\"; did you mean swizzle?");
    refuses("set preset=paper-async-copy", "switch pipeline needs async-copy, which is off; take pipeline off too");
    refuses("set preset=paper,tensor=sm_80", "preset expects paper or best, found \"paper,tensor=sm_80\"");
    refuses("set tensor=sm_80]", "tensor expects sm_80 or sm_90, found \"sm_80]\"");
}

static void defaults_of_engines(void **state)
{
    (void)state;
    text_is("set fasted.tensor=sm_80", "default", "fasted[tensor=sm_80]");
    text_is("set fasted.tensor sm_80", "default", "fasted[tensor=sm_80]");
    text_is("set fasted.tensor 'sm_80'", "default", "fasted[tensor=sm_80]");
    text_is("set \"fasted.tensor\" sm_80", "default", "fasted[tensor=sm_80]");
    text_is("set 'fasted.tensor=sm_80'", "default", "fasted[tensor=sm_80]");
    text_is("set default=fasted.tensor=sm_80", "default", "fasted[tensor=sm_80]");
    text_is("set fas.preset=paper-swizzle", "default", "fasted[preset=paper-swizzle]");
    text_is("set fasted.tensor sm_80 ref64.filter=off fasted.preset paper", "default",
            "fasted[tensor=sm_80],ref64[filter=off],fasted[preset=paper]");
    eb_call *call = parse("set trials 5 fasted.tensor=sm_80 seed=3 ref64.filter off threads 2");
    assert_int_equal(eb_call_integer(call, "trials", 0), 5);
    assert_int_equal(eb_call_integer(call, "seed", 0), 3);
    assert_int_equal(eb_call_integer(call, "threads", 0), 2);
    assert_string_equal(eb_call_text(call, "default"), "fasted[tensor=sm_80],ref64[filter=off]");
    eb_call_free(call);
    refuses("set fasted.", "column 12: default expects ENGINE.OPTION=VALUE, found the end of the command");
    refuses("set fasted.tensor", "column 18: default expects ENGINE.OPTION=VALUE");
    refuses("set fasted.tensor ; info", "found the end of the command");
    refuses("set fasted", "column 5: no argument \"fasted\"");
    refuses("set default=fasted", "column 13: default expects ENGINE.OPTION=VALUE, found \"fasted\"");
    refuses("set fasted.tensor=sm_80,paper", "found \"fasted.tensor=sm_80,paper\""); /* one option, one value */
    refuses("set fasted.tensor=sm_80],ref64[filter=off", "default expects ENGINE.OPTION=VALUE");
    refuses("set trails 5", "column 5: no argument \"trails\"; did you mean trials?");
    fails("set fasted.tensor=sm_80 fsted.x=1", EB_NO_ENGINE, "column 25: no engine \"fsted\"; did you mean fasted?");
    fails("set .tensor=1", EB_NO_ENGINE, "column 5: no engine \"\"; there are: fasted, exact, ref64");
}

/* What is in an engine's brackets is nothing to the parser: it is one word, with or without quotes. */
static void engines_with_options_are_words(void **state)
{
    (void)state;
    text_is("join fasted[tensor=sm_80] eps=1", "engine", "fasted[tensor=sm_80]");
    text_is("join fasted[paper,-swizzle,device=cuda:0]", "engine", "fasted[paper,-swizzle,device=cuda:0]");
    text_is("join engine=fasted[tensor=sm_80]", "engine", "fasted[tensor=sm_80]");
    text_is("join 'fasted[tensor=sm_80]' eps=1", "engine", "fasted[tensor=sm_80]");
    text_is("join \"fasted[paper, -swizzle]\"", "engine", "fasted[paper, -swizzle]");
    text_is("tune 64 engine=ref64[-filter]", "engine", "ref64[-filter]");
    text_is("ablate ref64[-filter] only=integers list", "engine", "ref64[-filter]");
    text_is("counters fasted,fasted[tensor=sm_80,paper],ref64 S=8", "engines",
            "fasted,fasted[tensor=sm_80,paper],ref64");
    eb_call *call = parse("compare fasted[tensor=sm_80] ref64[device=cpu] S=64");
    assert_string_equal(eb_call_text(call, "fast"), "fasted[tensor=sm_80]");
    assert_string_equal(eb_call_text(call, "truth"), "ref64[device=cpu]");
    assert_null(eb_call_text(call, "more"));
    assert_true(eb_call_number(call, "S", 0) == 64);
    eb_call_free(call);
    refuses("join ''", "column 6: engine expects an engine's name, found \"\"");
    refuses("join fasted [paper]", "column 13: no argument \"[paper]\""); /* no blank before the bracket */
}

/* The last positional argument may take all that follow; an argument's name ends them. */
static void repeated_arguments_are_lists(void **state)
{
    (void)state;
    text_is("compare fasted ref64 ted wmma", "more", "ted,wmma");
    text_is("compare fasted ref64 ted,wmma ref64[-filter,-integers]", "more", "ted,wmma,ref64[-filter,-integers]");
    text_is("compare fasted ref64 more=ted more=wmma", "more", "ted,wmma");
    text_is("compare fasted ref64 ted more=wmma ref64", "more", "ted,wmma,ref64");
    text_is("compare fast=fasted truth=ref64 ted", "more", "ted");
    static const char *const lines[] = {"compare fasted ref64 ted wmma S 64 trials 2",
                                        "compare fasted ref64 S=64 ted trials=2 wmma",
                                        "compare trials=2 S=64 fasted ref64 ted wmma",
                                        "compare fasted ref64 ted S 64 'wmma' trials 2"};
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        eb_call *call = parse(lines[k]);
        assert_string_equal(eb_call_text(call, "more"), "ted,wmma");
        assert_true(eb_call_number(call, "S", 0) == 64);
        assert_int_equal(eb_call_integer(call, "trials", 0), 2);
        eb_call_free(call);
    }
    text_is("compare fasted ref64 'S'", "more", "S"); /* quoted, it is no name */
    refuses("compare fasted ref64 ted S", "column 27: S expects a number above 0, at most 2147483647, found the end");
    refuses("compare fasted ref64 ted S x", "column 28: S expects a number");
    refuses("compare fasted ref64 ted esp=3", "column 26: no argument \"esp\"; did you mean eps?");
    refuses("compare fasted ref64 ''", "column 22: more expects an engine's name");
    text_is("compare fasted,ref64", "fast", "fasted,ref64"); /* a list is one word, wherever it stands */
    text_is(":compare fasted ref64", "truth", "ref64");
    text_is(" : compare fasted ref64", "truth", "ref64");
    refuses("compare fast=fasted fast=ref64", "fast is given twice");
}

/* Logs of earlier versions are replayed: what they hold still parses, to what it meant. */
static void commands_of_earlier_versions_mean_the_same(void **state)
{
    (void)state;
    eb_call *call = parse("compare fast=fasted truth=ref64 S=64 trials=2");
    assert_string_equal(eb_call_text(call, "fast"), "fasted");
    assert_string_equal(eb_call_text(call, "truth"), "ref64");
    assert_int_equal(eb_call_integer(call, "trials", 0), 2);
    eb_call_free(call);
    call = parse("set tensor sm_80 preset paper-swizzle memory 1GiB gpu_memory 2GiB device cpu");
    assert_string_equal(eb_call_text(call, "tensor"), "fasted[tensor=sm_80]");
    assert_string_equal(eb_call_text(call, "preset"), "fasted[preset=paper-swizzle]");
    assert_true(eb_call_size(call, "memory", 0) == (uint64_t)1 << 30);
    assert_string_equal(eb_call_text(call, "device"), "cpu");
    eb_call_free(call);
    call = parse("ablate preset=best only=symmetric,aggregate S=64 trials=5");
    assert_string_equal(eb_call_text(call, "preset"), "fasted[preset=best]");
    assert_string_equal(eb_call_text(call, "only"), "symmetric,aggregate");
    assert_null(eb_call_text(call, "engine"));
    eb_call_free(call);
    text_is("counters fasted,ref64 S=64", "engines", "fasted,ref64");
    text_is("counters engines=fasted", "engines", "fasted");
    text_is("tune S=64 engine=fasted", "engine", "fasted");
    text_is("curve engine=ref64", "engine", "ref64");
    text_is("runs engine=ref64 limit=5", "engine", "ref64");
    call = parse("hist bins=130 log");
    assert_int_equal(eb_call_integer(call, "bins", 0), 130);
    assert_true(eb_call_flag(call, "log"));
    assert_false(eb_call_has(call, "engine"));
    eb_call_free(call);
    eb_call_free(parse("accuracy"));
}

static void names_may_be_shortened(void **state)
{
    (void)state;
    eb_call *call = parse("j ref64 t=5");
    assert_string_equal(call->command->name, "join");
    assert_int_equal(eb_call_integer(call, "trials", 0), 5);
    eb_call_free(call);
    call = parse("set threads=2"); /* whole name, though sessions begins with se too */
    assert_string_equal(call->command->name, "set");
    eb_call_free(call);
    call = parse("INFO");
    assert_string_equal(call->command->name, "info");
    eb_call_free(call);
    refuses("ses=3", "no command \"ses=3\"");
    refuses("eps='3 4'", "no command \"eps='3 4'\"");
    refuses("s", "\"s\" is ambiguous: synth, sweep, save, sessions, show, sql, set, source");
    refuses("set t=3", "\"t\" is ambiguous: threads, trials, tensor");
    refuses("jion ref64", "no command \"jion\"; did you mean join?");
    refuses("comprae", "did you mean compare?");
    refuses("xyzzy", "no command \"xyzzy\"; `help` lists all");
    refuses("''", "no command \"\"");
}

static void mistakes_name_the_column(void **state)
{
    (void)state;
    refuses("join ref64 eps=x", "column 16: eps expects");
    refuses("  jion", "column 3: no command");
    refuses("load 'abc", "column 6: the quote ' opened here is not closed on this line");
    refuses("load what=\"abc", "column 11: the quote \"");
    refuses("load \"a\\q\"", "column 8: inside \"…\" a backslash stands before");
    refuses("load ε ε", "column 8: no argument"); /* characters, not bytes */
    refuses("join", "column 5: engine is missing, expected an engine's name; usage: join ENGINE");
    refuses("join ref64 eps=1 eps=2", "column 22: eps is given twice");
    refuses("info now", "column 6: nothing was expected here, found \"now\"; usage: info");
    refuses("join ref64 trials", "column 18: trials expects a whole number from 1 to 1000, found the end");
    const char *line = "info; join ref64 eps=x", *rest = NULL;
    eb_call *call = NULL;
    eb_status status = {0};
    assert_int_equal(eb_parse_at(line, line + 5, &rest, &call, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "column 22: eps"));
}

static void the_rest_of_a_command_is_taken_as_typed(void **state)
{
    (void)state;
    text_is("note it's  fine # really, see #3", "text", "it's  fine # really, see #3");
    text_is("note #3", "text", "#3");
    text_is("note \"quoted; whole\"", "text", "quoted; whole");
    text_is("note \"quoted\" and more ", "text", "\"quoted\" and more");
    text_is("note k=v", "text", "k=v");
    eb_call *call = parse("note run=12 looks slow; info");
    assert_int_equal(eb_call_integer(call, "run", 0), 12);
    assert_string_equal(eb_call_text(call, "text"), "looks slow");
    assert_string_equal(call->text, "note run=12 looks slow");
    eb_call_free(call);
    call = parse("watch 2 join ref64 eps=3 'a;b'");
    assert_true(eb_call_number(call, "seconds", 0) == 2.0);
    assert_string_equal(eb_call_text(call, "command"), "join ref64 eps=3 'a;b'");
    eb_call_free(call);
    call = parse("watch times=3 0.5 'info; runs'");
    assert_int_equal(eb_call_integer(call, "times", 0), 3);
    assert_string_equal(eb_call_text(call, "command"), "info; runs");
    eb_call_free(call);
    refuses("note", "text is missing");
    refuses("note 'open", "column 6: the quote '");
}

static void commands_follow_each_other(void **state)
{
    (void)state;
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

static void a_failure_leaves_the_next_command(void **state)
{
    (void)state;
    const char *const lines[] = {"jion 'a;b' # c ; d\ninfo", "load 'open; x\ninfo", "join ref64 eps=x;info",
                                 "load \"\\q\";info", "note 'open; x\ninfo"};
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        const char *rest = NULL;
        eb_call *call = NULL;
        assert_int_equal(eb_parse(lines[k], &rest, &call, NULL), EB_USAGE);
        assert_string_equal(rest, "info");
    }
}

static void words_have_columns(void **state)
{
    (void)state;
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

/* Pieces that meet often in commands find more than random bytes do. */
static void it_ends_on_anything(void **state)
{
    (void)state;
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

/* What was typed goes into the log; run again it must mean the same. */
static void the_text_parses_to_the_same(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_quotes),
        cmocka_unit_test(an_equals_sign_may_be_part_of_a_name),
        cmocka_unit_test(numbers),
        cmocka_unit_test(integers),
        cmocka_unit_test(lists_and_ranges),
        cmocka_unit_test(steps),
        cmocka_unit_test(sizes),
        cmocka_unit_test(flags_and_choices),
        cmocka_unit_test(topics_are_commands_and_engines),
        cmocka_unit_test(topics_are_terms),
        cmocka_unit_test(option_values),
        cmocka_unit_test(defaults_of_engines),
        cmocka_unit_test(engines_with_options_are_words),
        cmocka_unit_test(repeated_arguments_are_lists),
        cmocka_unit_test(commands_of_earlier_versions_mean_the_same),
        cmocka_unit_test(names_may_be_shortened),
        cmocka_unit_test(mistakes_name_the_column),
        cmocka_unit_test(the_rest_of_a_command_is_taken_as_typed),
        cmocka_unit_test(commands_follow_each_other),
        cmocka_unit_test(a_failure_leaves_the_next_command),
        cmocka_unit_test(words_have_columns),
        cmocka_unit_test(it_ends_on_anything),
        cmocka_unit_test(the_text_parses_to_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
