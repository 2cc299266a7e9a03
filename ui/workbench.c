/* workbench: the workbench's loop (keys, commands one after another, the screen), and the display to which dispatch
 * hands reports, errors and progress. */
#include "ui/workbench.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/report/find.h"
#include "kernels/device/cuda.h"
#include "shell/background/background.h"
#include "shell/background/behind.h"
#include "shell/background/messages.h"
#include "shell/language/lists.h"
#include "ui/terminal/crash.h"
#include "ui/terminal/line.h"
#include "ui/terminal/screen.h"
#include "ui/workbench_state.h"

enum { FRAMES_A_SECOND = 30 };
#define BEHIND_S 0.25 /* how often an exact pass in the background is looked at */

/* The panel that shows a command's reports; NULL: the overlay shows them. */
static const char *place_of(const char *name)
{
    const eb_command *command;
    return eb_command_find(name, &command, NULL) == EB_OK ? command->panel : NULL;
}

/* ---- the GPU, and time ---- */

static eb_gpu_sample ask_gpu(int device) { return (eb_gpu_sample){eb_cuda_now(device), eb_cuda_memory_now(device)}; }

/* Takes the newest sample of the GPU's clock, power, temperature and memory, twice a second. */
static void sample_gpu(eb_workbench *w)
{
    eb_device_kind kind;
    int index;
    eb_status ignored;
    double now_s = eb_now_s();
    if (w->in_memory || now_s - w->sampled_s < 0.5 || !eb_cuda_started() ||
        eb_device_parse(eb_desk_facts(w->desk)->device, &kind, &index, &ignored) || kind != EB_DEVICE_CUDA)
        return;
    w->sampled_s = now_s;
    if (!w->gpu_watch)
        w->gpu_watch = eb_gpu_watch_new(ask_gpu);
    eb_gpu_sample sample;
    if (w->gpu_watch && eb_gpu_watch_take(w->gpu_watch, index, &sample)) {
        eb_desk_set_gpu(w->desk, &sample.now);
        w->gpu_memory = sample.memory;
    }
    if (eb_desk_facts(w->desk)->device_model[0] == '\0' && !eb_desk_busy(w->desk))
        eb_workbench_refresh(w);
    w->stale = true;
}

/* Moves a played report on by one turn each EB_TURN_S; turns that a slow screen missed are not made up for. */
static void play(eb_workbench *w)
{
    const double now_s = eb_now_s();
    if (w->in_memory || !w->overlay.plays || now_s - w->turned_s < EB_TURN_S)
        return;
    w->turned_s = now_s;
    eb_overlay_tick(&w->overlay);
    w->stale = true;
}

/* ---- tune's exact pass in the background ---- */

static void look_behind(eb_workbench *w)
{
    if (!w->shell->session->behind)
        return;
    w->by_person = w->by_itself = false;
    eb_behind_show(w->shell);
    eb_workbench_refresh(w);
}

/* Seconds until something has to be drawn without a key; < 0: never. */
static double rests_s(const eb_workbench *w)
{
    const bool watched = strncmp(eb_desk_facts(w->desk)->device, "cuda:", 5) == 0;
    return w->overlay.plays ? EB_TURN_S : w->shell->session->behind ? BEHIND_S : watched ? 1.0 : -1.0;
}

/* ---- the display ---- */

/* Shows a command's message. A command of eb_desk_ask shows only warnings, and replaces no warning or error. A key's
 * command replaces messages from before the key, but not the complaint of an earlier command of the same key. */
static void note(eb_workbench *w, eb_tone wanted, const char *before, const char *text)
{
    eb_tone tone;
    (void)eb_desk_message(w->desk, &tone);
    const bool hides_nothing = tone == EB_TONE_NOTE, is_older = eb_desk_said(w->desk) == w->said_at_key;
    if (w->by_itself ? hides_nothing && wanted != EB_TONE_NOTE : w->by_person || hides_nothing || is_older)
        eb_desk_say(w->desk, wanted, "%s%s", before, text);
}

static void keep(const eb_workbench *w, const char *command, const char *text)
{
    char line[1024];
    (void)snprintf(line, sizeof line, "%.40s: %s", command, text);
    eb_messages_add(w->shell->session->messages, eb_is_warning(text) ? "warning" : "note", line);
}

static void begins(void *context, const eb_call *call)
{
    eb_workbench *w = context;
    eb_crash_running(call->text);
    const unsigned about_us = EB_IMMEDIATE | EB_UNLOGGED; /* dump, help, panel: these leave overlay and message alone */
    if ((call->command->flags & about_us) != about_us) {
        if (w->by_person) {
            eb_overlay_close(&w->overlay);
            eb_slide_show_close(&w->slides);
        }
        const unsigned long said = eb_desk_said(w->desk);
        note(w, EB_TONE_NOTE, "", call->text);
        if (eb_desk_said(w->desk) != said)
            w->echo = eb_desk_said(w->desk);
    }
    if (call->command->flags & EB_IMMEDIATE)
        return;
    w->runs = true;
    w->read = eb_desk_said(w->desk);
    eb_desk_set_running(w->desk, call->text);
    const char *place = call->command->panel;
    if (place && w->by_person)
        eb_workbench_bring(w, eb_workbench_panel_named(place));
    eb_workbench_draw(w);
}

static void ends(void *context, const eb_call *call, eb_code outcome, double seconds)
{
    eb_workbench *w = context;
    (void)seconds;
    w->runs = false;
    w->wanted = (eb_arrangement){0};
    if (!eb_call_lists_only(call))
        w->wanted = eb_call_arrangement(call);
    eb_crash_running("");
    eb_desk_set_running(w->desk, NULL);
    if (outcome == EB_CANCELLED)
        eb_desk_say(w->desk, EB_TONE_WARNING, "%s: interrupted; what was finished is kept", call->command->name);
    eb_workbench_refresh(w);
}

/* Draws between two commands of a line: the next one may be a pause, during which nothing is drawn. */
static void show_in_line(eb_workbench *w)
{
    if (w->in_line && !w->runs)
        eb_workbench_draw(w);
}

/* Shows one sentence of a report: a warning, else the conclusion, else the first note. `messages` lists them all. */
static void say_what_it_says(eb_workbench *w, const eb_report *report)
{
    char before[48];
    const char *warning = eb_report_warning(report), *answer = report->conclusion, *said = warning ? warning : answer;
    size_t kept = said && said == answer ? 0 : 1;
    if (!said && report->notes == 0)
        return;
    (void)snprintf(before, sizeof before, "%.40s: ", report->command);
    if (warning && answer)
        keep(w, report->command, answer);
    for (size_t k = report->notes; k-- > kept;)
        keep(w, report->command, report->note[k]);
    note(w, warning ? EB_TONE_WARNING : EB_TONE_NOTE, before, said ? said : report->note[0]);
}

/* Opens the list that the command asked to arrange. The panel draws all rows. */
static void open_list(eb_workbench *w, const char *command, const char *panel)
{
    eb_status status = {0};
    const size_t index = eb_workbench_panel_named(panel);
    const eb_panel *own = eb_panel_at(index);
    if (!w->by_person)
        return;
    const bool done = own->arrange && w->view[index] && own->arrange(w->view[index], w->desk, command, &w->wanted);
    if (done || !eb_arranges(&w->wanted))
        return;
    if (!eb_overlay_lists(&w->overlay, w->desk, panel) ||
        eb_browser_arrange(&w->overlay.browser, command, &w->wanted, &status)) {
        eb_overlay_close(&w->overlay);
        eb_desk_say(w->desk, EB_TONE_ERROR, "%s: %s", command,
                    status.message[0] ? status.message : "there is no list to arrange in this report");
    }
}

static void take_report(void *context, eb_report *report, bool partial)
{
    eb_workbench *w = context;
    (void)partial;
    char command[48];
    const char *place = place_of(report->command);
    w->stale = true;
    if (w->by_person && eb_slide_show_open(&w->slides, report, w->shell->console)) {
        show_in_line(w);
        return;
    }
    if (place) {
        say_what_it_says(w, report);
        if (w->by_person && strcmp(report->command, "info") == 0 && eb_desk_has_info(w->desk))
            eb_desk_say(w->desk, EB_TONE_NOTE, "info: nothing has changed since it was shown");
        if (w->by_person)
            eb_workbench_bring(w, eb_workbench_panel_named(place));
        (void)snprintf(command, sizeof command, "%s", report->command);
        eb_desk_take_report(w->desk, report);
        open_list(w, command, place);
    } else if (w->by_person) {
        eb_overlay_report(&w->overlay, report);
    } else {
        eb_desk_take_report(w->desk, report);
    }
    show_in_line(w);
}

static void take_error(void *context, const char *command, const eb_status *failure)
{
    eb_workbench *w = context;
    eb_desk_say(w->desk, EB_TONE_ERROR, "%s: %s", command, failure->message);
    w->stale = true;
}

static void take_warning(void *context, const char *sentence)
{
    eb_workbench *w = context;
    eb_desk_say(w->desk, EB_TONE_WARNING, "%s", sentence);
    w->stale = true;
}

static void read_keys(void *context)
{
    eb_workbench *w = context;
    eb_key key;
    bool any = false;
    while (eb_screen_key(&key)) {
        any = true;
        if (eb_key_is(key, 'Z' & 31))
            (void)kill(getpid(), SIGTSTP); /* handled when the signals' descriptor becomes readable */
        else
            eb_workbench_key(w, key);
    }
    if (!any && eb_screen_gone()) {
        eb_workbench_hang_up(w);
        return;
    }
    w->stale |= eb_screen_recoloured();
    if (any)
        eb_workbench_serve(w);
    if (w->stale)
        eb_workbench_draw(w);
}

/* Presses the part of a key script that is marked to be pressed while a command runs. */
static void press_scripted(eb_workbench *w)
{
    eb_key key;
    const char *error = NULL, *rest = w->script;
    if (!w->script || !eb_key_parse(w->script, &rest, &key, &error) || key.code != EB_KEY_DURING)
        return;
    w->script = rest;
    while (eb_key_parse(w->script, &w->script, &key, &error) && key.code != EB_KEY_AFTER) {
        eb_workbench_key(w, key);
        eb_workbench_serve(w);
    }
}

static void progress(void *context, const eb_progress *now, eb_report *live)
{
    eb_workbench *w = context;
    eb_desk_set_progress(w->desk, now);
    if (live)
        eb_desk_take_live(w->desk, live);
    if (w->in_memory)
        press_scripted(w);
    sample_gpu(w);
    play(w);
    if (w->stale || live || eb_now_s() - w->drawn_s > 1.0 / FRAMES_A_SECOND)
        eb_workbench_draw(w);
}

static eb_code bring_panel(void *context, const char *name, eb_status *status)
{
    size_t panel = eb_workbench_panel_named(name);
    if (panel == eb_panel_count())
        return eb_fail(status, EB_NOT_FOUND, "no panel \"%s\"", name);
    eb_workbench *w = context;
    eb_overlay_close(&w->overlay);
    if (panel != w->front)
        eb_desk_look_away(w->desk);
    eb_workbench_bring(w, panel);
    show_in_line(w);
    return EB_OK;
}

/* ---- begin and end ---- */

static eb_workbench *on_terminal; /* for resize and resume, which take no argument */

static void resize(void)
{
    int columns, rows;
    eb_status ignored;
    eb_screen_resize();
    eb_screen_size(&columns, &rows);
    if (on_terminal && eb_canvas_resize(&on_terminal->canvas, columns, rows, &ignored) == EB_OK)
        eb_workbench_draw(on_terminal);
}

static void resume(void)
{
    eb_screen_resume();
    resize();
}

static const eb_terminal terminal = {eb_screen_suspend, resume, resize};

static eb_code begin(eb_workbench *w, eb_display *display, eb_shell *shell, int columns, int rows, eb_status *status)
{
    *w = (eb_workbench){.shell = shell,
                        .desk = eb_desk_new(),
                        .beside = 1,
                        .in_memory = shell->terminal == NULL,
                        .gpu_memory = {NAN, NAN}};
    w->canvas.unicode = shell->unicode;
    shell->live = eb_live_new();
    shell->session->queue = &w->queue;
    shell->session->gallery = eb_workbench_gallery(w);
    shell->background = eb_background_new(shell->session);
    if (!w->desk || !shell->live || !shell->background)
        return eb_fail_memory(status, "the workbench", sizeof *w);
    EB_TRY(eb_canvas_resize(&w->canvas, columns, rows, status));
    eb_desk_keep(w->desk, shell->session->messages);
    for (size_t k = 0; k < eb_panel_count() && k < EB_MOST_PANELS; k++)
        w->view[k] = eb_panel_at(k)->create();
    *display = (eb_display){
        .context = w,
        .input_fd = w->in_memory ? -1 : STDIN_FILENO,
        .begins = begins,
        .ends = ends,
        .report = take_report,
        .error = take_error,
        .warning = take_warning,
        .input = read_keys,
        .progress = progress,
        .dump = eb_workbench_dump,
        .panel = bring_panel,
    };
    shell->display = display;
    shell->ask = eb_workbench_ask;
    shell->pause = eb_workbench_pause;
    eb_status unusable;
    eb_code left_out = eb_line_open(&unusable);
    eb_line_begin("", NULL);
    eb_workbench_refresh(w);
    if (shell->greeting)
        eb_desk_say(w->desk, EB_TONE_WARNING, "%s", shell->greeting);
    else if (left_out)
        eb_desk_say(w->desk, EB_TONE_WARNING, "%s", unusable.message);
    else
        /* EB_TONE_GOOD: the echo of a command does not replace it. */
        eb_desk_say(w->desk, EB_TONE_GOOD, "`load demo:stars` or `load FILE` to begin; F1 for help");
    return EB_OK;
}

static void end(eb_workbench *w)
{
    eb_shell *shell = w->shell;
    eb_line_close();
    eb_behind_leave(shell->session->behind);
    shell->session->behind = NULL;
    eb_overlay_close(&w->overlay);
    eb_slide_show_close(&w->slides);
    for (size_t k = 0; k < eb_panel_count() && k < EB_MOST_PANELS; k++)
        if (w->view[k])
            eb_panel_at(k)->destroy(w->view[k]);
    (void)eb_queue_clear(&w->queue);
    eb_gpu_watch_free(w->gpu_watch);
    eb_background_free(shell->background);
    shell->background = NULL;
    shell->session->queue = NULL;
    shell->session->gallery = (eb_gallery){0};
    eb_desk_free(w->desk);
    eb_canvas_free(&w->canvas);
    shell->display = NULL;
    shell->ask = NULL;
    shell->pause = NULL;
    shell->session->live = NULL;
    eb_live_free(shell->live);
    shell->live = NULL;
}

eb_code eb_workbench_run(eb_shell *shell, const char *first, eb_status *status)
{
    eb_workbench w;
    eb_display display;
    int columns, rows;
    EB_TRY(eb_screen_open(shell->session->settings.theme, status));
    shell->terminal = &terminal;
    eb_screen_size(&columns, &rows);
    eb_code failed = begin(&w, &display, shell, columns, rows, status);
    on_terminal = &w;
    if (!failed && first)
        eb_workbench_type(&w, first);
    if (!failed)
        read_keys(&w); /* keys pressed while the screen was opened */
    while (!failed && !shell->quitting) {
        eb_workbench_run_waiting(&w);
        look_behind(&w);
        sample_gpu(&w);
        play(&w);
        if (w.stale)
            eb_workbench_draw(&w);
        if (shell->quitting)
            break;
        if (eb_shell_wait(shell, STDIN_FILENO, rests_s(&w))) {
            read_keys(&w);
        } else if (!shell->quitting) { /* SIGINT sent by another process */
            shell->interrupted = false;
            eb_line_clear();
            w.stale = true;
        }
        shell->interrupted = shell->ended_by != 0;
    }
    on_terminal = NULL;
    eb_screen_close();
    shell->terminal = NULL;
    end(&w);
    return failed;
}

eb_code eb_workbench_script(eb_shell *shell, const char *script, int columns, int rows, eb_status *status)
{
    eb_workbench w;
    eb_display display;
    eb_key key;
    const char *error = NULL;
    shell->terminal = NULL;
    eb_code failed = begin(&w, &display, shell, columns, rows, status);
    if (!failed) {
        w.script = script;
        eb_workbench_run_waiting(&w);
        eb_workbench_draw(&w);
    }
    while (!failed && !shell->quitting && eb_key_parse(w.script, &w.script, &key, &error)) {
        if (key.code == EB_KEY_TICK)
            eb_overlay_tick(&w.overlay);
        else if (key.code == EB_KEY_RESIZE)
            failed = eb_canvas_resize(&w.canvas, key.x, key.y, status);
        else if (key.code != EB_KEY_DURING &&
                 key.code != EB_KEY_AFTER) /* the command ended before its marks were read */
            eb_workbench_key(&w, key);
        eb_workbench_run_waiting(&w);
        look_behind(&w);
        eb_workbench_draw(&w);
    }
    if (!failed && error)
        failed = eb_fail(status, EB_USAGE, "the script of keys, at byte %zu: %s", (size_t)(w.script - script), error);
    end(&w);
    return failed;
}
