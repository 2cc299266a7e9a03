/* store: the session log, a SQLite file, and the only SQL of the project.
 *
 * Every finished trial is committed when it ends: a killed process loses nothing finished, and what it left "running"
 * is marked "interrupted" when the file is next opened and the process is gone. No transaction stays open while engines
 * run, so two processes can write at once (WAL, busy timeout). Every call may fail with EB_LOG (full disk, read-only,
 * foreign or newer file) and a sentence; the caller goes on without the log. A lock fails no write: it waits (below).
 *
 * Schema: one file per migration in store/migrations; the `v_…` views of store/views.sql are the public interface,
 * documented in man/epsbench-log.5. Not thread-safe: one thread at a time. A process opens a log only once (closing any
 * descriptor of a file drops the process's locks on it; eb_store_open_second closes none), and one that forks leaves it
 * to one side.
 */
#pragma once

#include "core/accuracy/accuracy.h"
#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/engine/device.h"
#include "core/experiment/measure.h"
#include "core/inverted/question.h"
#include "core/report/report.h"
#include "core/tune/tune.h"

typedef struct eb_store eb_store;

#define EB_MOMENT_BYTES 32u /* "2026-01-31T23:59:59.123456789Z" */

typedef struct eb_build { /* who measured */
    const char *version, *commit, *flags, *compiler;
} eb_build;

/* $XDG_STATE_HOME/epsbench/sessions.db (~/.local/state when unset) into buffer. */
eb_code eb_store_default_path(char *buffer, size_t size, eb_status *status);

/* Opens or creates (parent directories too), checks application_id and user_version, migrates, marks dead sessions. */
eb_code eb_store_open(const char *path, eb_store **out, eb_status *status);
/* A second connection to a log that this process has open, for another thread. */
eb_code eb_store_open_second(const char *path, eb_store **out, eb_status *status);
void eb_store_close(eb_store *store); /* NULL is fine */

/* While another process keeps the log locked for longer than a writer waits, writes wait in memory, in their order, and
 * their rows have stand-ins for numbers, good wherever a number is: no write fails of a lock. Whoever uses the log
 * tries now and then to catch up: *written when what waited is in the log now. The failure of a log that cannot be
 * written at all is EB_LOG, and what waits still waits. */
eb_code eb_store_catch_up(eb_store *store, unsigned wait_ms, bool *written, eb_status *status);
bool eb_store_waits(const eb_store *store, size_t *runs, size_t *writes); /* whether any do, and how many */
int64_t eb_store_number(const eb_store *store, int64_t id);               /* 0: it waits, and has none yet */
/* How long a writer waits for a lock, and who may tell it to give up earlier (NULL: nobody); from any thread. */
void eb_store_patience(eb_store *store, unsigned wait_ms, bool (*hurried)(void));

/* Writing. Each is one transaction. Ids are > 0. */
eb_code eb_store_session_begin(eb_store *store, const eb_build *build, int64_t *session, eb_status *status);
eb_code eb_store_session_end(eb_store *store, int64_t session, eb_status *status);
eb_code eb_store_command_begin(eb_store *store, int64_t session, const char *text, int64_t *command, eb_status *status);
/* outcome EB_OK: "ok"; EB_CANCELLED: "cancelled"; else "failed" with message. */
eb_code eb_store_command_end(eb_store *store, int64_t command, eb_code outcome, const char *message, double duration_s,
                             eb_status *status);
/* Finds or adds. */
eb_code eb_store_dataset(eb_store *store, const eb_dataset *ds, int64_t *dataset, eb_status *status);
eb_code eb_store_run_begin(eb_store *store, int64_t command, int64_t dataset, const eb_run *run, int64_t *run_id,
                           eb_status *status);
/* A finished trial with its figures, run->trials[trial], and what it found: run->pairs. */
eb_code eb_store_trial(eb_store *store, int64_t run_id, const eb_run *run, unsigned trial, eb_status *status);
/* source: "cupti", "nvml" or "model"; value NAN: unknown. A metric counted again replaces what there was. */
eb_code eb_store_counter(eb_store *store, int64_t run_id, const char *metric, double value, const char *unit,
                         const char *source, eb_status *status);
eb_code eb_store_run_end(eb_store *store, int64_t run_id, const eb_run *run, eb_status *status);
eb_code eb_store_accuracy(eb_store *store, int64_t fast_run, int64_t truth_run, const eb_accuracy *accuracy,
                          eb_status *status); /* run ids may be 0: unknown; histogram bins included */
eb_code eb_store_target(eb_store *store, int64_t command, int64_t dataset, const char *spec, const eb_target *target,
                        eb_status *status);
/* Sweep or sampled-curve points; pairs NULL for sampled ones, error NULL for exact ones. */
eb_code eb_store_sweep(eb_store *store, int64_t command, int64_t dataset, const char *spec, size_t points,
                       const double *eps, const double *selectivity, const double *error, const uint64_t *pairs,
                       eb_status *status);
eb_code eb_store_note(eb_store *store, int64_t session, int64_t run_or_0, const char *text, eb_status *status);
/* A device's measured limits, device->limit: kept for all sessions, in place of what there was. */
eb_code eb_store_limits_set(eb_store *store, const eb_device *device, eb_status *status);
/* Into device->limit, all 0 when this device (its driver included) was never measured. measured_at may be NULL; ""
 * then. */
eb_code eb_store_limits_get(eb_store *store, eb_device *device, char measured_at[EB_MOMENT_BYTES], eb_status *status);

/* The newest run that only counted, of this session's build, with all of at least so many trials done: the same engine
 * and options on the same device with as many threads, the same points (by their source), at ε = eps or, where that is
 * NAN, at an ε that was sampled for `selectivity`. run->setup says which engine; fills run->row, 0: there is none
 * such, what it found, and of its trials what rates are made of. *command: the one that measured it, heap, or NULL. The
 * caller frees both, the run with eb_run_free, also on failure. */
eb_code eb_store_find_rate(eb_store *store, int64_t session, const char *source, double eps, double selectivity,
                           unsigned trials, eb_run *run, char **command, eb_status *status);

/* What a run and its counters say of a kernel; NAN: not known. */
typedef struct eb_measured {
    int64_t run; /* 0: there is none */
    double kernel_s, sm_clock_hz, selectivity;
    double bank_conflicts, ldmatrix_conflicts, occupancy, l2_hit_rate; /* counted */
} eb_measured;

eb_measured eb_measured_nothing(void);

/* The newest finished run of this spec on n × d points on a GPU of this model ("NVIDIA H200"), of those whose L2 was
 * counted where there are some. */
eb_code eb_store_find_measured(eb_store *store, const char *spec, const char *device_model, size_t n, size_t d,
                               eb_measured *out, eb_status *status);

/* Recall of an inverted file against its throughput: an experiment, its points, each of their timed trials; each call
 * commits what has ended. The texts are not kept. */
typedef struct eb_recall_experiment {
    const eb_device *device;
    const char *implementation; /* "cpu, AVX-512": what searched */
    const char *layout;         /* of codes and tables where it is not the usual; "": nothing to say */
    unsigned threads;
    size_t queries, k, n;       /* n: points in the lists */
    const char *queries_source; /* NULL: rows taken out of the dataset */
    size_t nlist, m;
    unsigned rounds;
    uint64_t seed;
    bool f16_sums;
    double scale;  /* 0: none */
    size_t refine; /* candidates that FP64 chose among; 0: none */
    size_t points_wanted, trials_wanted;
    double build_s, truth_s;
} eb_recall_experiment;
typedef struct eb_recall_point {
    const char *lut;
    size_t entry_bytes, nprobe;
    double recall, low, high;           /* the 95 % interval */
    eb_inverted_work work;              /* of one pass; zeros: no GPU's */
    double lookup_conflicts, occupancy; /* counted; NAN: not known */
} eb_recall_point;
eb_code eb_store_recall(eb_store *store, int64_t command, int64_t dataset, const eb_recall_experiment *experiment,
                        int64_t *id, eb_status *status);
eb_code eb_store_recall_point(eb_store *store, int64_t experiment, const eb_recall_point *point, int64_t *id,
                              eb_status *status);
/* pass_s: all queries once, the mean of so many passes. */
eb_code eb_store_recall_trial(eb_store *store, int64_t point, unsigned trial, unsigned passes, double pass_s,
                              eb_status *status);

/* Reading: filled into reports. */
/* Experiments, newest first; text: substring of the dataset's source, the implementation or the command, NULL: all. */
eb_code eb_store_recalls(eb_store *store, const char *text, size_t limit, eb_report *report, eb_status *status);
/* All that the log knows of one: "cells" and "curve" as `recall` reports them, and every trial. */
eb_code eb_store_show_recall(eb_store *store, int64_t experiment, eb_report *report, eb_status *status);
/* b against baseline a: what differs, and the points that both have (the same table format and nprobe). */
eb_code eb_store_diff_recall(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status);
typedef struct eb_run_filter {
    int64_t session;    /* 0: all */
    const char *engine; /* its name or a spec as it was logged; NULL: all */
    const char *text;   /* substring of dataset source, engine, command or note; NULL: all */
    size_t limit;       /* newest first; 0: 50 */
} eb_run_filter;
eb_code eb_store_runs(eb_store *store, const eb_run_filter *filter, eb_report *report, eb_status *status);
const eb_column *const *eb_store_run_columns(size_t *count); /* of that report's table */
eb_code eb_store_sessions(eb_store *store, size_t limit, eb_report *report, eb_status *status);
/* Every ε that was tuned; text: substring of the dataset's source or its hash, NULL: all. */
eb_code eb_store_targets(eb_store *store, const char *text, size_t limit, eb_report *report, eb_status *status);
/* Rows "used lately", dataset, n, d, when, of the datasets that the newest runs are of, built-in ones left out. */
eb_code eb_store_recent(eb_store *store, size_t limit, eb_table *table, eb_status *status);
eb_code eb_store_show(eb_store *store, int64_t run, eb_report *report, eb_status *status);

/* The newest run of the session; where it has none, of the log. EB_NOT_FOUND: there is none. */
eb_code eb_store_last_run(eb_store *store, int64_t session, int64_t *run, eb_status *status);
/* Run b against baseline a: conditions side by side, medians, ratio, verdict; warns when dataset, ε, device or options
 * differ. */
eb_code eb_store_diff(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status);

/* What one SELECT of a person finds, at most `limit` rows. It only reads: EB_USAGE for anything else, and for what
 * SQLite cannot make sense of, in its words. The job (may be NULL) is looked at for a cancel. */
eb_code eb_store_ask(eb_store *store, const char *text, size_t limit, eb_report *report, eb_job *job,
                     eb_status *status);

/* Whole log or one session (0: all) into FILE by its extension: .csv (runs × trials), .json, .sql, .eb (the session's
 * commands as a script). Atomic: temporary file and rename. *rows: runs (or commands) written. */
eb_code eb_store_export(eb_store *store, const char *path, int64_t session, uint64_t *rows, eb_status *status);

/* What a person predicted in a lesson (shell/lessons/lesson.h), and what came out. The newest answer to a step counts.
 */
typedef struct eb_lesson_answer {
    const char *lesson;
    size_t step; /* from 1 */
    const char *question, *answer, *expected;
    bool correct, hinted;
} eb_lesson_answer;
eb_code eb_store_lesson_answer(eb_store *store, int64_t session, const eb_lesson_answer *answer, eb_status *status);
/* Steps of a lesson that were answered, rightly at last, and rightly the first time. */
typedef struct eb_lesson_progress {
    uint64_t answered, right, first;
} eb_lesson_progress;
eb_code eb_store_lesson_progress(eb_store *store, const char *lesson, eb_lesson_progress *out, eb_status *status);
/* A table "wrong" of the steps whose newest answer was wrong; lesson NULL: of all lessons. */
eb_code eb_store_lesson_wrong(eb_store *store, const char *lesson, eb_report *report, eb_status *status);

/* Texts of a session's commands that ended "ok", oldest first; free each and the array. session 0: the newest.
 * EB_NOT_FOUND for a number that is not there. */
eb_code eb_store_commands(eb_store *store, int64_t session, char ***texts, size_t *count, eb_status *status);
