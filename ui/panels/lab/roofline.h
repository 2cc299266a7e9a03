/* roofline: what a device can do at best, as a function of the FLOPs done for each byte of its memory, and where
 * engines come to lie beneath it. Taken from the reports of `devices` and of the commands that run engines.
 */
#pragma once

#include "draw/canvas.h"
#include "ui/desk.h"

enum { EB_MOST_ROOFS = 4, EB_MOST_ROOF_POINTS = 8 };

typedef struct eb_roofline {
    double bytes_per_s; /* of the device's memory; NAN: no limits are known, nothing else is set */
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
        bool counted;     /* from counters; else at most this: every point read once */
    } point[EB_MOST_ROOF_POINTS];
} eb_roofline;

/* Texts are the reports': good until the next report. */
eb_roofline eb_roofline_of(const eb_desk *desk);

void eb_draw_roofline(eb_canvas *canvas, eb_rect area, const eb_roofline *r);
