/* radii: the ε of a command that takes several: eps=a,b or S=a,b, S=A..B. */
#pragma once

#include "shell/session.h"

#define EB_MOST_RADII 16u

typedef struct eb_radii {
    size_t count;
    double eps[EB_MOST_RADII];
    double wanted[EB_MOST_RADII]; /* S as asked for; NAN: ε was given */
} eb_radii;

/* The ε of a call, ascending: eps= as given; S= tuned exactly with the truth engine, all in one pass; else the
 * session's last ε; else that of `usual` neighbours, fewer if there are few points (NAN: EB_USAGE). The last one
 * becomes the session's ε. Notes say which were tuned. The command must have arguments eps (EB_ARG_NUMBERS) and S
 * (EB_ARG_STEPS). */
eb_code eb_session_resolve_radii(eb_session *session, const eb_call *call, double usual, eb_report *report,
                                 eb_radii *out, eb_job *job, eb_status *status);
