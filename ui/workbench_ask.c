/* workbench_ask: asks the person a question, shown in place of the message: y means yes, any other character no. Keys
 * without a character are ignored. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "ui/terminal/screen.h"
#include "ui/workbench_state.h"

static bool next_scripted(eb_workbench *w, eb_key *key)
{
    const char *error;
    while (eb_key_parse(w->script, &w->script, key, &error)) {
        eb_status ignored;
        if (key->code != EB_KEY_RESIZE)
            return true;
        if (eb_canvas_resize(&w->canvas, key->x, key->y, &ignored) == EB_OK)
            eb_workbench_draw(w);
    }
    return false;
}

/* True if the key is part of a paste: pasted text answers no question. */
static bool is_pasted(eb_workbench *w, eb_key key)
{
    bool inside = w->pasting || key.code == EB_KEY_PASTE;
    w->pasting = key.code == EB_KEY_PASTE || (w->pasting && key.code != EB_KEY_PASTE_END);
    return inside;
}

static bool any_key(eb_workbench *w, eb_key *key)
{
    if (w->in_memory)
        return next_scripted(w, key);
    while (!eb_screen_key(key)) {
        if (eb_screen_gone()) {
            eb_workbench_hang_up(w);
            return false;
        }
        if (!eb_shell_wait(w->shell, STDIN_FILENO, -1.0))
            return false;
    }
    return true;
}

bool eb_workbench_next_key(eb_workbench *w, eb_key *key)
{
    bool any;
    do
        any = any_key(w, key);
    while (any && is_pasted(w, *key));
    return any;
}

/* No key is an answer while the terminal is too small to show the question. */
static bool is_answer(const eb_workbench *w, eb_key key)
{
    return key.code == EB_KEY_CHARACTER && key.modifiers == 0 && !w->layout.too_small;
}

static bool answer(eb_workbench *w)
{
    eb_key key;
    while (eb_workbench_next_key(w, &key)) {
        if (eb_key_is(key, 'C' & 31))
            w->shell->interrupted = true;
        else if (eb_key_is(key, 'Z' & 31))
            (void)kill(getpid(), SIGTSTP);
        if (eb_key_is(key, 'Z' & 31) || !is_answer(w, key))
            continue;
        return eb_key_is(key, 'y') || eb_key_is(key, 'Y');
    }
    return false;
}

bool eb_workbench_ask(eb_shell *shell, const char *question)
{
    eb_workbench *w = shell->display->context;
    w->question = question;
    eb_workbench_draw(w);
    bool yes = answer(w);
    w->question = NULL;
    w->stale = true;
    return yes;
}

/* "2 lines wait: tune S=64; join ref64", with as many lines as fit. */
static void name_waiting(const eb_workbench *w, char *buffer, size_t size)
{
    size_t count = eb_queue_count(&w->queue);
    size_t used = (size_t)snprintf(buffer, size, "%zu %s: ", count, count == 1 ? "line waits" : "lines wait");
    for (const eb_waiting *line = w->queue.first; line && used + 60 < size; line = line->next)
        used += (size_t)snprintf(buffer + used, size - used, "%.40s%s", line->text, line->next ? "; " : "");
}

/* Nobody is asked about what only panels wait for. */
void eb_workbench_ask_to_go_on(eb_workbench *w)
{
    char waiting[280], question[320];
    if (!w->queue.first)
        return;
    name_waiting(w, waiting, sizeof waiting);
    (void)snprintf(question, sizeof question, "Go on? %s", waiting);
    bool goes_on = !eb_queue_is_missed(&w->queue) || eb_workbench_ask(w->shell, question);
    w->shell->interrupted = w->shell->ended_by != 0;
    if (!goes_on)
        eb_desk_say(w->desk, EB_TONE_WARNING, "dropped: %s", waiting);
    if (!goes_on)
        (void)eb_queue_clear(&w->queue);
}

void eb_workbench_ask_to_leave(eb_workbench *w)
{
    char waiting[280] = "", question[480];
    if (eb_queue_is_missed(&w->queue))
        name_waiting(w, waiting, sizeof waiting);
    (void)snprintf(question, sizeof question, "Leave? `%.60s` runs and is stopped; %s is kept%s%s",
                   w->runs ? eb_desk_running(w->desk) : "watch", w->shell->logging ? "what it logged" : "nothing",
                   waiting[0] ? "; lost: " : "", waiting);
    bool worth_asking = eb_queue_is_missed(&w->queue) || !w->by_itself;
    if (worth_asking && !eb_workbench_ask(w->shell, question))
        return;
    (void)eb_queue_clear(&w->queue);
    w->shell->interrupted = w->shell->quitting = true;
}
