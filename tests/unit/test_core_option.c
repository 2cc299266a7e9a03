/* option: what may be typed of a list of options, what it then says, and what leave-one-out leaves out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine/option.h"
#include "tests/unit/naive_points.h"

/* ---- a list with one of everything ---- */

enum { PRESET, SWIZZLE, ASYNC, ASYNC_COPY, PIPELINE, PREFETCH, SYMMETRIC, CACHED, VERIFY, TENSOR, LEAF, BIAS, COUNT };
enum { FIRST_FLAG = SWIZZLE, END_OF_FLAGS = TENSOR, FLAGS = END_OF_FLAGS - FIRST_FLAG, PRESETS = 3 };

/* "async" begins "async-copy"; pipeline needs async-copy, prefetch needs pipeline; of cached and verify no preset
 * decides. */
static const eb_option options[COUNT] = {
    [PRESET] = {"preset", EB_OPTION_PRESET, EB_ON_CUDA, .choices = "plain|full|wild", .fallback = "full"},
    [SWIZZLE] = {"swizzle", EB_OPTION_FLAG, EB_ON_CUDA, .presets = "plain|full|wild"},
    [ASYNC] = {"async", EB_OPTION_FLAG, EB_ON_CUDA, .presets = "full|wild"},
    [ASYNC_COPY] = {"async-copy", EB_OPTION_FLAG, EB_ON_CUDA, .presets = "plain|full|wild"},
    [PIPELINE] = {"pipeline", EB_OPTION_FLAG, EB_ON_CUDA, .presets = "plain|full|wild", .needs = "async-copy"},
    [PREFETCH] = {"prefetch", EB_OPTION_FLAG, EB_ON_CUDA, .presets = "full|wild", .needs = "pipeline"},
    [SYMMETRIC] = {"symmetric", EB_OPTION_FLAG, EB_ON_ALL, .presets = "wild"},
    [CACHED] = {"cached", EB_OPTION_FLAG, EB_ON_CPU, .fallback = "on"},
    [VERIFY] = {"verify", EB_OPTION_FLAG, EB_ON_ALL, .fallback = "off"},
    [TENSOR] = {"tensor", EB_OPTION_CHOICE, EB_ON_CPU, .choices = "sm_80|sm_90", .fallback = "sm_90"},
    [LEAF] = {"leaf", EB_OPTION_NUMBER, EB_ON_ALL, .fallback = "64", .min = 1, .max = 4096},
    [BIAS] = {"bias", EB_OPTION_NUMBER, EB_ON_CUDA, .fallback = "0", .min = -5, .max = 5},
};
static const eb_option_list list = EB_OPTIONS(options);

static const eb_option alone[] = {
    {"fast", EB_OPTION_FLAG, EB_ON_ALL, .fallback = "on"},
    {"loud", EB_OPTION_FLAG, EB_ON_ALL, .fallback = "off"},
};
static const eb_option_list flags_alone = EB_OPTIONS(alone), nothing = {NULL, 0};

/* Flags as a mask, bit k for options[FIRST_FLAG + k]. */
#define BIT(flag) (1u << ((flag) - FIRST_FLAG))
enum {
    PLAIN = BIT(SWIZZLE) | BIT(ASYNC_COPY) | BIT(PIPELINE) | BIT(CACHED),
    FULL = PLAIN | BIT(PREFETCH) | BIT(ASYNC),
    WILD = FULL | BIT(SYMMETRIC),
};
static const unsigned mask_of_preset[PRESETS] = {PLAIN, FULL, WILD};
static const char *const preset_names[PRESETS] = {"plain", "full", "wild"};

static unsigned flags_of(const eb_options *o)
{
    unsigned mask = 0;
    for (size_t k = 0; k < FLAGS; k++)
        mask |= (unsigned)o->value[FIRST_FLAG + k] << k;
    return mask;
}

static eb_options defaults(void)
{
    eb_options o;
    eb_options_default(&list, &o);
    return o;
}

static eb_options taken(const char *items)
{
    eb_options o = defaults();
    eb_status status;
    if (eb_options_take(&o, items, &status) != EB_OK)
        fail_msg("%s: %s", items, status.message);
    return o;
}

static const char *text_of(const eb_options *o)
{
    static char text[EB_OPTIONS_TEXT];
    assert_ptr_equal(eb_options_text(o, text, sizeof text), text);
    return text;
}

static const char *preset_of(const eb_options *o)
{
    static char text[EB_OPTIONS_TEXT];
    assert_ptr_equal(eb_options_preset(o, text, sizeof text), text);
    return text;
}

static void assert_same(const eb_options *a, const eb_options *b)
{
    assert_ptr_equal(a->list, b->list);
    assert_memory_equal(a->value, b->value, sizeof a->value);
}

/* ---- what is there to begin with ---- */

static void defaults_are_as_the_list_says(void **state)
{
    (void)state;
    eb_options o = defaults();
    assert_ptr_equal(o.list, &list);
    assert_int_equal(eb_option_choice(&o, "preset"), 1);
    assert_int_equal(flags_of(&o), FULL);
    assert_true(eb_option_on(&o, "prefetch") && eb_option_on(&o, "cached"));
    assert_false(eb_option_on(&o, "symmetric") || eb_option_on(&o, "verify"));
    assert_int_equal(eb_option_choice(&o, "tensor"), 1);
    assert_int_equal(eb_option_number(&o, "leaf"), 64);
    assert_int_equal(eb_option_number(&o, "bias"), 0);
    for (size_t k = 0; k < EB_MOST_OPTIONS; k++)
        assert_false(o.given[k]);
    assert_string_equal(text_of(&o), "");
    assert_string_equal(preset_of(&o), "full");

    eb_options_default(&flags_alone, &o);
    assert_true(eb_option_on(&o, "fast") && !eb_option_on(&o, "loud"));
    assert_string_equal(text_of(&o), "");
    assert_string_equal(preset_of(&o), "");
    eb_options_default(&nothing, &o);
    assert_string_equal(text_of(&o), "");
    assert_string_equal(preset_of(&o), "");
}

static void options_are_found_by_name(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT; k++)
        assert_ptr_equal(eb_option_find(&list, options[k].name), &options[k]);
    assert_null(eb_option_find(&list, "async-cop"));
    assert_null(eb_option_find(&list, ""));
    assert_null(eb_option_find(&nothing, "preset"));
}

static void choices_are_read_one_by_one(void **state)
{
    (void)state;
    char text[8];
    static const char *const parts[] = {"a", "", "long", "d"};
    for (size_t k = 0; k < 4; k++) {
        assert_true(eb_choice_at("a||long|d", k, text, sizeof text));
        assert_string_equal(text, parts[k]);
    }
    assert_false(eb_choice_at("a||long|d", 4, text, sizeof text));
    assert_true(eb_choice_at("only", 0, text, sizeof text));
    assert_false(eb_choice_at("only", 1, text, sizeof text));
    assert_true(eb_choice_at("a|longer", 1, text, 4)); /* cut */
    assert_string_equal(text, "lon");
}

/* ---- items ---- */

static void items_come_in_every_form(void **state)
{
    (void)state;
    static const struct {
        const char *items, *text;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"preset=plain", "plain"},
        {"full", ""},
        {"swizzle", ""},
        {"symmetric", "wild"}, /* full and symmetric is wild */
        {"+symmetric,-async", "wild,-async"},
        {"+symmetric,-async,-prefetch", "plain,+symmetric"},
        {"verify", "+verify"},
        {"+verify", "+verify"},
        {"verify=on", "+verify"},
        {"verify=off", ""},
        {"-swizzle", "-swizzle"},
        {"swizzle=off", "-swizzle"},
        {"-swizzle,swizzle", ""}, /* the last word counts */
        {"swizzle,-swizzle", "-swizzle"},
        {"-cached", "-cached"},
        {"plain,-swizzle", "plain,-swizzle"},
        {"-swizzle,plain", "plain,-swizzle"}, /* a preset first, wherever it stands */
        {"verify,-swizzle,preset=plain,leaf=3", "plain,-swizzle,+verify,leaf=3"},
        {"plain,wild", "wild"},
        {"sm_80", "tensor=sm_80"},
        {"tensor=sm_80", "tensor=sm_80"},
        {"tensor=sm_80,tensor=sm_90", ""},
        {"leaf=64", ""},
        {"leaf=1,bias=-5", "leaf=1,bias=-5"},
        {"leaf=4096,bias=5", "leaf=4096,bias=5"},
        {"leaf=007", "leaf=7"},
        /* a preset and flags in one word */
        {"preset=full-swizzle", "-swizzle"},
        {"preset=full+symmetric-swizzle", "wild,-swizzle"},
        {"preset=plain-pipeline-async-copy+async", "plain,+async,-async-copy,-pipeline"},
        {"preset=full-async", "-async"}, /* async-copy stays */
        {"preset=full-async-copy-pipeline-prefetch", "-async-copy,-pipeline,-prefetch"},
        {"preset=full+verify-cached", "-cached,+verify"},
        {"preset=wild-sym", ""},
        {"swizzle,preset=plain-swizzle", "plain"}, /* its flags come with it */
        /* shortened, in capitals */
        {"pl", "plain"},
        {"pres=pl", "plain"},
        {"t=sm_8", "tensor=sm_80"},
        {"-sw", "-swizzle"},
        {"sy", "wild"},
        {"l=3,b=1", "leaf=3,bias=1"},
        {"PLAIN,-Swizzle", "plain,-swizzle"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_options o = taken(cases[k].items);
        if (strcmp(text_of(&o), cases[k].text) != 0)
            fail_msg("%s gives %s, not %s", cases[k].items, text_of(&o), cases[k].text);
    }
}

static void items_go_over_what_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *items, *text;
    } steps[] = {
        {"plain", "plain"},
        {"-swizzle,leaf=5", "plain,-swizzle,leaf=5"},
        {"verify", "plain,-swizzle,+verify,leaf=5"},
        {"", "plain,-swizzle,+verify,leaf=5"},
        {"swizzle,sm_80", "plain,+verify,tensor=sm_80,leaf=5"},
        {"prefetch", "plain,+prefetch,+verify,tensor=sm_80,leaf=5"},
        {"async", "+verify,tensor=sm_80,leaf=5"}, /* flag by flag full again */
        {"-cached,plain", "plain,-cached,+verify,tensor=sm_80,leaf=5"},
        {"wild", "wild,-cached,+verify,tensor=sm_80,leaf=5"}, /* of these two no preset decides */
        {"full,-verify,cached,tensor=sm_90,leaf=64", ""},
    };
    eb_options o = defaults();
    eb_status status;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        assert_int_equal(eb_options_take(&o, steps[k].items, &status), EB_OK);
        assert_string_equal(text_of(&o), steps[k].text);
    }
}

static void what_was_asked_for_is_marked(void **state)
{
    (void)state;
    eb_options o = taken("swizzle,preset=plain+async,-pipeline,sm_90,leaf=64");
    for (size_t k = 0; k < EB_MOST_OPTIONS; k++)
        assert_int_equal(o.given[k], k == PRESET || k == SWIZZLE || k == PIPELINE || k == TENSOR || k == LEAF);
    eb_status status;
    assert_int_equal(eb_options_take(&o, "bias=2,nonsense", &status), EB_USAGE);
    assert_false(o.given[BIAS]);
    assert_int_equal(eb_options_take(&o, "bias=0", &status), EB_OK);
    assert_true(o.given[BIAS] && o.given[LEAF]);
}

static void wrong_items_say_why(void **state)
{
    (void)state;
    static const struct {
        const char *items, *why;
    } cases[] = {
        {"swizle", "no option \"swizle\"; did you mean swizzle?"},
        {"plian", "no option \"plian\"; did you mean plain?"},
        {"+swizle", "no switch \"swizle\"; did you mean swizzle?"},
        {"-swizle", "no switch \"swizle\"; did you mean swizzle?"},
        {"leef=3", "no option \"leef\"; did you mean leaf?"},
        {"preset=fulll", "no preset \"fulll\"; did you mean full?"},
        {"preset=fastest", "no preset \"fastest\"; there are: plain, full, wild"},
        {"tensor=sm_91", "no tensor \"sm_91\"; did you mean sm_90?"},
        {"tensor=", "no tensor \"\"; there are: sm_80, sm_90"},
        {"fastest",
         "no option \"fastest\"; there are: plain, full, wild, swizzle, async, async-copy, pipeline, prefetch, "
         "symmetric, cached, verify, sm_80, sm_90"},
        {"+fastest",
         "no switch \"fastest\"; there are: swizzle, async, async-copy, pipeline, prefetch, symmetric, cached, "
         "verify"},
        {"fastest=1",
         "no option \"fastest\"; there are: preset, swizzle, async, async-copy, pipeline, prefetch, symmetric, "
         "cached, verify, tensor, leaf, bias"},
        {"+plain", "no switch \"plain\"; there are: swizzle, async, async-copy, pipeline, prefetch, symmetric, cached, "
                   "verify"},
        {"=3", "no option \"\"; there are: preset, swizzle, async, async-copy, pipeline, prefetch, symmetric, cached, "
               "verify, tensor, leaf, bias"},
        {"plain ", "no option \"plain \"; did you mean plain?"},
        /* ambiguous */
        {"p", "\"p\" is ambiguous: plain, pipeline, prefetch"},
        {"asyn", "\"asyn\" is ambiguous: async, async-copy"},
        {"-asyn", "\"asyn\" is ambiguous: async, async-copy"},
        {"pre=plain", "\"pre\" is ambiguous: preset, prefetch"},
        {"tensor=sm", "\"sm\" is ambiguous: sm_80, sm_90"},
        /* values */
        {"leaf", "leaf expects a value, as leaf=64"},
        {"tensor", "tensor expects a value, as tensor=sm_90"},
        {"preset", "preset expects a value, as preset=full"},
        {"swizzle=maybe", "swizzle expects on or off, found \"maybe\""},
        {"swizzle=", "swizzle expects on or off, found \"\""},
        {"swizzle=onn", "swizzle expects on or off, found \"onn\""},
        {"leaf=0", "leaf expects a whole number from 1 to 4096, found \"0\""},
        {"leaf=4097", "leaf expects a whole number from 1 to 4096, found \"4097\""},
        {"leaf=", "leaf expects a whole number from 1 to 4096, found \"\""},
        {"leaf=-", "leaf expects a whole number from 1 to 4096, found \"-\""},
        {"leaf=3.5", "leaf expects a whole number from 1 to 4096, found \"3.5\""},
        {"leaf=1e3", "leaf expects a whole number from 1 to 4096, found \"1e3\""},
        {"leaf= 3", "leaf expects a whole number from 1 to 4096, found \" 3\""},
        {"leaf=3-1", "leaf expects a whole number from 1 to 4096, found \"3-1\""},
        {"leaf=3=4", "leaf expects a whole number from 1 to 4096, found \"3=4\""},
        {"leaf=4294967297", "leaf expects a whole number from 1 to 4096, found \"4294967297\""},
        {"leaf=0000000000000000000000000000001",
         "leaf expects a whole number from 1 to 4096, found \"0000000000000000000000000000001\""},
        {"bias=-6", "bias expects a whole number from -5 to 5, found \"-6\""},
        {"bias=6", "bias expects a whole number from -5 to 5, found \"6\""},
        /* needs */
        {"-async-copy", "switch pipeline needs async-copy, which is off; take pipeline off too"},
        {"-pipeline", "switch prefetch needs pipeline, which is off; take prefetch off too"},
        {"plain,-async-copy,-pipeline,prefetch", "switch prefetch needs pipeline, which is off; take prefetch off too"},
        {"preset=full-pipeline", "switch prefetch needs pipeline, which is off; take prefetch off too"},
        {"preset=full-swizle", "no switch \"swizle\"; did you mean swizzle?"},
        {"preset=full-",
         "no switch \"\"; there are: swizzle, async, async-copy, pipeline, prefetch, symmetric, cached, "
         "verify"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char items[200];
        eb_status status = {.message = ""};
        eb_options o = taken("plain,leaf=9"), before = o;
        (void)snprintf(items, sizeof items, "leaf=10,wild,%s", cases[k].items);
        if (k % 2) /* what is right beside it counts neither before it nor behind it */
            (void)snprintf(items, sizeof items, "%s,leaf=10,verify", cases[k].items);
        assert_int_equal(eb_options_take(&o, items, &status), EB_USAGE);
        assert_memory_equal(&o, &before, sizeof o);
        o = defaults();
        assert_int_equal(eb_options_take(&o, cases[k].items, &status), EB_USAGE);
        if (strcmp(status.message, cases[k].why) != 0)
            fail_msg("%s: %s", cases[k].items, status.message);
    }
}

static void an_item_that_is_missing_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {",", "plain,", ",plain", "plain,,verify", "leaf=3,"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        eb_options o = defaults();
        eb_status status = {.message = ""};
        assert_int_equal(eb_options_take(&o, wrong[k], &status), EB_USAGE);
        assert_non_null(strstr(status.message, "no option \"\"; there are: plain, full"));
    }
    eb_options o;
    eb_status status = {.message = ""};
    eb_options_default(&nothing, &o);
    assert_int_equal(eb_options_take(&o, "", &status), EB_OK);
    assert_int_equal(eb_options_take(&o, "plain", &status), EB_USAGE);
    assert_string_equal(status.message, "no option \"plain\"; there are none here");
    assert_int_equal(eb_options_take(&o, "leaf=3", &status), EB_USAGE);
    assert_int_equal(eb_options_take(&o, "-swizzle", &status), EB_USAGE);
    eb_options_default(&flags_alone, &o);
    assert_int_equal(eb_options_take(&o, "-fast,loud", &status), EB_OK);
    assert_string_equal(text_of(&o), "-fast,+loud");
    assert_string_equal(preset_of(&o), "-fast+loud");
}

/* ---- every set of flags ---- */

static bool is_usable(unsigned mask)
{
    return (!(mask & BIT(PIPELINE)) || (mask & BIT(ASYNC_COPY))) && (!(mask & BIT(PREFETCH)) || (mask & BIT(PIPELINE)));
}

static size_t flags_unlike(unsigned a, unsigned b) { return (size_t)__builtin_popcount(a ^ b); }

/* PRESET,±flag,… with the flags in an order of chance. */
static void write_all_flags(const char *preset, unsigned mask, uint64_t *seed, char *items, size_t size)
{
    size_t order[FLAGS], used = (size_t)snprintf(items, size, "%s", preset);
    for (size_t k = 0; k < FLAGS; k++) {
        size_t other = naive_random(seed) % (k + 1);
        order[k] = order[other];
        order[other] = k;
    }
    for (size_t k = 0; k < FLAGS; k++)
        used += (size_t)snprintf(items + used, size - used, ",%c%s", mask & 1u << order[k] ? '+' : '-',
                                 options[FIRST_FLAG + order[k]].name);
}

/* By its text and by its preset's word over the defaults, and the text is as short as can be. */
static void check_round_trips(const eb_options *o)
{
    char text[EB_OPTIONS_TEXT], word[EB_OPTIONS_TEXT + 8];
    size_t items = 0;
    (void)snprintf(text, sizeof text, "%s", text_of(o));
    eb_options back = taken(text);
    assert_same(&back, o);
    assert_string_equal(text_of(&back), text);
    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',')
        items++;
    size_t preset = eb_option_choice(o, "preset"), least = flags_unlike(flags_of(o), mask_of_preset[preset]);
    assert_int_equal(items, least + (preset != 1) + (eb_option_choice(o, "tensor") != 1) +
                                (eb_option_number(o, "leaf") != 64));
    (void)snprintf(word, sizeof word, "preset=%s", preset_of(o));
    back = taken(word);
    assert_int_equal(flags_of(&back), flags_of(o));
    assert_int_equal(back.value[PRESET], o->value[PRESET]);
}

static void every_usable_set_survives_its_text(void **state)
{
    (void)state;
    uint64_t seed = 1;
    unsigned usable = 0;
    for (unsigned set = 0; set < PRESETS << FLAGS; set++) {
        unsigned mask = set % (1u << FLAGS);
        size_t preset = set >> FLAGS;
        char items[EB_OPTIONS_TEXT];
        eb_status status;
        eb_options o = taken(set % 3 ? "" : "tensor=sm_80,leaf=5"), before = o;
        write_all_flags(preset_names[preset], mask, &seed, items, sizeof items);
        assert_int_equal(eb_options_take(&o, items, &status), is_usable(mask) ? EB_OK : EB_USAGE);
        if (!is_usable(mask)) {
            assert_memory_equal(&o, &before, sizeof o);
            continue;
        }
        usable++;
        assert_int_equal(flags_of(&o), mask);
        /* Called by the nearest preset; where several are, by the one that was asked for. */
        size_t named = eb_option_choice(&o, "preset");
        for (size_t k = 0; k < PRESETS; k++)
            assert_true(flags_unlike(mask, mask_of_preset[k]) >= flags_unlike(mask, mask_of_preset[named]));
        if (flags_unlike(mask, mask_of_preset[preset]) == flags_unlike(mask, mask_of_preset[named]))
            assert_int_equal(named, preset);
        check_round_trips(&o);
    }
    assert_int_equal(usable, PRESETS * 4 * 32); /* of eight for the three that need each other */
}

static void assert_cut(const char *buffer, size_t buffer_size, const char *whole, size_t size)
{
    size_t length = strlen(whole) < size ? strlen(whole) : size - 1;
    assert_int_equal(strlen(buffer), length);
    assert_memory_equal(buffer, whole, length);
    for (size_t k = size; k < buffer_size; k++)
        assert_int_equal(buffer[k], 'x');
}

static void a_text_is_cut_where_there_is_no_room(void **state)
{
    (void)state;
    eb_options o = taken("plain,-swizzle,leaf=5");
    static const char text[] = "plain,-swizzle,leaf=5", word[] = "plain-swizzle";
    char buffer[64];
    for (size_t size = 1; size <= sizeof text + 2; size++) {
        memset(buffer, 'x', sizeof buffer);
        (void)eb_options_text(&o, buffer, size);
        assert_cut(buffer, sizeof buffer, text, size);
        memset(buffer, 'x', sizeof buffer);
        (void)eb_options_preset(&o, buffer, size);
        assert_cut(buffer, sizeof buffer, word, size);
    }
}

/* ---- one by one ---- */

static void assert_items(const char *items, unsigned device, const char *expected)
{
    eb_options o = taken(items);
    char all[300] = "", value[64];
    const char *name;
    size_t k = 0;
    for (; eb_options_item(&o, device, k, &name, value, sizeof value); k++)
        (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s=%s", k ? " " : "", name, value);
    assert_string_equal(all, expected);
    assert_false(eb_options_item(&o, device, k + 1, &name, value, sizeof value));
}

static void options_are_told_one_by_one(void **state)
{
    (void)state;
    assert_items("", EB_ON_CUDA, "preset=full leaf=64 bias=0");
    assert_items("", EB_ON_CPU, "tensor=sm_90 leaf=64");
    assert_items("plain,-swizzle,verify,-cached,tensor=sm_80,leaf=5,bias=-2", EB_ON_CUDA,
                 "preset=plain swizzle=off verify=on leaf=5 bias=-2");
    assert_items("plain,-swizzle,verify,-cached,tensor=sm_80,leaf=5,bias=-2", EB_ON_CPU,
                 "cached=off verify=on tensor=sm_80 leaf=5");
    assert_items("plain,symmetric", EB_ON_CPU, "symmetric=on tensor=sm_90 leaf=64");
    assert_items("wild,-async", EB_ON_ALL, "preset=wild async=off tensor=sm_90 leaf=64 bias=0");

    char value[64];
    const char *name = "untouched";
    eb_options o;
    eb_options_default(&nothing, &o);
    assert_false(eb_options_item(&o, EB_ON_ALL, 0, &name, value, sizeof value));
    assert_string_equal(name, "untouched");
}

static void the_preset_is_one_word(void **state)
{
    (void)state;
    static const struct {
        const char *items, *word;
    } cases[] = {
        {"", "full"},
        {"plain", "plain"},
        {"-swizzle,leaf=3,tensor=sm_80", "full-swizzle"},
        {"plain,-pipeline,-async-copy,async,verify", "plain+async-async-copy-pipeline+verify"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_options o = taken(cases[k].items);
        assert_string_equal(preset_of(&o), cases[k].word);
    }
}

/* ---- leaving out ---- */

static void leaving_one_out_takes_its_dependents_along(void **state)
{
    (void)state;
    static const struct {
        unsigned flag, gone;
    } cases[] = {{SWIZZLE, BIT(SWIZZLE)},
                 {ASYNC_COPY, BIT(ASYNC_COPY) | BIT(PIPELINE) | BIT(PREFETCH)},
                 {PIPELINE, BIT(PIPELINE) | BIT(PREFETCH)},
                 {PREFETCH, BIT(PREFETCH)},
                 {ASYNC, BIT(ASYNC)},
                 {SYMMETRIC, BIT(SYMMETRIC)},
                 {CACHED, BIT(CACHED)},
                 {VERIFY, BIT(VERIFY)}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (size_t p = 0; p < PRESETS; p++) {
            eb_options o = taken(preset_names[p]), before = o;
            eb_options_leave_out(&o, &options[cases[k].flag]);
            assert_int_equal(flags_of(&o), mask_of_preset[p] & ~cases[k].gone);
            for (size_t x = 0; x < COUNT; x++)
                assert_true((x >= FIRST_FLAG && x < END_OF_FLAGS) || o.value[x] == before.value[x]);
            eb_options back = taken(text_of(&o)); /* what is left can be had by asking for it */
            assert_int_equal(flags_of(&back), flags_of(&o));
        }
}

static void a_preset_adds_what_those_before_it_lack(void **state)
{
    (void)state;
    static const unsigned added[PRESETS] = {BIT(SWIZZLE) | BIT(ASYNC_COPY) | BIT(PIPELINE), BIT(PREFETCH) | BIT(ASYNC),
                                            BIT(SYMMETRIC)};
    for (size_t p = 0; p < PRESETS; p++) {
        eb_options o = taken(preset_names[p]);
        for (size_t k = 0; k < COUNT; k++) {
            bool flag = k >= FIRST_FLAG && k < END_OF_FLAGS;
            bool of_preset = flag && (added[p] & 1u << (k - FIRST_FLAG));
            assert_int_equal(eb_option_is_added(&o, &options[k]), of_preset || k == CACHED); /* which none decides */
        }
    }
    eb_options o = taken("full,-async");
    assert_false(eb_option_is_added(&o, &options[ASYNC])); /* off */
    assert_true(eb_option_is_added(&o, &options[PREFETCH]));
    o = taken("plain,async");
    assert_false(eb_option_is_added(&o, &options[ASYNC])); /* on, but not by this preset */
    eb_options_default(&flags_alone, &o);
    assert_true(eb_option_is_added(&o, &alone[0]));
    assert_false(eb_option_is_added(&o, &alone[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_the_list_says),
        cmocka_unit_test(options_are_found_by_name),
        cmocka_unit_test(choices_are_read_one_by_one),
        cmocka_unit_test(items_come_in_every_form),
        cmocka_unit_test(items_go_over_what_is_there),
        cmocka_unit_test(what_was_asked_for_is_marked),
        cmocka_unit_test(wrong_items_say_why),
        cmocka_unit_test(an_item_that_is_missing_is_refused),
        cmocka_unit_test(every_usable_set_survives_its_text),
        cmocka_unit_test(a_text_is_cut_where_there_is_no_room),
        cmocka_unit_test(options_are_told_one_by_one),
        cmocka_unit_test(the_preset_is_one_word),
        cmocka_unit_test(leaving_one_out_takes_its_dependents_along),
        cmocka_unit_test(a_preset_adds_what_those_before_it_lack),
    };
    return cmocka_run_group_tests_name("core_option", tests, NULL, NULL);
}
