/* spec: engines as people name them, from the text to the device they run on, over a registry of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine/spec.h"

/* ---- engines that can only be asked whether they can ---- */

static struct {
    unsigned probes;
    eb_options options; /* of the last probe */
    char device[16];
    eb_code refuses;
} probed;

static eb_code probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    probed.probes++;
    probed.options = *options;
    (void)snprintf(probed.device, sizeof probed.device, "%s", device->name);
    return probed.refuses ? eb_fail(status, probed.refuses, "not today") : EB_OK;
}

static const eb_implementation on_cpu = {.probe = probe}, on_cuda = {.probe = probe};

static const eb_option options[] = {
    {"preset", EB_OPTION_PRESET, EB_ON_CUDA, .choices = "paper|best", .fallback = "best"},
    {"swizzle", EB_OPTION_FLAG, EB_ON_CUDA, .presets = "paper|best"},
    {"async-copy", EB_OPTION_FLAG, EB_ON_CUDA, .presets = "best"},
    {"tensor", EB_OPTION_CHOICE, EB_ON_CPU, .choices = "sm_80|sm_90", .fallback = "sm_90"},
    {"leaf", EB_OPTION_NUMBER, EB_ON_ALL, .fallback = "64", .min = 1, .max = 4096},
};

#define ON_CPU [EB_DEVICE_CPU] = {"on the host", &on_cpu}
#define ON_CUDA [EB_DEVICE_CUDA] = {"on GPUs", &on_cuda}
#define LEFT_OUT [EB_DEVICE_CUDA] = {"on GPUs", NULL}

static const eb_engine fast = {"fast", "Fast", EB_APPROXIMATE, EB_OPTIONS(options), .on = {ON_CPU, ON_CUDA}};
static const eb_engine fasten = {"fasten", "Fasten", EB_CERTIFIED, EB_OPTIONS(options), .on = {ON_CPU, ON_CUDA}};
static const eb_engine host = {"host", "Host", EB_TRUTH, EB_OPTIONS(options), .on = {ON_CPU}};
static const eb_engine gpu = {"gpu", "GPU", EB_CERTIFIED, EB_OPTIONS(options), .on = {ON_CUDA}};
static const eb_engine absent = {"absent", "Absent", EB_CERTIFIED, EB_OPTIONS(options), .on = {LEFT_OUT}};
static const eb_engine truth = {"truth", "Truth", EB_TRUTH, EB_OPTIONS(options), .on = {ON_CPU, ON_CUDA}};
static const eb_engine half = {"half", "Half", EB_TRUTH, EB_OPTIONS(options), .on = {ON_CPU, LEFT_OUT}};

static const eb_engine *const usual[] = {&fast, &fasten, &host, &gpu, &absent};
static struct {
    const eb_engine *engine[8];
    size_t count;
} registry;

static void register_only(size_t count)
{
    registry.count = count;
    eb_registry_set(registry.engine, count);
}

static void register_engine(const eb_engine *engine)
{
    registry.engine[registry.count] = engine;
    register_only(registry.count + 1);
}

static int set_up(void **state)
{
    (void)state;
    memset(&probed, 0, sizeof probed);
    register_only(0);
    for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++)
        register_engine(usual[k]);
    return 0;
}

/* ---- devices ---- */

static bool no_cuda;

static eb_code find_device(void *context, const char *name, eb_device *out, eb_status *status)
{
    eb_device_kind kind;
    int index;
    assert_ptr_equal(context, &no_cuda);
    eb_code failed = eb_device_parse(name, &kind, &index, status);
    if (failed)
        return failed;
    if (kind == EB_DEVICE_CUDA && no_cuda)
        return eb_fail(status, EB_NO_DEVICE, "no CUDA device here");
    *out = (eb_device){.kind = kind, .index = index, .name = "cpu"};
    if (kind == EB_DEVICE_CUDA)
        (void)snprintf(out->name, sizeof out->name, "cuda:%d", index);
    return EB_OK;
}

static eb_code make(const char *text, const char *usual_device, const eb_engine_defaults *defaults, eb_setup *out,
                    eb_status *status)
{
    eb_spec spec;
    eb_code failed = eb_spec_parse(text, defaults, &spec, status);
    return failed ? failed : eb_setup_make(&spec, usual_device, find_device, &no_cuda, out, status);
}

static eb_setup made(const char *text, const char *usual_device)
{
    eb_setup setup;
    eb_status status;
    if (make(text, usual_device, NULL, &setup, &status) != EB_OK)
        fail_msg("%s: %s", text, status.message);
    return setup;
}

/* ---- from text ---- */

static void a_spec_is_a_name_and_its_items(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const eb_engine *engine;
        const char *items, *device;
    } cases[] = {
        {"fast", &fast, "", ""},
        {"fasten", &fasten, "", ""},
        {"faste", &fasten, "", ""},
        {"h", &host, "", ""},
        {"GPU", &gpu, "", ""},
        {"gpu[leaf=5,device=cuda]", &gpu, "leaf=5", "cuda"},
        {"fast[]", &fast, "", ""},
        {"fast[paper]", &fast, "paper", ""},
        {"fast[paper,-swizzle,leaf=5]", &fast, "paper,-swizzle,leaf=5", ""},
        {"fast[leaf=5,preset=paper-swizzle]", &fast, "paper,-swizzle,leaf=5", ""},
        {"fast[device=cpu]", &fast, "", "cpu"},
        {"fast[dev=cpu]", &fast, "", "cpu"}, /* shortened as options are */
        {"fast[device=cuda]", &fast, "", "cuda"},
        {"fast[device=cuda:12,paper]", &fast, "paper", "cuda:12"},
        {"fast[paper,device=cpu,leaf=5]", &fast, "paper,leaf=5", "cpu"},
        {"fast[paper,device=cuda:1]", &fast, "paper", "cuda:1"},
        {"fast[device=cpu,device=cuda:1]", &fast, "", "cuda:1"}, /* the last word counts */
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char items[EB_OPTIONS_TEXT];
        eb_spec spec;
        eb_status status;
        if (eb_spec_parse(cases[k].text, NULL, &spec, &status) != EB_OK)
            fail_msg("%s: %s", cases[k].text, status.message);
        assert_ptr_equal(spec.engine, cases[k].engine);
        assert_ptr_equal(spec.options.list, &cases[k].engine->options);
        assert_string_equal(eb_options_text(&spec.options, items, sizeof items), cases[k].items);
        assert_string_equal(spec.device, cases[k].device);
    }
}

static void wrong_specs_say_why(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
        eb_code code;
    } cases[] = {
        {"", "no engine \"\"; there are: fast, fasten, host, gpu, absent", EB_NO_ENGINE},
        {"[paper]", "no engine \"\"; there are: fast, fasten, host, gpu, absent", EB_NO_ENGINE},
        {"fats", "no engine \"fats\"; did you mean fast?", EB_NO_ENGINE},
        {"ted[paper]", "no engine \"ted\"; there are: fast, fasten, host, gpu, absent", EB_NO_ENGINE},
        {"fa", "\"fa\" is ambiguous: fast, fasten", EB_NO_ENGINE},
        {"fast[", "\"fast[\" opens a bracket; expected NAME[ITEM,…]", EB_USAGE},
        {"fast[paper", "\"fast[paper\" opens a bracket; expected NAME[ITEM,…]", EB_USAGE},
        {"fast[paper]x", "\"fast[paper]x\" opens a bracket; expected NAME[ITEM,…]", EB_USAGE},
        {"fast[paper]leaf=5]", "\"fast[paper]leaf=5]\" opens a bracket; expected NAME[ITEM,…]", EB_USAGE},
        {"fast[paper]]", "\"fast[paper]]\" opens a bracket; expected NAME[ITEM,…]", EB_USAGE},
        {"fast]", "no engine \"fast]\"; did you mean fast?", EB_NO_ENGINE},
        {"fast[swizle]", "fast: no option \"swizle\"; did you mean swizzle?", EB_USAGE},
        {"fasten[-swizle]", "fasten: no switch \"swizle\"; did you mean swizzle?", EB_USAGE},
        {"fast[leaf=0]", "fast: leaf expects a whole number from 1 to 4096, found \"0\"", EB_USAGE},
        {"fast[tensor=sm_70]", "fast: no tensor \"sm_70\"; did you mean sm_80?", EB_USAGE},
        {"fast[device=tpu]", "fast: no such kind of device: \"tpu\"; expected cpu or cuda:N", EB_USAGE},
        {"fast[device=cuda:x]", "fast: no such kind of device: \"cuda:x\"; expected cpu or cuda:N", EB_USAGE},
        {"fast[device=]", "fast: no such kind of device: \"\"; expected cpu or cuda:N", EB_USAGE},
        {"fast[device=tpu,device=cpu]", "fast: no such kind of device: \"tpu\"; expected cpu or cuda:N", EB_USAGE},
        {"fast[device=cuda:00000000000]", "fast: \"device=cuda:00000000000\" is too long", EB_USAGE},
        {"fast[paper,]", "fast: an item is missing in \"paper,\"", EB_USAGE},
        {"fast[,paper]", "fast: an item is missing in \",paper\"", EB_USAGE},
        {"fast[,]", "fast: an item is missing in \",\"", EB_USAGE},
        {"fast[device=cpu,]", "fast: an item is missing in \"device=cpu,\"", EB_USAGE},
        {"fast[paper,,leaf=5]", "fast: an item is missing in \"paper,,leaf=5\"", EB_USAGE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_spec spec;
        eb_status status = {.message = ""};
        assert_int_equal(eb_spec_parse(cases[k].text, NULL, &spec, &status), cases[k].code);
        if (strcmp(status.message, cases[k].why) != 0)
            fail_msg("%s: %s", cases[k].text, status.message);
    }
}

static void items_without_end_are_refused(void **state)
{
    (void)state;
    char text[2 * EB_OPTIONS_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "fast[paper");
    while (used < EB_OPTIONS_TEXT + 50)
        used += (size_t)snprintf(text + used, sizeof text - used, ",leaf=77");
    (void)snprintf(text + used, sizeof text - used, "]");
    eb_spec spec;
    eb_status status = {.message = ""};
    assert_int_equal(eb_spec_parse(text, NULL, &spec, &status), EB_USAGE);
    assert_string_equal(status.message, "fast: \"leaf=77\" is too long");
}

static void engines_are_found_among_those_there_are(void **state)
{
    (void)state;
    const eb_engine *found = NULL;
    eb_status status = {.message = ""};
    for (size_t k = 0; k < registry.count; k++) {
        assert_int_equal(eb_engine_find(usual[k]->name, strlen(usual[k]->name), &found, &status), EB_OK);
        assert_ptr_equal(found, usual[k]);
    }
    assert_int_equal(eb_engine_find("hostess", 2, &found, &status), EB_OK); /* as far as it goes */
    assert_ptr_equal(found, &host);
    assert_int_equal(eb_engine_find("hostess", 7, &found, &status), EB_NO_ENGINE);
    assert_ptr_equal(found, &host); /* untouched */
    register_only(0);
    assert_int_equal(eb_engine_find("host", 4, &found, &status), EB_NO_ENGINE);
    assert_string_equal(status.message, "no engine \"host\"; there are none here");
    assert_string_equal(eb_exactness_name(EB_TRUTH), "truth");
    assert_string_equal(eb_exactness_name(EB_CERTIFIED), "certified");
    assert_string_equal(eb_exactness_name(EB_APPROXIMATE), "approximate");
}

/* ---- lists ---- */

static void lists_are_cut_at_commas_outside_brackets(void **state)
{
    (void)state;
    static const struct {
        const char *list, *specs[4];
    } cases[] = {
        {"fast", {"fast"}},
        {"fast,host", {"fast", "host"}},
        {"fast[paper,-swizzle],host[device=cpu,leaf=5],gpu[]",
         {"fast[paper,-swizzle]", "host[device=cpu,leaf=5]", "gpu[]"}},
        {"host,fast[paper,swizzle]", {"host", "fast[paper,swizzle]"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *list = cases[k].list;
        for (size_t m = 0; cases[k].specs[m]; m++) {
            char spec[EB_SPEC_TEXT];
            eb_status status;
            assert_non_null(list);
            assert_int_equal(eb_spec_next(&list, spec, sizeof spec, &status), EB_OK);
            assert_string_equal(spec, cases[k].specs[m]);
        }
        assert_null(list);
    }
}

static void lists_with_holes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        unsigned good; /* specs before the hole */
        const char *rest;
    } cases[] = {
        {"", 0, ""},
        {",fast", 0, ",fast"},
        {"fast,", 1, ""},
        {"fast,,host", 1, ",host"},
        {"fast[paper", 0, "fast[paper"},
        {"host,fast[paper,swizzle", 1, "fast[paper,swizzle"},
        {"fast[", 0, "fast["},
        {"fast[paper]x,host", 0, "fast[paper]x,host"},
        {"host,fast[paper]],host", 1, "fast[paper]],host"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *list = cases[k].list;
        char spec[EB_SPEC_TEXT], why[200];
        eb_status status = {.message = ""};
        for (unsigned m = 0; m < cases[k].good; m++)
            assert_int_equal(eb_spec_next(&list, spec, sizeof spec, &status), EB_OK);
        assert_int_equal(eb_spec_next(&list, spec, sizeof spec, &status), EB_USAGE);
        (void)snprintf(why, sizeof why, "engines are NAME or NAME[ITEM,…] with commas between; found \"%s\"",
                       cases[k].rest);
        assert_string_equal(status.message, why);
    }
}

static void a_spec_too_long_for_its_place_is_refused(void **state)
{
    (void)state;
    char spec[6];
    eb_status status;
    const char *list = "abcde,abcdef";
    assert_int_equal(eb_spec_next(&list, spec, sizeof spec, &status), EB_OK);
    assert_string_equal(spec, "abcde");
    assert_int_equal(eb_spec_next(&list, spec, sizeof spec, &status), EB_USAGE);
}

/* ---- defaults ---- */

static void defaults_lie_between_the_engines_own_and_the_specs(void **state)
{
    (void)state;
    static eb_engine_defaults defaults;
    char items[EB_OPTIONS_TEXT];
    eb_spec spec;
    eb_status status = {.message = ""};
    memset(&defaults, 0, sizeof defaults);
    assert_string_equal(eb_engine_defaults_of(&defaults, &fast), "");
    assert_string_equal(eb_engine_defaults_of(NULL, &fast), "");
    assert_int_equal(eb_engine_defaults_take(&defaults, &fast, "paper", &status), EB_OK);
    assert_int_equal(eb_engine_defaults_take(&defaults, &fast, "leaf=5,-swizzle", &status), EB_OK);
    assert_int_equal(eb_engine_defaults_take(&defaults, &gpu, "leaf=7", &status), EB_OK);
    assert_string_equal(eb_engine_defaults_of(&defaults, &fast), "paper,-swizzle,leaf=5");
    assert_string_equal(eb_engine_defaults_of(&defaults, &fasten), ""); /* each has its own */
    assert_string_equal(eb_engine_defaults_of(&defaults, &gpu), "leaf=7");

    static const struct {
        const char *spec, *items;
    } cases[] = {{"fast", "paper,-swizzle,leaf=5"},
                 {"fast[leaf=6]", "paper,-swizzle,leaf=6"},
                 {"fast[swizzle]", "paper,leaf=5"},
                 {"fast[best]", "leaf=5"},
                 {"gpu", "leaf=7"},
                 {"gpu[leaf=64]", ""},
                 {"host", ""}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(eb_spec_parse(cases[k].spec, &defaults, &spec, &status), EB_OK);
        assert_string_equal(eb_options_text(&spec.options, items, sizeof items), cases[k].items);
    }

    static const char *const wrong[][2] = {{"swizle", "fast: no option \"swizle\"; did you mean swizzle?"},
                                           {"leaf=0", "fast: leaf expects a whole number from 1 to 4096, found \"0\""},
                                           {"device=cpu", "fast: no option \"device\"; there are: preset, swizzle, "
                                                          "async-copy, tensor, leaf"}};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(eb_engine_defaults_take(&defaults, &fast, wrong[k][0], &status), EB_USAGE);
        assert_string_equal(status.message, wrong[k][1]);
        assert_string_equal(eb_engine_defaults_of(&defaults, &fast), "paper,-swizzle,leaf=5");
    }
    assert_int_equal(eb_engine_defaults_take(&defaults, &fast, "best,leaf=64", &status), EB_OK);
    assert_string_equal(eb_engine_defaults_of(&defaults, &fast), ""); /* nothing is left to say */
}

/* ---- what it means here ---- */

static void an_engine_runs_where_its_spec_says_or_as_usual(void **state)
{
    (void)state;
    static const struct {
        const char *text, *usual, *device, *spec, *note;
    } cases[] = {
        {"fast", "cpu", "cpu", "fast", ""},
        {"fast", "cuda:1", "cuda:1", "fast", ""},
        {"fast", "cuda", "cuda:0", "fast", ""},
        {"fast[device=cuda]", "cpu", "cuda:0", "fast[device=cuda:0]", ""},
        {"fast[device=cpu,leaf=5]", "cuda:0", "cpu", "fast[leaf=5,device=cpu]", ""},
        {"fast[device=cuda:2,pap,-sw]", "cpu", "cuda:2", "fast[paper,-swizzle,device=cuda:2]", ""},
        {"fast[best,leaf=64]", "cpu", "cpu", "fast", "preset has no effect on cpu"},
        /* the one kind there is */
        {"host", "cuda:1", "cpu", "host", "host runs on the CPU only: on cpu, not on cuda:1"},
        {"gpu", "cpu", "cuda:0", "gpu", "gpu runs on CUDA devices only: on cuda:0, not on cpu"},
        {"gpu[device=cuda:1]", "cpu", "cuda:1", "gpu[device=cuda:1]", ""},
        /* what changes nothing there */
        {"fast[swizzle]", "cpu", "cpu", "fast", "swizzle has no effect on cpu"},
        {"fast[sm_90]", "cuda:1", "cuda:1", "fast", "tensor has no effect on cuda:1"},
        {"fast[paper,-swizzle,leaf=5,sm_80]", "cpu", "cpu", "fast[paper,-swizzle,tensor=sm_80,leaf=5]",
         "preset has no effect on cpu; swizzle has no effect on cpu"},
        {"gpu[sm_80]", "cpu", "cuda:0", "gpu[tensor=sm_80]",
         "gpu runs on CUDA devices only: on cuda:0, not on cpu; tensor has no effect on cuda:0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_setup setup = made(cases[k].text, cases[k].usual);
        assert_string_equal(setup.device.name, cases[k].device);
        assert_string_equal(setup.spec, cases[k].spec);
        assert_string_equal(setup.note, cases[k].note);
        assert_int_equal(setup.device_named, strstr(cases[k].text, "device=") != NULL);
        assert_ptr_equal(setup.run, setup.device.kind == EB_DEVICE_CPU ? &on_cpu : &on_cuda);
        assert_true(setup.resources.threads == 0 && setup.resources.memory_limit == 0);
        assert_string_equal(probed.device, cases[k].device); /* it was asked, about this */
        assert_memory_equal(probed.options.value, setup.options.value, sizeof setup.options.value);
        eb_setup again = made(setup.spec, cases[k].usual);
        assert_true(eb_setup_equal(&setup, &again)); /* the spec gives the same */
        assert_string_equal(again.spec, setup.spec);
    }
}

static void defaults_without_effect_are_no_news(void **state)
{
    (void)state;
    static eb_engine_defaults defaults;
    eb_setup setup;
    eb_status status;
    memset(&defaults, 0, sizeof defaults);
    assert_int_equal(eb_engine_defaults_take(&defaults, &fast, "paper,-swizzle", &status), EB_OK);
    assert_int_equal(make("fast", "cpu", &defaults, &setup, &status), EB_OK);
    assert_string_equal(setup.note, "");
    assert_string_equal(setup.spec, "fast[paper,-swizzle]");
    assert_int_equal(make("fast[swizzle]", "cpu", &defaults, &setup, &status), EB_OK);
    assert_string_equal(setup.note, "swizzle has no effect on cpu");
}

static void what_cannot_run_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *text, *usual, *why;
        eb_code code;
        bool no_cuda;
    } cases[] = {
        {"host[device=cuda:0]", "cpu", "host does not run on CUDA devices, only on the CPU", EB_NO_ENGINE, false},
        {"gpu[device=cpu]", "cuda:0", "gpu does not run on the CPU, only on CUDA devices", EB_NO_ENGINE, false},
        {"absent", "cuda:0", "this epsbench was built without absent for CUDA devices", EB_NO_ENGINE, false},
        {"absent", "cpu", "this epsbench was built without absent for CUDA devices", EB_NO_ENGINE, false},
        {"absent[device=cuda:0]", "cpu", "this epsbench was built without absent for CUDA devices", EB_NO_ENGINE,
         false},
        {"absent[device=cpu]", "cpu", "absent does not run on the CPU, only on CUDA devices", EB_NO_ENGINE, false},
        {"fast[device=cuda:0]", "cpu", "no CUDA device here", EB_NO_DEVICE, true},
        {"fast", "cuda:0", "no CUDA device here", EB_NO_DEVICE, true},
        {"gpu", "cpu", "no CUDA device here", EB_NO_DEVICE, true},
        {"fast", "tpu", "no such kind of device: \"tpu\"; expected cpu or cuda:N", EB_USAGE, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_setup setup;
        eb_status status = {.message = ""};
        no_cuda = cases[k].no_cuda;
        assert_int_equal(make(cases[k].text, cases[k].usual, NULL, &setup, &status), cases[k].code);
        assert_string_equal(status.message, cases[k].why);
    }
    no_cuda = false;
    assert_int_equal(probed.probes, 0); /* nobody to ask */

    eb_setup setup;
    eb_status status = {.message = ""};
    probed.refuses = EB_NO_DEVICE;
    assert_int_equal(make("fast", "cpu", NULL, &setup, &status), EB_NO_DEVICE);
    assert_string_equal(status.message, "not today");
}

static void a_setup_with_other_options_is_asked_again(void **state)
{
    (void)state;
    eb_setup setup = made("fast[paper,sm_80,device=cuda:1]", "cpu"), before = setup;
    eb_options options_now = setup.options;
    eb_status status = {.message = ""};
    assert_int_equal(probed.probes, 1);
    assert_int_equal(eb_options_take(&options_now, "-swizzle", &status), EB_OK);
    assert_int_equal(eb_setup_change(&setup, &options_now, &status), EB_OK);
    assert_int_equal(probed.probes, 2);
    assert_memory_equal(probed.options.value, options_now.value, sizeof options_now.value);
    assert_string_equal(setup.spec, "fast[paper,-swizzle,tensor=sm_80,device=cuda:1]");
    assert_string_equal(setup.note, before.note);
    assert_string_equal(setup.device.name, "cuda:1");
    probed.refuses = EB_NO_ENGINE;
    assert_int_equal(eb_setup_change(&setup, &before.options, &status), EB_NO_ENGINE);
    assert_string_equal(status.message, "not today");
}

static void equal_setups_run_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"fast", "fast[best,leaf=64,sm_90]", true},
        {"fast", "fast[device=cpu]", true}, /* named or not */
        {"fast[paper,async-copy]", "fast", true},
        {"fast[paper,-swizzle]", "fast[-swizzle,paper]", true},
        {"fast", "fasten", false},
        {"fast", "fast[device=cuda:0]", false},
        {"fast[device=cuda:0]", "fast[device=cuda:1]", false},
        {"fast", "fast[leaf=65]", false},
        {"fast", "fast[-swizzle]", false},
        {"fast", "fast[sm_80]", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_setup a = made(cases[k].a, "cpu"), b = made(cases[k].b, "cpu");
        assert_int_equal(eb_setup_equal(&a, &b), cases[k].equal);
        assert_int_equal(eb_setup_equal(&b, &a), cases[k].equal);
    }
}

/* ---- the truth ---- */

static void the_truth_is_found_on_the_usual_device_or_else_on_the_cpu(void **state)
{
    (void)state;
    eb_setup setup;
    eb_status status = {.message = ""};
    static eb_engine_defaults defaults;
    memset(&defaults, 0, sizeof defaults);
    assert_int_equal(eb_engine_defaults_take(&defaults, &host, "leaf=9", &status), EB_OK);
    assert_int_equal(eb_setup_truth("cpu", &defaults, find_device, &no_cuda, &setup, &status), EB_OK);
    assert_string_equal(setup.spec, "host[leaf=9]");
    assert_string_equal(setup.note, "");
    assert_int_equal(eb_setup_truth("cuda:1", NULL, find_device, &no_cuda, &setup, &status), EB_OK);
    assert_true(setup.engine == &host && setup.device.kind == EB_DEVICE_CPU); /* certified ones are not the truth */

    register_engine(&half); /* left out of this build: as if it were not there */
    assert_int_equal(eb_setup_truth("cuda:1", NULL, find_device, &no_cuda, &setup, &status), EB_OK);
    assert_true(setup.engine == &host && setup.device.kind == EB_DEVICE_CPU);

    set_up(state);
    register_engine(&truth);
    assert_int_equal(eb_setup_truth("cuda:1", NULL, find_device, &no_cuda, &setup, &status), EB_OK);
    assert_true(setup.engine == &truth);
    assert_string_equal(setup.device.name, "cuda:1");
    assert_string_equal(setup.spec, "truth");
    assert_false(setup.device_named);
    assert_int_equal(eb_setup_truth("cpu", NULL, find_device, &no_cuda, &setup, &status), EB_OK);
    assert_true(setup.engine == &host); /* the first of those that can */
}

static void without_the_truth_it_says_so(void **state)
{
    (void)state;
    eb_setup setup;
    eb_status status = {.message = ""};
    register_only(2); /* fast and fasten */
    for (int cuda = 0; cuda <= 1; cuda++) {
        const char *device = cuda ? "cuda:0" : "cpu";
        assert_int_equal(eb_setup_truth(device, NULL, find_device, &no_cuda, &setup, &status), EB_NO_ENGINE);
        assert_string_equal(status.message, "no engine of this build computes the FP64 truth");
    }
    assert_int_equal(eb_setup_truth("tpu", NULL, find_device, &no_cuda, &setup, &status), EB_USAGE);
    register_engine(&truth);
    no_cuda = true;
    assert_int_equal(eb_setup_truth("cuda:0", NULL, find_device, &no_cuda, &setup, &status), EB_NO_DEVICE);
    no_cuda = false;
    assert_string_equal(status.message, "no CUDA device here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_spec_is_a_name_and_its_items, set_up),
        cmocka_unit_test_setup(wrong_specs_say_why, set_up),
        cmocka_unit_test_setup(items_without_end_are_refused, set_up),
        cmocka_unit_test_setup(engines_are_found_among_those_there_are, set_up),
        cmocka_unit_test_setup(lists_are_cut_at_commas_outside_brackets, set_up),
        cmocka_unit_test_setup(lists_with_holes_are_refused, set_up),
        cmocka_unit_test_setup(a_spec_too_long_for_its_place_is_refused, set_up),
        cmocka_unit_test_setup(defaults_lie_between_the_engines_own_and_the_specs, set_up),
        cmocka_unit_test_setup(an_engine_runs_where_its_spec_says_or_as_usual, set_up),
        cmocka_unit_test_setup(defaults_without_effect_are_no_news, set_up),
        cmocka_unit_test_setup(what_cannot_run_says_why, set_up),
        cmocka_unit_test_setup(a_setup_with_other_options_is_asked_again, set_up),
        cmocka_unit_test_setup(equal_setups_run_the_same, set_up),
        cmocka_unit_test_setup(the_truth_is_found_on_the_usual_device_or_else_on_the_cpu, set_up),
        cmocka_unit_test_setup(without_the_truth_it_says_so, set_up),
    };
    return cmocka_run_group_tests_name("core_spec", tests, NULL, NULL);
}
