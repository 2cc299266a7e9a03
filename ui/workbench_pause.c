/* workbench_pause: a pause in a script. The sentence of the pause is shown in place of the message. Until the person
 * answers, panels can be chosen, scrolled and explained. */
#include <signal.h>
#include <unistd.h>

#include "ui/terminal/screen.h"
#include "ui/workbench_state.h"

/* Keys that only change what is shown. ↑ and ↓ are excluded: they recall lines, and nothing can be typed now. */
static bool looks_around(eb_key key)
{
    return key.code != EB_KEY_CHARACTER && key.code != EB_KEY_UP && key.code != EB_KEY_DOWN;
}

/* True if the key answers the pause. */
static bool is_pace(eb_key key, eb_pace *pace)
{
    if (eb_key_is(key, EB_ENTER) || eb_key_is(key, ' '))
        *pace = EB_PACE_NEXT;
    else if (eb_key_is(key, 'c'))
        *pace = EB_PACE_REST;
    else if (eb_key_is(key, 'q') || eb_key_is(key, 'C' & 31))
        *pace = EB_PACE_STOP;
    else
        return false;
    return true;
}

static eb_pace pace_of(eb_workbench *w)
{
    eb_pace pace = EB_PACE_STOP;
    eb_key key;
    while (eb_workbench_next_key(w, &key)) {
        if (is_pace(key, &pace))
            return pace;
        if (eb_key_is(key, EB_ESCAPE))
            eb_overlay_close(&w->overlay);
        else if (eb_key_is(key, 'Z' & 31))
            (void)kill(getpid(), SIGTSTP);
        else if (looks_around(key))
            eb_workbench_key(w, key);
        eb_workbench_draw(w);
    }
    return EB_PACE_STOP;
}

eb_pace eb_workbench_pause(eb_shell *shell, const char *sentence)
{
    eb_workbench *w = shell->display->context;
    w->question = sentence;
    w->paused = true;
    eb_workbench_draw(w);
    eb_pace pace = pace_of(w);
    w->question = NULL;
    w->paused = false;
    w->stale = true;
    return pace;
}
