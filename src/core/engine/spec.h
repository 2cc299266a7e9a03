/* spec: an engine as a person types it, NAME[ITEM,…], and the setup that it gives on this machine.
 *
 * ITEMs are the engine's own options (option.h) and `device=cpu|cuda:N`, which every engine accepts;
 * several devices are joined by +, `device=cuda:0+1`. In a list of
 * specs, commas inside brackets do not separate engines.
 */
#pragma once

#include "core/engine/engine.h"

#define EB_SPEC_TEXT 600u
#define EB_MOST_ENGINES 32u

typedef struct eb_spec {
    const eb_engine *engine;
    eb_options options;
    char device[EB_DEVICE_NAME]; /* "": not given */
} eb_spec;

/* Defaults set by the person, as ITEM,…, by the engine's index in the registry. They override the engine's own
 * defaults; a spec overrides them. */
typedef struct eb_engine_defaults {
    char items[EB_MOST_ENGINES][EB_OPTIONS_TEXT];
} eb_engine_defaults;

/* Parses NAME or NAME[ITEM,…]. defaults may be NULL. EB_USAGE, EB_NO_ENGINE. */
eb_code eb_spec_parse(const char *text, const eb_engine_defaults *defaults, eb_spec *out, eb_status *status);

/* The shortest text that gives the same spec without defaults: "fasted[paper,-swizzle]". Returns buffer (EB_SPEC_TEXT
 * bytes suffice). */
char *eb_spec_text(const eb_spec *spec, char *buffer, size_t size);

/* Copies the next spec of SPEC,SPEC,… to buffer and moves *list past it, or to NULL after the last. EB_USAGE if a spec
 * is missing or a bracket is not closed. */
eb_code eb_spec_next(const char **list, char *buffer, size_t size, eb_status *status);

/* Adds ITEMs to the engine's defaults, checked like those of a spec. */
eb_code eb_engine_defaults_take(eb_engine_defaults *defaults, const eb_engine *engine, const char *items,
                                eb_status *status);
const char *eb_engine_defaults_of(const eb_engine_defaults *defaults, const eb_engine *engine);

/* The points that each of several processes holds (core/ranks/blocks/holding.h). */
typedef enum eb_holding { EB_HOLD_AUTO, EB_HOLD_ALL, EB_HOLD_BLOCKS } eb_holding;
#define EB_HOLDINGS "auto|all|blocks"

/* Resources that an engine may use. */
typedef struct eb_resources {
    unsigned threads;      /* host threads; 0: one */
    uint64_t memory_limit; /* bytes for its points on its device; 0: no limit */
    unsigned deciding;     /* as in eb_context; 0: threads */
    eb_holding holding;    /* where several processes share the work */
} eb_resources;

/* An engine with its device and options, ready to be opened. */
typedef struct eb_setup {
    const eb_engine *engine;
    const eb_implementation *run;
    eb_device device;
    eb_options options;
    eb_resources resources;                  /* zero until the caller sets them */
    const struct eb_inverted_request *index; /* for eb_context; an engine with an index scales its points itself */
    bool device_named;                       /* the spec names the device */
    char spec[EB_SPEC_TEXT];                 /* the shortest text that gives the same setup: "fasted[paper,-swizzle]" */
    char note[256]; /* for the person: another device than the session's, an option without effect; "": none */
} eb_setup;

typedef eb_code (*eb_device_finder)(void *context, const char *name, eb_device *out, eb_status *status);

/* Makes a setup on the spec's device, else on `usual` ("cpu"). If the engine does not run on the usual kind of device,
 * it gets the other kind, and the note says so. Fails if the implementation's probe does. */
eb_code eb_setup_make(const eb_spec *spec, const char *usual, eb_device_finder find, void *context, eb_setup *out,
                      eb_status *status);

/* Changes the options and probes again. */
eb_code eb_setup_change(eb_setup *setup, const eb_options *options, eb_status *status);

/* A setup of the first exact engine (EB_TRUTH) on the usual device, else on the CPU. */
eb_code eb_setup_truth(const char *usual, const eb_engine_defaults *defaults, eb_device_finder find, void *context,
                       eb_setup *out, eb_status *status);

/* Calls the implementation's `prepare` (engine.h), if any, for setups of one engine on one device; before anything is
 * timed. */
static inline eb_code eb_setups_prepare(const eb_setup *const *setups, size_t count, eb_job *job, eb_status *status)
{
    return count > 0 && setups[0]->run->prepare ? setups[0]->run->prepare(setups, count, job, status) : EB_OK;
}

static inline eb_exactness eb_setup_exactness(const eb_setup *setup)
{
    return eb_exactness_of(setup->engine, &setup->options);
}

/* True if two setups have the same engine, device and options. */
bool eb_setup_equal(const eb_setup *a, const eb_setup *b);
