/* The registry: every engine of this build, one line each, in the order they are shown. */
#include "core/engine/engine.h"

#include <string.h>

#include "cpu/cpu_engines.h"
#ifdef EB_HAVE_CUDA
#include "kernels/cuda_engines.h"
#endif

static const eb_engine *const engines[] = {
    &eb_engine_fasted_cpu,  &eb_engine_ref64_cpu,
#ifdef EB_HAVE_CUDA
    &eb_engine_fasted_cuda, &eb_engine_ref64_cuda, &eb_engine_ted_cuda, &eb_engine_wmma_ref_cuda,
#endif
};

size_t eb_engine_count(void) { return sizeof engines / sizeof engines[0]; }

const eb_engine *eb_engine_at(size_t index) { return engines[index]; }

static void list_names(char *buffer, size_t size, eb_device_kind kind)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < eb_engine_count(); k++) {
        if (engines[k]->device_kind != kind)
            continue;
        size_t length = strlen(engines[k]->name);
        if (used + length + 3 >= size)
            break;
        if (used > 0) {
            memcpy(buffer + used, ", ", 3);
            used += 2;
        }
        memcpy(buffer + used, engines[k]->name, length + 1);
        used += length;
    }
}

eb_code eb_engine_find(const char *name, eb_device_kind kind, const eb_engine **out, eb_status *status)
{
    const eb_engine *found = NULL;
    size_t matches = 0;
    for (size_t k = 0; k < eb_engine_count(); k++) {
        if (engines[k]->device_kind != kind || strncmp(engines[k]->name, name, strlen(name)) != 0)
            continue;
        found = engines[k];
        matches++;
        if (strcmp(found->name, name) == 0) {
            matches = 1;
            break;
        }
    }
    if (matches == 1) {
        *out = found;
        return EB_OK;
    }
    char names[256];
    list_names(names, sizeof names, kind);
    const char *where = kind == EB_DEVICE_CPU ? "the CPU" : "a CUDA device";
    if (names[0] == '\0')
        return eb_fail(status, EB_NO_ENGINE, "no engine of this build runs on %s; `engines` lists them and the reasons",
                       where);
    return eb_fail(status, EB_NO_ENGINE, "%s engine \"%s\" on %s; there are: %s", matches ? "ambiguous" : "no", name,
                   where, names);
}
