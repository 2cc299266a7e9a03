/* engine_list: engines that stand beside each other, NAME[ITEM,…],NAME; and one among those that can do something. */
#pragma once

#include "shell/session.h"

/* Their setups, rated (session.h), into setup[0 … *count − 1], at most `most`. EB_USAGE where there are more, or one
 * is named twice. */
eb_code eb_engine_list(eb_session *session, const char *list, eb_setup *setup, size_t most, size_t *count, eb_job *job,
                       eb_status *status);

/* What `name` means (NULL: EB_FAST), with the session's defaults. EB_USAGE for an engine that does not: "NAME tells
 * nothing of WHAT; there are: …". */
eb_code eb_engine_that(const eb_session *session, const char *name, bool (*does)(const eb_engine *), const char *what,
                       eb_spec *spec, eb_status *status);
