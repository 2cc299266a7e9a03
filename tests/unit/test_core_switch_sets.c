/* switch_sets: leave-one-out, add-one-in, one after another, all subsets, named sets; dependencies; refusals.
 */

#include "core/experiment/switch_sets.h"
#include "tests/unit/test.h"

#define FLAG(name_, presets_, needs_)                                                                                  \
    {.name = (name_), .type = EB_ARG_FLAG, .devices = EB_ON_CPU, .presets = (presets_), .needs = (needs_)}

/* b needs a, d needs b; f and g belong to the later preset; g does not matter on this device. */
enum { PRESET, A, B, C, D, E, F, G, LEAF, OPTIONS };

static const eb_option options[OPTIONS] = {
    [PRESET] = {"preset", EB_ARG_PRESET, EB_ON_CPU, .choices = "plain|best", .fallback = "plain"},
    [A] = FLAG("a", "plain|best", NULL),
    [B] = FLAG("b", "plain|best", "a"),
    [C] = FLAG("c-c", "plain|best", NULL),
    [D] = FLAG("d", "plain|best", "b"),
    [E] = FLAG("e", "plain|best", NULL),
    [F] = FLAG("f", "best", NULL),
    [G] = {"g", EB_ARG_FLAG, EB_ON_CUDA, .presets = "best"},
    [LEAF] = {"leaf", EB_ARG_INTEGER, EB_ON_ALL, .fallback = "64", .min = 1, .max = 4096},
};
static const eb_option_list list = {options, OPTIONS};

static eb_setup setup_of(const char *items)
{
    eb_setup setup = {.device = {.kind = EB_DEVICE_CPU, .name = "cpu"}};
    eb_status status = {.message = ""};
    (void)snprintf(setup.spec, sizeof setup.spec, "engine");
    eb_options_default(&list, &setup.options);
    assert_int_equal(eb_options_take(&setup.options, items, &status), EB_OK);
    return setup;
}

/* The flags that are on, as letters: "abcde". */
static const char *on_in(const eb_options *of, char *text)
{
    size_t used = 0;
    for (size_t k = A; k <= G; k++)
        if (of->value[k])
            text[used++] = options[k].name[0];
    text[used] = '\0';
    return text;
}

/* expected: "named:on" for each set, separated by blanks; named as a user types it. */
static void sets_are(const char *items, eb_ablation_plan plan, const char *expected)
{
    const eb_setup setup = setup_of(items);
    eb_switch_sets sets;
    eb_status status = {.message = ""};
    char found[1024] = "", on[OPTIONS + 1], names[64];
    if (eb_choose_switch_sets(&setup, &plan, &sets, &status))
        fail_msg("%s", status.message);
    for (size_t k = 0; k < sets.count; k++) {
        size_t used = strlen(found);
        (void)snprintf(found + used, sizeof found - used, "%s%s:%s", k ? " " : "",
                       eb_flag_names(&list, sets.set[k].named, "+", names, sizeof names),
                       on_in(&sets.set[k].options, on));
        assert_int_equal(eb_option_number(&sets.set[k].options, "leaf"), eb_option_number(&setup.options, "leaf"));
    }
    assert_string_equal(found, expected);
}

static void refused(const char *items, eb_ablation_plan plan, eb_code code, const char *why)
{
    const eb_setup setup = setup_of(items);
    eb_switch_sets sets;
    eb_status status = {.message = ""};
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, &status), code);
    assert_string_equal(status.message, why);
}

/* ---- ways ---- */

TEST(each_is_left_out_with_what_needs_it)
{
    sets_are("", (eb_ablation_plan){.way = EB_ONE_AT_A_TIME}, ":abcde a:ce b:ace c-c:abde d:abce e:abcd");
    sets_are("leaf=7", (eb_ablation_plan){.names = "e,b"}, ":abcde b:ace e:abcd");
    sets_are("best", (eb_ablation_plan){.way = EB_ONE_AT_A_TIME}, ":abcdefg f:abcdeg"); /* g does not matter here */
}

TEST(each_is_added_with_what_it_needs)
{
    sets_are("", (eb_ablation_plan){.from_bare = true}, ": a:a b:ab c-c:c d:abd e:e");
    sets_are("leaf=7", (eb_ablation_plan){.from_bare = true, .names = "d,c-c"}, ": c-c:c d:abd");
    sets_are("best", (eb_ablation_plan){.from_bare = true}, ":abcdeg f:abcdefg");
    sets_are("-d", (eb_ablation_plan){.from_bare = true}, ": a:a b:ab c-c:c e:e"); /* off already, so not a switch */
}

TEST(one_comes_after_another)
{
    eb_ablation_plan plan = {.way = EB_ONE_AFTER_ANOTHER, .from_bare = true};
    sets_are("", plan, ": a:a b:ab c-c:abc d:abcd e:abcde");
    plan.names = "e,d,a,c-c"; /* in the order named; d brought a along */
    sets_are("", plan, ": e:e d:abde c-c:abcde");
    plan.from_bare = false;
    sets_are("", plan, ":abcde e:abcd d:abc a:c c-c:");
}

TEST(all_subsets_run_once_each)
{
    eb_ablation_plan plan = {.way = EB_ALL_SUBSETS, .names = "e,c-c"};
    sets_are("", plan, ":abcde c-c:abde e:abcd c-c+e:abd");
    plan.from_bare = true;
    sets_are("", plan, ": c-c:c e:e c-c+e:ce");
    plan.names = "a,b,e"; /* a+b equals b, which needs a: six of eight */
    sets_are("", plan, ": a:a b:ab e:e a+e:ae b+e:abe");
    plan.names = "d";
    sets_are("", plan, ": d:abd");
    plan.names = NULL; /* five switches, whose subsets fit: of 3 ways for a, b, d, times 2, times 2, and none */
    const eb_setup setup = setup_of("");
    eb_switch_sets sets;
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, NULL), EB_OK);
    assert_int_equal(sets.count, 4 * 2 * 2);
}

TEST(subsets_run_as_they_are_named)
{
    eb_ablation_plan plan = {.way = EB_NAMED_SUBSETS, .names = "e+c-c,b,b+d+e"};
    sets_are("", plan, ":abcde c-c+e:abd b:ace b+d+e:ac");
    plan.from_bare = true;
    sets_are("", plan, ": c-c+e:ce b:ab b+d+e:abde");
    plan.names = "b,b+a,b"; /* all three are the same set */
    sets_are("", plan, ": b:ab");
}

/* A setup that equals a preset gets its name, as if the options had been typed. */
TEST(what_is_another_preset_is_called_so)
{
    char text[EB_OPTIONS_TEXT];
    const eb_setup setup = setup_of("best,-g");
    const eb_ablation_plan plan = {.from_bare = true};
    eb_switch_sets sets;
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, NULL), EB_OK);
    assert_string_equal(eb_options_preset(&sets.set[0].options, text, sizeof text), "plain");
    assert_true(eb_options_are_presets(&sets.set[0].options));
    assert_false(eb_options_are_presets(&setup.options));
}

/* ---- refusals ---- */

TEST(names_that_are_none_are_refused)
{
    static const char rest[] = ", only a, b, c-c, d, e";
    static const struct {
        const char *names, *bad;
    } cases[] = {{"x", "x"},     {"a,x", "x"}, {"f", "f"}, {"leaf", "leaf"}, {"preset", "preset"}, {"a+b+x,a", "x"},
                 {"a b", "a b"}, {"c", "c"},   {"A", "A"}, {"-a", "-a"},     {"a,c-c+cc", "cc"},   {"a+best", "best"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char why[160];
        (void)snprintf(why, sizeof why, "%s cannot be left out of engine%s", cases[k].bad, rest);
        refused("", (eb_ablation_plan){.way = EB_NAMED_SUBSETS, .names = cases[k].names}, EB_USAGE, why);
        (void)snprintf(why, sizeof why, "%s cannot be added to the bare kernel of engine%s", cases[k].bad, rest);
        refused("", (eb_ablation_plan){.way = EB_NAMED_SUBSETS, .from_bare = true, .names = cases[k].names}, EB_USAGE,
                why);
    }
    refused("", (eb_ablation_plan){.names = "a+b"}, EB_USAGE, /* one at a time allows no sets */
            "a+b cannot be left out of engine, only a, b, c-c, d, e");
}

TEST(names_that_are_missing_are_refused)
{
    static const char *const names[] = {"", ",", "a,", ",a", "a,,b", "+", "a+", "+a", "a++b", "a+,b", "a,+b"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char why[160];
        (void)snprintf(why, sizeof why, "the name of a switch is missing in \"%s\"; engine has a, b, c-c, d, e",
                       names[k]);
        refused("", (eb_ablation_plan){.way = EB_NAMED_SUBSETS, .names = names[k]}, EB_USAGE, why);
    }
}

TEST(without_switches_there_is_nothing_to_do)
{
    for (int bare = 0; bare < 2; bare++)
        refused("-a,-b,-c-c,-d,-e", (eb_ablation_plan){.from_bare = bare}, EB_NO_ENGINE,
                "engine has no switches to leave out on cpu");
}

/* Flags without presets, each with a name of its own. */
static eb_setup setup_with(eb_option many[EB_MOST_OPTIONS], char names[EB_MOST_OPTIONS][4], size_t count,
                           eb_option_list *of)
{
    eb_setup setup = {.device = {.kind = EB_DEVICE_CPU, .name = "cpu"}, .spec = "many"};
    for (size_t k = 0; k < count; k++) {
        (void)snprintf(names[k], sizeof names[k], "s%zu", k);
        many[k] = (eb_option){.name = names[k], .type = EB_ARG_FLAG, .devices = EB_ON_ALL, .fallback = "on"};
    }
    *of = (eb_option_list){many, count};
    eb_options_default(of, &setup.options);
    return setup;
}

TEST(more_subsets_than_run_are_refused_with_their_number)
{
    static eb_option many[EB_MOST_OPTIONS];
    static char names[EB_MOST_OPTIONS][4];
    eb_option_list of;
    eb_setup setup = setup_with(many, names, 9, &of);
    eb_ablation_plan plan = {.way = EB_ALL_SUBSETS, .from_bare = true};
    eb_switch_sets sets;
    eb_status status = {.message = ""};
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, &status), EB_USAGE);
    assert_string_equal(status.message,
                        "9 switches have 512 subsets; all subsets run for at most 5 switches, which have "
                        "32: name those that matter");
    plan.names = "s0,s1,s2,s3,s4,s5";
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "6 switches have 64 subsets"));
    plan.names = "s8,s1,s2,s3,s4";
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, &status), EB_OK);
    assert_int_equal(sets.count, 32);
    setup = setup_with(many, names, EB_MOST_OPTIONS, &of);
    plan.names = NULL;
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "40 switches have 1099511627776 subsets"));
}

TEST(as_many_switches_as_there_may_be_have_room)
{
    static eb_option many[EB_MOST_OPTIONS];
    static char names[EB_MOST_OPTIONS][4];
    eb_option_list of;
    const eb_setup setup = setup_with(many, names, EB_MOST_OPTIONS, &of);
    eb_switch_sets sets;
    eb_status status = {.message = ""};
    for (int bare = 0; bare < 2; bare++) {
        eb_ablation_plan plan = {.way = EB_ONE_AFTER_ANOTHER, .from_bare = bare};
        assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, &status), EB_OK);
        assert_int_equal(sets.count, EB_MOST_VARIANTS);
        assert_true(sets.set[EB_MOST_OPTIONS].named == UINT64_C(1) << (EB_MOST_OPTIONS - 1));
    }
    char pairs[4 * EB_MOST_VARIANTS * 4] = ""; /* s0+s1,s0+s2, … */
    for (size_t k = 1; k < EB_MOST_OPTIONS; k++)
        (void)snprintf(pairs + strlen(pairs), sizeof pairs - strlen(pairs), "s0+s%zu,", k);
    (void)snprintf(pairs + strlen(pairs), sizeof pairs - strlen(pairs), "s1+s2");
    eb_ablation_plan plan = {.way = EB_NAMED_SUBSETS, .names = pairs};
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, &status), EB_OK);
    assert_int_equal(sets.count, EB_MOST_VARIANTS);
    (void)snprintf(pairs + strlen(pairs), sizeof pairs - strlen(pairs), ",s1+s3");
    assert_int_equal(eb_choose_switch_sets(&setup, &plan, &sets, &status), EB_USAGE);
    assert_string_equal(status.message, "at most 40 sets of switches run at once; more are named");
}

RUN_TESTS
