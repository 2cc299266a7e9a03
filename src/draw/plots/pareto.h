/* pareto: what each number type of `precision` loses against what it costs: a dot for each row of the report's table
 * "rungs" at one ε. Lost is 1 − overlap, measured or else predicted, on a logarithmic axis. Rungs that lose nothing lie
 * on the floor, a decade half a decade or more below the least loss.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

enum { EB_MOST_DOTS = 48, EB_MOST_RUNG_EPS = 32 };

typedef struct eb_rung_dot {
    size_t row;       /* of the table */
    char mark;        /* letter of the rung: the same at every ε; '.' beyond 'z' */
    const char *name; /* "INT8, point steps" */
    const char *spec; /* "": unknown */
    double cost;      /* on the axis; NAN: unknown */
    double lost;      /* 1 − overlap, at least the floor; NAN: unknown */
    double low, high; /* the prediction's band of it, at least the floor; NAN: none */
    double raw;       /* predicted without a preparation that the rung has: the greatest loss; NAN: none */
    bool measured;    /* lost is */
    bool full;        /* cost is measured too, if it is a rate */
    double model_cost,
        model_lost; /* where cost is a measured rate, the model's rate and the loss predicted; NAN: none */
} eb_rung_dot;

typedef struct eb_pareto {
    size_t dots;
    eb_rung_dot dot[EB_MOST_DOTS];
    const eb_column *axis; /* what cost is */
    double floor;
    double allowed; /* 1 − the wanted overlap; NAN: unknown */
} eb_pareto;

/* The different ε of a report's rungs, in the table's order; a report of one ε may lack the column. Returns their
 * number, at least 1 if there is a rung. */
size_t eb_pareto_eps(const eb_report *report, double eps[EB_MOST_RUNG_EPS]);

/* True if a rate of a rung is known, the model's or a GPU's, so that cost may be a rate. */
bool eb_pareto_has_rates(const eb_report *report);

/* The dots at one of these ε (NAN: all). Cost is a rate if by_rate, measured or else the model's; else bytes a point,
 * or where these are unknown bytes a coordinate. Texts belong to the report. No dots if the report has no table
 * "rungs". */
eb_pareto eb_pareto_of(const eb_report *report, double eps, bool by_rate);

/* True if this row of the report's table "preparations" is about the dot's number type. */
bool eb_pareto_is_prepared(const eb_table *preparations, size_t row, const eb_rung_dot *dot);

/* Draws the dots: a full one is measured, an empty one rests on a prediction or the model; a thin line leads from a
 * full dot to what the model says of it. Dotted lines are the bands of predictions, a line with an arrow leads from a
 * rung without its preparation to the rung; a horizontal line shows what may be lost. Names stand beside dots if
 * `named`, else letters alone. Dots of the same cost stand side by side. chosen: index of a dot.
 */
void eb_draw_pareto(eb_canvas *canvas, eb_rect area, const eb_pareto *p, size_t chosen, bool named);
