/* index: opens an index of the session's points in an engine that searches it. The index is one that the
 * process keeps, or is built on the session's device. */
#pragma once

#include "core/engine/problem.h"
#include "core/inverted/index.h"
#include "shell/session.h"

/* Must not be moved while it is open. */
typedef struct eb_session_index {
    eb_inverted_request request;
    eb_setup setup;
    eb_opened opened;
    eb_index *index; /* a reference; NULL: not open */
    bool kept;       /* the index existed; else it was built now */
} eb_session_index;

/* Sets up the engine for this request; computes nothing. EB_NO_MEMORY if building and searching need more than the
 * memory limits. With `refining` the points themselves must fit on the GPU too. */
eb_code eb_session_index_setup(eb_session *session, const eb_inverted_request *request, bool refining, eb_job *job,
                               eb_session_index *out, eb_status *status);

/* Finds or builds the index. queries: the query set to search for, or the points themselves if none is searched for. */
eb_code eb_session_index_open(eb_session_index *index, const eb_dataset *queries, eb_job *job, eb_status *status);
void eb_session_index_close(eb_session_index *index); /* a zeroed struct is fine */
