#include "core/ranks/ranks.h"

#include <stdlib.h>

#include "core/ranks/points.h"
#include "core/ranks/shared_open.h"

/* What rank 0 keeps beside the rounds. */
typedef struct kept {
    eb_points_told points; /* must be the first member: points.c looks for it */
    eb_sharing sharing;
} kept;

static void free_kept(kept *k)
{
    eb_points_told_free(&k->points);
    free(k);
}

eb_code eb_ranks_start(const eb_ranks_request *request, eb_ranks **out, eb_status *status)
{
    kept *k = malloc(sizeof *k);
    if (!k)
        return eb_fail_memory(status, "the ranks", sizeof *k);
    eb_points_told_begin(&k->points);
    const eb_code failed = eb_rounds_begin(request, k, out, status);
    if (failed) {
        free_kept(k);
        return failed;
    }
    k->sharing = (eb_sharing){*out, eb_shared_open};
    eb_problem_set_sharing(&k->sharing);
    return EB_OK;
}

unsigned eb_ranks_of(const eb_opened *opened)
{
    const eb_shared *s = eb_shared_of(opened);
    return s ? eb_ranks_count(s->ranks) : 1;
}

const char *eb_ranks_say_how(const eb_opened *opened)
{
    const eb_shared *s = eb_shared_of(opened);
    const eb_opened *tells = s && !s->blocks ? &s->inner : opened;
    return tells->run->describe ? tells->run->describe(tells->state) : "";
}

bool eb_ranks_stop(eb_ranks *ranks)
{
    if (!ranks)
        return true;
    kept *k = eb_ranks_kept(ranks);
    eb_problem_set_sharing(NULL);
    const bool sound = eb_rounds_end(ranks);
    free_kept(k);
    return sound;
}
