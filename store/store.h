/* store: the session log, a SQLite file, and the only SQL of the project.
 *
 * Each trial is committed when it ends, so a killed process loses no finished trial. Opening the log marks rows that a
 * dead process left "running" as "interrupted". No transaction is open while engines run, so several processes can
 * write (WAL, busy timeout). Every call may fail with EB_LOG (full disk, read-only, foreign or newer file) and a
 * message; the caller then continues without the log. A lock makes no write fail: the write waits (eb_store_catch_up).
 *
 * Schema: one file per migration in store/migrations. The `v_…` views of store/views.sql are the public interface,
 * documented in man/epsbench-log.5. Not thread-safe: one thread at a time. A process opens a log only once, since
 * closing any descriptor of a file drops the process's locks on it; eb_store_open_second closes none. After a fork only
 * parent or child may use the log.
 */
#pragma once

#include "core/accuracy/accuracy.h"
#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/engine/device.h"
#include "core/experiment/measure.h"
#include "core/experiment/recall.h"
#include "core/inverted/index.h"
#include "core/inverted/question.h"
#include "core/report/report.h"
#include "core/tune/tune.h"

typedef struct eb_store eb_store;

#define EB_MOMENT_BYTES 32u /* "2026-01-31T23:59:59.123456789Z" */

typedef struct eb_build { /* the program that measured */
    const char *version, *commit, *flags, *compiler;
} eb_build;

/* Writes $XDG_STATE_HOME/epsbench/sessions.db (by default ~/.local/state/…) to buffer. */
eb_code eb_store_default_path(char *buffer, size_t size, eb_status *status);

/* Opens a log or creates it with its folders, checks application_id and user_version, migrates, marks dead sessions. */
eb_code eb_store_open(const char *path, eb_store **out, eb_status *status);
/* A second connection to a log that this process has open, for another thread. */
eb_code eb_store_open_second(const char *path, eb_store **out, eb_status *status);
void eb_store_close(eb_store *store); /* NULL is fine */

/* If another process keeps the log locked for longer than a writer waits, writes are queued in memory in order, and
 * their rows get stand-in numbers, valid wherever a number is (pending.h). The caller tries now and then to catch up:
 * *written is true if the queued writes are in the log now. EB_LOG if the log cannot be written at all; the queue is
 * kept. */
eb_code eb_store_catch_up(eb_store *store, unsigned wait_ms, bool *written, eb_status *status);
bool eb_store_waits(const eb_store *store, size_t *runs, size_t *writes); /* true if writes are queued; their numbers */
int64_t eb_store_number(const eb_store *store, int64_t id);               /* a row's number; 0: still queued */
/* Sets how long a writer waits for a lock. It gives up earlier if hurried() (may be NULL) is true. From any thread. */
void eb_store_patience(eb_store *store, unsigned wait_ms, bool (*hurried)(void));

/* ---- writing: each call is one transaction; ids are > 0 ---- */
eb_code eb_store_session_begin(eb_store *store, const eb_build *build, int64_t *session, eb_status *status);
eb_code eb_store_session_end(eb_store *store, int64_t session, eb_status *status);
eb_code eb_store_command_begin(eb_store *store, int64_t session, const char *text, int64_t *command, eb_status *status);
/* outcome EB_OK: "ok"; EB_CANCELLED: "cancelled"; else "failed" with message. */
eb_code eb_store_command_end(eb_store *store, int64_t command, eb_code outcome, const char *message, double duration_s,
                             eb_status *status);
/* Says that the session's machine has this device. */
eb_code eb_store_session_device(eb_store *store, int64_t session, const eb_device *device, eb_status *status);
/* Keeps what a command answered, as far as it is not too long (kept.h), and the points that were loaded when it ended
 * (dataset 0: none). */
eb_code eb_store_report(eb_store *store, int64_t command, int64_t dataset, const eb_report *report, eb_status *status);
/* Finds the dataset, or adds it. */
eb_code eb_store_dataset(eb_store *store, const eb_dataset *ds, int64_t *dataset, eb_status *status);
eb_code eb_store_run_begin(eb_store *store, int64_t command, int64_t dataset, const eb_run *run, int64_t *run_id,
                           eb_status *status);
/* A finished trial: its figures run->trials[trial], and run->pairs. */
eb_code eb_store_trial(eb_store *store, int64_t run_id, const eb_run *run, unsigned trial, eb_status *status);
/* source: "cupti", "nvml" or "model", which is a rate: operations over measured time ("time" in reports); value NAN:
 * unknown. Replaces an earlier value of the metric. */
eb_code eb_store_counter(eb_store *store, int64_t run_id, const char *metric, double value, const char *unit,
                         const char *source, eb_status *status);
eb_code eb_store_run_end(eb_store *store, int64_t run_id, const eb_run *run, eb_status *status);
eb_code eb_store_accuracy(eb_store *store, int64_t fast_run, int64_t truth_run, const eb_accuracy *accuracy,
                          eb_status *status); /* histograms included; run ids may be 0: not logged */
eb_code eb_store_target(eb_store *store, int64_t command, int64_t dataset, const char *spec, const eb_target *target,
                        eb_status *status);
/* Points of a sweep (error NULL) or of a sampled curve (pairs NULL). */
eb_code eb_store_sweep(eb_store *store, int64_t command, int64_t dataset, const char *spec, size_t points,
                       const double *eps, const double *selectivity, const double *error, const uint64_t *pairs,
                       eb_status *status);
eb_code eb_store_note(eb_store *store, int64_t session, int64_t run_or_0, const char *text, eb_status *status);
/* Replaces the device's measured limits by device->limit, for all sessions. */
eb_code eb_store_limits_set(eb_store *store, const eb_device *device, eb_status *status);
/* Reads device->limit; all 0, and measured_at (may be NULL) "", if this device with this driver was never measured. */
eb_code eb_store_limits_get(eb_store *store, eb_device *device, char measured_at[EB_MOMENT_BYTES], eb_status *status);

/* Finds the newest finished run that only counted, of this session's build, with at least `trials` trials: the same
 * engine, options, device and threads as run->setup, the same points (by their source), at ε = eps or, if eps is NAN,
 * at an ε sampled for `selectivity`. Fills run->row (0: no such run), its results, and the figures of its trials that
 * rates need. *command: the line that measured it, or NULL. The caller frees *command, and the run with eb_run_free,
 * also after an error. */
eb_code eb_store_find_rate(eb_store *store, int64_t session, const char *source, double eps, double selectivity,
                           unsigned trials, eb_run *run, char **command, eb_status *status);

/* Measurements of a kernel from a run and its counters; NAN: unknown. */
typedef struct eb_measured {
    int64_t run; /* 0: no run */
    double kernel_s, sm_clock_hz, selectivity;
    /* counted */
    double bank_conflicts, ldmatrix_conflicts, occupancy, l2_hit_rate;
    double dram_throughput, shared_throughput, tensor_f16_active, tensor_s8_active, tensor_f64_active;
} eb_measured;

/* The newest finished run of this spec on n × d points on a GPU of this model ("NVIDIA H200"). Runs whose L2 was
 * counted go first. store NULL: no log, run 0. */
eb_code eb_store_find_measured(eb_store *store, const char *spec, const char *device_model, size_t n, size_t d,
                               eb_measured *out, eb_status *status);

/* A run from which the time of others is scaled. */
typedef struct eb_earlier {
    int64_t run; /* 0: no run */
    size_t n;
    unsigned threads;
    double kernel_s, total_s, selectivity; /* medians; NAN: unknown */
    bool counts;                           /* it made no table */
} eb_earlier;

/* The finished run of this spec on points of d dimensions on a device of this model, the one whose n is nearest to the
 * wanted, the newest of these. store NULL: no log, run 0. */
eb_code eb_store_find_earlier(eb_store *store, const char *spec, const char *device_model, size_t n, size_t d,
                              eb_earlier *out, eb_status *status);

/* Recall and throughput of an inverted file: an experiment, its points, and their timed trials. Each call commits.
 * Texts are copied. */
typedef struct eb_recall_experiment {
    const eb_device *device;
    const char *implementation; /* what searched, as "cpu, AVX-512" */
    const char *layout;         /* layout of the tables on a GPU; "": on a CPU */
    unsigned threads;
    size_t queries, k;
    const char *queries_source;         /* NULL: rows taken out of the dataset */
    const eb_inverted_request *request; /* the index */
    bool f16_sums;
    double scale;  /* 0: no scaling */
    size_t refine; /* candidates that FP64 refines; 0: no refining */
    size_t points_wanted, trials_wanted;
    double build_s, truth_s;
} eb_recall_experiment;
typedef struct eb_recall_point {
    eb_table_format lut;
    size_t nprobe;
    eb_recall recall;
    eb_inverted_work work;        /* of one pass; zeros: on a CPU */
    double wavefronts, occupancy; /* counted: wavefronts of a look-up, occupancy; NAN: unknown */
} eb_recall_point;
eb_code eb_store_recall(eb_store *store, int64_t command, int64_t dataset, const eb_recall_experiment *experiment,
                        int64_t *id, eb_status *status);
eb_code eb_store_recall_point(eb_store *store, int64_t experiment, const eb_recall_point *point, int64_t *id,
                              eb_status *status);
/* pass_s: seconds for all queries once, the mean of `passes` passes. */
eb_code eb_store_recall_trial(eb_store *store, int64_t point, unsigned trial, unsigned passes, double pass_s,
                              eb_status *status);

/* A number type that `precision` tried at one ε. Shares are 0 … 1, errors are shares of ε. NAN, NULL, 0 for k and
 * sampled, −1 for worst_point: unknown. eb_rung_unknown has all of them so. */
typedef struct eb_rung_record {
    const char *title, *spec, *reference; /* "INT8, point steps"; what computes it; the truth's spec */
    double eps, selectivity, want;
    double coordinate_bytes, point_bytes;
    double overlap_predicted, overlap_low, overlap_high; /* of pairs, with its band */
    const char *prediction;                              /* "held", "missed", "exact", "useless" */
    double overlap, overlap_p01, overlap_min; /* from here: measured; all but 1 % of points reach overlap_p01 */
    int64_t worst_point;
    double pairs_kept, pairs_right;
    double error_of_eps, error_p999_of_eps, error_most_of_eps, error_bias_of_eps;
    double inputs_share; /* of the error's variance: by rounding points, not by sums */
    size_t k;            /* of knn_recall and kendall_tau */
    double knn_recall, kendall_tau;
    double complete_eps, complete_price, rescore;
    double rate_tflops; /* by the machine model on `gpu` */
    const char *gpu;
    size_t sampled; /* rows that were sampled as queries; 0: all */
} eb_rung_record;
eb_rung_record eb_rung_unknown(void);
/* run: the logged run that measured it; 0: none. */
eb_code eb_store_rung(eb_store *store, int64_t command, int64_t dataset, int64_t run, const eb_rung_record *rung,
                      eb_status *status);

/* ---- reading: results go into reports ---- */

typedef struct eb_rung_filter {
    const char *dataset; /* substring of its source, or beginning of its hash; NULL: all */
    const char *rung;    /* substring of title or spec; NULL: all */
    size_t limit;        /* newest first; 0: 50 */
} eb_rung_filter;
/* Tables "enough": of the newest `precision` of each dataset and ε, the cheapest rung that reached what was wanted, and
 * the best of the cheaper ones; "rungs": each rung, newest first. */
eb_code eb_store_precisions(eb_store *store, const eb_rung_filter *filter, eb_report *report, eb_status *status);

/* Recall experiments, newest first. text: substring of the dataset's source, implementation or command; NULL: all. */
eb_code eb_store_recalls(eb_store *store, const char *text, size_t limit, eb_report *report, eb_status *status);
/* One recall experiment: its fields, "cells" and "curve" as `recall` reports them, and every trial. */
eb_code eb_store_show_recall(eb_store *store, int64_t experiment, eb_report *report, eb_status *status);
/* Recall experiment b against baseline a: warnings of what differs, and the points that both have (by table format and
 * nprobe). */
eb_code eb_store_diff_recall(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status);
typedef struct eb_run_filter {
    int64_t session;    /* 0: all */
    const char *engine; /* its name or a spec as it was logged; NULL: all */
    const char *text;   /* substring of dataset source, engine, command or note; NULL: all */
    size_t limit;       /* newest first; 0: 50 */
} eb_run_filter;
eb_code eb_store_runs(eb_store *store, const eb_run_filter *filter, eb_report *report, eb_status *status);
const eb_column *const *eb_store_run_columns(size_t *count); /* columns of the table in that report */
eb_code eb_store_sessions(eb_store *store, size_t limit, eb_report *report, eb_status *status);
/* Every tuned ε. text: substring of the dataset's source or beginning of its hash; NULL: all. */
eb_code eb_store_targets(eb_store *store, const char *text, size_t limit, eb_report *report, eb_status *status);
/* Adds rows "used lately", dataset, n, d, date: the datasets of the newest runs, without built-in ones. */
eb_code eb_store_recent(eb_store *store, size_t limit, eb_table *table, eb_status *status);
eb_code eb_store_show(eb_store *store, int64_t run, eb_report *report, eb_status *status);

/* The newest run of the session, or if it has none, of the log. EB_NOT_FOUND if the log has no run. */
eb_code eb_store_last_run(eb_store *store, int64_t session, int64_t *run, eb_status *status);
/* Run b against baseline a: conditions side by side, medians, ratio, verdict. Warns if dataset, ε, device or options
 * differ. */
eb_code eb_store_diff(eb_store *store, int64_t a, int64_t b, eb_report *report, eb_status *status);

/* Runs a SELECT that a person typed, .tables or .schema [NAME], and reports at most `limit` rows. EB_USAGE for any
 * other statement, and with SQLite's message for an invalid one. The job (may be NULL) is tested for a cancel. */
eb_code eb_store_ask(eb_store *store, const char *text, size_t limit, eb_report *report, eb_job *job,
                     eb_status *status);

/* Exports the whole log (session 0) or one session to a file, in the format of its extension: .csv (runs × trials),
 * .json, .sql, or .eb (the session's commands as a script); .md and .html are the caller's (shell/document). The file
 * appears only when it is complete. *rows: runs (or commands) written. */
eb_code eb_store_export(eb_store *store, const char *path, int64_t session, uint64_t *rows, eb_status *status);

/* A command of a session that is over, or of this one. Texts are on the heap. */
typedef struct eb_past_command {
    char *text, *started, *outcome, *message; /* message NULL: it did not fail */
    double duration_s;                        /* NAN: unknown */
    bool kept;                                /* the log kept the whole report */
    eb_report *report; /* what the command answered; where it was not kept, what the log's tables have of it */
} eb_past_command;

/* All that the log has of a session. facts: the fields of v_sessions and its build, and the tables "devices",
 * "datasets", "targets", "runs" (oldest first), "accuracies", "notes", each only if it has rows, and for the first
 * eight datasets with a measured S(ε) a series "curve". Hidden columns: dataset's "sha256" in all tables, and of runs
 * their "mode", "exactness" and "n", of accuracies the "exactness" of the fast one. */
typedef struct eb_past_session {
    eb_report *facts;
    eb_past_command *command;
    size_t commands;
} eb_past_session;

/* Reads a session; EB_NOT_FOUND if there is none of this number. The caller frees *out, also after an error. */
eb_code eb_store_past_session(eb_store *store, int64_t session, eb_past_session *out, eb_status *status);
void eb_past_session_free(eb_past_session *past);

/* ---- lessons (shell/lessons/lesson.h) ---- */

/* An answer given in a lesson, and the expected one. The newest answer to a step counts. */
typedef struct eb_lesson_answer {
    const char *lesson;
    size_t step; /* from 1 */
    const char *question, *answer, *expected;
    bool correct, hinted;
} eb_lesson_answer;
eb_code eb_store_lesson_answer(eb_store *store, int64_t session, const eb_lesson_answer *answer, eb_status *status);
/* Number of a lesson's steps that were answered; whose newest answer is right; whose first answer was right. */
typedef struct eb_lesson_progress {
    uint64_t answered, right, first;
} eb_lesson_progress;
eb_code eb_store_lesson_progress(eb_store *store, const char *lesson, eb_lesson_progress *out, eb_status *status);
/* The first of the steps 1 to `steps` that no answer was given to; 0: none. */
eb_code eb_store_lesson_next(eb_store *store, const char *lesson, size_t steps, size_t *step, eb_status *status);
/* Table "wrong": the steps whose newest answer is wrong; lesson NULL: of all lessons. */
eb_code eb_store_lesson_wrong(eb_store *store, const char *lesson, eb_report *report, eb_status *status);
/* The question that waits for an answer: which lesson, which step, how many answers to it were wrong, and
 * whether a hint was given. step 0: none. answer: the last one given to this step, "": none; read only. */
typedef struct eb_lesson_place {
    char lesson[256];
    size_t step, tries;
    bool hinted;
    char answer[64];
} eb_lesson_place;
eb_code eb_store_lesson_stay(eb_store *store, int64_t session, const eb_lesson_place *place, eb_status *status);
eb_code eb_store_lesson_place(eb_store *store, eb_lesson_place *out, eb_status *status);
/* What was answered, and how: for each question the first answer. Without paths, table "results" of this log: a row for
 * each question. With the paths of logs, a class compared: table "class", a row for each question, the most missed one
 * first, with the wrong answer that most gave; students: also table "students", a row for each log. EB_NOT_FOUND or
 * EB_BAD_FORMAT if a path is no log; no log is changed. */
eb_code eb_store_lesson_results(eb_store *store, eb_report *report, eb_status *status);
eb_code eb_store_lesson_class(eb_store *store, const char *const *path, size_t paths, bool students, eb_report *report,
                              eb_status *status);

/* Texts of a session's commands that ended "ok", oldest first; session 0: the newest. The caller frees each text and
 * the array. EB_NOT_FOUND for an unknown session. */
eb_code eb_store_commands(eb_store *store, int64_t session, char ***texts, size_t *count, eb_status *status);
