/* desk: everything that panels may read: the last report of every command, facts about the session as plain values, the
 * running command, and the commands that panels ask for. Panels never touch the session, which belongs to the worker
 * thread while a command runs; the workbench copies facts from the session to the desk between commands.
 */
#pragma once

#include "core/base/job.h"
#include "core/base/status.h"
#include "core/engine/device.h"
#include "core/report/report.h"

typedef struct eb_desk eb_desk;

/* Copied from the session while no command runs. Unknown texts are "", unknown numbers NAN or 0. */
typedef struct eb_facts {
    bool has_dataset;
    char dataset[80]; /* its name, short */
    uint64_t n, d;
    char dtype[16];
    unsigned long dataset_serial; /* changes with every load: reports of another dataset are stale */
    double eps;
    char device[EB_DEVICE_NAME], device_model[80];
    char preset[80], tensor[16]; /* options of the fast engine; "" where the device ignores them */
    unsigned trials;
    char behind[96]; /* tune's exact pass in the background: "the exact pass goes on, 43 %, 12 s left"; "": none */
    char log[40];    /* "session 12", "no log" */
    char log_columns[256];
} eb_facts;

typedef enum eb_tone { EB_TONE_NOTE, EB_TONE_GOOD, EB_TONE_WARNING, EB_TONE_ERROR } eb_tone;

eb_desk *eb_desk_new(void); /* NULL: out of memory */
void eb_desk_free(eb_desk *desk);

const eb_facts *eb_desk_facts(const eb_desk *desk);
void eb_desk_set_facts(eb_desk *desk, const eb_facts *facts);
const eb_gpu_now *eb_desk_gpu(const eb_desk *desk);
void eb_desk_set_gpu(eb_desk *desk, const eb_gpu_now *now);

/* The last report of `command` ("tune"); NULL: none yet. Valid until the command's next report arrives. */
const eb_report *eb_desk_report(const eb_desk *desk, const char *command);
/* The dataset_serial when that report arrived, so that a panel can mark results of another dataset; 0: no report. */
unsigned long eb_desk_report_serial(const eb_desk *desk, const char *command);
bool eb_desk_has_info(const eb_desk *desk); /* the last report of `info` describes the loaded dataset */
/* Number of reports of the command so far: a panel sees by it that a new one has arrived. */
unsigned long eb_desk_report_count(const eb_desk *desk, const char *command);
/* Of several commands, "info|project" (NULL: of all), the one whose last report arrived last and has pictures; NULL:
 * none has. */
const char *eb_desk_newest(const eb_desk *desk, const char *commands);
/* Order of arrival of the command's last report among all reports: higher is later; 0: no report. */
unsigned long eb_desk_report_stamp(const eb_desk *desk, const char *command);
void eb_desk_take_report(eb_desk *desk, eb_report *report); /* takes ownership */

/* The running command. eb_desk_live: its partial report, which grows by runs and trials into the one that it will
 * return; NULL: nothing yet. */
bool eb_desk_busy(const eb_desk *desk);
const char *eb_desk_running(const eb_desk *desk); /* its text, "" when idle */
const eb_progress *eb_desk_progress(const eb_desk *desk);
const eb_report *eb_desk_live(const eb_desk *desk);
void eb_desk_set_running(eb_desk *desk, const char *text); /* NULL: the command has ended; frees the live report */
void eb_desk_set_progress(eb_desk *desk, const eb_progress *progress);
void eb_desk_take_live(eb_desk *desk, eb_report *report); /* takes ownership */

/* A panel's action: a command line that runs as if typed, after the running command. It is echoed and logged. */
void eb_desk_run(eb_desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A command that a panel needs for itself, without a key pressed: the workbench may quit without waiting for it. */
void eb_desk_ask(eb_desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A key's command whose report no panel shows: the report appears in the overlay, as that of a typed command does. */
void eb_desk_show(eb_desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool eb_desk_next_is_own(const eb_desk *desk);   /* the next command comes from eb_desk_ask */
bool eb_desk_next_is_shown(const eb_desk *desk); /* the next command comes from eb_desk_show */
char *eb_desk_next_command(eb_desk *desk);       /* removes the oldest command; on the heap; NULL: none */
void eb_desk_forget_commands(eb_desk *desk);
/* Text put at the beginning of the command line, where the person goes on typing. eb_desk_typed returns NULL for none.
 */
void eb_desk_type(eb_desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *eb_desk_typed(eb_desk *desk); /* removes the text; on the heap */

void eb_desk_say(eb_desk *desk, eb_tone tone, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *eb_desk_message(const eb_desk *desk, eb_tone *tone); /* "" when there is none */

/* Call when the person turns to another panel: clears a note about the panel before; warnings and errors stay. */
void eb_desk_look_away(eb_desk *desk);

unsigned long eb_desk_said(const eb_desk *desk); /* number of messages so far */

/* Copies all later messages into `messages` too (not owned; NULL: no longer). */
typedef struct eb_messages eb_messages;
void eb_desk_keep(eb_desk *desk, eb_messages *messages);
