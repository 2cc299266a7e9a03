#include "shell/precision/emulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *eb_core_of(const eb_device *device, char buffer[EB_CORE_NAME])
{
    static const struct {
        long from; /* the lowest architecture */
        const char *core;
    } cores[] = {{100, "sm_100"}, {90, "sm_90"}, {89, "sm_89"}, {0, "sm_80"}};
    size_t k = 0;
    buffer[0] = '\0';
    if (device->kind == EB_DEVICE_CPU || strncmp(device->architecture, "sm_", 3) != 0)
        return buffer;
    while (strtol(device->architecture + 3, NULL, 10) < cores[k].from)
        k++;
    (void)snprintf(buffer, EB_CORE_NAME, "%s", cores[k].core);
    return buffer;
}

/* Items put before all others of a spec with a bracket, which override them. */
static eb_code setup_with(eb_session *session, const char *items, const char *spec, eb_setup *out, eb_status *status)
{
    char text[EB_SPEC_TEXT];
    const size_t name = strcspn(spec, "[") + 1;
    (void)snprintf(text, sizeof text, "%.*s%s,%s", (int)name, spec, items, spec + name);
    return eb_session_setup(session, text, out, status);
}

eb_code eb_emulation_setup(eb_session *session, const char *core, const char *spec, eb_setup *out, eb_status *status)
{
    char items[64];
    eb_status ignored;
    (void)snprintf(items, sizeof items, "device=cpu,core=%s", core);
    if (core[0] == '\0')
        return eb_session_setup(session, spec, out, status);
    if (setup_with(session, items, spec, out, &ignored) == EB_OK)
        return EB_OK;
    return setup_with(session, "device=cpu", spec, out, status);
}
