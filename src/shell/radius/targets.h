/* targets: the radii of a command that takes several: eps=A,B,C, or S=A,B,C, whose ε are found together. */
#pragma once

#include "core/tune/tune.h"
#include "shell/session.h"

enum { EB_MOST_TARGETS = 32 };

typedef struct eb_targets {
    size_t count;                      /* ≥ 1 */
    eb_target target[EB_MOST_TARGETS]; /* ascending, each once; of eps= only .eps is set, .wanted is NAN */
    bool tuned;                        /* S was given */
} eb_targets;

/* The targets of a call whose arguments eps and S are lists; without either, the session's last ε; without one, an S of
 * `usual`, or less if there are few points (usual NAN: EB_USAGE). EB_USAGE if both are given, or for more than
 * EB_MOST_TARGETS. patience_s: if the exact pass is forecast to take longer,
 * ε is the sampled one; 0: always exact. Adds notes on tuning to the report, logs exact targets, and sets the session's
 * ε to the last target's. */
eb_code eb_resolve_targets(eb_session *session, const eb_call *call, double usual, double patience_s, eb_report *report,
                           eb_targets *out, eb_job *job, eb_status *status);
