/* trying: tries rungs on the loaded points at one ε: predicts each one's overlap, joins with each one's arithmetic and
 * with the truth, and looks at the order of neighbours. Joins run on the session's device. A GPU measures what a rung
 * costs; an emulation says nothing about that. Predictions and orders are the CPU's (emulation.h). */
#pragma once

#include "core/accuracy/ranks.h"
#include "shell/precision/emulation.h"
#include "shell/precision/ladder.h"

typedef struct eb_tried_rung {
    const eb_ladder_rung *rung;
    eb_overlap_prediction prediction;
    size_t run;   /* its run of the comparison; SIZE_MAX: not joined, as its result would be useless, or lacking */
    bool lacking; /* the GPU does not compute it */
    bool ranked;
    eb_ranks ranks;
    double rate; /* the machine model's derived rate in TFLOPS; NAN: no such kernel on that GPU */
} eb_tried_rung;

typedef struct eb_tried_switch {
    const eb_ladder_switch *of;
    double raw, prepared; /* overlaps predicted; NAN: unknown, or the type refuses the points */
} eb_tried_switch;

/* What precision found at one ε. */
typedef struct eb_trying {
    double eps, want;
    double selectivity; /* as asked for; NAN: ε was given */
    bool begun;
    size_t k;                         /* nearest neighbours whose order is looked at */
    bool predict;                     /* no joins */
    eb_compare_request sample;        /* its members `sample` and `may_sample` */
    const char *held;                 /* which narrow types hold every value; "": none */
    const struct eb_machine *machine; /* the GPU whose rates are predicted */
    size_t rungs, switches;
    eb_tried_rung rung[EB_MOST_RUNGS];
    eb_tried_switch prepared[EB_MOST_SWITCHES];
    eb_setup setup[EB_MOST_RUNGS + 1];           /* of the rungs, then of the truth */
    eb_setup emulation[EB_MOST_RUNGS];           /* of the rungs on the CPU */
    char core[EB_CORE_NAME];                     /* the tensor core of the session's GPU; "": no GPU */
    bool on_gpu;                                 /* joins of rungs run on a GPU */
    char lacks[sizeof((eb_status *)0)->message]; /* why it does not compute a rung; "": it computes all */
    size_t queries, pairs;                       /* of the prediction's sample */
    double neighbours;                           /* mean of the sampled points, within ε */
    double slope;                                /* D; NAN: too few pairs, nothing is predicted */
    eb_comparison *measured;                     /* heap; NULL: nothing is measured */
    size_t hurt;       /* the rung whose greatest losses are told: by points, by dimensions; `rungs`: none */
    double *dimension; /* [d] eb_dimension_errors of that rung; NULL: not asked */
    void (*changed)(void *context); /* called when something more is known; NULL: nobody looks */
    void *context;
} eb_trying;

/* Chooses rungs and switches by a list of types (NULL: the usual ones) and makes their setups. */
eb_code eb_trying_choose(eb_session *session, const char *types, eb_trying *t, eb_status *status);

/* Predicts and, unless t->predict, measures at t->eps. Keeps what is finished also on failure and cancel. Free with
 * eb_trying_free. */
eb_code eb_trying_run(eb_session *session, eb_trying *t, eb_job *job, eb_status *status);
void eb_trying_free(eb_trying *t);

/* The accuracy of a rung; NULL: not measured. */
const eb_accuracy *eb_trying_accuracy(const eb_trying *t, size_t rung);

/* The run that measured on a GPU what a rung costs, or the truth (t->rungs); NULL: none. */
const eb_run *eb_trying_run_of(const eb_trying *t, size_t rung);

/* The overlap that answers rest on: measured, else predicted. */
double eb_trying_overlap(const eb_trying *t, size_t rung);

/* The rung with the fewest bytes that keeps `want`, of several the best; t->rungs: none. The best rung with fewer bytes
 * than `rung` has; t->rungs: none. */
size_t eb_trying_cheapest(const eb_trying *t);
size_t eb_trying_cheaper(const eb_trying *t, size_t rung);
size_t eb_trying_best(const eb_trying *t);
