/* engine_list: reads engines from a command's arguments. */
#include "shell/commands/commands.h"

#include <stdio.h>

#include "shell/defaults.h"

static eb_code add(eb_session *session, const char *spec, eb_setup *setup, size_t count, eb_job *job, eb_status *status)
{
    EB_TRY(eb_session_setup_rated(session, spec, &setup[count], job, status));
    for (size_t k = 0; k < count; k++)
        if (eb_setup_equal(&setup[k], &setup[count]))
            return eb_fail(status, EB_USAGE, "%s is named twice; name each engine once", setup[count].spec);
    return EB_OK;
}

eb_code eb_engine_list(eb_session *session, const char *list, eb_setup *setup, size_t most, size_t *count, eb_job *job,
                       eb_status *status)
{
    char spec[EB_SPEC_TEXT];
    *count = 0;
    for (const char *at = list; at; ++*count) {
        EB_TRY(eb_spec_next(&at, spec, sizeof spec, status));
        if (*count == most)
            return eb_fail(status, EB_USAGE, "at most %zu engines fit beside each other", most);
        EB_TRY(add(session, spec, setup, *count, job, status));
    }
    return EB_OK;
}

eb_code eb_engine_that(const eb_session *session, const char *name, bool (*does)(const eb_engine *), const char *what,
                       eb_spec *spec, eb_status *status)
{
    char there[200] = "";
    size_t used = 0;
    EB_TRY(eb_spec_parse(name ? name : EB_FAST, &session->settings.engines, spec, status));
    if (does(spec->engine))
        return EB_OK;
    for (size_t k = 0; k < eb_engine_count(); k++)
        if (does(eb_engine_at(k)) && used < sizeof there)
            used +=
                (size_t)snprintf(there + used, sizeof there - used, "%s%s", used ? ", " : "", eb_engine_at(k)->name);
    return eb_fail(status, EB_USAGE, "%s cannot %s; engines that can: %s", spec->engine->name, what, there);
}
