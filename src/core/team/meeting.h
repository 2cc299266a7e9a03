/* meeting: where the members of a team meet while they compute parts of one question: each shows the others what it
 * has, and none goes on before all have come. It knows nothing of what is shown; engines on GPUs show their pairs
 * (kernels/rows/exchange.cuh).
 *
 * Every member must come to the same meetings in the same order. A member that has ended or failed leaves; then nobody
 * waits any more.
 */
#pragma once

#include "core/base/status.h"
#include "core/engine/device.h"

typedef struct eb_meeting eb_meeting;

/* members: 1 to EB_MOST_MEMBERS. The caller frees *out when no member uses it. */
eb_code eb_meeting_new(unsigned members, eb_meeting **out, eb_status *status);
void eb_meeting_free(eb_meeting *meeting); /* NULL is fine */

unsigned eb_meeting_members(const eb_meeting *meeting);

/* Shows `item`, of at most EB_MEETING_ITEM bytes, to all members and waits for theirs: member k's is copied to items +
 * k · bytes. What an item points to must stay valid until its owner knows, by a later meeting or because it was told
 * so, that all have read it. EB_CANCELLED if a member has left. */
#define EB_MEETING_ITEM 96u
eb_code eb_meeting_show(eb_meeting *meeting, unsigned member, const void *item, size_t bytes, void *items,
                        eb_status *status);

/* A member has ended its work, so no later meeting is held. True for the first that failed: it is the cause, and later
 * failures may be consequences. */
bool eb_meeting_leave(eb_meeting *meeting, bool failed);
