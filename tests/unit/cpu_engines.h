/* cpu_engines: the host's engines, each with the options that change how it computes, and a problem opened in one line.
 * Header-only. */
#pragma once

#include "core/engine/problem.h"
#include "tests/unit/test.h"

extern const eb_engine eb_engine_exact, eb_engine_ref64, eb_engine_fasted, eb_engine_tensor;
extern const eb_implementation eb_fasted_cpu;

typedef struct cpu_variant {
    const eb_engine *engine;
    const char *items; /* options as typed */
} cpu_variant;

static const cpu_variant cpu_variants[] = {
    {&eb_engine_ref64, ""},
    {&eb_engine_ref64, "-filter"},
    {&eb_engine_ref64, "-integers"},
    {&eb_engine_ref64, "-filter,-integers"},
    {&eb_engine_fasted, "tensor=sm_80"},
    {&eb_engine_fasted, "tensor=sm_90"},
    {&eb_engine_tensor, "type=e4m3"},
    {&eb_engine_tensor, "type=s8,step=point,centre=mean"},
    {&eb_engine_exact, ""},
};
enum { CPU_VARIANTS = sizeof cpu_variants / sizeof cpu_variants[0] };

/* ---- an engine with an open problem ---- */

static inline eb_setup setup_of(const cpu_variant *variant, unsigned threads)
{
    eb_setup setup = {.engine = variant->engine, .run = variant->engine->on[EB_DEVICE_CPU].run};
    eb_status status = {.message = ""};
    eb_device_cpu(&setup.device);
    eb_options_default(&variant->engine->options, &setup.options);
    if (eb_options_take(&setup.options, variant->items, &status))
        fail_msg("%s: %s", variant->items, status.message);
    setup.resources.threads = threads;
    (void)snprintf(setup.spec, sizeof setup.spec, "%s[%s]", variant->engine->name, variant->items);
    return setup;
}

/* Must not move once it is open. */
typedef struct asked {
    eb_setup setup;
    eb_opened opened;
} asked;

static inline void open_setup(asked *a, const eb_setup *setup, const eb_problem *problem)
{
    eb_status status = {.message = ""};
    a->setup = *setup;
    if (eb_problem_open(&a->setup, problem, NULL, &a->opened, &status))
        fail_msg("%s: %s", a->setup.spec, status.message);
}

static inline void open_problem(asked *a, const cpu_variant *variant, const eb_problem *problem, unsigned threads)
{
    const eb_setup setup = setup_of(variant, threads);
    open_setup(a, &setup, problem);
}

static inline void close_problem(asked *a) { eb_problem_close(&a->opened); }

static inline uint64_t count_of(const asked *a, const eb_question *question, const eb_share *share)
{
    eb_status status = {.message = ""};
    uint64_t entries = 0;
    if (a->setup.run->count(a->opened.state, question, share, &entries, &status))
        fail_msg("%s: %s", a->setup.spec, status.message);
    return entries;
}

static inline uint64_t count_all(const asked *a, double eps)
{
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(&a->opened.problem);
    return count_of(a, &question, &whole);
}
