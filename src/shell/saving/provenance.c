#include "shell/saving/provenance.h"

#include <stdio.h>
#include <string.h>

static eb_code tell_dataset(const eb_dataset *ds, eb_facts *facts, eb_status *status)
{
    EB_TRY(eb_facts_tell(facts, "dataset", ds->source, status));
    EB_TRY(eb_facts_tell(facts, "sha256", ds->sha256, status));
    EB_TRY(eb_facts_tell_number(facts, "n", (double)ds->n, status));
    EB_TRY(eb_facts_tell_number(facts, "d", (double)ds->d, status));
    EB_TRY(eb_facts_tell(facts, "dtype", eb_dtype_name(ds->dtype), status));
    return ds->labels ? eb_facts_tell(facts, "label", ds->labels->column, status) : EB_OK;
}

char *eb_all_options(const eb_setup *setup, char *buffer, size_t size)
{
    const char *name;
    char value[64];
    size_t used = 0;
    buffer[0] = 0;
    for (size_t k = 0; eb_options_item(&setup->options, 1u << setup->device.kind, k, &name, value, sizeof value); k++)
        if (size - used > strlen(name) + strlen(value) + 3)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s=%s", k ? "," : "", name, value);
    return buffer;
}

eb_code eb_tell_origin(const eb_session *session, const eb_origin *origin, eb_facts *facts, eb_status *status)
{
    char options[EB_OPTIONS_TEXT];
    EB_TRY(eb_facts_tell(facts, "program", session->program ? session->program : "epsbench", status));
    EB_TRY(eb_facts_tell(facts, "command", origin->command ? origin->command : "", status));
    EB_TRY(eb_facts_tell_number(facts, "eps", origin->eps, status));
    EB_TRY(eb_facts_tell_number(facts, "pairs", (double)origin->pairs, status));
    EB_TRY(eb_facts_tell(facts, "engine", origin->setup->spec, status));
    EB_TRY(eb_facts_tell(facts, "options", eb_all_options(origin->setup, options, sizeof options), status));
    EB_TRY(eb_facts_tell(facts, "exactness", eb_exactness_name(eb_setup_exactness(origin->setup)), status));
    EB_TRY(eb_facts_tell(facts, "device", origin->setup->device.model, status));
    return tell_dataset(session->dataset, facts, status);
}
