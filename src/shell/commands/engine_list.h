/* engine_list: reads engines from a command's arguments: a list NAME[ITEM,…],NAME, or one engine with some ability. */
#pragma once

#include "shell/session.h"

/* Writes the setups of a list, with device limits looked up (session.h), to setup[0 … *count − 1]. EB_USAGE for more
 * than `most` engines, or for an engine named twice. */
eb_code eb_engine_list(eb_session *session, const char *list, eb_setup *setup, size_t most, size_t *count, eb_job *job,
                       eb_status *status);

/* The spec that `name` (NULL: EB_FAST) means with the session's defaults. EB_USAGE if does(engine) is false: "NAME
 * cannot WHAT; engines that can: …". */
eb_code eb_engine_that(const eb_session *session, const char *name, bool (*does)(const eb_engine *), const char *what,
                       eb_spec *spec, eb_status *status);
