#include "kernels/jit/sources.h"

#include <string.h>

extern const char eb_jit_bundle[]; /* bundle.S */

void eb_jit_sources_list(eb_jit_sources *out)
{
    const char *at = eb_jit_bundle;
    for (out->count = 0; *at && out->count < EB_JIT_MOST_SOURCES; out->count++) {
        out->name[out->count] = at;
        at += strlen(at) + 1;
        out->text[out->count] = at;
        at += strlen(at) + 1;
    }
}
