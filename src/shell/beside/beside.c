#include "shell/beside/beside.h"

#include <stdlib.h>

eb_session *eb_beside_new(const eb_session *session)
{
    eb_session *beside = eb_session_new();
    if (!beside)
        return NULL;
    beside->settings = session->settings;
    beside->messages = session->messages;
    beside->queue = session->queue;
    return beside;
}

void eb_beside_free(eb_session *beside)
{
    enum { LAST_TRY_MS = 500 };
    if (beside)
        eb_session_log_catch_up(beside, LAST_TRY_MS);
    eb_session_free(beside);
}

static bool is_alone(const eb_call *call)
{
    bool alone = true;
    for (size_t k = 0; k < EB_MAX_ARGUMENTS && call->command->argument[k].name; k++)
        alone &= !eb_call_has(call, call->command->argument[k].name);
    return alone;
}

static bool can_be_beside(const eb_call *call)
{
    const unsigned flags = call->command->flags;
    return (flags & EB_BESIDE) || ((flags & EB_BESIDE_ALONE) && is_alone(call));
}

/* What cannot be parsed is said at once, too. */
static bool all_can(const char *text)
{
    bool can = true;
    for (const char *at = text, *rest = text; *at != '\0' && can; at = rest) {
        eb_call *call = NULL;
        if (eb_parse_at(text, at, &rest, &call, NULL))
            return true;
        can = !call || can_be_beside(call);
        eb_call_free(call);
    }
    return can;
}

/* Files that either wrote are the session's: they change hands, which the worker never looks at. */
static void hand_over(eb_session *from, eb_session *to)
{
    to->written = from->written;
    to->written_count = from->written_count;
    from->written = NULL;
    from->written_count = 0;
}

bool eb_shell_beside(eb_shell *shell, const char *text)
{
    if (!shell->beside || !all_can(text))
        return false;
    eb_shell side = *shell;
    side.session = shell->beside;
    side.is_beside = true;
    side.live = NULL;
    side.signal_fd = -1; /* signals are for what runs */
    side.interrupted = false;
    side.log_tried = !shell->log_opened || shell->beside->store;
    hand_over(shell->session, side.session);
    (void)eb_shell_run(&side, text, NULL);
    hand_over(side.session, shell->session);
    return true;
}
