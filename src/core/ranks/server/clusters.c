#include "core/ranks/server/clusters.h"

#include <stdlib.h>

#include "core/ranks/keep/pairs.h"

/* Points near core points in a message, at most. */
enum { NEAR_AT_ONCE = 1 << 17 };

eb_code eb_served_neighbours(const eb_asked_here *a, eb_status *status)
{
    eb_question question;
    eb_share share;
    const size_t n = a->opened->problem.left->n;
    _Atomic uint32_t *counts = calloc(n, sizeof *counts);
    eb_get_question(a, &question, &share);
    if (!counts)
        return eb_fail_memory(status, "the points' neighbours", n * sizeof *counts);
    eb_code failed = eb_count_ends(a->opened, &question, &share, counts, status);
    if (!failed)
        failed = eb_send_point_values(a->transport, a->number, counts, n, false, status);
    free(counts);
    return failed;
}

static eb_code send_near(const eb_asked_here *a, const eb_near *near, size_t count, eb_status *status)
{
    for (size_t done = 0; done < count; done += NEAR_AT_ONCE) {
        const size_t now = count - done < NEAR_AT_ONCE ? count - done : NEAR_AT_ONCE;
        eb_packet packet = {.failed = false};
        eb_pack(&packet, near + done, now * sizeof *near);
        EB_TRY(eb_packet_send(a->transport, 0, EB_NEAR, a->number, &packet, status));
    }
    return EB_OK;
}

eb_code eb_served_unite(const eb_asked_here *a, eb_status *status)
{
    eb_question question;
    eb_share share;
    eb_near *near = NULL;
    size_t count = 0;
    const size_t n = a->opened->problem.left->n;
    eb_get_question(a, &question, &share);
    const unsigned char *core = eb_unpack_bytes(a->packet, n / 8 + 1);
    if (!core)
        return eb_fail(status, EB_INTERNAL, "rank 0 tells of fewer core points than %zu", n);
    eb_tree *forest = malloc(n * sizeof *forest);
    if (!forest)
        return eb_fail_memory(status, "the clusters", n * sizeof *forest);
    eb_forest_plant(forest, n, 1);
    eb_code failed = eb_unite_ends(a->opened, &question, &share, core, forest, &near, &count, status);
    if (!failed)
        failed = eb_send_point_values(a->transport, a->number, forest, n, true, status);
    if (!failed)
        failed = send_near(a, near, count, status);
    free(near);
    free(forest);
    return failed;
}
