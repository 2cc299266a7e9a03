/* roofline: the device's greatest rate as a function of the FLOPs per byte of device memory, and the engines' points
 * below it. Taken from reports of `devices` and of commands that run engines.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

enum { EB_MOST_ROOFS = 4, EB_MOST_ROOF_POINTS = 8 };

typedef struct eb_roofline {
    double bytes_per_s; /* of the device's memory; NAN: no limits are known, and the other members are unset */
    size_t roofs;
    struct {
        const char *name;
        double tflops;
    } roof[EB_MOST_ROOFS]; /* the highest first */
    size_t points;
    struct {
        const char *engine;
        double tflops;    /* executed */
        double intensity; /* FLOP a byte of device memory */
        bool counted;     /* intensity comes from counters; otherwise it is an upper bound: every point read once */
    } point[EB_MOST_ROOF_POINTS];
} eb_roofline;

/* The last report of a command; NULL: none. */
typedef const eb_report *(*eb_report_finder)(const void *context, const char *command);

/* The roofline of a device by its name ("cuda:0"); for the CPU, that of another known device. Texts belong to the
 * reports and are valid until the next report. */
eb_roofline eb_roofline_of(eb_report_finder find, const void *context, const char *device);

/* A report with the roofline as lines (EB_LINE): a limit for each roof, a point for each engine. NULL: no limits are
 * known, or out of memory. */
eb_report *eb_roofline_report(const eb_roofline *r);

void eb_draw_roofline(eb_canvas *canvas, eb_rect area, const eb_roofline *r);
