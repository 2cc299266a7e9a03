/* session: what the commands share: the dataset, the settings, the last join and comparison, the log.
 *
 * Handlers run on the worker thread, one at a time; nobody else touches the session meanwhile. Settings are changed by
 * `set` and by the program's options.
 */
#pragma once

#include "core/data/ground_truth.h"
#include "core/experiment/compare.h"
#include "core/tune/tune.h"
#include "draw/colours.h"
#include "shell/background/live.h"
#include "shell/language/command.h"
#include "store/store.h"

typedef struct eb_messages eb_messages; /* messages.h */
typedef struct eb_queue eb_queue;       /* queue.h */
struct eb_play;                         /* lessons/play.h */

typedef enum eb_mode { EB_MODE_TEXT, EB_MODE_JSON, EB_MODE_CSV, EB_MODE_MARKDOWN } eb_mode;

#define EB_LOG_COLUMNS_SIZE 256
#define EB_LOADED_FILES 3

typedef struct eb_settings {
    char device[16]; /* "cpu", "cuda:0" */
    unsigned threads;
    unsigned trials;
    uint64_t seed;
    eb_engine_defaults engines; /* what engines are given before their own options */
    uint64_t memory_limit;      /* bytes for a CPU engine's points and neighbour tables together (budget.h) */
    uint64_t gpu_memory_limit;  /* bytes engines may take on a GPU; 0: what is free there */
    eb_mode mode;
    bool timer;                            /* print each command's duration */
    eb_theme theme;                        /* of the workbench and its pictures */
    char log_columns[EB_LOG_COLUMNS_SIZE]; /* of the workbench's list of runs (core/report/find.h) */
} eb_settings;

#define EB_MOST_CUDA_DEVICES 64

/* What a handler asks the shell to do once its own report is shown. */
typedef struct eb_request {
    bool quit;
    char **script; /* replay: commands to run, each and the array on the heap */
    size_t script_count;
    char *source;          /* source: a file of commands to run, heap */
    bool step;             /* … line by line */
    char *pause;           /* pause: what to say meanwhile, heap */
    char *repeat;          /* watch: a command line to repeat, heap */
    uint64_t repeat_times; /* 0: until Ctrl-C */
    double repeat_s;
    char *dump;  /* dump: the file to write the screen to, heap */
    char *panel; /* panel: the one to bring to the front, heap */
} eb_request;

struct eb_session {
    eb_settings settings;
    eb_dataset *dataset;    /* NULL: none loaded */
    int64_t dataset_row;    /* its id in the log, 0: not logged */
    eb_dataset *queries;    /* a query set that was loaded beside it, of its d and type; NULL: none */
    eb_ground_truth *truth; /* the queries' nearest neighbours among its points, as a file says; NULL: not known */

    double eps; /* the last ε used or found, NAN: none; default for join, compare, accuracy */

    eb_curve curve;            /* the one sampled last, for this dataset; no points: none */
    eb_run *last_join;         /* heap; for `save`; NULL: none */
    char *last_join_text;      /* the command that made it, as typed; heap */
    eb_comparison *comparison; /* the last one, heap, its tables gone; NULL: none that has an accuracy */

    struct eb_play *play; /* the lesson that goes on; NULL: none */
    void (*free_play)(struct eb_play *play);

    double limit[EB_MOST_CUDA_DEVICES][EB_LIMITS]; /* measured in this session, by CUDA ordinal; 0: not measured */

    eb_store *store;                  /* NULL: not logging (--no-log or it failed) */
    int64_t session_row, command_row; /* ids of the running session and command */
    char log_warning[900]; /* set when the log gives up, waits or goes on; the shell shows it and clears it */
    bool log_waited;       /* it was said that the log waits (store.h) */

    const char *program;  /* its name and version, as saved files tell them */
    bool script_on_input; /* commands come from the standard input, so that points cannot */

    eb_live *live; /* who looks at runs while they go on; NULL: nobody */

    /* The terminal's thread's: only commands that run there may look. Not owned; NULL: there is none. */
    eb_messages *messages;
    eb_queue *queue;

    eb_file_id loaded_file[EB_LOADED_FILES]; /* of a session beside a job (background.h), which has no dataset */

    eb_file_id *written; /* the files this session wrote, as it left them; heap */
    size_t written_count;

    eb_request request;
};

eb_session *eb_session_new(void); /* defaults; NULL: out of memory */
void eb_session_free(eb_session *session);

/* Replaces the dataset (takes ownership), forgets what belonged to the old one. */
void eb_session_set_dataset(eb_session *session, eb_dataset *ds);

/* Puts queries and their neighbours, or NULL, beside the dataset; they go when it goes. Takes ownership. */
void eb_session_set_queries(eb_session *session, eb_dataset *queries, eb_ground_truth *truth);

/* What was loaded, and so is never written over: the files of points, queries and neighbours; no file where there is
 * none. */
void eb_session_loaded_files(const eb_session *session, eb_file_id files[EB_LOADED_FILES]);

/* EB_NO_DATASET without a dataset, EB_CHANGED when its file is no longer what was loaded, or that of its queries or
 * their neighbours. Asked before and after every command that needs one. */
eb_code eb_session_check_dataset(const eb_session *session, eb_status *status);

/* A device by its name ("cpu", "cuda:0"), with its limits when they are known; EB_NO_DEVICE with the reason. */
eb_code eb_session_find_device(const eb_session *session, const char *name, eb_device *out, eb_status *status);

/* The device that settings name. */
eb_code eb_session_device(const eb_session *session, eb_device *out, eb_status *status);

/* Lets a CUDA device that settings name make its context beside what the caller does: points that are loaded will be
 * computed with. */
void eb_session_wake_device(const eb_session *session);

/* What NAME[ITEM,…] means in this session: its defaults, its device unless the spec names one, its threads and memory.
 * EB_USAGE, EB_NO_ENGINE, EB_NO_DEVICE say why not. */
eb_code eb_session_setup(eb_session *session, const char *spec, eb_setup *out, eb_status *status);

/* The same for commands that show its rates beside its device's limits, which are measured when nobody has. */
eb_code eb_session_setup_rated(eb_session *session, const char *spec, eb_setup *out, eb_job *job, eb_status *status);

/* The engine that defines the truth: on the session's device, or on the CPU when the device has none. */
eb_code eb_session_truth(eb_session *session, eb_setup *out, eb_status *status);

/* ε for this call: eps=X as given; S=X tuned exactly by the truth; else the session's last ε; else EB_USAGE.
 * Remembers it as the session's, and notes in the report when it tuned. The command must have arguments named eps
 * and S. */
eb_code eb_session_resolve_eps(eb_session *session, const struct eb_call *call, eb_report *report, double *eps,
                               eb_job *job, eb_status *status);

/* The dataset's id in the log, added when first asked for; 0 without a log or a dataset. */
int64_t eb_session_log_dataset(eb_session *session);

/* Whether what the running command found goes into the log: it is logged, and the points are still those that were
 * loaded. */
bool eb_session_logs(const eb_session *session);

/* Into the log, where the command is logged: an ε that was tuned; points of S(ε), pairs NULL for sampled ones, error
 * NULL for exact ones. */
void eb_session_log_target(eb_session *session, const char *spec, const eb_target *target);
void eb_session_log_sweep(eb_session *session, const char *spec, size_t points, const double *eps,
                          const double *selectivity, const double *error, const uint64_t *pairs);

/* EB_LOG where there is no log to look into; it may have ended earlier, with a warning at the time. */
eb_code eb_session_need_log(const eb_session *session, eb_status *status);

/* An observer that writes runs and trials of the running command into the log as they end (no-op without a log), and
 * shows them to whoever looks. */
eb_run_observer eb_session_observer(eb_session *session);

/* Called by whatever finds the log failing: remembers one warning, closes the log, work goes on. */
void eb_session_log_failed(eb_session *session, const eb_status *status);

/* Called before and after each command: writes what waits for a log that another process kept locked, if it can within
 * wait_ms, and says in log_warning when the log begins to wait and when it has all again. */
void eb_session_log_catch_up(eb_session *session, unsigned wait_ms);
bool eb_session_log_waits(const eb_session *session);

/* The number of the session or a run in the log, as a person may be told; 0: none yet. */
int64_t eb_session_log_number(const eb_session *session, int64_t row);

/* Two tables at once are more than the memory limit speaks of: lets the last join's go before more are made. `save` can
 * compute it again. */
void eb_session_drop_neighbours(eb_session *session);

/* Lets go of what the last request holds. */
void eb_session_clear_request(eb_session *session);

/* ---- what a GPU does at best ---- */

static inline bool eb_limits_known(const double *limit) { return limit[EB_LIMIT_MMA_F16] > 0; }

/* Fills device->limit with what is known, all 0 when nothing is. measured_at may be NULL; "" when nobody kept it. */
void eb_limits_look_up(const eb_session *session, eb_device *device, char measured_at[EB_MOMENT_BYTES]);

/* Measures them on a CUDA device, half a second, and keeps them in the session, its log and the user's cache. */
eb_code eb_limits_measure(eb_session *session, eb_device *device, eb_job *job, eb_status *status);

/* For commands that time runs: a CUDA device has its context afterwards, and its limits are measured when nobody has
 * yet. A device that cannot be measured stays without. */
void eb_limits_ensure(eb_session *session, eb_device *device, eb_job *job);
