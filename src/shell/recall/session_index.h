/* session_index: an index of the session's points, the one that is kept or one built where the session computes, in an
 * engine that searches it.
 */
#pragma once

#include "core/engine/problem.h"
#include "core/inverted/index.h"
#include "shell/session.h"

/* Not to be moved once it is open. */
typedef struct eb_session_index {
    eb_inverted_request request;
    eb_setup setup;
    eb_opened opened;
    eb_index *index; /* held; NULL: not open */
    bool kept;       /* it was there; else it was built just now */
} eb_session_index;

/* The engine for this request, before anything is computed: EB_NO_MEMORY where building and searching take more than
 * there is. The points themselves go onto a GPU too where they are to refine. */
eb_code eb_session_index_setup(eb_session *session, const eb_inverted_request *request, bool refining, eb_job *job,
                               eb_session_index *out, eb_status *status);

/* queries: whose nearest will be asked for; the points themselves: nobody's. */
eb_code eb_session_index_open(eb_session_index *index, const eb_dataset *queries, eb_job *job, eb_status *status);
void eb_session_index_close(eb_session_index *index); /* a zeroed one is fine */
