/* Candidates for engine specs, defaults and columns. */
#include "shell/language/candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/engine/spec.h"
#include "io/columns.h"
#include "io/csv/head.h"
#include "io/files/files.h"
#include "kernels/device/cuda.h"

bool eb_candidates_add(eb_candidates *list, const char *name, const char *suffix, const char *about)
{
    if (!eb_array_grow(&list->candidate, list->count, &list->room, sizeof *list->candidate, 32))
        return false;
    eb_candidate *next = &list->candidate[list->count];
    *next = (eb_candidate){.about = about && about[0] ? strdup(about) : NULL};
    if ((about && about[0] && !next->about) || asprintf(&next->name, "%s%s", name, suffix) < 0) {
        free(next->about);
        return false;
    }
    list->count++;
    return true;
}

void eb_candidates_free(eb_candidates *candidates)
{
    for (size_t k = 0; k < candidates->count; k++) {
        free(candidates->candidate[k].name);
        free(candidates->candidate[k].about);
    }
    free(candidates->candidate);
    *candidates = (eb_candidates){0};
}

static bool add_choices_of(eb_candidates *list, const char *before, const char *choices, const char *about)
{
    bool added = true;
    char text[EB_SPEC_TEXT], choice[64];
    for (size_t k = 0; choices && added && eb_choice_at(choices, k, choice, sizeof choice); k++) {
        (void)snprintf(text, sizeof text, "%s%s", before, choice);
        added = eb_candidates_add(list, text, "", about);
    }
    return added;
}

bool eb_add_choices(eb_candidates *list, const char *before, const char *choices)
{
    return add_choices_of(list, before, choices, NULL);
}

bool eb_add_devices(eb_candidates *list)
{
    return eb_candidates_add(list, "cpu", "", "this machine's cores") &&
           eb_candidates_add(list, "cuda:0", "",
                             eb_cuda_seen(0) ? "the first GPU" : "the first GPU; none is seen here");
}

/* ---- engines ---- */

static bool can_run(const eb_engine *engine)
{
    return engine->on[EB_DEVICE_CPU].run || (engine->on[EB_DEVICE_CUDA].run && eb_cuda_seen(0));
}

bool eb_add_engines(eb_candidates *list, const char *before, const char *suffix, bool elsewhere)
{
    bool added = true;
    char text[EB_SPEC_TEXT];
    for (size_t k = 0; added && k < eb_engine_count(); k++) {
        const eb_engine *engine = eb_engine_at(k);
        const char *on_cpu = engine->on[EB_DEVICE_CPU].summary;
        (void)snprintf(text, sizeof text, "%s%s", before, engine->name);
        if (elsewhere || can_run(engine))
            added = eb_candidates_add(list, text, suffix, on_cpu ? on_cpu : engine->on[EB_DEVICE_CUDA].summary);
    }
    return added;
}

/* ---- options in an engine's brackets ---- */

/* Position of the cursor in SPEC,SPEC,…. */
typedef struct spot {
    const char *spec;    /* start of the spec at the cursor */
    const char *bracket; /* its open bracket; NULL: none is open */
    const char *item, *value;
    const char *word; /* start of readline's word: after the last '=' */
} spot;

static spot find_spot(const char *text)
{
    spot s = {.spec = text, .word = text};
    for (const char *at = text; *at; at++) {
        if (*at == '[')
            s.bracket = at;
        else if (*at == ']')
            s.bracket = NULL;
        else if (*at == '=')
            s.value = s.word = at + 1;
        else if (*at == ',' && !s.bracket)
            s.spec = at + 1;
        if (*at == '[' || *at == ',') {
            s.item = at + 1;
            s.value = NULL;
        }
    }
    return s;
}

/* Appends the options of an engine. Flags keep a typed sign; after a sign, only flags are candidates. */
static bool add_items(eb_candidates *list, const eb_engine *engine, const char *before, const char *item)
{
    char text[EB_SPEC_TEXT + 64], about[EB_SPEC_TEXT + 64];
    char sign[] = {*item == '-' || *item == '+' ? *item : '\0', '\0'};
    bool added = true;
    for (size_t k = 0; added && k < engine->options.count; k++) {
        const eb_option *option = &engine->options.option[k];
        bool flag = option->type == EB_ARG_FLAG;
        (void)snprintf(text, sizeof text, "%s%s%s", before, sign, option->name);
        if (flag || !sign[0])
            added = eb_candidates_add(list, text, flag ? "" : "=", option->help);
        (void)snprintf(about, sizeof about, "%s: %s", option->name, option->help);
        if (added && !sign[0])
            added = add_choices_of(list, before, option->choices, about);
    }
    (void)snprintf(text, sizeof text, "%sdevice", before);
    return added && (sign[0] || eb_candidates_add(list, text, "=", "where it runs"));
}

/* Appends the values of the option with this name. */
static bool add_option_values(eb_candidates *list, const eb_engine *engine, const char *text, size_t length)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
    const eb_option *option = eb_option_find(&engine->options, name);
    const eb_argument argument = option ? eb_option_argument(option) : (eb_argument){.type = EB_ARG_TEXT};
    return eb_add_choices(list, "", eb_argument_choices(&argument));
}

static bool add_item_values(eb_candidates *list, const eb_engine *engine, const spot *s)
{
    size_t length = (size_t)(s->value - s->item - 1);
    if (length == strlen("device") && memcmp(s->item, "device", length) == 0)
        return eb_add_devices(list);
    return add_option_values(list, engine, s->item, length);
}

bool eb_add_specs(eb_candidates *list, const char *typed, bool elsewhere)
{
    spot s = find_spot(typed);
    const eb_engine *engine;
    char before[EB_SPEC_TEXT];
    const char *next = s.bracket ? s.item : s.spec;
    (void)snprintf(before, sizeof before, "%.*s", next > s.word ? (int)(next - s.word) : 0, s.word);
    if (!s.bracket) /* only ',' or a blank may follow a closed bracket */
        return s.word > s.spec || eb_add_engines(list, before, "", elsewhere);
    list->open = true;
    if (eb_engine_find(s.spec, (size_t)(s.bracket - s.spec), &engine, NULL))
        return true;
    return s.value ? add_item_values(list, engine, &s) : add_items(list, engine, before, s.item);
}

bool eb_add_default_values(eb_candidates *list, const char *typed)
{
    size_t length = strcspn(typed, "= \t"), name = strcspn(typed, ".");
    const eb_engine *engine;
    if (name >= length || eb_engine_find(typed, name, &engine, NULL))
        return true;
    return add_option_values(list, engine, typed + name + 1, length - name - 1);
}

bool eb_add_defaults(eb_candidates *list, const char *typed)
{
    const char *dot = strchr(typed, '.');
    const eb_engine *engine;
    char text[EB_SPEC_TEXT];
    bool added = true;
    if (strchr(typed, '='))
        return eb_add_default_values(list, typed);
    list->open = true;
    if (!dot)
        return eb_add_engines(list, "", ".", true);
    if (eb_engine_find(typed, (size_t)(dot - typed), &engine, NULL))
        return true;
    for (size_t k = 0; added && k < engine->options.count; k++) {
        (void)snprintf(text, sizeof text, "%.*s%s", (int)(dot + 1 - typed), typed, engine->options.option[k].name);
        added = eb_candidates_add(list, text, "=", engine->options.option[k].help);
    }
    return added;
}

/* ---- columns ---- */

/* Appends a column: its name, or its number if the name would need quotes. */
static bool add_column(eb_candidates *list, const eb_csv_head *head, size_t k, const char *before)
{
    char name[EB_SPEC_TEXT], number[32];
    const char *own = head->name ? head->name[k] : NULL;
    (void)snprintf(number, sizeof number, "%zu", k);
    (void)snprintf(name, sizeof name, "%s%s", before, own && eb_is_plain_name(own) ? own : number);
    return eb_candidates_add(list, name, "", head->number[k] ? "numbers" : "text, or mixed");
}

bool eb_add_columns(eb_candidates *list, const char *dataset, const char *typed, bool several)
{
    eb_csv_head head;
    const char *comma = several ? strrchr(typed, ',') : NULL;
    char before[EB_SPEC_TEXT] = "", *path = dataset ? eb_expand_home(dataset) : NULL;
    bool added = true;
    if (comma)
        (void)snprintf(before, sizeof before, "%.*s", (int)(comma + 1 - typed), typed);
    if (path && eb_csv_head_read(path, &head, NULL) == EB_OK) {
        for (size_t k = 0; added && k < head.columns; k++)
            if (!several || head.number[k])
                added = add_column(list, &head, k, before);
        eb_csv_head_free(&head);
        list->open = several;
    }
    free(path);
    return added;
}
