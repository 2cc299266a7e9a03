/* figure: what a run reports of itself beyond its pairs: parts of its time, FLOPs executed, energy, the limit its rate
 * is held against … Every figure carries its key, title and unit, so that tables, the log and panels show what they
 * have never heard of. Units are base units: seconds, FLOP, bytes, joules, hertz.
 */
#pragma once

#include "core/engine/device.h"

typedef enum eb_figure_role {
    EB_FIGURE_PART, /* of the trial's time: all of these and what is left make up total_s */
    EB_FIGURE_FACT, /* the same in every trial, or worth a median */
    EB_FIGURE_OWN,  /* shown in a place of its own: rates and shares are made of it */
} eb_figure_role;

typedef struct eb_figure {
    const char *key, *title; /* static text: "kernel_s", "kernels" */
    eb_unit unit;
    eb_figure_role role;
    double value;
} eb_figure;

#define EB_MOST_FIGURES 32u

/* The figures of one trial. */
typedef struct eb_figures {
    size_t count;
    eb_figure figure[EB_MOST_FIGURES];
} eb_figures;

/* Those that engines share have rows in the table of fields. An engine's own look the same and need not be listed
 * anywhere. */
#define P(figure, name, title, unit, role, meaning) extern const eb_figure eb_figure_##figure;
#include "core/report/figure_rows.h"

/* NULL figures take nothing. add: to what is there, from 0; set: in its place. More than EB_MOST_FIGURES different ones
 * are a bug (assert). */
void eb_figures_add(eb_figures *figures, const eb_figure *which, double value);
void eb_figures_set(eb_figures *figures, const eb_figure *which, double value);

/* Which of the device's measured limits the executed rate cannot exceed: "limit_flops". */
void eb_figures_set_limit(eb_figures *figures, const eb_device *device, eb_limit limit);

/* Of all parts together. */
double eb_figures_parts(const eb_figures *figures);

const eb_figure *eb_figures_find(const eb_figures *figures, const char *key); /* NULL: not there */
double eb_figures_value(const eb_figures *figures, const char *key);          /* NAN: not there */

/* "power cap, thermal slowdown" for clock-event reasons, NVML's bits; "none" for 0. Returns buffer, cut when it is too
 * small. */
const char *eb_throttle_words(uint64_t throttle, char *buffer, size_t size);
