/* bench_host: setup and failure shared by the CPU benchmarks. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/engine/spec.h"

/* Prints what failed and ends the program; status NULL: out of memory. */
static inline _Noreturn void die(const char *what, const eb_status *status)
{
    (void)fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
                  status ? status->message : "out of memory");
    exit(1);
}

static inline eb_code describe_host(void *context, const char *name, eb_device *out, eb_status *status)
{
    (void)context, (void)name, (void)status;
    eb_device_cpu(out);
    return EB_OK;
}

/* An engine on this host. threads 0: one. */
static inline eb_setup setup_of(const char *text, unsigned threads)
{
    eb_status status = {.code = EB_OK};
    eb_spec spec;
    eb_setup setup;
    if (eb_spec_parse(text, NULL, &spec, &status) != EB_OK ||
        eb_setup_make(&spec, "cpu", describe_host, NULL, &setup, &status) != EB_OK)
        die(text, &status);
    setup.resources.threads = threads;
    return setup;
}
