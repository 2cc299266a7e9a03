/* choose: an opened `exact`, and the way that it takes for a question: the one asked for, or the cheapest of those that
 * suit the points. What a way costs is told by a sample of the points, or, of those that must be opened to know, by
 * what they make for the question (way.h).
 */
#pragma once

#include "core/engine/way.h"

#define EB_WAYS "auto|boxes|integers|fp16|int8|ref64"
#define EB_MOST_WAYS 6u

/* NULL beyond the last. The last one suits all points. */
const eb_way *eb_way_at(eb_device_kind kind, size_t index);

typedef struct eb_taken {
    const eb_way *way;
    eb_context lent; /* its own: other options than exact's, perhaps */
    void *state;     /* NULL: not opened, or closed again */
    bool refused;    /* it said at opening that it does not do these points */
} eb_taken;

typedef struct eb_exact {
    const eb_problem *problem;
    const eb_context *context;
    eb_taken ways[EB_MOST_WAYS];
    size_t count;
    eb_taken *chosen; /* for `eps`; NULL: nothing was asked yet */
    double eps;
    bool named; /* the way was asked for */
    char description[400];
} eb_exact;

/* Opens the way that this question takes. EB_NO_ENGINE where one was asked for that does not suit the points. */
eb_code eb_exact_choose(eb_exact *exact, const eb_question *question, eb_taken **out, eb_status *status);

/* Opens the way of this name. */
eb_code eb_exact_take(eb_exact *exact, const char *name, eb_taken **out, eb_status *status);

/* What a way says of itself once it has answered. */
void eb_exact_describe(eb_exact *exact);

void eb_exact_close_ways(eb_exact *exact);
