/* figure: numbers that a run reports beside its pairs: parts of its time, executed FLOPs, energy, the measured limit of
 * its rate … Each figure has a key, a title and a unit, so that tables, the log and panels can show figures they do not
 * know. Values are in base units: seconds, FLOP, bytes, joules, hertz.
 */
#pragma once

#include "core/engine/device.h"

typedef enum eb_figure_role {
    EB_FIGURE_PART, /* a part of the trial's time; the parts and the unaccounted rest add up to total_s */
    EB_FIGURE_FACT, /* shown as it is: the same in all trials, or their median */
    EB_FIGURE_OWN,  /* has a place of its own in reports, which derive rates and shares from it */
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

/* The figures that several engines share. An engine defines its own figures the same way, without listing them. */
#define P(figure, name, title, unit, role, meaning) extern const eb_figure eb_figure_##figure;
#include "core/report/figure_rows.h"

/* Add to a figure (initially 0), or set it. With figures NULL they do nothing. More than EB_MOST_FIGURES figures are a
 * bug (assert). */
void eb_figures_add(eb_figures *figures, const eb_figure *which, double value);
void eb_figures_set(eb_figures *figures, const eb_figure *which, double value);

/* Sets "limit_flops": the device's measured limit that the executed rate cannot exceed. */
void eb_figures_set_limit(eb_figures *figures, const eb_device *device, eb_limit limit);

/* The sum of all parts of the time. */
double eb_figures_parts(const eb_figures *figures);

const eb_figure *eb_figures_find(const eb_figures *figures, const char *key); /* NULL: not found */
double eb_figures_value(const eb_figures *figures, const char *key);          /* NAN: not found */

/* The index-th key of the figures that add up over parts of the work, as operations and candidates do; NULL past the
 * last, which is below EB_MOST_ADDING. Other figures are of all points, or of the slowest part. */
#define EB_MOST_ADDING 10u
const char *eb_adding_figure(size_t index);

/* Writes NVML's clock-event reasons in words: "power cap, thermal slowdown"; "none" for 0. Returns buffer; too long a
 * text is cut. */
const char *eb_throttle_words(uint64_t throttle, char *buffer, size_t size);
