/* problem: opening an engine on a problem, asking questions, closing it.
 *
 * If FP64 cannot hold the squares of the points, the engine gets points scaled by a power of two (core/data/scaling.h),
 * unless it rounds them. The functions here take ε and edges in the unit of the original points. The engine's s belong
 * to the scaled points.
 */
#pragma once

#include "core/data/scaling.h"
#include "core/engine/spec.h"

/* Must not be moved, since the engine keeps a pointer to its context. */
typedef struct eb_opened {
    const eb_setup *setup;
    const eb_implementation *run; /* answers: the setup's, a team of it (team.h), or all ranks (core/ranks/) */
    eb_problem problem;           /* the problem that the engine got, scaled if necessary */
    eb_scaling scaling;           /* of its points */
    eb_dataset scaled[2];         /* copies of the points, if scaled */
    eb_context context;
    eb_figures figures; /* of all work since opening, opening included; complete after closing */
    double setup_s;     /* time of opening, without the parts that have their own figures */
    void *state;
} eb_opened;

/* setup must outlive *out. On failure there is nothing to close. EB_USAGE if two sets differ in dimension or type. */
eb_code eb_problem_open(const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                        eb_status *status);
void eb_problem_close(eb_opened *opened);

/* The same in this process alone, for who shares problems with other processes (core/ranks/). */
eb_code eb_problem_open_here(const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                             eb_status *status);

/* EB_USAGE if two sets differ in dimension or type or have too many points together. */
eb_code eb_problem_check(const eb_problem *problem, eb_status *status);

/* The context that the setup's engine is opened in. */
eb_context eb_context_of(const eb_setup *setup, eb_job *job, eb_figures *figures);

/* Opens problems in the place of eb_problem_open, in several processes. */
typedef struct eb_sharing {
    void *context;
    eb_code (*open)(void *context, const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                    eb_status *status);
} eb_sharing;

void eb_problem_set_sharing(const eb_sharing *with); /* while no problem is open; NULL: this process alone */

/* False: a team's GPUs, or several processes, each have a part of the setup's problems, and run is not the setup's. */
bool eb_problem_answered_whole(const eb_setup *setup);

/* Call the implementation's functions (engine.h). The distances of eb_ask_nearest are those of the original points.
 * EB_BAD_VALUE for an ε that is too small for these points (eb_check_eps_reach). */
eb_code eb_ask_count(const eb_opened *opened, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status);
eb_code eb_ask_join(const eb_opened *opened, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status);
eb_code eb_ask_histogram(const eb_opened *opened, eb_distance_pass *pass, eb_status *status); /* accepts any edges */
eb_code eb_ask_nearest(const eb_opened *opened, const eb_nearest_question *question, size_t first, size_t count,
                       uint32_t *rows, double *distances, eb_status *status);
eb_code eb_ask_distances(const eb_opened *opened, const uint32_t *rows, size_t m, double *out, eb_status *status);

/* s[k] of the pair of left point rows[k] and right point columns[k]. Pairs of one row should follow each other. */
eb_code eb_ask_pairs(const eb_opened *opened, const uint32_t *rows, const uint32_t *columns, size_t count, double *s,
                     eb_status *status);

/* Coordinates of left points as the engine has rounded them, in the unit of the original points: out is m × d. False:
 * the engine does not tell. */
bool eb_tells_rounded(const eb_opened *opened);
eb_code eb_ask_rounded(const eb_opened *opened, const uint32_t *rows, size_t m, double *out, eb_status *status);

/* The ε at which the engine is proven to find every pair that the truth has within eps; INFINITY: none is known. */
double eb_complete_eps(const eb_opened *opened, double eps);

/* The true distance above which the engine is proven to find no pair at eps; INFINITY: none is known. */
double eb_reach_eps(const eb_opened *opened, double eps);

/* Bins the distances from each of m left points to all right points (bins.h). EB_BINS_AT_ONCE points per call are
 * fastest. If the engine cannot do it, its distances are binned on the host. Free *out with eb_bins_free. */
#define EB_BINS_AT_ONCE 128u
eb_code eb_ask_bins(const eb_opened *opened, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status);

/* Returns EB_BAD_VALUE if ε is below scaling.least_eps. Also checks an ε that a pass found. */
eb_code eb_check_eps_reach(const eb_opened *opened, double eps, eb_status *status);

/* For engines: EB_USAGE if ε is negative or NaN, EB_INTERNAL if rows, part or schedule are invalid. */
eb_code eb_question_check(const eb_question *question, const eb_share *share, const eb_problem *problem,
                          eb_status *status);

static inline eb_problem eb_self_join(const eb_dataset *points)
{
    eb_problem problem = {.left = points, .right = points, .order = NULL, .shared = NULL};
    return problem;
}

static inline eb_share eb_share_whole(const eb_problem *problem) { return eb_share_rows(0, problem->left->n); }
