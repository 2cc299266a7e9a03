/* cairo: the library that draws PNG and PDF, opened at run time, so that building and starting this program do not need
 * it. $EPSBENCH_CAIRO names another file than libcairo.so.2. Its functions are used as its manual describes them; types
 * and constants are declared in the shape that version 1 has fixed. */
#pragma once

#include <stdbool.h>

typedef struct eb_cairo_surface eb_cairo_surface; /* cairo_surface_t */
typedef struct eb_cairo_pen eb_cairo_pen;         /* cairo_t */

/* Takes bytes of a document; 0: done, EB_CAIRO_WRITE_ERROR: refused. */
typedef int (*eb_cairo_write)(void *closure, const unsigned char *data, unsigned length);

enum {
    EB_CAIRO_ARGB32 = 0,
    EB_CAIRO_WRITE_ERROR = 11,
    EB_CAIRO_ROUND = 1, /* both CAIRO_LINE_CAP_ROUND and CAIRO_LINE_JOIN_ROUND */
    EB_CAIRO_BUTT = 0,
};

/* cairo_text_extents_t */
typedef struct eb_cairo_extents {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
} eb_cairo_extents;

/* Member NAME is cairo_NAME. */
typedef struct eb_cairo {
    eb_cairo_surface *(*image_surface_create)(int format, int width, int height);
    unsigned char *(*image_surface_get_data)(eb_cairo_surface *surface);
    int (*image_surface_get_stride)(eb_cairo_surface *surface);
    eb_cairo_surface *(*pdf_surface_create_for_stream)(eb_cairo_write write, void *closure, double width,
                                                       double height);
    int (*surface_write_to_png_stream)(eb_cairo_surface *surface, eb_cairo_write write, void *closure);
    void (*surface_flush)(eb_cairo_surface *surface);
    void (*surface_finish)(eb_cairo_surface *surface);
    int (*surface_status)(eb_cairo_surface *surface);
    void (*surface_destroy)(eb_cairo_surface *surface);
    eb_cairo_pen *(*create)(eb_cairo_surface *surface);
    int (*status)(eb_cairo_pen *pen);
    void (*destroy)(eb_cairo_pen *pen);
    void (*save)(eb_cairo_pen *pen);
    void (*restore)(eb_cairo_pen *pen);
    void (*scale)(eb_cairo_pen *pen, double x, double y);
    void (*translate)(eb_cairo_pen *pen, double x, double y);
    void (*rotate)(eb_cairo_pen *pen, double angle);
    void (*set_source_rgba)(eb_cairo_pen *pen, double red, double green, double blue, double alpha);
    void (*set_line_width)(eb_cairo_pen *pen, double width);
    void (*set_line_cap)(eb_cairo_pen *pen, int cap);
    void (*set_line_join)(eb_cairo_pen *pen, int join);
    void (*set_dash)(eb_cairo_pen *pen, const double *dash, int count, double offset);
    void (*move_to)(eb_cairo_pen *pen, double x, double y);
    void (*line_to)(eb_cairo_pen *pen, double x, double y);
    void (*rel_line_to)(eb_cairo_pen *pen, double x, double y);
    void (*new_sub_path)(eb_cairo_pen *pen);
    void (*close_path)(eb_cairo_pen *pen);
    void (*arc)(eb_cairo_pen *pen, double x, double y, double radius, double from, double to);
    void (*rectangle)(eb_cairo_pen *pen, double x, double y, double width, double height);
    void (*clip)(eb_cairo_pen *pen);
    void (*paint)(eb_cairo_pen *pen);
    void (*fill)(eb_cairo_pen *pen);
    void (*stroke)(eb_cairo_pen *pen);
    void (*select_font_face)(eb_cairo_pen *pen, const char *family, int slant, int weight);
    void (*set_font_size)(eb_cairo_pen *pen, double size);
    void (*show_text)(eb_cairo_pen *pen, const char *text);
    void (*text_extents)(eb_cairo_pen *pen, const char *text, eb_cairo_extents *extents);
} eb_cairo;

/* The library, opened at the first call and never closed; NULL: it is missing. */
const eb_cairo *eb_cairo_open(void);
