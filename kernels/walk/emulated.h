/* emulated: the join of a CPU engine whose distances are slow to compute, as those of an emulated tensor core. Only
 * pairs that can be hits are computed.
 *
 * The engine knows how far each point moves when it is rounded (moved_i), and how far its arithmetic can be below the
 * squared distance of rounded points (width_i + width_j). So s ≤ ε² implies that the stored points lie within
 *     sqrt(ε² + width_i + width_j) + moved_i + moved_j
 * of each other. `exact` joins the stored points at the greatest such distance, and the engine decides each pair that
 * it finds. The few points with the greatest moved and width are left out of this: all their pairs are computed. The
 * answer is the engine's own, as if it had computed every pair.
 *
 * Where the problem has shared candidates (core/engine/shared_pairs.h) that reach as far, `exact` is not asked again,
 * and each pair is held to the bound of its own two points.
 *
 * Points stand at places: left points first, then, if the right set is another one, its points.
 */
#pragma once

#include "kernels/walk/collect.h"

typedef struct eb_emulated {
    eb_finder finder;            /* must be the first member */
    size_t places, first_column; /* right point j has place first_column + j; 0 in a self-join */
    double *moved, *width;       /* [places] in the unit of the stored points, upper bounds; INFINITY: unknown */
    /* s[k] of the pairs of places (rows[k], columns[k]), the same from both ends; NaN is no hit. Called from any
     * threads, with the engine's state. */
    void (*squared)(const void *state, const uint32_t *rows, const uint32_t *columns, size_t count, double *s);

    /* Leaves out pairs that are surely no hits, where that is cheap: moves the others to the front and returns how many
     * there are. NULL: not available. */
    size_t (*near)(const void *state, uint32_t *rows, uint32_t *columns, size_t count, double limit);

    const eb_implementation *candidates; /* `exact` on the CPU */
    eb_context lent;
    void *opened; /* NULL: not yet needed */
    bool shared;  /* the last answer rests on shared candidates; `describe` ends with EB_SHARED_NOTE then */
} eb_emulated;

#define EB_SHARED_NOTE "; candidates found once for all engines"

enum { EB_EMULATED_BATCH = EB_COLLECT_BATCH };

/* Allocates moved and width. exact: the engine that finds candidates, with its default options. The state that contains
 * *e must not move. eb_emulated_close frees them, and the candidates' engine, not the state. */
eb_code eb_emulated_open(eb_emulated *e, const eb_engine *exact, const eb_problem *problem, const eb_context *context,
                         eb_status *status);
void eb_emulated_close(eb_emulated *e);

/* distances of eb_implementation; state begins with an eb_emulated. */
eb_code eb_emulated_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);

/* pairs of eb_implementation, likewise. */
eb_code eb_emulated_pairs(void *state, const uint32_t *rows, const uint32_t *columns, size_t count, double *s,
                          eb_status *status);

/* reach_eps of eb_implementation, likewise. */
double eb_emulated_reach_eps(const void *state, double eps);

/* The question to `exact`: the distance at which it joins, and which points are left out. */
typedef struct eb_emulated_reach {
    double eps;          /* INFINITY: all pairs are computed */
    double moved, width; /* points beyond one of these are left out */
    size_t left_out;
} eb_emulated_reach;

/* search_eps of eb_implementation; state begins with an eb_emulated. */
eb_code eb_emulated_search_eps(void *state, double eps, double *out, eb_status *status);

/* The reach of a question for ε. */
eb_code eb_emulated_reach_of(const eb_emulated *e, double eps, eb_emulated_reach *out, eb_status *status);
