/* session: the state that commands share: the dataset, the settings, the last join and comparison, the log.
 *
 * Handlers run on the worker thread, one at a time; no other thread uses the session meanwhile. Settings are changed by
 * `set` and by the program's options.
 */
#pragma once

#include "core/data/ground_truth.h"
#include "core/experiment/compare.h"
#include "core/tune/tune.h"
#include "draw/colours.h"
#include "shell/background/live.h"
#include "shell/find_device.h"
#include "shell/language/command.h"
#include "shell/pictures/shelf.h"
#include "store/store.h"

typedef struct eb_messages eb_messages; /* messages.h */
typedef struct eb_queue eb_queue;       /* queue.h */
struct eb_play;                         /* lessons/play.h */
struct eb_behind;                       /* background/behind.h */

typedef enum eb_mode { EB_MODE_TEXT, EB_MODE_JSON, EB_MODE_CSV, EB_MODE_MARKDOWN } eb_mode;

#define EB_LOG_COLUMNS_SIZE 256
#define EB_LOADED_FILES 3

typedef struct eb_settings {
    char device[EB_DEVICE_NAME]; /* "cpu", "cuda:0", "cuda:0+1" */
    unsigned threads;
    unsigned trials;
    uint64_t seed;
    eb_engine_defaults engines; /* options that `set` gives engines; those of a spec override them */
    uint64_t memory_limit;      /* bytes for a CPU engine's points and neighbour tables together (budget.h) */
    uint64_t gpu_memory_limit;  /* bytes that engines may use on a GPU; 0: all free memory */
    eb_holding holding;         /* the points in each of several ranks */
    eb_mode mode;
    bool timer;                            /* print each command's duration */
    eb_theme theme;                        /* of the workbench and its pictures */
    char log_columns[EB_LOG_COLUMNS_SIZE]; /* of the workbench's list of runs (core/report/find.h) */
} eb_settings;

/* A picture to show, or EB_ALL_PICTURES, of a report (draw/figure/figure.h). */
typedef struct eb_drawn {
    const eb_report *report; /* NULL: none */
    size_t picture;
    eb_report *own; /* the report, if the request owns it; else NULL */
} eb_drawn;

/* A handler's requests to the shell, carried out after the report has been shown. */
typedef struct eb_request {
    bool quit;
    char **script; /* replay: commands to run, each and the array on the heap */
    size_t script_count;
    char *source;          /* source: a file of commands to run, heap */
    bool step;             /* source: wait for the person before each line */
    char *pause;           /* pause: the sentence to show, heap */
    char *edit, *then;     /* exercise edit: a file for the person's editor, and a command to run afterwards, heap */
    char *repeat;          /* watch: a command line to repeat, heap */
    uint64_t repeat_times; /* 0: until Ctrl-C */
    double repeat_s;
    char *dump;     /* dump: the file to write the screen to, heap */
    char *panel;    /* panel: the panel to show, heap */
    eb_drawn drawn; /* plot: the picture to show */
} eb_request;

struct eb_session {
    eb_settings settings;
    eb_dataset *dataset;    /* NULL: none loaded */
    int64_t dataset_row;    /* the dataset's id in the log; 0: not logged */
    eb_dataset *queries;    /* a query set with the dataset's d and type; NULL: none loaded */
    eb_ground_truth *truth; /* the queries' nearest points according to a file; NULL: none loaded */

    double eps; /* the last ε used or found, NAN: none; default for join, compare, accuracy */

    eb_curve curve;            /* the last sampled curve of this dataset; no points: none */
    eb_run *last_join;         /* heap; for `save`; NULL: none */
    char *last_join_text;      /* the command that made last_join, as typed; heap */
    struct eb_stored *stored;  /* the last table, if it is in a folder of parts (io/parts/stored.h): no last_join */
    eb_comparison *comparison; /* the last comparison with an accuracy, heap, without its tables; NULL: none */

    struct eb_play *play; /* the lesson in progress; NULL: none */
    void (*free_play)(struct eb_play *play);

    double limit[EB_MOST_CUDA_DEVICES][EB_LIMITS]; /* measured in this session, by CUDA ordinal; 0: not measured */

    struct eb_behind *behind; /* tune's exact pass in the background (background/behind.h); NULL: none */
    void (*leave_behind)(struct eb_behind *behind);
    double patience_s; /* tune leaves a longer exact pass to the background; 0: no */

    eb_store *store;                  /* NULL: not logging (--no-log or it failed) */
    int64_t session_row, command_row; /* ids of the running session and command */
    char log_warning[900];            /* set when logging stops, waits or resumes; the shell shows and clears it */
    bool log_waited;                  /* the person was told that log entries wait in memory (store.h) */

    const char *program;  /* name and version, written into saved files */
    bool script_on_input; /* commands are read from the standard input, so that points cannot be */

    const struct eb_ranks *ranks; /* processes that share the work (core/ranks/ranks.h); NULL: this one is alone */

    eb_live *live; /* shows runs while they go on; NULL: nobody watches */

    /* Used by the terminal's thread and by commands that run there. Not owned; may be NULL. */
    eb_messages *messages;
    eb_queue *queue;
    eb_shelf *shelf;    /* a prompt's or script's last reports */
    eb_gallery gallery; /* what `plot` draws */

    eb_file_id loaded_file[EB_LOADED_FILES]; /* in a background session, which has no dataset: the other's files */

    eb_file_id *written; /* the files that this session wrote, heap; outputs.h */
    size_t written_count;

    eb_request request;
};

eb_session *eb_session_new(void); /* with default settings; NULL: out of memory */

/* A session beside another one, on its device and within its limits, else with default settings. NULL: out of memory.
 */
eb_session *eb_session_beside(const eb_session *outer);
void eb_session_free(eb_session *session);

/* Replaces the dataset (takes ownership) and frees the results and queries of the old one. */
void eb_session_set_dataset(eb_session *session, eb_dataset *ds);

/* Replaces the queries and their true neighbours (either may be NULL) and takes ownership. A new dataset frees them. */
void eb_session_set_queries(eb_session *session, eb_dataset *queries, eb_ground_truth *truth);

/* The name of points for a person: their source without folders. */
const char *eb_dataset_name(const eb_dataset *ds);

/* The files of the loaded points, queries and true neighbours, which are never overwritten; zero if not loaded. */
void eb_session_loaded_files(const eb_session *session, eb_file_id files[EB_LOADED_FILES]);

/* EB_NO_DATASET without a dataset; EB_CHANGED if the file of the points, queries or true neighbours has changed since
 * it was loaded. Dispatch checks it before and after every command that needs a dataset. */
eb_code eb_session_check_dataset(const eb_session *session, eb_status *status);

/* The device of a name ("cpu", "cuda:0"), with its limits if they are known; EB_NO_DEVICE with the reason. */
eb_code eb_session_find_device(const eb_session *session, const char *name, eb_device *out, eb_status *status);

/* The device of the session's settings. */
eb_code eb_session_device(const eb_session *session, eb_device *out, eb_status *status);

/* Starts to create the context of the settings' CUDA device in the background, because loaded points will soon be used
 * there. */
void eb_session_wake_device(const eb_session *session);

/* Makes the setup of a spec NAME[ITEM,…] with this session's defaults, threads and memory limit, and its device unless
 * the spec names one. Fails with EB_USAGE, EB_NO_ENGINE or EB_NO_DEVICE. */
eb_code eb_session_setup(eb_session *session, const char *spec, eb_setup *out, eb_status *status);

/* Like eb_session_setup, for commands that compare rates with the device's limits: measures the limits if they are
 * unknown. */
eb_code eb_session_setup_rated(eb_session *session, const char *spec, eb_setup *out, eb_job *job, eb_status *status);

/* The setup of the engine that defines the truth: on the session's device, or on the CPU if the device has none. */
eb_code eb_session_truth(eb_session *session, eb_setup *out, eb_status *status);

/* The dataset's id in the log, where the first call adds it; 0 without a log or a dataset. */
int64_t eb_session_log_dataset(eb_session *session);

/* True if results of the running command are logged: the command is logged and the dataset's file has not changed. */
bool eb_session_logs(const eb_session *session);

/* Log a tuned ε, or points of S(ε) (pairs NULL: sampled; error NULL: exact). No-ops unless eb_session_logs. */
void eb_session_log_target(eb_session *session, const char *spec, const eb_target *target);
void eb_session_log_sweep(eb_session *session, const char *spec, size_t points, const double *eps,
                          const double *selectivity, const double *error, const uint64_t *pairs);

/* EB_LOG if there is no session log; a log that failed earlier has been warned about at that time. */
eb_code eb_session_need_log(const eb_session *session, eb_status *status);

/* An observer that logs runs and trials of the running command as they end and passes them to session->live. */
eb_run_observer eb_session_observer(eb_session *session);

/* Call after a failure of the log: sets log_warning and closes the log. Work continues without it. */
void eb_session_log_failed(eb_session *session, const eb_status *status);

/* Tries for wait_ms to write the entries that wait because another process has locked the log. Sets log_warning when
 * entries begin to wait and when all are written. Called before and after each command. */
void eb_session_log_catch_up(eb_session *session, unsigned wait_ms);
bool eb_session_log_waits(const eb_session *session);

/* The number in the log of a session or run; 0: its entry still waits in memory. */
int64_t eb_session_log_number(const eb_session *session, int64_t row);

/* Frees the last join's neighbour table, because the memory limit allows for one table only. `save` can compute it
 * again. */
void eb_session_drop_neighbours(eb_session *session);

/* Frees the last join, or closes the last table in parts. */
void eb_session_forget_table(eb_session *session);

/* Frees and resets session->request. */
void eb_session_clear_request(eb_session *session);

/* ---- limits of a GPU ---- */

/* Logs of older programs lack those of TF32 and BF16. */
static inline bool eb_limits_known(const double *limit)
{
    return limit[EB_LIMIT_MMA_F16] > 0 && limit[EB_LIMIT_MMA_TF32] > 0;
}

/* Fills device->limit with the known limits; all 0 if unknown. measured_at may be NULL; "" if the time is unknown. */
void eb_limits_look_up(const eb_session *session, eb_device *device, char measured_at[EB_MOMENT_BYTES]);

/* Measures the limits of a CUDA device in a second; stores them in the session, its log and the user's cache. */
eb_code eb_limits_measure(eb_session *session, eb_device *device, eb_job *job, eb_status *status);

/* For commands that time runs: creates a CUDA device's context, and measures its limits if they are unknown. A failure
 * is ignored; the limits stay unknown. */
void eb_limits_ensure(eb_session *session, eb_device *device, eb_job *job);
