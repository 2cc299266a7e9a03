/* panel: one view of the workbench. A panel draws reports from the desk and turns keys into commands. Its own state is
 * only a view of the reports (a cursor, a zoom, a filter). A new panel is a file of its own and a name in EB_PANELS.
 */
#pragma once

#include "draw/canvas.h"
#include "draw/lists/arrange.h"
#include "ui/desk.h"
#include "ui/terminal/keys.h"
#include "ui/widgets/hints.h"

enum { EB_MAX_BEGIN = 6 };

typedef struct eb_panel eb_panel;
struct eb_panel {
    const char *name;            /* "tune", as in the command `panel tune` */
    const char *title;           /* "Tune", on the tab */
    const char *about;           /* a sentence for the help overlay */
    const char *empty;           /* a sentence for the empty panel: why it shows nothing */
    eb_hint begin[EB_MAX_BEGIN]; /* the empty panel's keys or lines to type, and their effect; ends at keys == NULL */
    bool of_points;              /* the lines of `begin` need a dataset */
    eb_hint hint[EB_MAX_HINTS];  /* the panel's keys, also for the help overlay; ends at keys == NULL */

    void *(*create)(void); /* makes the panel's view state; NULL: out of memory */
    void (*destroy)(void *state);

    /* Optional. Called when the panel comes to the front, and when a report arrives while it is in front. May ask for a
     * report that needs no computing (a list from the log); computations start only after a key. Must not repeat a
     * command that failed. */
    void (*shown)(void *state, eb_desk *desk);

    /* Draws into the area inside the frame, which the workbench draws. Must cope with any size, and with missing,
     * partial or stale reports. */
    void (*draw)(void *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused);

    /* True if the panel used the key. A click has coordinates of the canvas; `area`: as last drawn. */
    bool (*key)(void *state, eb_desk *desk, eb_key key, eb_rect area);

    /* Optional: true while the panel takes every character (a filter is being typed). */
    bool (*typing)(const void *state);

    /* Optional: true while the panel offers a choice; arrows and Enter on an empty command line go to the panel then.
     */
    bool (*invites)(const void *state, const eb_desk *desk);
    const char *takes; /* what Enter does in that case: "load it" */

    /* Optional: true if a typed line must not run yet, since its effect would not be seen; says so on the desk. */
    bool (*holds)(const void *state, eb_desk *desk, const char *line);

    /* Optional: the command whose last report has the panel's picture, or "roofline", for `plot`; NULL: none yet. */
    const char *(*pictured)(void *state, const eb_desk *desk);

    /* Optional: the keys of what the panel shows now, in place of `hint` below it; NULL: those of `hint`. */
    const eb_hint *(*hints)(const void *state);

    /* Optional: arranges the panel's own list of the command's report as the command asks, which may be to show all;
     * false: it has none. */
    bool (*arrange)(void *state, const eb_desk *desk, const char *command, const eb_arrangement *wanted);

    /* Optional: the title of the column that the panel's list is sorted by, which '?' explains first; NULL: none. */
    const char *(*column)(void *state, const eb_desk *desk);
};

size_t eb_panel_count(void);
const eb_panel *eb_panel_at(size_t index);

/* All panels, in the order of the tabs; eb_panel_NAME is defined in NAME.c. */
#define EB_PANELS(X) X(data) X(tune) X(compare) X(accuracy) X(precision) X(counters) X(lab) X(log) X(lesson)

/* Draws a panel that has nothing to show: its sentence and its lines to type, with selectivities reduced to those that
 * the loaded points can have. */
void eb_draw_empty_panel(const eb_panel *panel, const eb_desk *desk, eb_canvas *canvas, eb_rect area);
/* Puts the first of these lines on the command line. */
void eb_type_first_step(const eb_panel *panel, eb_desk *desk);

/* Runs the line at the session's ε. Without an ε it puts `untuned` on the command line, for the person to add an S;
 * without a dataset it says so: "there is no dataset to WHAT on". */
void eb_run_at_eps(eb_desk *desk, const char *line, const char *untuned, const char *what);

#define EB_DECLARE_PANEL(name) extern const eb_panel eb_panel_##name;
EB_PANELS(EB_DECLARE_PANEL)
#undef EB_DECLARE_PANEL
