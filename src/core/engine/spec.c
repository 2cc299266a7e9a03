#include "core/engine/spec.h"

#include <stdio.h>
#include <string.h>

/* ---- parsing ---- */

static size_t place_of(const eb_engine *engine)
{
    size_t place = 0;
    while (place + 1 < eb_engine_count() && eb_engine_at(place) != engine)
        place++;
    return place;
}

const char *eb_engine_defaults_of(const eb_engine_defaults *defaults, const eb_engine *engine)
{
    return defaults ? defaults->items[place_of(engine)] : "";
}

/* Puts the engine's name before a message about an item. */
static eb_code say_whose(const eb_engine *engine, eb_code code, const eb_status *why, eb_status *status)
{
    return eb_fail(status, code, "%s: %s", engine->name, why->message);
}

static eb_code begin_spec(const eb_engine *engine, const eb_engine_defaults *defaults, eb_spec *out, eb_status *status)
{
    *out = (eb_spec){.engine = engine};
    eb_options_default(&engine->options, &out->options);
    eb_code failed = eb_options_take(&out->options, eb_engine_defaults_of(defaults, engine), status);
    memset(out->options.given, 0, sizeof out->options.given); /* defaults are not given in this spec */
    return failed;
}

/* The length of the key if the item is `device=…`, otherwise 0. `device` may be shortened unless an option of the
 * engine begins with the same letters. */
static size_t device_key(const eb_option_list *list, const char *item, size_t length)
{
    const char *equals = memchr(item, '=', length);
    size_t key = equals ? (size_t)(equals - item) : 0;
    if (key == 0 || key > strlen("device") || memcmp(item, "device", key) != 0)
        return 0;
    for (size_t k = 0; k < list->count; k++)
        if (strncmp(list->option[k].name, item, key) == 0)
            return 0;
    return key + 1;
}

/* Reads `device=` itself and passes all other items to the engine's options. */
static eb_code take_items(eb_spec *spec, const char *items, size_t length, eb_status *status)
{
    char own[EB_OPTIONS_TEXT] = "";
    size_t used = 0, item = 0;
    for (size_t at = 0; length > 0 && at <= length; at += item + 1) {
        item = strcspn(items + at, ",]");
        size_t device = device_key(&spec->engine->options, items + at, item);
        char *to = device ? spec->device : own + used;
        size_t room = device ? sizeof spec->device : sizeof own - used;
        if (item == 0)
            return eb_fail(status, EB_USAGE, "an item is missing in \"%.*s\"", (int)(length < 60 ? length : 60), items);
        size_t written =
            (size_t)snprintf(to, room, "%s%.*s", !device && used ? "," : "", (int)(item - device), items + at + device);
        if (written >= room)
            return eb_fail(status, EB_USAGE, "\"%.*s\" is too long", (int)(item < 60 ? item : 60), items + at);
        eb_device_kind kind;
        int index;
        if (device)
            EB_TRY(eb_device_parse(spec->device, &kind, &index, status));
        else
            used += written;
    }
    return eb_options_take(&spec->options, own, status);
}

eb_code eb_spec_parse(const char *text, const eb_engine_defaults *defaults, eb_spec *out, eb_status *status)
{
    size_t name = strcspn(text, "["), length = strlen(text);
    const eb_engine *engine;
    eb_status why;
    if (text[name] == '[' && name + strcspn(text + name, "]") + 1 != length)
        return eb_fail(status, EB_USAGE, "\"%.80s\" opens a bracket; expected NAME[ITEM,…]", text);
    EB_TRY(eb_engine_find(text, name, &engine, status));
    EB_TRY(begin_spec(engine, defaults, out, status));
    if (text[name] == '\0')
        return EB_OK;
    const eb_code failed = take_items(out, text + name + 1, length - name - 2, &why);
    return failed ? say_whose(engine, failed, &why, status) : EB_OK;
}

char *eb_spec_text(const eb_spec *spec, char *buffer, size_t size)
{
    char items[EB_OPTIONS_TEXT], device[EB_DEVICE_NAME + 8] = "";
    (void)eb_options_text(&spec->options, items, sizeof items);
    if (spec->device[0])
        (void)snprintf(device, sizeof device, "%sdevice=%s", items[0] ? "," : "", spec->device);
    bool any = items[0] || device[0];
    (void)snprintf(buffer, size, "%s%s%s%s%s", spec->engine->name, any ? "[" : "", items, device, any ? "]" : "");
    return buffer;
}

eb_code eb_spec_next(const char **list, char *buffer, size_t size, eb_status *status)
{
    const char *text = *list;
    size_t length = strcspn(text, ",[");
    bool closed = true;
    if (text[length] == '[') {
        length += strcspn(text + length, "]");
        closed = text[length] == ']';
        length += closed;
    }
    bool ended = text[length] == '\0' || text[length] == ',';
    if (length == 0 || length >= size || !closed || !ended)
        return eb_fail(status, EB_USAGE, "engines are NAME or NAME[ITEM,…] with commas between; found \"%.64s\"", text);
    memcpy(buffer, text, length);
    buffer[length] = '\0';
    *list = text[length] == ',' ? text + length + 1 : NULL;
    return EB_OK;
}

eb_code eb_engine_defaults_take(eb_engine_defaults *defaults, const eb_engine *engine, const char *items,
                                eb_status *status)
{
    eb_spec spec;
    eb_status why;
    eb_code failed = begin_spec(engine, defaults, &spec, &why);
    if (!failed)
        failed = eb_options_take(&spec.options, items, &why);
    if (failed)
        return say_whose(engine, failed, &why, status);
    (void)eb_options_text(&spec.options, defaults->items[place_of(engine)], sizeof defaults->items[0]);
    return EB_OK;
}

/* ---- from a spec to a setup ---- */

static const char *kind_name(eb_device_kind kind) { return kind == EB_DEVICE_CPU ? "the CPU" : "CUDA devices"; }

static bool runs_on(const eb_engine *engine, eb_device_kind kind) { return engine->on[kind].summary != NULL; }

/* Chooses the device by name: the spec's, else the usual one, else one of the only kind that the engine runs on. */
static eb_code choose_device(const eb_spec *spec, const char *usual, const char **name, eb_setup *out,
                             eb_status *status)
{
    eb_device_kind kind;
    int index;
    const eb_engine *engine = spec->engine;
    *name = spec->device[0] ? spec->device : usual;
    EB_TRY(eb_device_parse(*name, &kind, &index, status));
    if (runs_on(engine, kind))
        return EB_OK;
    eb_device_kind other = kind == EB_DEVICE_CPU ? EB_DEVICE_CUDA : EB_DEVICE_CPU;
    if (spec->device[0])
        return eb_fail(status, EB_NO_ENGINE, "%s does not run on %s, only on %s", engine->name, kind_name(kind),
                       kind_name(other));
    *name = other == EB_DEVICE_CPU ? "cpu" : "cuda:0";
    (void)snprintf(out->note, sizeof out->note, "%s runs on %s only: on %s, not on %s", engine->name, kind_name(other),
                   *name, usual);
    return EB_OK;
}

static void note_options(eb_setup *setup)
{
    const eb_option_list *list = setup->options.list;
    for (size_t k = 0; k < list->count; k++) {
        const eb_option *option = &list->option[k];
        size_t used = strlen(setup->note);
        if (!setup->options.given[k] || (option->devices & 1u << setup->device.kind))
            continue;
        (void)snprintf(setup->note + used, sizeof setup->note - used, "%s%s has no effect on %s", used ? "; " : "",
                       option->name, setup->device.name);
    }
}

/* Refuses an option that the device lacks, where ignoring it would change the result. */
static eb_code refuse_options(const eb_setup *setup, eb_status *status)
{
    const eb_option_list *list = setup->options.list;
    eb_options usual;
    eb_options_default(list, &usual);
    for (size_t k = 0; k < list->count; k++) {
        const eb_option *option = &list->option[k];
        const char *name;
        char value[64];
        if (!option->decides || (option->devices & 1u << setup->device.kind) ||
            setup->options.value[k] == usual.value[k])
            continue;
        for (size_t at = 0; eb_options_item(&setup->options, option->devices, at, &name, value, sizeof value); at++)
            if (strcmp(name, option->name) == 0)
                return eb_fail(status, EB_NO_ENGINE, "%s computes %s=%s on %s only, not on %s; add device=%s",
                               setup->engine->name, name, value,
                               kind_name(option->devices & EB_ON_CPU ? EB_DEVICE_CPU : EB_DEVICE_CUDA),
                               setup->device.name, option->devices & EB_ON_CPU ? "cpu" : "cuda:0");
    }
    return EB_OK;
}

static void write_spec(eb_setup *setup)
{
    eb_spec spec = {.engine = setup->engine, .options = setup->options};
    if (setup->device_named)
        memcpy(spec.device, setup->device.name, sizeof spec.device);
    (void)eb_spec_text(&spec, setup->spec, sizeof setup->spec);
}

eb_code eb_setup_make(const eb_spec *spec, const char *usual, eb_device_finder find, void *context, eb_setup *out,
                      eb_status *status)
{
    const char *name;
    *out = (eb_setup){.engine = spec->engine, .options = spec->options, .device_named = spec->device[0] != '\0'};
    EB_TRY(choose_device(spec, usual, &name, out, status));
    EB_TRY(find(context, name, &out->device, status));
    out->run = spec->engine->on[out->device.kind].run;
    if (!out->run)
        return eb_fail(status, EB_NO_ENGINE, "this epsbench was built without %s for %s", spec->engine->name,
                       kind_name(out->device.kind));
    EB_TRY(refuse_options(out, status));
    note_options(out);
    write_spec(out);
    return out->run->probe(&out->device, &out->options, status);
}

eb_code eb_setup_change(eb_setup *setup, const eb_options *options, eb_status *status)
{
    setup->options = *options;
    EB_TRY(refuse_options(setup, status));
    write_spec(setup);
    return setup->run->probe(&setup->device, &setup->options, status);
}

static eb_code truth_on(const char *device, const eb_engine_defaults *defaults, eb_device_finder find, void *context,
                        eb_setup *out, eb_status *status)
{
    eb_device_kind kind;
    int index;
    EB_TRY(eb_device_parse(device, &kind, &index, status));
    for (size_t k = 0; k < eb_engine_count(); k++) {
        const eb_engine *engine = eb_engine_at(k);
        eb_spec spec;
        if (engine->exactness != EB_TRUTH || !runs_on(engine, kind))
            continue;
        EB_TRY(begin_spec(engine, defaults, &spec, status));
        return eb_setup_make(&spec, device, find, context, out, status);
    }
    return eb_fail(status, EB_NO_ENGINE, "no engine of this build computes the FP64 truth");
}

eb_code eb_setup_truth(const char *usual, const eb_engine_defaults *defaults, eb_device_finder find, void *context,
                       eb_setup *out, eb_status *status)
{
    eb_status why;
    eb_code failed = truth_on(usual, defaults, find, context, out, &why);
    if (failed == EB_NO_ENGINE && strcmp(usual, "cpu") != 0)
        return truth_on("cpu", defaults, find, context, out, status);
    return failed ? eb_fail(status, failed, "%s", why.message) : EB_OK;
}

bool eb_setup_equal(const eb_setup *a, const eb_setup *b)
{
    return a->engine == b->engine && strcmp(a->device.name, b->device.name) == 0 &&
           memcmp(a->options.value, b->options.value, sizeof a->options.value) == 0;
}
