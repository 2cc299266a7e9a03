/* shared_pairs: pairs of stored points that lie near each other, found once for several engines that look at such pairs
 * only (kernels/walk/emulated.h). Whoever runs several engines on the same problem plans them, hands them on in the
 * problem, and frees them. The first engine that needs the pairs finds them, within the widest reach planned.
 */
#pragma once

#include <stdatomic.h>

#include "core/engine/problem.h"

enum { EB_MOST_REACHES = 16 };

typedef struct eb_shared_pair {
    uint32_t i, j; /* left point, right point */
    float least;   /* not above the squared distance of the stored points */
} eb_shared_pair;

typedef struct eb_shared_list {
    eb_shared_pair *pair;
    size_t count, room;
} eb_shared_list;

typedef struct eb_shared_pairs {
    double reach[EB_MOST_REACHES]; /* [reaches] of the engines, descending */
    size_t reaches;
    uint64_t most;        /* pairs that may be kept */
    double within;        /* all pairs within this distance are in the lists; −1: not found */
    bool refused;         /* they were looked for, and are too many */
    eb_shared_list *list; /* [lists] in the order in which they were found, which keeps near points together */
    unsigned lists;
    _Atomic uint64_t found;
} eb_shared_pairs;

/* Asks each setup's engine how far it looks at ε (eb_implementation's search_eps), which opens it. If at least two
 * engines tell a reach, *out is planned and shares(out) is true; `bytes` limits what it will take, 0: no limit. Ignores
 * errors of an engine: its run will report them. */
eb_code eb_shared_plan(const eb_setup *const *setups, size_t count, const eb_problem *problem, double eps,
                       uint64_t bytes, eb_job *job, eb_shared_pairs *out, eb_status *status);
static inline bool eb_shared_are_planned(const eb_shared_pairs *c) { return c->reaches > 1; }
void eb_shared_free(eb_shared_pairs *c);

/* Remarks to the person (job.h) that an opened engine will look at nearly all pairs at ε, where that takes long: more
 * than half of all pairs lie within its reach, by a sample. */
void eb_tell_wide_reach(const eb_opened *opened, double eps, eb_job *job);

/* For the engine that needs the pairs: makes sure that they are there, by an opened exact engine on the CPU. Takes the
 * widest planned reach whose pairs fit, by a sample. Afterwards within ≥ reach, or the engine has to look itself: they
 * are too many. */
eb_code eb_shared_find(eb_shared_pairs *c, const eb_implementation *exact, void *state, const eb_problem *problem,
                       const eb_context *context, eb_status *status);
