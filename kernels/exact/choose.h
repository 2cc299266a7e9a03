/* choose: chooses the way of an opened `exact` for a question: the one named by the option `way`, or the cheapest that
 * suits the points. A way's cost is estimated from a sample of the points. Some ways are opened for the estimate, and
 * derive it from the data that they make for the question (way.h).
 *
 * FP16 and INT8 are the only types that filter: no other type of `tensor` would save time (tests/bench/precision.md).
 */
#pragma once

#include "core/engine/way.h"

#define EB_WAYS "auto|boxes|integers|fp16|int8|ref64"
#define EB_MOST_WAYS 6u

/* The ways of a kind of device; NULL past the last. The last way suits all points. */
const eb_way *eb_way_at(eb_device_kind kind, size_t index);

typedef struct eb_taken {
    const eb_way *way;
    eb_context lent; /* the way's context, with its own options if it has some */
    void *state;     /* NULL: not open */
    bool refused;    /* refused these points when it was opened */
} eb_taken;

typedef struct eb_exact {
    const eb_problem *problem;
    const eb_context *context;
    eb_taken ways[EB_MOST_WAYS];
    size_t count;
    eb_taken *chosen; /* for `eps`; NULL: no question yet */
    double eps;
    bool named; /* the option `way` names it */
    char description[400];
} eb_exact;

/* Opens the way for a question. EB_NO_ENGINE if the option names a way that does not suit the points. */
eb_code eb_exact_choose(eb_exact *exact, const eb_question *question, eb_taken **out, eb_status *status);

/* Finds that way without opening it, unless its cost asks for it: *out is its number, above 0, for a question's choice.
 */
eb_code eb_exact_pick(eb_exact *exact, const eb_question *question, unsigned *out, eb_status *status);

/* Opens the way of this name. */
eb_code eb_exact_take(eb_exact *exact, const char *name, eb_taken **out, eb_status *status);

/* Fills exact->description from the chosen way, after it has answered. */
void eb_exact_describe(eb_exact *exact);

void eb_exact_close_ways(eb_exact *exact);
