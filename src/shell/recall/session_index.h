/* session_index: an index for a command: the one that is kept, or one built where the session computes. */
#ifndef EB_SHELL_RECALL_SESSION_INDEX_H
#define EB_SHELL_RECALL_SESSION_INDEX_H

#include "kernels/inverted/cpu/index.h"
#include "shell/session.h"

/* As eb_index_get; on a GPU it finds the nearest lists, and the bits are the same. request->assigner is filled in. */
eb_code eb_session_index(const eb_session *session, const eb_device *device, eb_inverted_request *request, eb_job *job,
                         eb_index_got *out, eb_status *status);

/* Says what building it and searching it there take of memory, before anything is computed; EB_NO_MEMORY where that is
 * more than there is. The points themselves go onto a GPU too where they are to refine. */
eb_code eb_session_index_memory(const eb_session *session, const eb_device *device, const eb_inverted_request *request,
                                bool refining, eb_job *job, eb_status *status);

#endif
