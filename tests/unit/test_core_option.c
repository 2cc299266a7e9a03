/* option: parsing options, their text, and the flags that leave-one-out leaves out. */

#include "core/engine/option.h"
#include "tests/unit/cases.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

/* ---- a list with options of all types ---- */

enum { PRESET, SWIZZLE, ASYNC, ASYNC_COPY, PIPELINE, PREFETCH, SYMMETRIC, CACHED, VERIFY, TENSOR, LEAF, BIAS, COUNT };
enum { FIRST_FLAG = SWIZZLE, END_OF_FLAGS = TENSOR, FLAGS = END_OF_FLAGS - FIRST_FLAG, PRESETS = 3 };

/* "async" begins "async-copy"; pipeline needs async-copy, prefetch needs pipeline; cached and verify are in no
 * preset. */
static const eb_option options[COUNT] = {
    [PRESET] = {"preset", EB_ARG_PRESET, EB_ON_CUDA, .choices = "plain|full|wild", .fallback = "full"},
    [SWIZZLE] = {"swizzle", EB_ARG_FLAG, EB_ON_CUDA, .presets = "plain|full|wild"},
    [ASYNC] = {"async", EB_ARG_FLAG, EB_ON_CUDA, .presets = "full|wild"},
    [ASYNC_COPY] = {"async-copy", EB_ARG_FLAG, EB_ON_CUDA, .presets = "plain|full|wild"},
    [PIPELINE] = {"pipeline", EB_ARG_FLAG, EB_ON_CUDA, .presets = "plain|full|wild", .needs = "async-copy"},
    [PREFETCH] = {"prefetch", EB_ARG_FLAG, EB_ON_CUDA, .presets = "full|wild", .needs = "pipeline"},
    [SYMMETRIC] = {"symmetric", EB_ARG_FLAG, EB_ON_ALL, .presets = "wild"},
    [CACHED] = {"cached", EB_ARG_FLAG, EB_ON_CPU, .fallback = "on"},
    [VERIFY] = {"verify", EB_ARG_FLAG, EB_ON_ALL, .fallback = "off"},
    [TENSOR] = {"tensor", EB_ARG_CHOICE, EB_ON_CPU, .choices = "sm_80|sm_90", .fallback = "sm_90"},
    [LEAF] = {"leaf", EB_ARG_INTEGER, EB_ON_ALL, .fallback = "64", .min = 1, .max = 4096},
    [BIAS] = {"bias", EB_ARG_INTEGER, EB_ON_CUDA, .fallback = "0", .min = -5, .max = 5},
};
static const eb_option_list list = EB_OPTIONS(options);

static const eb_option alone[] = {
    {"fast", EB_ARG_FLAG, EB_ON_ALL, .fallback = "on"},
    {"loud", EB_ARG_FLAG, EB_ON_ALL, .fallback = "off"},
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

/* ---- defaults ---- */

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

static void lists_of_flags_alone_and_of_nothing(void **state)
{
    (void)state;
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

/* Writes PRESET,±flag,… with the flags in random order. */
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

/* The options' text and their preset's word give the same options again, and the text is as short as possible. */
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
        /* Named by the nearest preset; among equally near ones by the one that was given. */
        size_t named = eb_option_choice(&o, "preset");
        for (size_t k = 0; k < PRESETS; k++)
            assert_true(flags_unlike(mask, mask_of_preset[k]) >= flags_unlike(mask, mask_of_preset[named]));
        if (flags_unlike(mask, mask_of_preset[preset]) == flags_unlike(mask, mask_of_preset[named]))
            assert_int_equal(named, preset);
        check_round_trips(&o);
    }
    assert_int_equal(usable, PRESETS * 4 * 32); /* 4 of the 8 sets of the three flags that need each other */
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

/* ---- leaving out ---- */

static void leaving_one_out_takes_its_dependents_along(void **state)
{
    (void)state;
    static const struct {
        unsigned flag, gone;
    } flags[] = {{SWIZZLE, BIT(SWIZZLE)},
                 {ASYNC_COPY, BIT(ASYNC_COPY) | BIT(PIPELINE) | BIT(PREFETCH)},
                 {PIPELINE, BIT(PIPELINE) | BIT(PREFETCH)},
                 {PREFETCH, BIT(PREFETCH)},
                 {ASYNC, BIT(ASYNC)},
                 {SYMMETRIC, BIT(SYMMETRIC)},
                 {CACHED, BIT(CACHED)},
                 {VERIFY, BIT(VERIFY)}};
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++)
        for (size_t p = 0; p < PRESETS; p++) {
            eb_options o = taken(preset_names[p]), before = o;
            eb_options_leave_out(&o, &options[flags[k].flag]);
            assert_int_equal(flags_of(&o), mask_of_preset[p] & ~flags[k].gone);
            for (size_t x = 0; x < COUNT; x++)
                assert_true((x >= FIRST_FLAG && x < END_OF_FLAGS) || o.value[x] == before.value[x]);
            eb_options back = taken(text_of(&o)); /* the text gives the remaining flags again */
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
            assert_int_equal(eb_option_is_added(&o, &options[k]),
                             of_preset || k == CACHED); /* cached is in no preset */
        }
    }
    eb_options o = taken("full,-async");
    assert_false(eb_option_is_added(&o, &options[ASYNC])); /* off */
    assert_true(eb_option_is_added(&o, &options[PREFETCH]));
    o = taken("plain,async");
    assert_false(eb_option_is_added(&o, &options[ASYNC])); /* on, but not in this preset */
    eb_options_default(&flags_alone, &o);
    assert_true(eb_option_is_added(&o, &alone[0]));
    assert_false(eb_option_is_added(&o, &alone[1]));
}

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

/* ---- cases: take ITEMS TEXT, from the defaults; go-on ITEMS TEXT, from the present options; told, word ---- */

static eb_options now;

static void begin(void) { now = defaults(); }

static void take(const case_step *s)
{
    now = taken(s->field[0]);
    assert_string_equal(text_of(&now), s->field[1]);
}

static void go_on(const case_step *s)
{
    eb_status status = {.message = ""};
    assert_int_equal(eb_options_take(&now, s->field[0], &status), EB_OK);
    assert_string_equal(text_of(&now), s->field[1]);
}

static void missing(const case_step *s)
{
    eb_status status = {.message = ""};
    now = defaults();
    assert_int_equal(eb_options_take(&now, s->field[0], &status), EB_USAGE);
    assert_string_equal(status.message, s->field[1]);
}

/* A wrong item leaves the options unchanged, also with correct items before or behind it. */
static void wrong(const case_step *s)
{
    char items[200];
    for (int behind = 0; behind < 2; behind++) {
        eb_status status = {.message = ""};
        eb_options o = taken("leaf=9"), before = o;
        (void)snprintf(items, sizeof items, behind ? "leaf=10,verify,%s" : "%s,leaf=10,verify", s->field[0]);
        assert_int_equal(eb_options_take(&o, items, &status), EB_USAGE);
        assert_memory_equal(&o, &before, sizeof o);
    }
    missing(s);
}

/* All items of eb_options_item for a kind of device. */
static void told(const case_step *s)
{
    const unsigned device = strcmp(s->field[1], "cpu") == 0 ? EB_ON_CPU : EB_ON_CUDA;
    assert_items(s->field[0], strcmp(s->field[1], "all") == 0 ? EB_ON_ALL : device, s->field[2]);
}

static void word(const case_step *s)
{
    now = taken(s->field[0]);
    assert_string_equal(preset_of(&now), s->field[1]);
}

static const case_verb verbs[] = {{"take", 2, take},   {"go-on", 2, go_on}, {"missing", 2, missing},
                                  {"wrong", 2, wrong}, {"told", 3, told},   {"word", 2, word}};

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_the_list_says),
        cmocka_unit_test(options_are_found_by_name),
        cmocka_unit_test(choices_are_read_one_by_one),
        cmocka_unit_test(what_was_asked_for_is_marked),
        cmocka_unit_test(lists_of_flags_alone_and_of_nothing),
        cmocka_unit_test(every_usable_set_survives_its_text),
        cmocka_unit_test(a_text_is_cut_where_there_is_no_room),
        cmocka_unit_test(leaving_one_out_takes_its_dependents_along),
        cmocka_unit_test(a_preset_adds_what_those_before_it_lack),
    };
    return cmocka_run_group_tests_name("core_option", tests, NULL, NULL) + CASE_RUN_ALL("options", verbs, begin, NULL);
}
