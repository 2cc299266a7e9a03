/* precision_scene: everything that the panel Precision draws, collected from the reports on the desk. */
#pragma once

#include "draw/plots/pareto.h"
#include "ui/desk.h"

typedef enum eb_precision_look { EB_RUNGS_DOTS, EB_RUNGS_OVER_S, EB_RUNGS_ROWS, EB_RUNGS_LOOKS } eb_precision_look;

/* What a person chose; the report's rows may grow meanwhile. */
typedef struct eb_precision_view {
    char rung[96];          /* name of the chosen rung; "": the one that is enough */
    double eps;             /* the ε shown; NAN: the report's last one */
    bool by_bytes;          /* cost is bytes although rates are known */
    eb_precision_look look; /* the plot shown; EB_RUNGS_ROWS: the rows, where there is no room for both */
} eb_precision_view;

typedef struct eb_precision_scene {
    const eb_report *report; /* NULL: none */
    const eb_table *rungs;
    bool live;  /* the report is of the running command */
    bool stale; /* the report is of another dataset */
    double eps[EB_MOST_RUNG_EPS];
    size_t eps_count, at; /* at: the ε shown */
    bool rates;           /* rates are known, the model's or a GPU's */
    eb_pareto pareto;     /* of that ε; has at least one dot if there is a report */
    size_t chosen;        /* dot */
    size_t measured;      /* number of dots */
} eb_precision_scene;

/* The running `precision` so far, or else the newest one. Pointers are into the desk's reports and valid until the next
 * report. */
eb_precision_scene eb_precision_scene_of(const eb_desk *desk, const eb_precision_view *view);

/* The dot of the cheapest rung, by bytes, that loses no more than is allowed; of equal ones the one that loses least;
 * if none does, the one that loses least. */
size_t eb_precision_enough(const eb_precision_scene *s);

/* "a INT8, point steps: predicted …, measured …": all that the report says of the chosen rung. Returns buffer. */
char *eb_precision_words(const eb_precision_scene *s, char *buffer, size_t size);
