/* spec: from the text of a spec to a setup on a device, with a registry of the test's own. */

#include "core/engine/spec.h"
#include "tests/unit/cases.h"
#include "tests/unit/test.h"

/* ---- engines that have nothing but probe ---- */

static struct {
    unsigned probes;
    eb_options options; /* of the last probe */
    char device[EB_DEVICE_NAME];
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
    {"preset", EB_ARG_PRESET, EB_ON_CUDA, .choices = "paper|best", .fallback = "best"},
    {"swizzle", EB_ARG_FLAG, EB_ON_CUDA, .presets = "paper|best"},
    {"async-copy", EB_ARG_FLAG, EB_ON_CUDA, .presets = "best"},
    {"tensor", EB_ARG_CHOICE, EB_ON_CPU, .choices = "sm_80|sm_90", .fallback = "sm_90"},
    {"leaf", EB_ARG_INTEGER, EB_ON_ALL, .fallback = "64", .min = 1, .max = 4096},
    {"centre", EB_ARG_CHOICE, EB_ON_CPU, .decides = true, .choices = "none|mean", .fallback = "none"},
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

/* ---- parsing ---- */

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
    assert_int_equal(eb_engine_find("hostess", 2, &found, &status), EB_OK); /* the prefix "ho" */
    assert_ptr_equal(found, &host);
    assert_int_equal(eb_engine_find("hostess", 7, &found, &status), EB_NO_ENGINE);
    assert_ptr_equal(found, &host); /* not written on failure */
    register_only(0);
    assert_int_equal(eb_engine_find("host", 4, &found, &status), EB_NO_ENGINE);
    assert_string_equal(status.message, "no engine \"host\"; there are none here");
    assert_string_equal(eb_exactness_name(EB_TRUTH), "truth");
    assert_string_equal(eb_exactness_name(EB_CERTIFIED), "certified");
    assert_string_equal(eb_exactness_name(EB_APPROXIMATE), "approximate");
}

/* ---- lists ---- */

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

/* ---- setups ---- */

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

/* ---- the exact engine ---- */

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
    assert_true(setup.engine == &host &&
                setup.device.kind == EB_DEVICE_CPU); /* certified engines do not count as exact */

    register_engine(&half); /* this build lacks the engine, so it is skipped */
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
    assert_true(setup.engine == &host); /* the first that runs there */
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

/* ---- cases: spec TEXT ENGINE ITEMS DEVICE; no-spec TEXT MESSAGE CODE; setup TEXT USUAL DEVICE SPEC NOTE … ---- */

static eb_engine_defaults defaults;

static void begin(void)
{
    (void)set_up(NULL);
    memset(&defaults, 0, sizeof defaults);
}

static const eb_engine *named(const char *name)
{
    const eb_engine *engine = NULL;
    assert_int_equal(eb_engine_find(name, strlen(name), &engine, NULL), EB_OK);
    return engine;
}

static void parsed(const case_step *s)
{
    char items[EB_OPTIONS_TEXT];
    eb_spec spec;
    eb_status status = {.message = ""};
    if (eb_spec_parse(s->field[0], &defaults, &spec, &status) != EB_OK)
        fail_msg("%s", status.message);
    assert_ptr_equal(spec.engine, named(s->field[1]));
    assert_ptr_equal(spec.options.list, &spec.engine->options);
    assert_string_equal(eb_options_text(&spec.options, items, sizeof items), s->field[2]);
    assert_string_equal(spec.device, s->field[3]);
}

static void not_parsed(const case_step *s)
{
    eb_spec spec;
    eb_status status = {.message = ""};
    assert_string_equal(eb_code_name(eb_spec_parse(s->field[0], NULL, &spec, &status)), s->field[2]);
    assert_string_equal(status.message, s->field[1]);
}

/* list LIST SPEC… */
static void list_of_specs(const case_step *s)
{
    const char *list = s->field[0];
    for (size_t k = 1; k < s->fields; k++) {
        char spec[EB_SPEC_TEXT];
        eb_status status;
        assert_non_null(list);
        assert_int_equal(eb_spec_next(&list, spec, sizeof spec, &status), EB_OK);
        assert_string_equal(spec, s->field[k]);
    }
    assert_null(list);
}

/* hole LIST GOOD REST: GOOD specs precede the missing one; REST is the rest of the list. */
static void hole(const case_step *s)
{
    const char *list = s->field[0];
    char spec[EB_SPEC_TEXT], why[200];
    eb_status status = {.message = ""};
    for (unsigned long m = strtoul(s->field[1], NULL, 10); m > 0; m--)
        assert_int_equal(eb_spec_next(&list, spec, sizeof spec, &status), EB_OK);
    assert_int_equal(eb_spec_next(&list, spec, sizeof spec, &status), EB_USAGE);
    (void)snprintf(why, sizeof why, "engines are NAME or NAME[ITEM,…] with commas between; found \"%s\"", s->field[2]);
    assert_string_equal(status.message, why);
}

/* default ENGINE ITEMS TEXT: adds ITEMS; the engine's defaults then are TEXT. */
static void take_default(const case_step *s)
{
    eb_status status = {.message = ""};
    if (s->field[1][0])
        assert_int_equal(eb_engine_defaults_take(&defaults, named(s->field[0]), s->field[1], &status), EB_OK);
    assert_string_equal(eb_engine_defaults_of(&defaults, named(s->field[0])), s->field[2]);
    assert_string_equal(eb_engine_defaults_of(NULL, named(s->field[0])), "");
}

static void no_default(const case_step *s)
{
    char before[EB_OPTIONS_TEXT];
    eb_status status = {.message = ""};
    (void)snprintf(before, sizeof before, "%s", eb_engine_defaults_of(&defaults, named(s->field[0])));
    assert_int_equal(eb_engine_defaults_take(&defaults, named(s->field[0]), s->field[1], &status), EB_USAGE);
    assert_string_equal(status.message, s->field[2]);
    assert_string_equal(eb_engine_defaults_of(&defaults, named(s->field[0])), before);
}

static void setup(const case_step *s)
{
    eb_setup found = {.engine = NULL}, again;
    eb_status status = {.message = ""};
    if (make(s->field[0], s->field[1], &defaults, &found, &status) != EB_OK)
        fail_msg("%s", status.message);
    assert_string_equal(found.device.name, s->field[2]);
    assert_string_equal(found.spec, s->field[3]);
    assert_string_equal(found.note, s->field[4]);
    assert_int_equal(found.device_named, strstr(s->field[0], "device=") != NULL);
    assert_ptr_equal(found.run, found.device.kind == EB_DEVICE_CPU ? &on_cpu : &on_cuda);
    assert_true(found.resources.threads == 0 && found.resources.memory_limit == 0);
    assert_string_equal(probed.device, s->field[2]); /* probe was called for this device */
    assert_memory_equal(probed.options.value, found.options.value, sizeof found.options.value);
    assert_int_equal(make(found.spec, s->field[1], NULL, &again, &status), EB_OK);
    assert_true(eb_setup_equal(&found, &again)); /* the spec gives the same setup */
    assert_string_equal(again.spec, found.spec);
}

/* cannot TEXT USUAL MESSAGE CODE [no-cuda]; nobody is asked. */
static void cannot(const case_step *s)
{
    eb_setup found;
    eb_status status = {.message = ""};
    no_cuda = s->fields > 4;
    assert_string_equal(eb_code_name(make(s->field[0], s->field[1], NULL, &found, &status)), s->field[3]);
    assert_string_equal(status.message, s->field[2]);
    assert_int_equal(probed.probes, 0);
    no_cuda = false;
}

static void equal(const case_step *s)
{
    eb_setup a = made(s->field[0], "cpu"), b = made(s->field[1], "cpu");
    const bool expected = strcmp(s->verb, "equal") == 0;
    assert_int_equal(eb_setup_equal(&a, &b), expected);
    assert_int_equal(eb_setup_equal(&b, &a), expected);
}

static const case_verb verbs[] = {
    {"spec", 4, parsed},          {"no-spec", 3, not_parsed},    {"list", 2, list_of_specs}, {"hole", 3, hole},
    {"default", 3, take_default}, {"no-default", 3, no_default}, {"setup", 5, setup},        {"cannot", 4, cannot},
    {"equal", 2, equal},          {"unequal", 2, equal},
};

static void an_engine_may_refuse(void **state)
{
    (void)state;
    eb_setup found;
    eb_status status = {.message = ""};
    probed.refuses = EB_NO_DEVICE;
    assert_int_equal(make("fast", "cpu", NULL, &found, &status), EB_NO_DEVICE);
    assert_string_equal(status.message, "not today");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_engine_may_refuse, set_up),
        cmocka_unit_test_setup(items_without_end_are_refused, set_up),
        cmocka_unit_test_setup(engines_are_found_among_those_there_are, set_up),
        cmocka_unit_test_setup(a_spec_too_long_for_its_place_is_refused, set_up),
        cmocka_unit_test_setup(a_setup_with_other_options_is_asked_again, set_up),
        cmocka_unit_test_setup(the_truth_is_found_on_the_usual_device_or_else_on_the_cpu, set_up),
        cmocka_unit_test_setup(without_the_truth_it_says_so, set_up),
    };
    return cmocka_run_group_tests_name("core_spec", tests, NULL, NULL) + CASE_RUN_ALL("specs", verbs, begin, NULL);
}
