/* provenance: the facts that a saved table tells of its origin: program, command, engine with all options, device and
 * dataset. */
#pragma once

#include "io/save/facts.h"
#include "shell/session.h"

typedef struct eb_origin {
    const eb_setup *setup;
    double eps;
    uint64_t pairs;
    const char *command; /* that made the table, as typed; NULL: unknown */
} eb_origin;

/* All options as "tensor=sm_80,norms=authors", defaults included, since another version may have other defaults.
 * Returns buffer (EB_OPTIONS_TEXT bytes suffice). */
char *eb_all_options(const eb_setup *setup, char *buffer, size_t size);

eb_code eb_tell_origin(const eb_session *session, const eb_origin *origin, eb_facts *facts, eb_status *status);
