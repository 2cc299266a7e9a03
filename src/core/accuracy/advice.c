#include "core/accuracy/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ε with as few digits as give it back, at most six. */
static void write_eps(double eps, char *text, size_t size)
{
    for (int digits = 1; digits <= 6; digits++) {
        (void)snprintf(text, size, "%.*g", digits, eps);
        if (strtod(text, NULL) == eps)
            return;
    }
}

/* True if the options can be had on a kind of device. */
static bool available(const eb_spec *spec, eb_device_kind kind)
{
    const eb_option_list *list = spec->options.list;
    if (!spec->engine->on[kind].summary)
        return false;
    for (size_t k = 0; k < list->count; k++)
        if (spec->options.given[k] && list->option[k].decides && !(list->option[k].devices & 1u << kind))
            return false;
    return true;
}

/* The spec of a remedy, on the setup's device if it has what is needed. */
static eb_code spec_of(const eb_setup *setup, const eb_remedy *remedy, eb_spec *out, eb_status *status)
{
    char text[EB_SPEC_TEXT];
    if (remedy->engine) {
        (void)snprintf(text, sizeof text, "%s[%s]", remedy->engine, remedy->items);
        if (!remedy->items[0])
            (void)snprintf(text, sizeof text, "%s", remedy->engine);
        EB_TRY(eb_spec_parse(text, NULL, out, status));
    } else {
        *out = (eb_spec){.engine = setup->engine, .options = setup->options};
        EB_TRY(eb_options_take(&out->options, remedy->items, status));
    }
    if (!available(out, setup->device.kind) && setup->device.kind != EB_DEVICE_CPU)
        (void)snprintf(out->device, sizeof out->device, "cpu");
    return EB_OK;
}

/* The last remedy's engine, which moves nothing. */
static const char *exact_engine(const eb_remedy *remedy)
{
    while (remedy[1].items)
        remedy++;
    return remedy->engine;
}

static void write_line(const eb_setup *setup, const eb_spec *spec, const eb_rounded *moved, double eps, eb_advice *out)
{
    char text[EB_SPEC_TEXT], radius[32];
    const char *exact = exact_engine(setup->engine->remedies);
    int length;
    (void)eb_spec_text(spec, text, sizeof text);
    write_eps(eps, radius, sizeof radius);
    if (strcmp(text, exact) == 0)
        length = snprintf(out->text, sizeof out->text, "`join %s eps=%s` computes in FP64", exact, radius);
    else if (moved->moved_most == 0)
        length = snprintf(out->text, sizeof out->text, "`compare %s %s eps=%s` moves none", text, exact, radius);
    else
        length = snprintf(out->text, sizeof out->text, "`compare %s %s eps=%s` moves them by at most %.2g %% of ε",
                          text, exact, radius, eps > 0 ? 100 * moved->moved_most / eps : 0);
    if (length < 0 || (size_t)length >= sizeof out->text) /* half a line would not work */
        out->text[0] = '\0';
}

eb_code eb_advice_find(const eb_setup *setup, const eb_problem *problem, double eps, double far, eb_job *job,
                       eb_advice *out, eb_status *status)
{
    const unsigned threads = setup->resources.threads ? setup->resources.threads : 1;
    out->text[0] = '\0';
    for (const eb_remedy *r = setup->engine->remedies; r && r->items; r++) {
        eb_spec spec;
        eb_rounded moved;
        if (spec_of(setup, r, &spec, NULL)) /* an engine that this program lacks */
            continue;
        EB_TRY(eb_engine_moves(spec.engine, &spec.options, problem, far, threads, job, &moved, status));
        if (moved.moved > 0)
            continue;
        write_line(setup, &spec, &moved, eps, out);
        return EB_OK;
    }
    return EB_OK;
}
