/* experiment: runs over axes. A cell is one engine at one step of each axis: n, d, ε, a selectivity S; it is measured,
 * or known from an earlier run, or left out with the reason. `grid`, `ablate` and `compare` are experiments.
 *
 * Cells go by the axes, the first outermost; engines are the innermost axis and see the same points at the same ε. With
 * a time limit, a cell that would take longer, by a look at a part of it or by the rate of the cells before, is left
 * out, and so is every cell of as many points and dimensions or more for that engine.
 */
#pragma once

#include "core/experiment/measure.h"
#include "core/report/fields.h"

#define EB_MOST_AXES 4u

typedef struct eb_experiment_axis {
    const eb_column *field; /* EB_F(n), EB_F(d), EB_F(eps) or EB_F(selectivity) */
    const double *step;     /* [steps], ascending */
    size_t steps;
} eb_experiment_axis;

typedef enum eb_cell_state {
    EB_CELL_WAITING,
    EB_CELL_MEASURED,
    EB_CELL_KNOWN,   /* from an earlier run */
    EB_CELL_LONG,    /* over the time limit */
    EB_CELL_REFUSED, /* the engine, or the memory, says no */
} eb_cell_state;

const char *eb_cell_state_name(eb_cell_state state); /* "to come", "measured", "from the log", … */

/* What a check found of a cell's result, beside the first cell's. */
typedef enum eb_sameness {
    EB_RESULTS_UNKNOWN, /* not compared */
    EB_SAME_COUNT,      /* the same |R|; the tables did not fit in memory */
    EB_IDENTICAL,       /* every neighbour and every bit of every distance */
    EB_DIFFERENT,
} eb_sameness;

typedef struct eb_experiment_cell {
    const eb_setup *setup;
    size_t n, d;
    double eps, selectivity; /* that are asked for; eps NAN: the one that gives the selectivity is sampled */
    eb_cell_state state;
    eb_run run;        /* with trials once it is begun, or known; its setup always */
    double forecast_s; /* EB_CELL_LONG: what it would have taken; NAN: longer than one that is */
    eb_sameness sameness;
    char why[sizeof((eb_status *)0)->message]; /* EB_CELL_REFUSED */
} eb_experiment_cell;

static inline bool eb_cell_has(const eb_experiment_cell *cell)
{
    return cell->state == EB_CELL_MEASURED || cell->state == EB_CELL_KNOWN;
}

/* Whom the experiment asks for what lies outside it; each function may be NULL. */
typedef struct eb_experiment_host {
    void *context;
    /* Lends n × d points until it is asked again or the end. NULL: the request has points. */
    eb_code (*points)(void *context, size_t n, size_t d, eb_job *job, const eb_dataset **out, eb_status *status);
    bool (*find)(void *context, eb_experiment_cell *cell); /* fills run where an earlier one is known */
    void (*sampled)(void *context, const eb_experiment_cell *cell, double eps,
                    double error); /* ε, and the error of its S */
    eb_code (*check)(void *context, eb_experiment_cell *cell, const eb_measure_request *ask, eb_job *job,
                     eb_status *status);
    void (*changed)(void *context, eb_experiment_cell *cell); /* a cell's state; NULL: all are to come */
    const eb_run_observer *observer;
} eb_experiment_host;

typedef struct eb_experiment_request {
    const char *what; /* a cell is one of: "cell", "variant"; static text */
    const eb_setup *setup;
    size_t setups; /* 1 to EB_MOST_FORESEEN */
    eb_experiment_axis axis[EB_MOST_AXES];
    size_t axes;
    const eb_dataset *points; /* NULL: the host's, of the axes n and d */
    double eps, selectivity;  /* where they are no axes */
    const eb_setup *truth;    /* samples ε: an engine that tells distances, with */
    uint64_t seed;            /* this seed */
    eb_run_mode mode;
    eb_distances distances; /* of tables; where an engine has no FP32 distances, FP64 */
    unsigned trials;
    eb_warm_up warm_up;
    eb_budget memory; /* EB_RUN_TABLE: all tables must fit it together */
    size_t looks;     /* how many engines are looked at before they run, to tell how long all of them take */
    bool goes_on;     /* past what an engine refuses, or a cell's points */
    double limit_s;   /* of a cell, its warm-up included; INFINITY: none */
    eb_experiment_host host;
} eb_experiment_request;

typedef struct eb_experiment {
    const eb_experiment_request *request;
    eb_experiment_cell *cell; /* [cells] */
    size_t cells, begun;
} eb_experiment;

/* at: a step of each axis. */
eb_experiment_cell *eb_experiment_at(const eb_experiment *e, const size_t *at, size_t setup);

/* Fills *out also on failure and cancel, with what was finished; the request must outlive it. The caller frees with
 * eb_experiment_free. EB_UNREACHABLE when the points are too few for an S. */
eb_code eb_experiment_run(const eb_experiment_request *request, eb_job *job, eb_experiment *out, eb_status *status);
void eb_experiment_free(eb_experiment *e); /* frees what it holds */
