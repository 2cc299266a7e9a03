/* workbench_state: the workbench's state as its parts share it: what it draws (workbench_draw.c), what keys do
 * (workbench_keys.c), what it asks (workbench_ask.c), the loop and the display (workbench.c). Not for others.
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
#define EB_TURN_S 0.1 /* of what the overlay shows in turns */

typedef enum eb_focus { EB_FOCUS_LINE, EB_FOCUS_PANEL } eb_focus;

typedef struct eb_workbench {
    eb_shell *shell;
    eb_desk *desk;
    eb_canvas canvas;
    eb_layout layout;
    eb_overlay overlay;
    eb_slide_show slides; /* over all of it, but for a question */

    void *view[EB_MOST_PANELS]; /* the panels' states */
    size_t front, beside;       /* the panel in front, the one beside it */
    bool two;
    eb_focus focus;

    eb_queue queue;            /* lines that wait */
    bool by_person;            /* the running command was typed: its panel comes to the front */
    bool runs;                 /* a command runs */
    bool in_line;              /* a line does: also between its commands, and while `watch` pauses */
    bool by_itself;            /* a panel asked for it, and no key did: nobody misses it */
    bool lent;                 /* a panel's key began the line: the keys are the panel's again when it ends */
    bool closed_by_q;          /* the last key, a q, closed an overlay above an empty line */
    unsigned long read;        /* what was said (desk.h) before the last key, or before what runs began */
    unsigned long said_at_key; /* … before the last key */
    unsigned long echo;        /* the message that repeats the line: one row is enough for it; 0: there is none */
    unsigned long no_key;      /* the message that a key means nothing; 0: there is none */
    const char *question;      /* it waits for an answer to this; NULL: to none */
    bool paused;               /* the question is a script's that pauses */
    const char *script;        /* the keys to come, where there is no terminal */
    bool pasting;              /* what comes is text, no keys */
    bool pasted_newline;       /* … and a line has ended */
    bool in_memory;            /* no terminal: keys come from a script */
    bool stale;                /* the screen shows something old */
    double drawn_s, sampled_s; /* when the screen was drawn, when the GPU was asked */
    double turned_s;           /* when a turn of the overlay's passed */
    int cursor_x, cursor_y;    /* the command line's, on the canvas; x < 0: it is not seen */
    eb_gpu_watch *gpu_watch;   /* NULL until there is one to watch */
    eb_gpu_memory gpu_memory;
    char prompt[160];
    const void *dataset; /* to see that it changed */
    char hash[65];
} eb_workbench;

void eb_workbench_bring(eb_workbench *w, size_t panel); /* to the front */
bool eb_workbench_invites(const eb_workbench *w); /* the panel in front: ↑ ↓ Enter choose, whatever has the focus */
size_t eb_workbench_panel_named(const char *name); /* eb_panel_count(): there is none */
void eb_workbench_hang_up(eb_workbench *w);        /* the terminal is gone: as SIGHUP does */
void eb_workbench_refresh(eb_workbench *w);        /* copies what is shown of the session, while no command runs */

/* workbench_draw.c */
void eb_workbench_paint(eb_workbench *w);           /* on the canvas alone */
void eb_workbench_draw(eb_workbench *w);            /* and that on the screen */
eb_theme eb_workbench_theme(const eb_workbench *w); /* what the person chose */
bool eb_workbench_in_slides(const eb_workbench *w); /* they are all that is seen, and have the keys */
int eb_workbench_tab(const eb_workbench *w, size_t panel, char *text,
                     size_t size); /* a tab as it is drawn; its columns */

/* workbench_dump.c */
eb_code eb_workbench_dump(void *context, const char *path, eb_status *status); /* eb_display's dump */

/* workbench_ask.c */
bool eb_workbench_ask(eb_shell *shell, const char *question); /* eb_shell's ask */
void eb_workbench_ask_to_go_on(eb_workbench *w);          /* after Ctrl-C: with the lines that wait, or drops them */
void eb_workbench_ask_to_leave(eb_workbench *w);          /* while a command runs: ends it and all, or goes on */
bool eb_workbench_next_key(eb_workbench *w, eb_key *key); /* false: a signal interrupted, or the terminal is gone */

/* workbench_pause.c */
eb_pace eb_workbench_pause(eb_shell *shell, const char *sentence); /* eb_shell's pause */

/* workbench_keys.c */
void eb_workbench_key(eb_workbench *w, eb_key key);

/* workbench_lines.c */
void eb_workbench_type(eb_workbench *w,
                       const char *text);       /* a line as a person types it: answered or put in the queue */
void eb_workbench_serve(eb_workbench *w);       /* while a command runs: what panels ask for, likewise */
void eb_workbench_run_waiting(eb_workbench *w); /* all of it, until there is nothing more */
