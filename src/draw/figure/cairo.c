#include "draw/figure/cairo.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    eb_cairo functions;
    bool ready;
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ISO C has no conversion from data pointers to function pointers; POSIX's dlsym needs one. */
static bool look_up(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void open_library(void)
{
    const char *asked = getenv("EPSBENCH_CAIRO");
    void *handle = dlopen(asked && *asked ? asked : "libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    library.ready = handle && look_up(handle, "cairo_text_extents", &library.functions.text_extents);
#define X(result, name, arguments)                                                                                     \
    library.ready = library.ready && look_up(handle, "cairo_" #name, &library.functions.name);
    EB_CAIRO_FUNCTIONS(X)
#undef X
}

const eb_cairo *eb_cairo_open(void)
{
    (void)pthread_once(&once, open_library);
    return library.ready ? &library.functions : NULL;
}
