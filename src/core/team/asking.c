#include "core/team/asking.h"

#include "core/base/parallel.h"

eb_code eb_asking_begin(eb_members *team, unsigned most, eb_asking *asking, eb_status *status)
{
    team->was_lost = false;
    asking->team = team;
    asking->present = 0;
    asking->first = EB_OK;
    for (unsigned k = 0; k < team->members && asking->present < most; k++) {
        eb_member *m = &team->member[k];
        if (m->lost)
            continue;
        m->context.job = team->context->job;
        m->before = m->figures;
        asking->member[asking->present++] = m;
    }
    if (asking->present == 0)
        return eb_fail(status, EB_NO_DEVICE, "every device of the team is lost");
    return eb_meeting_new(asking->present, &asking->meeting, status);
}

/* A member's failure is kept with its own status, since eb_parallel's would be that of any member. */
static eb_code answer_part(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    eb_asking *a = context;
    const unsigned k = (unsigned)task;
    eb_status why = {.code = EB_OK};
    (void)thread;
    (void)status;
    const eb_code failed = a->answer(a, k, &why);
    if (eb_meeting_leave(a->meeting, failed != EB_OK)) {
        a->first = failed;
        a->who = k;
        a->why = why;
    }
    return EB_OK;
}

/* A thread for each: none can be left to wait in a meeting for one that was not started. A cancelled job keeps no
 * member back either; each sees it for itself. */
static eb_code answer_all(eb_asking *a, eb_status *status)
{
    eb_status why = {.code = EB_OK};
    const eb_code unstarted =
        a->present == 1 ? answer_part(a, 0, 0, &why) : eb_parallel_at_once(a->present, answer_part, a, &why);
    eb_meeting_free(a->meeting);
    a->meeting = NULL;
    return unstarted ? eb_fail(status, unstarted, "%u devices as a team: %s", a->present, why.message) : EB_OK;
}

eb_code eb_asking_run(eb_asking *a, eb_status *status)
{
    eb_members *team = a->team;
    EB_TRY(answer_all(a, status));
    if (a->present == 1)
        eb_member_add_figures(team, a->member[0]);
    else
        eb_members_add_figures(team);
    if (!a->first)
        return EB_OK;
    eb_member *who = a->member[a->who];
    if (a->first == EB_NO_DEVICE && !eb_member_is_last(team, who)) {
        team->was_lost = true;
        eb_member_lose(team, who, a->why.message);
    }
    if (a->first == EB_CANCELLED)
        return eb_fail(status, a->first, "%s", a->why.message);
    return eb_fail(status, a->first, "%s: %s", who->device.name, a->why.message);
}
