/* problem: an engine with a problem in it, from opening to closing.
 *
 * Points whose squares FP64 cannot hold are scaled by a power of two (core/data/scaling.h) before the engine sees them,
 * unless it rounds them. The functions here take ε and edges in the points' own unit; s is what the engine computed,
 * of scaled points where there is a scaling.
 */
#pragma once

#include "core/data/scaling.h"
#include "core/engine/spec.h"

/* Not to be moved: the engine knows where its context is. */
typedef struct eb_opened {
    const eb_setup *setup;
    eb_problem problem; /* as the engine has it */
    eb_scaling scaling; /* of its points */
    eb_dataset scaled[2];
    eb_context context;
    eb_figures figures; /* of all that was done since it was opened, opening included; whole once it is closed */
    double setup_s;     /* opening, its parts with figures of their own left out */
    void *state;
} eb_opened;

/* setup must outlive *out. On failure there is nothing to close. EB_USAGE where two sets do not go together. */
eb_code eb_problem_open(const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                        eb_status *status);
void eb_problem_close(eb_opened *opened);

/* The implementation's functions (engine.h); distances of the nearest are the points' own. EB_BAD_VALUE for an ε that
 * FP64 cannot tell from 0 beside these points. */
eb_code eb_ask_count(const eb_opened *opened, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status);
eb_code eb_ask_join(const eb_opened *opened, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status);
eb_code eb_ask_histogram(const eb_opened *opened, eb_distance_pass *pass, eb_status *status); /* whatever its edges */
eb_code eb_ask_nearest(const eb_opened *opened, const eb_nearest_question *question, size_t first, size_t count,
                       uint32_t *rows, double *distances, eb_status *status);
eb_code eb_ask_distances(const eb_opened *opened, const uint32_t *rows, size_t m, double *out, eb_status *status);

/* From each of m left points to all others, counted (bins.h): as many at a time as EB_BINS_AT_ONCE are quickest. Freed
 * with eb_bins_free. Of an engine that counts none itself by its distances, on the host. */
#define EB_BINS_AT_ONCE 128u
eb_code eb_ask_bins(const eb_opened *opened, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status);

/* What the above refuse; for answers of passes too. */
eb_code eb_check_eps_reach(const eb_opened *opened, double eps, eb_status *status);

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
