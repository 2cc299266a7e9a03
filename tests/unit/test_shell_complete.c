/* Completion: what it offers where, on any line, at any place in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine/engine.h"
#include "kernels/device/cuda.h"
#include "shell/language/complete.h"
#include "tests/unit/own_folder.h"

static bool offers(const char *line, const char *name)
{
    eb_candidates list;
    bool found = false;
    assert_true(eb_complete(line, strlen(line), &list));
    for (size_t k = 0; k < list.count; k++)
        found |= strcmp(list.candidate[k].name, name) == 0;
    eb_candidates_free(&list);
    return found;
}

static bool offers_nothing(const char *line)
{
    eb_candidates list;
    assert_true(eb_complete(line, strlen(line), &list));
    bool nothing = list.count == 0 && !list.files;
    eb_candidates_free(&list);
    return nothing;
}

static bool is_open(const char *line)
{
    eb_candidates list;
    assert_true(eb_complete(line, strlen(line), &list));
    bool open = list.open;
    eb_candidates_free(&list);
    return open;
}

static bool offers_files(const char *line)
{
    eb_candidates list;
    assert_true(eb_complete(line, strlen(line), &list));
    bool files = list.files;
    eb_candidates_free(&list);
    return files;
}

static void completion_knows_the_place(void **state)
{
    (void)state;
    assert_true(offers("", "load") && offers("lo", "load") && offers("info; ", "tune"));
    assert_true(offers(":lo", "load") && offers("info; : ", "tune") && offers(":join ref64 ", "eps="));
    assert_true(offers("load ", "demo:stars") && offers_files("load ") && offers_files("load \"my fi"));
    assert_false(offers_files("info; jo") || offers_files("join "));
    assert_true(offers("join ", "fasted") && offers("join ", "eps=") && offers("join ref64 ", "count"));
    assert_false(offers("join ref64 ", "fasted"));
    assert_false(offers("join ref64 eps=1 ", "eps="));
    assert_true(offers("join ref64 eps=1 ", "S="));
    assert_true(offers("tune S=64 engine=", "ref64") && offers("tune S=64 eng=r", "ref64"));
    assert_false(offers("tune S=64 engine=", "queries="));
    assert_true(offers("tune ", "S=") && !offers("tune S=64 ", "S=") && !offers("tune 64 ", "S="));
    assert_true(offers_files("join ref64 save="));
    assert_true(offers("compare fasted ", "ref64"));
    assert_true(offers("set ", "tensor=") && offers("set tensor=", "sm_80") && offers("set tensor ", "sm_90"));
    assert_true(offers("set th", "theme=") && offers("set theme=", "auto") && offers("set theme=l", "light"));
    assert_true(offers("help th", "theme") && !offers("set theme=", "black"));
    assert_true(offers("set device=", "cpu") && offers("mode ", "json") && offers("help ", "sweep"));
    assert_true(offers("help ", "terms") && offers("help t", "ties") && offers("help der", "derived rate"));
    assert_false(offers("help ", "ties")); /* they are many */
    assert_true(offers("help ", "ref64") && offers("help wm", "wmma"));
    assert_true(offers("watch 2 ", "info") && offers("watch 2 join ", "ref64") && offers("watch 2 'info; tu", "tune"));
    assert_true(offers("watch ", "times="));
    assert_true(offers("sql .", ".tables") && offers("sql .sch", ".schema") && offers("sql ", "limit="));
    assert_false(offers("sql SELECT .", ".tables"));
    assert_false(offers("nonsense ", "load") || offers("# lo", "eps="));
}

static void completion_knows_what_load_reads(void **state)
{
    (void)state;
    assert_true(offers("load ", "format=") && offers("load x ", "format=") && offers("load - format=", "csv"));
    assert_true(offers("load - format=p", "parquet") || offers("load - format=", "arrow"));
    assert_true(offers("load x format ", "npy") && offers("load x format=n", "npz"));
    assert_false(offers("load x format=", "eps=") || offers("load x columns=", "csv") ||
                 offers_files("load - format="));
    eb_candidates list;
    assert_true(eb_complete("load - format=", strlen("load - format="), &list));
    for (size_t k = 0; k < list.count; k++)
        for (size_t i = 0; i < k; i++)
            assert_string_not_equal(list.candidate[i].name, list.candidate[k].name);
    eb_candidates_free(&list);
}

/* Names are whole words from where readline's word begins: behind a blank, ';' or '='. */
static void completion_goes_into_brackets(void **state)
{
    (void)state;
    assert_true(offers("join fas", "fasted") && offers("join fasted[", "fasted[swizzle"));
    assert_true(offers("join fasted[", "fasted[preset=") && offers("join fasted[", "fasted[paper"));
    assert_true(offers("join fasted[", "fasted[device=") && offers("join ted[", "ted[device="));
    assert_true(offers("join fasted[pap", "fasted[paper") && offers("join fas[", "fas[paper"));
    assert_true(offers("join fasted[-", "fasted[-swizzle") && offers("join fasted[+", "fasted[+swizzle"));
    assert_false(offers("join fasted[-", "fasted[paper") || offers("join fasted[-", "fasted[-paper") ||
                 offers("join fasted[-", "fasted[-preset="));
    assert_false(offers("join fasted[-", "fasted[device=") || offers("join fasted[-", "fasted[-device="));
    assert_true(offers("join fasted[paper,", "fasted[paper,tensor=") &&
                offers("join fasted[paper,-", "fasted[paper,-pipeline"));
    assert_true(offers("join fasted[tensor=", "sm_80") && offers("join fasted[paper,tensor=sm", "sm_90"));
    assert_true(offers("join fasted[tensor=sm_80,", "sm_80,swizzle"));
    assert_true(offers("join fasted[preset=", "best") && offers("join fasted[swizzle=", "off"));
    assert_true(offers("join ref64[device=", "cpu") && offers("join ref64[device=", "cuda:0"));
    assert_true(offers("join ref64[", "ref64[filter") && !offers("join ref64[", "ref64[swizzle"));
    assert_true(offers("tune 64 engine=ref64[", "ref64[filter") && offers("tune 64 engine=ref64[-", "ref64[-integers"));
    assert_true(offers("watch 2 join fasted[", "fasted[paper"));
    assert_false(offers("join nosuch[", "nosuch[device=") || offers("join fasted[nosuch=", "on"));
}

static void completion_goes_on_behind_brackets(void **state)
{
    (void)state;
    assert_true(offers("counters fasted,", "fasted,ref64") && offers("counters fasted,r", "fasted,ref64"));
    assert_true(offers("counters fasted[paper],", "fasted[paper],ref64"));
    assert_true(offers("counters fasted[tensor=sm_80],", "sm_80],ref64"));
    assert_true(offers("counters fasted[tensor=sm_80],ref64[", "sm_80],ref64[filter"));
    assert_false(offers("counters fasted[paper,", "fasted[paper,ref64")); /* still inside */
    assert_true(offers("compare fasted[tensor=sm_80] ", "ref64") && offers("compare fasted ref64 ", "ego"));
    assert_true(offers("compare fasted ref64 ted ", "fasted") && offers("compare fasted ref64 ted ", "S="));
    assert_true(offers("ablate ", "preset=") && offers("ablate preset=", "best") && offers("ablate ", "ref64"));
    assert_true(offers("hist ", "fasted") && offers("accuracy fasted[", "fasted[paper"));
    assert_true(offers_nothing("join fasted[tensor=sm_80]") && offers_nothing("counters ted,fasted[tensor=sm_80]"));
    assert_true(offers_nothing("compare fasted ref64 S ") && offers_nothing("compare fasted ref64 ted trials 2 S "));
}

/* Those that cannot run on this machine are offered by commands that run none. */
static void completion_leaves_out_what_cannot_run_here(void **state)
{
    (void)state;
    const eb_engine *ted;
    assert_int_equal(eb_engine_find("ted", 3, &ted, NULL), EB_OK);
    bool runs = ted->on[EB_DEVICE_CUDA].run && eb_cuda_seen(0);
    assert_int_equal(offers("join ", "ted"), runs);
    assert_int_equal(offers("compare fasted ref64 ", "ted"), runs);
    assert_int_equal(offers("counters fasted,", "fasted,ted"), runs);
    assert_true(offers("help ", "ted") && offers("model ", "ted") && offers("runs engine=", "ted"));
    assert_true(offers("ablate ", "ted") && offers("set ", "ted.") && offers("join ted[", "ted[device="));
}

static void expect_about(const char *line, const char *name, const char *about)
{
    eb_candidates list;
    const char *found = NULL;
    assert_true(eb_complete(line, strlen(line), &list));
    for (size_t k = 0; k < list.count; k++)
        if (strcmp(list.candidate[k].name, name) == 0)
            found = list.candidate[k].about;
    assert_non_null(found);
    assert_non_null(strstr(found, about));
    eb_candidates_free(&list);
}

static void completion_describes_what_it_offers(void **state)
{
    (void)state;
    expect_about("", "tune", "Find the ε");
    expect_about("join ", "fasted", "FP16 tensor cores with FP32 sums");
    expect_about("help ", "ted", "FP64 tensor cores");
    expect_about("join ", "eps=", "radius ε");
    expect_about("join fasted[", "fasted[swizzle", "no bank conflicts");
    expect_about("join fasted[", "fasted[authors", "norms: ");
    expect_about("tune ", "S=", "mean numbers of other points");
    expect_about("set fasted.", "fasted.tensor=", "");
    expect_about("load x format=", "npy", "NumPy");
    expect_about("load ", "demo:stars", "unit sphere");
    expect_about("help t", "ties", "Unordered pairs");
}

/* Columns are offered for a table that exists, and nothing for one that does not. */
static void completion_knows_columns(void **state)
{
    (void)state;
    FILE *file = fopen("iris of mine.csv", "w");
    assert_non_null(file);
    (void)fputs("sepal,petal width,species\n1,2,setosa\n3,4,virginica\n", file);
    assert_int_equal(fclose(file), 0);
    static const char *const label = "load 'iris of mine.csv' label=", *columns = "load \"iris of mine.csv\" columns=";
    expect_about(label, "species", "text");
    expect_about(label, "sepal", "numbers");
    assert_true(offers(label, "1") && !offers(label, "petal width")); /* a name that would need quotes: its number */
    assert_true(offers(columns, "sepal") && !offers(columns, "species"));
    assert_true(offers("load 'iris of mine.csv' columns=1,", "1,sepal") && is_open(columns) && !is_open(label));
    assert_true(offers("info; load what='iris of mine.csv' scale=minmax label ", "species"));
    assert_true(offers_nothing("load nowhere.csv label=") && offers_nothing("load label=") &&
                offers_nothing("load demo columns="));
    assert_int_equal(remove("iris of mine.csv"), 0);
}

/* An argument's name is offered where a word may still become one. */
static void completion_offers_no_names_inside_values(void **state)
{
    (void)state;
    assert_false(offers("join fasted[tensor=", "eps=") || offers("set fasted.tensor=", "device="));
    assert_true(offers("join fasted[tensor=sm_80] ", "eps=") && offers("join ", "eps="));
}

static void completion_knows_defaults(void **state)
{
    (void)state;
    assert_true(offers("set ", "fasted.") && offers("set fas", "fasted.") && offers("set ", "trials="));
    assert_true(offers("set fasted.", "fasted.tensor=") && offers("set fasted.sw", "fasted.swizzle="));
    assert_true(offers("set fas.", "fas.tensor=") && offers("set ref64.", "ref64.filter="));
    assert_false(offers("set ref64.", "ref64.tensor=") || offers("set fasted.", "fasted.device="));
    assert_true(offers("set fasted.tensor=", "sm_80") && offers("set fasted.swizzle=o", "off"));
    assert_true(offers("set fasted.tensor ", "sm_80") && offers("set fasted.tensor  sm", "sm_90"));
    assert_false(offers("set fasted.tensor ", "fasted.") || offers("set fasted.tensor ", "trials="));
    assert_true(offers("set fasted.tensor sm_80 ", "ref64.") && offers("set fasted.tensor=sm_80 ", "trials="));
    assert_true(offers("set trials 5 ", "fasted.") && offers("set preset ", "paper"));
    assert_true(offers_nothing("set nosuch.x=") && offers_nothing("set fasted.nosuch=") &&
                offers_nothing("set trials "));
}

/* A blank is put behind what is chosen only where the word is whole. */
static void completion_knows_where_a_word_goes_on(void **state)
{
    (void)state;
    assert_false(is_open("join ") || is_open("join fas") || is_open("set tensor=") || is_open("help "));
    assert_true(is_open("join fasted[") && is_open("join fasted[paper,") && is_open("join fasted[tensor="));
    assert_true(is_open("set ") && is_open("set fasted."));
    assert_false(is_open("set fasted.tensor=") || is_open("set fasted.tensor "));
}

/* xorshift64*: the same lines on every machine. */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545F4914F6CDD1Du;
}

static void completion_survives_any_line(void **state)
{
    (void)state;
    static const char *const pieces[] = {"join ",   "compare ", "set ",  "counters ", "fasted", "ref64", "[", "]",
                                         ",",       "=",        ".",     " ",         "-",      "+",     "S", "tensor",
                                         "paper",   "device",   "\"",    "'",         ";",      "#",     "ε", "help ",
                                         "engine=", "default=", "sm_80", "watch 2 ",  "trials "};
    uint64_t seed = 20250611;
    for (size_t round = 0; round < 20000; round++) {
        char line[256] = "";
        for (size_t k = next_random(&seed) % 16; k > 0; k--)
            strcat(line, pieces[next_random(&seed) % (sizeof pieces / sizeof pieces[0])]);
        eb_candidates list;
        assert_true(eb_complete(line, strlen(line), &list));
        for (size_t k = 0; k < list.count; k++)
            assert_true(list.candidate[k].name[0] != '\0');
        eb_candidates_free(&list);
    }
}

static void completion_ends_anywhere(void **state)
{
    (void)state;
    const char line[] = "counters fasted[tensor=sm_80,-swizzle],ref64[ S 3; set fasted.tensor sm_80 ref64.filter=off;"
                        "load 'a b'; watch times=2 3 join \"ref64\" eps=\\;x # note ε; set tensor=sm_80 note \"";
    for (size_t cursor = 0; cursor < sizeof line; cursor++) {
        eb_candidates list;
        assert_true(eb_complete(line, cursor, &list));
        eb_candidates_free(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completion_knows_the_place),
        cmocka_unit_test(completion_knows_what_load_reads),
        cmocka_unit_test(completion_goes_into_brackets),
        cmocka_unit_test(completion_goes_on_behind_brackets),
        cmocka_unit_test(completion_leaves_out_what_cannot_run_here),
        cmocka_unit_test(completion_describes_what_it_offers),
        cmocka_unit_test_setup_teardown(completion_knows_columns, make_folder, remove_folder),
        cmocka_unit_test(completion_offers_no_names_inside_values),
        cmocka_unit_test(completion_knows_defaults),
        cmocka_unit_test(completion_knows_where_a_word_goes_on),
        cmocka_unit_test(completion_survives_any_line),
        cmocka_unit_test(completion_ends_anywhere),
    };
    return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
