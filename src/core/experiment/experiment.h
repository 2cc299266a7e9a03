/* experiment: runs engines over axes. A cell is one engine at one step of each axis: n, d, ε or selectivity S. A cell
 * is measured, taken from an earlier run, or left out with a reason. `grid`, `ablate` and `compare` are experiments.
 *
 * Cells are ordered by axis, the first axis outermost; engines are innermost and see the same points at the same ε.
 * With a time limit, a cell forecast to take longer is left out. The forecast comes from a short probe or from the rate
 * of the earlier cells. Then every cell of that engine with at least as many points and dimensions is left out too.
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
    EB_CELL_KNOWN,   /* result of an earlier run */
    EB_CELL_LONG,    /* forecast to exceed the time limit */
    EB_CELL_REFUSED, /* refused by the engine, or out of memory */
} eb_cell_state;

const char *eb_cell_state_name(eb_cell_state state); /* "to come", "measured", "from the log", … */

/* How a cell's result compares with the first cell's, as found by the host's check(). */
typedef enum eb_sameness {
    EB_RESULTS_UNKNOWN, /* not compared */
    EB_SAME_COUNT,      /* the same |R|; tables did not fit in memory */
    EB_IDENTICAL,       /* the same neighbours and the same bits in every distance */
    EB_DIFFERENT,
} eb_sameness;

typedef struct eb_experiment_cell {
    const eb_setup *setup;
    size_t n, d;
    double eps, selectivity; /* as requested; eps NAN: ε is sampled for the selectivity */
    eb_cell_state state;
    eb_run run;        /* its setup is always set, its trials once the run is begun or known */
    double forecast_s; /* EB_CELL_LONG: forecast seconds; NAN: a smaller cell was too long already */
    eb_sameness sameness;
    char why[sizeof((eb_status *)0)->message]; /* EB_CELL_REFUSED: the error message */
} eb_experiment_cell;

static inline bool eb_cell_has(const eb_experiment_cell *cell)
{
    return cell->state == EB_CELL_MEASURED || cell->state == EB_CELL_KNOWN;
}

/* Callbacks of the caller; each may be NULL. */
typedef struct eb_experiment_host {
    void *context;
    /* Gives n × d points, valid until the next call or the end of the experiment. NULL: the request has points. */
    eb_code (*points)(void *context, size_t n, size_t d, eb_job *job, const eb_dataset **out, eb_status *status);
    bool (*find)(void *context, eb_experiment_cell *cell); /* true: filled cell->run from an earlier run */
    void (*sampled)(void *context, const eb_experiment_cell *cell, double eps,
                    double error); /* ε, and the error of its S */
    eb_code (*check)(void *context, eb_experiment_cell *cell, const eb_measure_request *ask, eb_job *job,
                     eb_status *status);
    void (*changed)(void *context, eb_experiment_cell *cell); /* a cell's state changed; NULL: the experiment begins */
    const eb_run_observer *observer;
} eb_experiment_host;

typedef struct eb_experiment_request {
    const char *what; /* noun for a cell in progress messages: "cell", "variant"; static text */
    const eb_setup *setup;
    size_t setups; /* 1 to EB_MOST_FORESEEN */
    eb_experiment_axis axis[EB_MOST_AXES];
    size_t axes;
    const eb_dataset *points; /* NULL: host.points() supplies them by the axes n and d */
    const eb_dataset *left;   /* joined with the points; NULL: the points are joined with themselves */
    double eps, selectivity;  /* used where they are not an axis */
    const eb_setup *truth;    /* engine that samples ε; must compute distances */
    uint64_t seed;            /* of the sample */
    eb_run_mode mode;
    eb_distances distances; /* kept in tables; FP64 where the engine has no FP32 distances */
    unsigned trials;
    eb_warm_up warm_up;
    eb_budget memory; /* EB_RUN_TABLE: all tables together must fit */
    size_t looks;     /* number of engines probed before they run, to forecast the total time */
    bool goes_on;     /* continue after an engine or a cell's points are refused */
    double limit_s;   /* per cell, warm-up included; INFINITY: no limit */
    eb_experiment_host host;
} eb_experiment_request;

typedef struct eb_experiment {
    const eb_experiment_request *request;
    eb_experiment_cell *cell; /* [cells] */
    size_t cells, begun;
} eb_experiment;

/* at: [axes], an index of a step for each axis. */
eb_experiment_cell *eb_experiment_at(const eb_experiment *e, const size_t *at, size_t setup);

/* Fills *out with the finished part also on failure and cancel. The request must outlive *out. The caller frees with
 * eb_experiment_free. EB_UNREACHABLE if there are too few points for an S. */
eb_code eb_experiment_run(const eb_experiment_request *request, eb_job *job, eb_experiment *out, eb_status *status);
void eb_experiment_free(eb_experiment *e); /* frees what *e holds */
