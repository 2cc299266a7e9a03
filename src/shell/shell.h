/* shell: what runs commands, as all files that do share it: the session, where reports and errors go, who is asked; and
 * waiting, during which signals are heeded. */
#pragma once

#include <stdio.h>

#include "core/base/job.h"
#include "core/report/report.h"
#include "shell/background/progress.h"
#include "shell/language/command.h"
#include "shell/session.h"

/* What owns the terminal's modes while it waits for a line: told when the program stops, continues, or the window
 * changes. */
typedef struct eb_terminal {
    void (*suspend)(void);
    void (*resume)(void);
    void (*resize)(void);
} eb_terminal;

/* The workbench, as it shows commands and their reports in the place of the streams. Every function is called on the
 * terminal's thread; `context` comes first in each. None may be NULL. */
typedef struct eb_display {
    void *context;
    int input_fd; /* polled while a job runs or the shell waits; −1: none */

    void (*begins)(void *context, const eb_call *call);
    /* Before its report and error come. From here to the next begins, the session may be read. */
    void (*ends)(void *context, const eb_call *call, eb_code outcome, double seconds);
    void (*report)(void *context, eb_report *report,
                   bool partial); /* takes the report; partial: what was finished before Ctrl-C */
    void (*error)(void *context, const char *command, const eb_status *failure);
    void (*warning)(void *context, const char *sentence);

    /* While a command runs: input_fd is readable; the job moved, or some time passed (takes live, a report like the one
     * the command will return; NULL: nothing new). */
    void (*input)(void *context);
    void (*progress)(void *context, const eb_progress *progress, eb_report *live);

    /* What the commands `dump` and `panel` ask for. */
    eb_code (*dump)(void *context, const char *path, eb_status *status);
    eb_code (*panel)(void *context, const char *name, eb_status *status);
} eb_display;

typedef struct eb_shell eb_shell;

/* How a script that paused goes on. */
typedef enum eb_pace { EB_PACE_NEXT, EB_PACE_REST, EB_PACE_STOP } eb_pace;

struct eb_shell {
    eb_session *session;
    FILE *out, *err;
    int signal_fd; /* signals.h; −1: none */
    bool progress; /* err is a terminal that can redraw a line */
    bool unicode, colour;
    bool console;              /* a Linux console: what is drawn keeps to what its font has */
    bool pages;                /* long reports go through a pager */
    bool keep_going;           /* go on after a failed command */
    bool quiet;                /* show no reports (options given as commands) */
    const eb_display *display; /* shows all in the place of out and err; NULL: none */
    /* Asks the person at the terminal; true: yes. False with `interrupted` set: Ctrl-C. NULL: there is nobody. */
    bool (*ask)(eb_shell *shell, const char *question);
    /* Shows the sentence and waits for the person. NULL: there is nobody, nothing pauses. */
    eb_pace (*pause)(eb_shell *shell, const char *sentence);
    eb_live *live; /* what the display sees of a running command; NULL: nothing. Not owned */

    eb_session *background; /* of commands that are answered while one runs (background.h). Not owned; NULL: none are */
    bool is_background;     /* this is the shell that runs them */
    char *greeting;         /* a warning that the workbench opens with, heap; NULL: none */

    bool logging;         /* write a session log */
    const char *log_path; /* NULL: the default */
    eb_build build;

    /* State. */
    bool log_tried, log_opened;  /* opening the log was tried, it was opened */
    bool quitting;               /* quit was typed, the output went away, or a signal asked to end */
    bool interrupted;            /* Ctrl-C came; cleared when a line or script begins */
    int ended_by;                /* SIGTERM or SIGHUP, 0: neither */
    bool stepping;               /* a script's lines wait for the person, each */
    unsigned depth;              /* replay and watch inside each other */
    const eb_terminal *terminal; /* NULL: nobody has changed its modes */
};

/* Where text comes from, for messages: "demo.eb:3: …". */
typedef struct eb_origin {
    const char *name;
    unsigned long line;
} eb_origin;

/* Acts on the signals that have come: Ctrl-C cancels the job, where there is one. */
void eb_shell_heed_signals(eb_shell *shell, eb_job *job, eb_progress_line *line);

/* Waits until fd is readable or seconds (< 0: for ever) have passed, listening for signals and to the display's input,
 * which may be fd itself. fd −1: only waits. False when a signal interrupted. */
bool eb_shell_wait(eb_shell *shell, int fd, double seconds);

/* Waits for the person, where there is one. EB_CANCELLED: they want the script to stop. */
eb_code eb_shell_pause(eb_shell *shell, const char *sentence);

/* The program's exit status for an outcome: 0, 1, 2, 3 or 130. */
int eb_exit_status(eb_code code);
