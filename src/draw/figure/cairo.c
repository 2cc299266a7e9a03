#include "draw/figure/cairo.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
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

#define FUNCTION(name) {"cairo_" #name, offsetof(eb_cairo, name)}
static const struct {
    const char *name;
    size_t at;
} functions[] = {
    FUNCTION(image_surface_create),
    FUNCTION(image_surface_get_data),
    FUNCTION(image_surface_get_stride),
    FUNCTION(pdf_surface_create_for_stream),
    FUNCTION(surface_write_to_png_stream),
    FUNCTION(surface_flush),
    FUNCTION(surface_finish),
    FUNCTION(surface_status),
    FUNCTION(surface_destroy),
    FUNCTION(create),
    FUNCTION(status),
    FUNCTION(destroy),
    FUNCTION(save),
    FUNCTION(restore),
    FUNCTION(scale),
    FUNCTION(translate),
    FUNCTION(rotate),
    FUNCTION(set_source_rgba),
    FUNCTION(set_line_width),
    FUNCTION(set_line_cap),
    FUNCTION(set_line_join),
    FUNCTION(set_dash),
    FUNCTION(move_to),
    FUNCTION(line_to),
    FUNCTION(rel_line_to),
    FUNCTION(new_sub_path),
    FUNCTION(close_path),
    FUNCTION(arc),
    FUNCTION(rectangle),
    FUNCTION(clip),
    FUNCTION(paint),
    FUNCTION(fill),
    FUNCTION(stroke),
    FUNCTION(select_font_face),
    FUNCTION(set_font_size),
    FUNCTION(show_text),
    FUNCTION(text_extents),
};

static void open_library(void)
{
    const char *asked = getenv("EPSBENCH_CAIRO");
    void *handle = dlopen(asked && *asked ? asked : "libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    library.ready = handle != NULL;
    for (size_t k = 0; library.ready && k < sizeof functions / sizeof functions[0]; k++)
        library.ready = look_up(handle, functions[k].name, (char *)&library.functions + functions[k].at);
}

const eb_cairo *eb_cairo_open(void)
{
    (void)pthread_once(&once, open_library);
    return library.ready ? &library.functions : NULL;
}
