/* workbench_pictures: the reports whose pictures `plot` draws: what is in front, and the last report of a command. */
#include <string.h>

#include "draw/figure/figure.h"
#include "ui/workbench_state.h"

static const eb_report *shown_over(const eb_workbench *w)
{
    return w->overlay.kind == EB_OVERLAY_REPORT && eb_figure_count(w->overlay.report) > 0 ? w->overlay.report : NULL;
}

/* What lies over the panels comes first, then the panel in front, then the newest report with a picture. */
static const char *front(const void *context)
{
    const eb_workbench *w = context;
    const eb_panel *panel = eb_panel_at(w->front);
    const char *own = panel->pictured && w->view[w->front] ? panel->pictured(w->view[w->front], w->desk) : NULL;
    return shown_over(w) ? shown_over(w)->command : own ? own : eb_desk_newest(w->desk, NULL);
}

static const eb_report *of(const void *context, const char *command)
{
    const eb_workbench *w = context;
    const eb_report *over = shown_over(w);
    return over && strcmp(over->command, command) == 0 ? over : eb_desk_report(w->desk, command);
}

eb_gallery eb_workbench_gallery(const eb_workbench *w)
{
    return (eb_gallery){.context = w, .shown = true, .front = front, .of = of};
}

void eb_workbench_type_plot(eb_workbench *w)
{
    const char *command = front(w);
    if (command)
        eb_desk_type(w->desk, "plot %s.svg", command);
    else
        eb_desk_say(w->desk, EB_TONE_WARNING, "there is no picture to write yet");
}
