/* spec: an engine as a person names it, NAME[ITEM,…], and what that means on this machine.
 *
 * ITEMs are the engine's own options (option.h) and `device=cpu|cuda:N`, which every engine takes. Commas inside
 * brackets separate no engines.
 */
#pragma once

#include "core/engine/engine.h"

#define EB_SPEC_TEXT 600u
#define EB_MOST_ENGINES 32u

typedef struct eb_spec {
    const eb_engine *engine;
    eb_options options;
    char device[16]; /* "": not named */
} eb_spec;

/* Defaults that somebody has set, as ITEM,…: over the engine's own, under a spec's. By place in the registry. */
typedef struct eb_engine_defaults {
    char items[EB_MOST_ENGINES][EB_OPTIONS_TEXT];
} eb_engine_defaults;

/* Parses NAME or NAME[ITEM,…]. defaults may be NULL. EB_USAGE, EB_NO_ENGINE. */
eb_code eb_spec_parse(const char *text, const eb_engine_defaults *defaults, eb_spec *out, eb_status *status);

/* The shortest text that parses to the same without defaults: "fasted[paper,-swizzle]". Returns buffer (EB_SPEC_TEXT
 * bytes suffice). */
char *eb_spec_text(const eb_spec *spec, char *buffer, size_t size);

/* The next of SPEC,SPEC,… into buffer; *list behind it, NULL after the last. EB_USAGE where a spec is missing or a
 * bracket is left open. */
eb_code eb_spec_next(const char **list, char *buffer, size_t size, eb_status *status);

/* Sets a default: over what is set already, checked as a spec's items are. */
eb_code eb_engine_defaults_take(eb_engine_defaults *defaults, const eb_engine *engine, const char *items,
                                eb_status *status);
const char *eb_engine_defaults_of(const eb_engine_defaults *defaults, const eb_engine *engine);

/* What the caller lends an engine. */
typedef struct eb_resources {
    unsigned threads;      /* host threads; 0: one */
    uint64_t memory_limit; /* bytes that its points may take on its device; 0: no limit */
} eb_resources;

/* An engine ready to be opened. */
typedef struct eb_setup {
    const eb_engine *engine;
    const eb_implementation *run;
    eb_device device;
    eb_options options;
    eb_resources resources;                  /* none until the caller lends some */
    const struct eb_inverted_request *index; /* engine.h; an engine that has one scales its points itself */
    bool device_named;                       /* the spec says where */
    char spec[EB_SPEC_TEXT];                 /* the shortest that gives the same: "fasted[paper,-swizzle]" */
    char note[256]; /* what the person should know: another device than the session's, an option without effect */
} eb_setup;

/* How devices are found by name. */
typedef eb_code (*eb_device_finder)(void *context, const char *name, eb_device *out, eb_status *status);

/* Where it runs: on the device that the spec names, else on `usual` (as typed: "cpu"), else, where the engine has
 * nothing for that kind, on the one kind it has, which the note tells. Then asks the implementation whether it can. */
eb_code eb_setup_make(const eb_spec *spec, const char *usual, eb_device_finder find, void *context, eb_setup *out,
                      eb_status *status);

/* The same with other options, and asked again whether it can. */
eb_code eb_setup_change(eb_setup *setup, const eb_options *options, eb_status *status);

/* An engine that computes the truth: on the usual device, or else on the CPU. */
eb_code eb_setup_truth(const char *usual, const eb_engine_defaults *defaults, eb_device_finder find, void *context,
                       eb_setup *out, eb_status *status);

/* Before anything is timed: what setups of one engine on one device need that has to be made first (`prepare` in
 * engine.h). */
static inline eb_code eb_setups_prepare(const eb_setup *const *setups, size_t count, eb_job *job, eb_status *status)
{
    return count > 0 && setups[0]->run->prepare ? setups[0]->run->prepare(setups, count, job, status) : EB_OK;
}

static inline eb_exactness eb_setup_exactness(const eb_setup *setup)
{
    return eb_exactness_of(setup->engine, &setup->options);
}

/* Whether two setups run the same. */
bool eb_setup_equal(const eb_setup *a, const eb_setup *b);
