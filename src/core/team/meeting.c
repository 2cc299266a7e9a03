#include "core/team/meeting.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct eb_meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned members, here;                                  /* here: members that wait in the present meeting */
    uint64_t held;                                           /* meetings held */
    bool left, failed;                                       /* a member has left; one that failed */
    unsigned char item[2][EB_MOST_MEMBERS][EB_MEETING_ITEM]; /* of the present meeting and of the last one, which some
                                                              * members may not have copied yet */
};

eb_code eb_meeting_new(unsigned members, eb_meeting **out, eb_status *status)
{
    eb_meeting *m = calloc(1, sizeof *m);
    if (!m)
        return eb_fail_memory(status, "a team's meeting", sizeof *m);
    if (pthread_mutex_init(&m->lock, NULL) != 0) {
        free(m);
        return eb_fail_memory(status, "a team's meeting", sizeof *m);
    }
    if (pthread_cond_init(&m->changed, NULL) != 0) {
        (void)pthread_mutex_destroy(&m->lock);
        free(m);
        return eb_fail_memory(status, "a team's meeting", sizeof *m);
    }
    m->members = members;
    *out = m;
    return EB_OK;
}

void eb_meeting_free(eb_meeting *meeting)
{
    if (!meeting)
        return;
    (void)pthread_cond_destroy(&meeting->changed);
    (void)pthread_mutex_destroy(&meeting->lock);
    free(meeting);
}

unsigned eb_meeting_members(const eb_meeting *meeting) { return meeting->members; }

eb_code eb_meeting_show(eb_meeting *meeting, unsigned member, const void *item, size_t bytes, void *items,
                        eb_status *status)
{
    (void)pthread_mutex_lock(&meeting->lock);
    const uint64_t this_one = meeting->held;
    memcpy(meeting->item[this_one % 2][member], item, bytes);
    if (++meeting->here == meeting->members) {
        meeting->here = 0;
        meeting->held++;
        (void)pthread_cond_broadcast(&meeting->changed);
    }
    while (meeting->held == this_one && !meeting->left)
        (void)pthread_cond_wait(&meeting->changed, &meeting->lock);
    const bool held = meeting->held > this_one;
    for (unsigned k = 0; k < meeting->members; k++)
        memcpy((unsigned char *)items + k * bytes, meeting->item[this_one % 2][k], bytes);
    (void)pthread_mutex_unlock(&meeting->lock);
    return held ? EB_OK : eb_fail(status, EB_CANCELLED, "another member of the team has left");
}

bool eb_meeting_leave(eb_meeting *meeting, bool failed)
{
    (void)pthread_mutex_lock(&meeting->lock);
    const bool first = failed && !meeting->failed;
    meeting->left = true;
    meeting->failed |= failed;
    (void)pthread_cond_broadcast(&meeting->changed);
    (void)pthread_mutex_unlock(&meeting->lock);
    return first;
}
