/* The loop: keys, commands in their turn, the screen; and the front through which dispatch
 * shows what commands return. */
#include "ui/workbench.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "draw/svg.h"
#include "kernels/device/cuda.h"
#include "shell/repl.h"
#include "ui/terminal/crash.h"
#include "ui/terminal/line.h"
#include "ui/terminal/screen.h"
#include "ui/workbench_parts.h"

enum { FRAMES_A_SECOND = 30, MOST_LOOKS = 20 };

/* NULL: none shows its reports, they come as an overlay. */
static const char *place_of(const char *name)
{
    const eb_command *command;
    return eb_command_find(name, &command, NULL) == EB_OK ? command->panel : NULL;
}

/* ---- facts: what the screen shows of the session, copied while no command runs ---- */

static void name_dataset(const eb_dataset *ds, char *buffer, size_t size)
{
    const char *source = ds->source ? ds->source : "?", *slash = strrchr(source, '/');
    (void)snprintf(buffer, size, "%.60s", slash && slash[1] ? slash + 1 : source);
}

static void refresh_facts(eb_bench *bench)
{
    const eb_session *session = bench->shell->session;
    eb_facts facts = *eb_desk_facts(bench->desk);
    const eb_dataset *ds = session->dataset;
    facts.has_dataset = ds != NULL;
    facts.eps = session->eps;
    if (ds && (bench->dataset != ds || strcmp(bench->hash, ds->sha256) != 0)) {
        bench->dataset = ds;
        memcpy(bench->hash, ds->sha256, sizeof bench->hash);
        facts.dataset_serial++;
        name_dataset(ds, facts.dataset, sizeof facts.dataset);
        facts.n = ds->n;
        facts.d = ds->d;
        (void)snprintf(facts.dtype, sizeof facts.dtype, "%s", eb_dtype_name(ds->dtype));
    }
    if (strcmp(facts.device, session->settings.device) != 0) {
        eb_device device;
        eb_status ignored;
        (void)snprintf(facts.device, sizeof facts.device, "%s", session->settings.device);
        facts.device_model[0] = '\0';
        if (eb_session_device(session, &device, &ignored) == EB_OK && device.kind == EB_DEVICE_CUDA)
            (void)snprintf(facts.device_model, sizeof facts.device_model, "%.79s", device.model);
    }
    if (session->session_row > 0)
        (void)snprintf(facts.log, sizeof facts.log, "session %lld", (long long)session->session_row);
    else
        (void)snprintf(facts.log, sizeof facts.log, "%s", bench->shell->logging ? "" : "no log");
    eb_desk_set_facts(bench->desk, &facts);
    (void)eb_prompt(session, bench->shell->unicode, bench->prompt, sizeof bench->prompt);
    eb_line_prompt(bench->prompt);
    bench->stale = true;
}

/* The GPU's clock and power, twice a second. */
static void sample_gpu(eb_bench *bench)
{
    eb_device_kind kind;
    int index;
    eb_status ignored;
    double now_s = eb_now_s();
    if (bench->in_memory || now_s - bench->sampled_s < 0.5 ||
        eb_device_parse(eb_desk_facts(bench->desk)->device, &kind, &index, &ignored) || kind != EB_DEVICE_CUDA)
        return;
    bench->sampled_s = now_s;
    eb_gpu_now now = eb_cuda_now(index);
    eb_desk_set_gpu(bench->desk, &now);
    bench->stale = true;
}

/* ---- the front ---- */

/* What a panel asks for by itself hides no complaint. */
static void note(eb_bench *bench, const char *before, const char *text)
{
    eb_tone tone;
    (void)eb_desk_message(bench->desk, &tone);
    if (bench->by_person || tone == EB_TONE_NOTE)
        eb_desk_say(bench->desk, EB_TONE_NOTE, "%s%s", before, text);
}

static void begins(void *context, const eb_call *call)
{
    eb_bench *bench = context;
    eb_crash_running(call->text);
    const unsigned about_us = EB_IMMEDIATE | EB_UNLOGGED; /* dump, help, panel: the screen stays as it is for them */
    if ((call->command->flags & about_us) != about_us) {
        if (bench->by_person)
            eb_overlay_close(&bench->overlay);
        note(bench, "", call->text);
    }
    if (call->command->flags & EB_IMMEDIATE)
        return;
    bench->runs = true;
    eb_desk_set_running(bench->desk, call->text);
    const char *place = call->command->panel;
    if (place && bench->by_person)
        eb_bench_bring(bench, eb_bench_panel_named(place));
    eb_bench_draw(bench);
}

static void ends(void *context, const eb_call *call, eb_code outcome, double seconds)
{
    eb_bench *bench = context;
    (void)seconds;
    bench->runs = false;
    eb_crash_running("");
    eb_desk_set_running(bench->desk, NULL);
    if (outcome == EB_CANCELLED)
        eb_desk_say(bench->desk, EB_TONE_WARNING, "%s: interrupted; what was finished is kept", call->command->name);
    refresh_facts(bench);
}

static void take_report(void *context, eb_report *report, bool partial)
{
    eb_bench *bench = context;
    (void)partial;
    const char *place = place_of(report->command);
    bench->stale = true;
    if (report->notes > 0 && place) {
        char before[48];
        (void)snprintf(before, sizeof before, "%.40s: ", report->command);
        note(bench, before, report->note[0]);
    }
    if (place) {
        if (bench->by_person)
            eb_bench_bring(bench, eb_bench_panel_named(place));
        eb_desk_take_report(bench->desk, report);
    } else if (bench->by_person) {
        eb_overlay_report(&bench->overlay, report);
    } else {
        eb_desk_take_report(bench->desk, report);
    }
}

static void take_error(void *context, const char *command, const eb_status *failure)
{
    eb_bench *bench = context;
    eb_desk_say(bench->desk, EB_TONE_ERROR, "%s: %s", command, failure->message);
    bench->stale = true;
}

static void take_warning(void *context, const char *sentence)
{
    eb_bench *bench = context;
    eb_desk_say(bench->desk, EB_TONE_WARNING, "%s", sentence);
    bench->stale = true;
}

static void read_keys(void *context)
{
    eb_bench *bench = context;
    eb_key key;
    bool any = false;
    while (eb_screen_key(&key)) {
        any = true;
        if (eb_key_is(key, 'Z' & 31))
            (void)kill(getpid(), SIGTSTP); /* comes back through the signals' descriptor */
        else
            eb_bench_key(bench, key);
    }
    if (!any && eb_screen_gone()) { /* as SIGHUP does */
        bench->shell->interrupted = bench->shell->quitting = true;
        bench->shell->ended_by = SIGHUP;
        return;
    }
    if (bench->stale)
        eb_bench_draw(bench);
}

static void progress(void *context, const eb_progress *now, eb_report *live)
{
    eb_bench *bench = context;
    eb_desk_set_progress(bench->desk, now);
    if (live)
        eb_desk_take_live(bench->desk, live);
    sample_gpu(bench);
    if (bench->stale || live || eb_now_s() - bench->drawn_s > 1.0 / FRAMES_A_SECOND)
        eb_bench_draw(bench);
}

static eb_code dump(void *context, const char *path, eb_status *status)
{
    eb_bench *bench = context;
    eb_bench_draw(bench);
    FILE *out = fopen(path, "w");
    if (!out)
        return eb_fail(status, EB_IO, "%s cannot be written: %s", path, strerror(errno));
    size_t length = strlen(path);
    bool picture = length > 4 && strcmp(path + length - 4, ".svg") == 0;
    eb_code failed = picture ? eb_canvas_svg(&bench->canvas, out, status) : eb_canvas_dump(&bench->canvas, out, status);
    if (fclose(out) != 0 && !failed)
        failed = eb_fail(status, EB_IO, "%s could not be written to its end: %s", path, strerror(errno));
    return failed;
}

static eb_code bring_panel(void *context, const char *name, eb_status *status)
{
    size_t panel = eb_bench_panel_named(name);
    if (panel == eb_panel_count())
        return eb_fail(status, EB_NOT_FOUND, "no panel \"%s\"", name);
    eb_bench *bench = context;
    eb_overlay_close(&bench->overlay);
    eb_bench_bring(bench, panel);
    return EB_OK;
}

/* ---- commands in their turn ---- */

void eb_bench_type(eb_bench *bench, const char *text)
{
    size_t size = strlen(text) + 1;
    eb_typed *typed = malloc(sizeof *typed + size), **end = &bench->typed;
    if (!typed) {
        eb_desk_say(bench->desk, EB_TONE_ERROR, "out of memory: the line was not taken");
        return;
    }
    typed->next = NULL;
    memcpy(typed->text, text, size);
    while (*end)
        end = &(*end)->next;
    *end = typed;
    if (bench->runs)
        eb_desk_say(bench->desk, EB_TONE_NOTE, "waiting its turn: %s", text);
}

static void run_line(eb_bench *bench, const char *text, bool by_person)
{
    bench->by_person = by_person;
    eb_shell *shell = bench->shell;
    (void)eb_shell_run(shell, text, NULL);
    shell->interrupted = shell->ended_by != 0; /* Ctrl-C was for that line */
    refresh_facts(bench);
}

/* Everything typed, then everything panels ask for, until there is nothing more. */
static void run_waiting(eb_bench *bench)
{
    for (int looks = 0; !bench->shell->quitting && looks < MOST_LOOKS;) {
        eb_typed *typed = bench->typed;
        char *asked = typed ? NULL : eb_desk_next_command(bench->desk);
        if (typed) {
            bench->typed = typed->next;
            run_line(bench, typed->text, true);
            free(typed);
        } else if (asked) {
            run_line(bench, asked, false);
            free(asked);
        } else {
            const eb_panel *panel = eb_panel_at(bench->front);
            looks++;
            if (panel->look && bench->view[bench->front])
                panel->look(bench->view[bench->front], bench->desk);
            if (bench->two && eb_panel_at(bench->beside)->look && bench->view[bench->beside])
                eb_panel_at(bench->beside)->look(bench->view[bench->beside], bench->desk);
            char *next = eb_desk_next_command(bench->desk);
            if (!next)
                return;
            run_line(bench, next, false);
            free(next);
        }
    }
}

/* ---- begin and end ---- */

static eb_bench *on_terminal; /* the signals' functions have no argument */

static void resize(void)
{
    int columns, rows;
    eb_status ignored;
    eb_screen_resize();
    eb_screen_size(&columns, &rows);
    if (on_terminal && eb_canvas_resize(&on_terminal->canvas, columns, rows, &ignored) == EB_OK)
        eb_bench_draw(on_terminal);
}

static void resume(void)
{
    eb_screen_resume();
    resize();
}

static const eb_terminal terminal = {eb_screen_suspend, resume, resize};

static eb_code begin(eb_bench *bench, eb_front *front, eb_shell *shell, int columns, int rows, eb_status *status)
{
    *bench = (eb_bench){.shell = shell, .desk = eb_desk_new(), .beside = 1, .in_memory = shell->terminal == NULL};
    bench->canvas.unicode = shell->unicode;
    shell->live = eb_live_new();
    if (!bench->desk || !shell->live)
        return eb_fail_memory(status, "the workbench", sizeof *bench);
    EB_TRY(eb_canvas_resize(&bench->canvas, columns, rows, status));
    for (size_t k = 0; k < eb_panel_count() && k < EB_MOST_PANELS; k++)
        bench->view[k] = eb_panel_at(k)->create();
    *front = (eb_front){bench,        bench->in_memory ? -1 : STDIN_FILENO,
                        begins,       ends,
                        take_report,  take_error,
                        take_warning, read_keys,
                        progress,     dump,
                        bring_panel};
    shell->front = front;
    eb_line_open();
    eb_line_begin("", NULL);
    refresh_facts(bench);
    eb_desk_say(bench->desk, EB_TONE_NOTE, "`load demo` or `load FILE` to begin; F1 for help");
    return EB_OK;
}

static void end(eb_bench *bench)
{
    eb_shell *shell = bench->shell;
    eb_line_close();
    eb_overlay_close(&bench->overlay);
    for (size_t k = 0; k < eb_panel_count() && k < EB_MOST_PANELS; k++)
        if (bench->view[k])
            eb_panel_at(k)->destroy(bench->view[k]);
    while (bench->typed) {
        eb_typed *next = bench->typed->next;
        free(bench->typed);
        bench->typed = next;
    }
    eb_desk_free(bench->desk);
    eb_canvas_free(&bench->canvas);
    shell->front = NULL;
    shell->session->live = NULL;
    eb_live_free(shell->live);
    shell->live = NULL;
}

eb_code eb_workbench(eb_shell *shell, const char *first, eb_status *status)
{
    eb_bench bench;
    eb_front front;
    int columns, rows;
    EB_TRY(eb_screen_open(status));
    shell->terminal = &terminal;
    eb_screen_size(&columns, &rows);
    eb_code failed = begin(&bench, &front, shell, columns, rows, status);
    on_terminal = &bench;
    if (!failed && first)
        eb_bench_type(&bench, first);
    while (!failed && !shell->quitting) {
        run_waiting(&bench);
        sample_gpu(&bench);
        if (bench.stale)
            eb_bench_draw(&bench);
        bool watched = strncmp(eb_desk_facts(bench.desk)->device, "cuda:", 5) == 0;
        if (shell->quitting)
            break;
        if (eb_shell_wait(shell, STDIN_FILENO, watched ? 1.0 : -1.0)) {
            read_keys(&bench);
        } else if (!shell->quitting) { /* SIGINT from elsewhere */
            shell->interrupted = false;
            eb_line_clear();
            bench.stale = true;
        }
        shell->interrupted = shell->ended_by != 0;
    }
    on_terminal = NULL;
    eb_screen_close();
    shell->terminal = NULL;
    end(&bench);
    return failed;
}

eb_code eb_workbench_script(eb_shell *shell, const char *script, int columns, int rows, eb_status *status)
{
    eb_bench bench;
    eb_front front;
    eb_key key;
    const char *error = NULL, *rest = script;
    shell->terminal = NULL;
    eb_code failed = begin(&bench, &front, shell, columns, rows, status);
    if (!failed) {
        run_waiting(&bench);
        eb_bench_draw(&bench);
    }
    while (!failed && !shell->quitting && eb_key_parse(rest, &rest, &key, &error)) {
        if (key.code == EB_KEY_RESIZE)
            failed = eb_canvas_resize(&bench.canvas, key.x, key.y, status);
        else
            eb_bench_key(&bench, key);
        run_waiting(&bench);
        eb_bench_draw(&bench);
    }
    if (!failed && error)
        failed = eb_fail(status, EB_USAGE, "the script of keys, at byte %zu: %s", (size_t)(rest - script), error);
    end(&bench);
    return failed;
}
