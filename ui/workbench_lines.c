/* workbench_lines: runs command lines one after another. A line entered while a command runs is answered at once if it
 * can run in the background (shell/background/background.h); otherwise it waits, and later runs with the settings in
 * force when it was entered.
 */
#include <stdlib.h>
#include <string.h>

#include "shell/background/background.h"
#include "ui/workbench_state.h"

enum { MOST_LOOKS = 20 };

/* The settings that the person sees and changes. */
static eb_settings *settings_of(const eb_workbench *w) { return &w->shell->background->settings; }

/* ---- while a command runs ---- */

static void wait_its_turn(eb_workbench *w, const char *text, eb_asker asker)
{
    const eb_waiting *line = eb_queue_add(&w->queue, text, settings_of(w), asker);
    if (!line)
        eb_desk_say(w->desk, EB_TONE_ERROR, "out of memory: the line was not taken");
    else if (w->in_line)
        eb_desk_say(w->desk, EB_TONE_NOTE, "queued as %u: %s", line->number, text);
}

/* The line's command, if it has exactly one and can be parsed; else NULL. The caller frees it. */
static eb_call *only_call(const char *text)
{
    const char *rest = text;
    eb_call *call = NULL, *more = NULL;
    if (eb_parse(text, &rest, &call, NULL))
        return NULL;
    if (call && (eb_parse(rest, &rest, &more, NULL) || more)) {
        eb_call_free(more);
        eb_call_free(call);
        return NULL;
    }
    return call;
}

/* Shows the report of `info` that is already there: the session cannot be read while a command runs. */
static bool shows_info(eb_workbench *w)
{
    if (!eb_desk_has_info(w->desk))
        return false;
    eb_workbench_bring(w, eb_workbench_panel_named("data"));
    eb_desk_say(w->desk, EB_TONE_NOTE, "info: as it was before `%s` began", eb_desk_running(w->desk));
    return true;
}

static bool is(const eb_call *call, const char *name) { return call && strcmp(call->command->name, name) == 0; }

static bool is_answered(eb_workbench *w, const char *text, eb_asker asker)
{
    eb_call *call = only_call(text);
    bool leaves = is(call, "quit"), informs = is(call, "info"), runs_by_person = w->by_person,
         runs_by_itself = w->by_itself;
    eb_call_free(call);
    if (leaves) {
        eb_workbench_ask_to_leave(w);
        return true;
    }
    if (informs && shows_info(w))
        return true;
    w->by_person = asker == EB_TYPED; /* for the reports that come now */
    w->by_itself = asker == EB_BY_PANEL;
    bool answered = eb_shell_background(w->shell, text);
    w->by_person = runs_by_person;
    w->by_itself = runs_by_itself;
    w->stale = true;
    return answered;
}

void eb_workbench_type(eb_workbench *w, const char *text)
{
    if (!w->in_line || !is_answered(w, text, EB_TYPED))
        wait_its_turn(w, text, EB_TYPED);
}

static void show_panel(eb_workbench *w, size_t index)
{
    const eb_panel *panel = eb_panel_at(index);
    if (panel->shown && w->view[index])
        panel->shown(w->view[index], w->desk);
}

static void show_panels(eb_workbench *w)
{
    show_panel(w, w->front);
    if (w->two)
        show_panel(w, w->beside);
}

/* Returns the source of the desk's next command. */
static eb_asker asker_of(const eb_desk *desk)
{
    return eb_desk_next_is_own(desk) ? EB_BY_PANEL : eb_desk_next_is_shown(desk) ? EB_TYPED : EB_BY_KEY;
}

void eb_workbench_serve(eb_workbench *w)
{
    for (unsigned looks = 0; w->in_line && looks < MOST_LOOKS; looks++) {
        if (w->runs) /* not during a pause: commands that panels ask for then would only wait */
            show_panels(w);
        eb_asker asker = asker_of(w->desk);
        char *asked = eb_desk_next_command(w->desk);
        if (!asked)
            return;
        if (!is_answered(w, asked, asker))
            wait_its_turn(w, asked, asker);
        free(asked);
    }
}

/* ---- while no command runs ---- */

static void run_line(eb_workbench *w, const char *text, const eb_settings *settings, eb_asker asker)
{
    eb_shell *shell = w->shell;
    const eb_settings before = *settings;
    shell->session->settings = before;
    w->by_person = asker == EB_TYPED;
    w->by_itself = asker == EB_BY_PANEL;
    w->in_line = true;
    (void)eb_shell_run(shell, text, NULL);
    w->in_line = false;
    bool cancelled = shell->interrupted;
    shell->interrupted = shell->ended_by != 0; /* Ctrl-C interrupted that line only */
    eb_settings_follow(settings_of(w), &before, &shell->session->settings);
    eb_queue_follow(&w->queue, &before, &shell->session->settings);
    shell->session->settings = *settings_of(w);
    eb_workbench_refresh(w);
    if (cancelled && !shell->quitting)
        eb_workbench_ask_to_go_on(w);
}

/* Runs the first waiting line, or else the desk's next command. False: there is neither. */
static bool run_next(eb_workbench *w)
{
    eb_waiting *line = eb_queue_take(&w->queue);
    eb_asker asker = asker_of(w->desk);
    char *asked = line ? NULL : eb_desk_next_command(w->desk);
    if (line)
        run_line(w, line->text, &line->settings, line->asker);
    else if (asked)
        run_line(w, asked, settings_of(w), asker);
    const bool ran = line || asked;
    free(line);
    free(asked);
    return ran;
}

void eb_workbench_run_waiting(eb_workbench *w)
{
    for (int looks = 0; !w->shell->quitting && looks < MOST_LOOKS;) {
        if (run_next(w))
            continue;
        looks++;
        show_panels(w);
        if (!run_next(w))
            return;
    }
}
