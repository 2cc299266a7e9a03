/* kept_index: an index for a command: the one that is kept, or one built where the session computes. */
#ifndef EB_SHELL_LAB_KEPT_INDEX_H
#define EB_SHELL_LAB_KEPT_INDEX_H

#include "cpu/inverted/index.h"
#include "shell/session.h"

/* As eb_index_get; on a GPU it finds the nearest lists, and the bits are the same. request->assigner is filled in. */
eb_code eb_session_index(const eb_session *session, const eb_device *device, eb_inverted_request *request, eb_job *job,
                         eb_index_got *out, eb_status *status);

#endif
