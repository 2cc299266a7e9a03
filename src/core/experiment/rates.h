/* rates: how fast engines are over n × d (FASTED paper, Figs. 8 and 9): each engine counts the pairs of uniform points
 * of every shape, at an ε that is the caller's or is sampled for a wanted S.
 *
 * Shapes go by n, then by d; all engines see the same points. A cell that somebody has measured already is taken from
 * there; one that would take longer than the limit, by a look at a part of it or by the rate of the cells before, is
 * left out, and so is every shape of as many points and dimensions or more for that engine.
 */
#ifndef EB_CORE_EXPERIMENT_RATES_H
#define EB_CORE_EXPERIMENT_RATES_H

#include "core/experiment/measure.h"
#include "core/tune/tune.h"

#define EB_MOST_RATED 6u  /* engines */
#define EB_MOST_STEPS 64u /* of n, and of d */

typedef enum eb_rate_state {
    EB_RATE_WAITING,
    EB_RATE_MEASURED,
    EB_RATE_KNOWN,   /* from an earlier run */
    EB_RATE_LONG,    /* over the limit */
    EB_RATE_REFUSED, /* the engine, or the memory, says no */
} eb_rate_state;

/* A, A·F, A·F² … B as whole numbers, the last step perhaps smaller than the others. 0: more than EB_MOST_STEPS, steps
 * of less than one, or no A < B. */
size_t eb_rate_steps(double from, double to, double factor, double out[EB_MOST_STEPS]);

const char *eb_rate_state_name(eb_rate_state state); /* "to come", "measured", "from the log", … */

/* One engine on one shape. What is unknown is NAN. */
typedef struct eb_rate {
    const eb_setup *setup;
    size_t n, d;
    eb_rate_state state;
    int64_t run; /* the caller's number for the run; 0: none */
    unsigned trials;
    uint64_t pairs;
    double eps, kernel_s, kernel_cov, total_s; /* medians; the CoV is the kernels' */
    double executed_flops, limit_flops;        /* FLOP; the limit that the executed rate is held against, FLOP/s */
    double forecast_s; /* EB_RATE_LONG: what it would have taken; NAN: longer than one that is */
    char why[sizeof((eb_status *)0)->message]; /* EB_RATE_REFUSED */
} eb_rate;

static inline bool eb_rate_has(const eb_rate *rate)
{
    return rate->state == EB_RATE_MEASURED || rate->state == EB_RATE_KNOWN;
}
double eb_rate_derived(const eb_rate *rate);  /* FLOP/s: 2·n²·d over the kernels' median; NAN: there is none */
double eb_rate_executed(const eb_rate *rate); /* FLOP/s */

typedef struct eb_rates eb_rates;

/* Whom the experiment asks for what lies outside it. `points` lends n × d points until it is asked again or the end;
 * `sampled` and `find` may be NULL. */
typedef struct eb_rates_host {
    void *context;
    eb_code (*points)(void *context, size_t n, size_t d, eb_job *job, const eb_dataset **out, eb_status *status);
    bool (*find)(void *context, eb_rate *rate); /* setup, n and d are set: fills the rest where it is known */
    void (*sampled)(void *context, double eps, double error); /* the lent points' ε, and the error of its S */
    void (*changed)(void *context, const eb_rates *rates, eb_rate *rate); /* a cell's state; NULL: all are to come */
    eb_run_observer observer;
} eb_rates_host;

typedef struct eb_rates_request {
    const eb_setup *setup; /* [setups], 1 to EB_MOST_RATED */
    size_t setups;
    const size_t *n, *d; /* [ns], [ds], ascending */
    size_t ns, ds;
    double eps;            /* NAN: the one that gives `selectivity`, */
    double selectivity;    /* sampled by */
    const eb_setup *truth; /* an engine that tells distances, */
    uint64_t seed;         /* with this seed */
    unsigned trials;
    eb_warm_up warm_up;
    double limit_s; /* of a cell, its warm-up included; INFINITY: none */
    eb_rates_host host;
} eb_rates_request;

struct eb_rates {
    const eb_rates_request *request;
    eb_rate *cell; /* [ns × ds × setups] */
    size_t cells;
};

/* n and d by their place in the request, as the engine. */
static inline eb_rate *eb_rates_at(const eb_rates *rates, size_t n, size_t d, size_t setup)
{
    return &rates->cell[(n * rates->request->ds + d) * rates->request->setups + setup];
}

/* Fills *out also on failure and cancel, with what was finished; the request must outlive it. The caller frees with
 * eb_rates_free. EB_UNREACHABLE when the smallest n has no S so large. An engine that refuses a shape ends nothing. */
eb_code eb_rates_measure(const eb_rates_request *request, eb_job *job, eb_rates *out, eb_status *status);
void eb_rates_free(eb_rates *rates); /* frees what it holds */

#endif
