/* workbench_state: the workbench's state, shared by its own files alone: drawing (workbench_draw.c), keys
 * (workbench_keys.c), questions (workbench_ask.c), the loop and the display (workbench.c).
 */
#pragma once

#include "draw/layout.h"
#include "shell/background/queue.h"
#include "shell/dispatch.h"
#include "ui/gpu_watch.h"
#include "ui/panels/panel.h"
#include "ui/widgets/overlay.h"
#include "ui/widgets/slide_show.h"

enum { EB_MOST_PANELS = 16 };
#define EB_TURN_S 0.1 /* seconds between two turns of a played report (core/report/report.h) */

typedef enum eb_focus { EB_FOCUS_LINE, EB_FOCUS_PANEL } eb_focus;

typedef struct eb_workbench {
    eb_shell *shell;
    eb_desk *desk;
    eb_canvas canvas;
    eb_layout layout;
    eb_overlay overlay;
    eb_slide_show slides; /* drawn over everything but a question */

    void *view[EB_MOST_PANELS]; /* the panels' states */
    size_t front, beside;       /* the panel in front, the one beside it */
    bool two;
    eb_focus focus;

    eb_queue queue;            /* lines that wait for the running one */
    bool by_person;            /* the running command was typed: its panel comes to the front */
    bool runs;                 /* a command runs */
    bool in_line;              /* a line runs: also true between its commands, and while `watch` pauses */
    bool by_itself;            /* the running command comes from eb_desk_ask: quitting does not wait for it */
    bool lent;                 /* a panel's key began the typed line: the focus returns to the panel after it */
    eb_arrangement wanted;     /* how the command asks to list its report, which comes next; texts are its call's */
    bool closed_by_q;          /* the last key was a q that closed an overlay above an empty line */
    unsigned long read;        /* eb_desk_said before the last key, or before the running command began */
    unsigned long said_at_key; /* eb_desk_said before the last key */
    unsigned long echo;        /* number of the message that repeats the line, which takes one row; 0: none */
    unsigned long no_key;      /* number of the message that a key has no meaning; 0: none */
    const char *question;      /* the question that waits for an answer; NULL: none */
    bool paused;               /* that question is a pause in a script */
    const char *script;        /* keys still to come, where there is no terminal */
    bool pasting;              /* input is pasted text, not keys */
    bool pasted_newline;       /* the pasted text has had a line's end */
    bool in_memory;            /* no terminal: keys come from `script` */
    bool stale;                /* the state has changed since the screen was drawn */
    double drawn_s, sampled_s; /* when the screen was last drawn, and the GPU last sampled */
    double turned_s;           /* when the overlay's report last took a turn */
    int cursor_x, cursor_y;    /* the command line's cursor on the canvas; x < 0: hidden */
    eb_gpu_watch *gpu_watch;   /* NULL while no GPU is watched */
    eb_gpu_memory gpu_memory;
    char prompt[160];
    const void *dataset; /* the dataset that the facts describe: another address means another dataset */
    char hash[65];
} eb_workbench;

void eb_workbench_bring(eb_workbench *w, size_t panel); /* to the front */
bool eb_workbench_invites(const eb_workbench *w); /* in the panel in front ↑ ↓ Enter choose, wherever the focus is */
size_t eb_workbench_panel_named(const char *name); /* eb_panel_count(): no panel has this name */
void eb_workbench_hang_up(eb_workbench *w);        /* the terminal is gone: acts as SIGHUP does */
void eb_workbench_refresh(eb_workbench *w);        /* copies facts from the session; only while no command runs */

/* workbench_draw.c */
void eb_workbench_paint(eb_workbench *w);           /* draws on the canvas */
void eb_workbench_draw(eb_workbench *w);            /* draws on the canvas and copies the canvas to the screen */
eb_theme eb_workbench_theme(const eb_workbench *w); /* as set by the person */
bool eb_workbench_in_slides(const eb_workbench *w); /* slides cover the screen and receive the keys */
/* Writes the text of a panel's tab; returns its columns. */
int eb_workbench_tab(const eb_workbench *w, size_t panel, char *text, size_t size);

/* workbench_dump.c */
eb_code eb_workbench_dump(void *context, const char *path, eb_status *status); /* eb_display's dump */

/* workbench_pictures.c */
eb_gallery eb_workbench_gallery(const eb_workbench *w);
void eb_workbench_type_plot(eb_workbench *w); /* begins the line that writes the picture in front */

/* workbench_ask.c */
bool eb_workbench_ask(eb_shell *shell, const char *question); /* eb_shell's ask */
void eb_workbench_ask_to_go_on(eb_workbench *w);              /* after Ctrl-C: run the waiting lines, or drop them? */
void eb_workbench_ask_to_leave(eb_workbench *w);              /* while a command runs: cancel it and quit? */
bool eb_workbench_next_key(eb_workbench *w, eb_key *key);     /* false: a signal arrived, or the terminal is gone */

/* workbench_pause.c */
eb_pace eb_workbench_pause(eb_shell *shell, const char *sentence); /* eb_shell's pause */

/* workbench_keys.c */
void eb_workbench_key(eb_workbench *w, eb_key key);

/* workbench_lines.c */
/* Runs a line as if typed: at once where it may run beside the running command, else from the queue. */
void eb_workbench_type(eb_workbench *w, const char *text);
void eb_workbench_serve(eb_workbench *w);       /* while a command runs: does the same with the panels' commands */
void eb_workbench_run_waiting(eb_workbench *w); /* runs queued lines and panels' commands until none is left */
