/* shell: the state that all code that runs commands shares (session, output, questions to the person), and waiting with
 * signals handled. */
#pragma once

#include <stdio.h>

#include "core/base/job.h"
#include "core/report/report.h"
#include "shell/background/progress.h"
#include "shell/language/command.h"
#include "shell/pictures/answers.h"
#include "shell/session.h"

/* Callbacks of the code that has changed the terminal's modes (a line editor); called when the process is about to
 * stop, has continued, or the window was resized. */
typedef struct eb_terminal {
    void (*suspend)(void);
    void (*resume)(void);
    void (*resize)(void);
} eb_terminal;

/* The workbench, which shows commands and reports instead of the output streams. Every function is called on the
 * terminal's thread with `context` first; none may be NULL. */
typedef struct eb_display {
    void *context;
    int input_fd; /* polled while a job runs or the shell waits; −1: none */

    void (*begins)(void *context, const eb_call *call);
    /* Called before the command's report and error. The session may be read from here until the next begins(). */
    void (*ends)(void *context, const eb_call *call, eb_code outcome, double seconds);
    void (*report)(void *context, eb_report *report,
                   bool partial); /* takes ownership; partial: Ctrl-C ended the command early */
    void (*error)(void *context, const char *command, const eb_status *failure);
    void (*warning)(void *context, const char *sentence);

    /* Called while a command runs: input, when input_fd is readable; progress, when the job progressed or some time has
     * passed. live: a report of the results so far, NULL: nothing new; progress takes ownership. */
    void (*input)(void *context);
    void (*progress)(void *context, const eb_progress *progress, eb_report *live);

    /* The commands `dump` and `panel`. */
    eb_code (*dump)(void *context, const char *path, eb_status *status);
    eb_code (*panel)(void *context, const char *name, eb_status *status);
} eb_display;

typedef struct eb_shell eb_shell;

/* How a paused script continues: to the next pause, without pauses, not at all. */
typedef enum eb_pace { EB_PACE_NEXT, EB_PACE_REST, EB_PACE_STOP } eb_pace;

struct eb_shell {
    eb_session *session;
    FILE *out, *err;
    int signal_fd; /* signals.h; −1: none */
    bool progress; /* err is a terminal that can redraw a line */
    bool unicode, colour;
    bool console;              /* a Linux console: draw only characters of its font */
    bool pages;                /* long reports go through a pager */
    bool keep_going;           /* go on after a failed command */
    bool quiet;                /* show no reports */
    const eb_display *display; /* replaces out and err; NULL: none */
    /* Asks the person at the terminal; true: yes. After Ctrl-C it returns false and sets `interrupted`. NULL: nobody is
     * there. */
    bool (*ask)(eb_shell *shell, const char *question);
    /* Shows the sentence and waits for the person. NULL: nobody is there, and nothing pauses. */
    eb_pace (*pause)(eb_shell *shell, const char *sentence);
    eb_live *live; /* results of the running command, for the display. Not owned; may be NULL */

    eb_session *background; /* session of background commands (background.h). Not owned; NULL: none can run */
    bool is_background;     /* this shell runs background commands */
    char *greeting;         /* a warning that the workbench opens with, heap; NULL: none */

    bool logging;         /* write a session log */
    const char *log_path; /* NULL: the default */
    eb_build build;

    /* State. */
    bool log_tried, log_opened;  /* whether opening the log was tried, and succeeded */
    bool quitting;               /* after `quit`, a broken output, SIGTERM or SIGHUP */
    bool interrupted;            /* Ctrl-C was pressed; cleared when a line or script begins */
    int ended_by;                /* SIGTERM or SIGHUP; 0: neither */
    bool stepping;               /* wait for the person before each line of a script */
    unsigned depth;              /* nesting of replay, watch and source */
    const eb_terminal *terminal; /* NULL: the terminal's modes are unchanged */
    eb_graphics graphics;        /* how the terminal shows pictures */
    eb_answers answers;          /* its answers, and what was typed meanwhile */
};

/* The source of a text, for messages like "demo.eb:3: …". */
typedef struct eb_origin {
    const char *name;
    unsigned long line;
} eb_origin;

/* Handles the signals that have arrived. Ctrl-C, SIGTERM and SIGHUP cancel the job; job may be NULL. */
void eb_shell_heed_signals(eb_shell *shell, eb_job *job, eb_progress_line *line);

/* Waits until fd is readable or seconds have passed (< 0: for ever); handles signals and the display's input meanwhile.
 * fd may be the display's input, or −1 to wait for the time only. False if a signal interrupted. */
bool eb_shell_wait(eb_shell *shell, int fd, double seconds);

/* Shows the sentence and waits for the person, if there is one. EB_CANCELLED: the person wants the script to stop. */
eb_code eb_shell_pause(eb_shell *shell, const char *sentence);

/* The program's exit status for an outcome: 0, 1, 2, 3 or 130. */
int eb_exit_status(eb_code code);
