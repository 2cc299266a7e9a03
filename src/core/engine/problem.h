/* problem: an engine with a problem in it, from opening to closing. */
#ifndef EB_CORE_ENGINE_PROBLEM_H
#define EB_CORE_ENGINE_PROBLEM_H

#include "core/engine/spec.h"

/* Not to be moved: the engine knows where its context is. */
typedef struct eb_opened {
    const eb_setup *setup;
    eb_problem problem;
    eb_context context;
    eb_figures figures; /* of all that was done since it was opened, opening included; whole once it is closed */
    double setup_s;     /* opening, its parts with figures of their own left out */
    void *state;
} eb_opened;

/* setup must outlive *out. On failure there is nothing to close. EB_USAGE where two sets do not go together. */
eb_code eb_problem_open(const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                        eb_status *status);
void eb_problem_close(eb_opened *opened);

/* For engines: EB_USAGE for an ε that is no distance, EB_INTERNAL for rows, a part or a list that there are none of. */
eb_code eb_question_check(const eb_question *question, const eb_share *share, const eb_problem *problem,
                          eb_status *status);

static inline eb_problem eb_self_join(const eb_dataset *points)
{
    eb_problem problem = {points, points, NULL};
    return problem;
}

/* All there is to do. */
static inline eb_share eb_share_whole(const eb_problem *problem) { return eb_share_rows(0, problem->left->n); }

#endif
