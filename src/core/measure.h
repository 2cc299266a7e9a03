/* measure: run one engine at one ε, several times, and keep every trial.
 *
 * A trial is end to end: open (upload, conversion, norms), kernels, table, close. One warm-up comes first. The observer
 * hears of each trial as it ends, so that the log has it even if the process is killed during the next.
 */
#ifndef EB_CORE_MEASURE_H
#define EB_CORE_MEASURE_H

#include "core/join.h"

typedef enum eb_run_mode { EB_RUN_COUNT, EB_RUN_TABLE } eb_run_mode;
typedef enum eb_run_state { EB_RUN_RUNNING, EB_RUN_DONE, EB_RUN_PARTIAL, EB_RUN_FAILED } eb_run_state;

#define EB_MAX_TRIALS 1000u

typedef struct eb_run {
    const eb_engine *engine;
    eb_device device;
    double eps;
    eb_engine_options options;
    eb_run_mode mode;
    eb_run_state state;
    size_t n, d;
    uint64_t pairs;            /* |R|; valid when trials_done > 0 */
    unsigned trials_wanted, trials_done;
    eb_timing *trials;         /* [trials_done] */
    char note[160];            /* the engine's describe(), "" when it says nothing */
    eb_neighbours *table;      /* EB_RUN_TABLE: of the last trial, when it fitted the memory limit; else NULL */
    size_t batches;            /* row batches a table took */
} eb_run;

typedef struct eb_run_observer {
    void *context;
    void (*started)(void *context, const eb_run *run);
    void (*trial)(void *context, const eb_run *run, unsigned trial, const eb_timing *timing);
    void (*ended)(void *context, const eb_run *run); /* run->state says how */
} eb_run_observer;

typedef struct eb_measure_request {
    const eb_engine *engine;
    const eb_device *device;
    const eb_dataset *dataset;
    eb_engine_options options;
    double eps;
    eb_run_mode mode;
    unsigned trials;           /* ≥ 1 */
    bool warm_up;
    uint64_t table_limit;      /* bytes for the neighbour table; beyond it the run counts and run->table stays NULL */
} eb_measure_request;

/* Fills *run (also on failure and cancel, with what was finished: state PARTIAL). Trials must agree on |R| or it is
 * EB_INTERNAL. The caller frees with eb_run_free. observer may be NULL. */
eb_code eb_measure(const eb_measure_request *request, const eb_run_observer *observer, eb_job *job, eb_run *run,
                   eb_status *status);
void eb_run_free(eb_run *run); /* frees what it holds, not run itself */

/* (|R| − n)/n */
double eb_selectivity(uint64_t pairs, size_t n);

/* Derived rate, FLOP/s: 2·n²·d / seconds, d unpadded, as in the FASTED paper. NAN when seconds is not > 0. */
double eb_derived_flops(size_t n, size_t d, double seconds);

#endif
