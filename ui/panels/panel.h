/* panel: one screenful of the workbench. A panel draws reports from the desk and turns keys into commands for it; it
 * owns only how it looks at them (a cursor, a zoom, a filter). Adding one touches its file and one line of panels.c.
 */
#pragma once

#include "draw/canvas.h"
#include "ui/desk.h"
#include "ui/terminal/keys.h"
#include "ui/widgets/hints.h"

enum { EB_MAX_BEGIN = 6 };

typedef struct eb_panel eb_panel;
struct eb_panel {
    const char *name;            /* "tune": also the word that `panel tune` takes */
    const char *title;           /* "Tune", on its tab */
    const char *about;           /* a sentence for the help overlay */
    const char *empty;           /* why there is nothing to show yet, in a sentence */
    eb_hint begin[EB_MAX_BEGIN]; /* what to press or type then, and what it will show; ends at keys == NULL */
    bool of_points;              /* none of it can be done without a dataset */
    eb_hint hint[EB_MAX_HINTS];  /* ends at keys == NULL; also the help overlay's */

    void *(*create)(void); /* its view state, zeroed world; NULL: out of memory */
    void (*destroy)(void *state);

    /* Optional: it came to the front, or a report arrived while it is there. May ask for what is there at once (a list
     * out of the log); nothing that computes begins because a panel is looked at: Enter asks for that. Must not ask
     * again for what failed. */
    void (*shown)(void *state, eb_desk *desk);

    /* Draws into the area, frame excluded (the workbench draws frame and title). Copes with any size and with missing,
     * partial or stale reports. */
    void (*draw)(void *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused);

    /* True when the key was for it. A click has coordinates of the canvas; `area` is what draw was given last. */
    bool (*key)(void *state, eb_desk *desk, eb_key key, eb_rect area);

    /* Optional: true while it takes every character itself (a filter being typed). */
    bool (*typing)(const void *state);

    /* Optional: true while there is something to choose first of all: on an empty command line the arrows are its, too.
     */
    bool (*invites)(const void *state, const eb_desk *desk);
    const char *takes; /* what Enter does then: "load it" */

    /* Optional: the title of the column that its list is sorted by, which '?' explains first; NULL: none. */
    const char *(*column)(void *state, const eb_desk *desk);
};

size_t eb_panel_count(void);
const eb_panel *eb_panel_at(size_t index);

/* Every panel, in the order of the tabs; eb_panel_NAME is in NAME.c. */
#define EB_PANELS(X) X(data) X(tune) X(compare) X(accuracy) X(counters) X(lab) X(log) X(lesson)

/* Drawn by a panel while it has nothing to show. Selectivities are those that the loaded points can have. */
void eb_draw_empty_panel(const eb_panel *panel, const eb_desk *desk, eb_canvas *canvas, eb_rect area);
/* Puts the first of its lines to type, as it is drawn there, on the command line. */
void eb_type_first_step(const eb_panel *panel, eb_desk *desk);

/* Runs the line on the loaded points at the session's ε; without an ε types `untuned`, for a person to end with an S.
 */
void eb_run_at_eps(eb_desk *desk, const char *line, const char *untuned, const char *what);

#define EB_DECLARE_PANEL(name) extern const eb_panel eb_panel_##name;
EB_PANELS(EB_DECLARE_PANEL)
#undef EB_DECLARE_PANEL
