#include "shell/background/background.h"

#include <stdlib.h>

eb_session *eb_background_new(const eb_session *session)
{
    eb_session *background = eb_session_new();
    if (!background)
        return NULL;
    background->settings = session->settings;
    background->messages = session->messages;
    background->queue = session->queue;
    background->gallery = session->gallery;
    return background;
}

void eb_background_free(eb_session *background)
{
    enum { LAST_TRY_MS = 500 };
    if (background)
        eb_session_log_catch_up(background, LAST_TRY_MS);
    eb_session_free(background);
}

static bool is_alone(const eb_call *call)
{
    bool alone = true;
    for (size_t k = 0; k < EB_MAX_ARGUMENTS && call->command->argument[k].name; k++)
        alone &= !eb_call_has(call, call->command->argument[k].name);
    return alone;
}

static bool can_be_background(const eb_call *call)
{
    const unsigned flags = call->command->flags;
    return (flags & EB_BACKGROUND) || ((flags & EB_BESIDE_ALONE) && is_alone(call));
}

/* True if all commands of the line can run in the background. So can a line with a syntax error, which is reported at
 * once. */
static bool all_can(const char *text)
{
    bool can = true;
    for (const char *at = text, *rest = text; *at != '\0' && can; at = rest) {
        eb_call *call = NULL;
        if (eb_parse_at(text, at, &rest, &call, NULL))
            return true;
        can = !call || can_be_background(call);
        eb_call_free(call);
    }
    return can;
}

/* Moves the list of written files. Both sessions share one list; the worker thread never reads it. */
static void hand_over(eb_session *from, eb_session *to)
{
    to->written = from->written;
    to->written_count = from->written_count;
    from->written = NULL;
    from->written_count = 0;
}

bool eb_shell_background(eb_shell *shell, const char *text)
{
    if (!shell->background || !all_can(text))
        return false;
    eb_shell side = *shell;
    side.session = shell->background;
    side.is_background = true;
    side.live = NULL;
    side.signal_fd = -1; /* signals belong to the running command */
    side.interrupted = false;
    side.log_tried = !shell->log_opened || shell->background->store;
    hand_over(shell->session, side.session);
    (void)eb_shell_run(&side, text, NULL);
    hand_over(side.session, shell->session);
    return true;
}
