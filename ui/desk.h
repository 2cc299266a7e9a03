/* desk: what the panels know: the last report of every command, facts about the session as plain values, the running
 * command, and the commands that panels ask for. Panels never touch the session, which belongs to the worker while a
 * command runs; the workbench copies facts here between commands.
 */
#pragma once

#include "core/base/job.h"
#include "core/base/status.h"
#include "core/engine/device.h"
#include "core/report/report.h"

typedef struct eb_desk eb_desk;

/* Copied from the session whenever no command runs. Texts are "" and numbers NAN or 0 when unknown. */
typedef struct eb_facts {
    bool has_dataset;
    char dataset[80]; /* its name, short */
    uint64_t n, d;
    char dtype[16];
    unsigned long dataset_serial; /* changes with every load: reports of another dataset are stale */
    double eps;
    char device[16], device_model[80];
    char preset[80], tensor[16]; /* of the fast engine; "" where it has none that matters */
    unsigned trials;
    char log[40]; /* "session 12", "no log" */
    char log_columns[256];
} eb_facts;

typedef enum eb_tone { EB_TONE_NOTE, EB_TONE_GOOD, EB_TONE_WARNING, EB_TONE_ERROR } eb_tone;

eb_desk *eb_desk_new(void); /* NULL: out of memory */
void eb_desk_free(eb_desk *desk);

const eb_facts *eb_desk_facts(const eb_desk *desk);
void eb_desk_set_facts(eb_desk *desk, const eb_facts *facts);
const eb_gpu_now *eb_desk_gpu(const eb_desk *desk);
void eb_desk_set_gpu(eb_desk *desk, const eb_gpu_now *now);

/* The last report that `command` ("tune") returned; NULL: none. Stays until the next one of that command arrives. */
const eb_report *eb_desk_report(const eb_desk *desk, const char *command);
/* The dataset_serial at the time: a panel says when what it shows belongs to another dataset. 0: none. */
unsigned long eb_desk_report_serial(const eb_desk *desk, const char *command);
bool eb_desk_has_info(const eb_desk *desk); /* `info` has told of the dataset that is loaded */
/* Counts the reports of the command that came, so that a panel sees that a new one has. */
unsigned long eb_desk_report_count(const eb_desk *desk, const char *command);
/* The later its last report came, the higher; 0: none. */
unsigned long eb_desk_report_stamp(const eb_desk *desk, const char *command);
void eb_desk_take_report(eb_desk *desk, eb_report *report); /* takes ownership */

/* The running command: what it has so far (a report like the one it will return: run by run,
 * trial by trial), or NULL. */
bool eb_desk_busy(const eb_desk *desk);
const char *eb_desk_running(const eb_desk *desk); /* its text, "" when idle */
const eb_progress *eb_desk_progress(const eb_desk *desk);
const eb_report *eb_desk_live(const eb_desk *desk);
void eb_desk_set_running(eb_desk *desk, const char *text); /* NULL: ended; drops the live report */
void eb_desk_set_progress(eb_desk *desk, const eb_progress *progress);
void eb_desk_take_live(eb_desk *desk, eb_report *report); /* takes ownership */

/* A panel's action: a command line to run as if typed, once what runs has ended. It is echoed and logged. */
void eb_desk_run(eb_desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A panel's own question, which no key asked for: nobody misses its answer, so that it never holds back leaving. */
void eb_desk_ask(eb_desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A key's command whose report no panel shows: it comes as if the command had been typed. */
void eb_desk_show(eb_desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool eb_desk_next_is_own(const eb_desk *desk);   /* what comes next was asked by a panel itself */
bool eb_desk_next_is_shown(const eb_desk *desk); /* … by eb_desk_show */
char *eb_desk_next_command(eb_desk *desk);       /* heap, oldest first; NULL: none */
void eb_desk_forget_commands(eb_desk *desk);
/* Text to begin the command line with: the person goes on typing. NULL from eb_desk_typed: none. */
void eb_desk_type(eb_desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *eb_desk_typed(eb_desk *desk); /* heap, and forgotten */

void eb_desk_say(eb_desk *desk, eb_tone tone, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *eb_desk_message(const eb_desk *desk, eb_tone *tone); /* "" when there is none */

/* Another thing is looked at: what was noted of the one before goes, complaints stay. */
void eb_desk_look_away(eb_desk *desk);

unsigned long eb_desk_said(const eb_desk *desk); /* how often something was said */

/* Keeps what is said there, too (not owned; NULL: nowhere). */
typedef struct eb_messages eb_messages;
void eb_desk_keep(eb_desk *desk, eb_messages *messages);
