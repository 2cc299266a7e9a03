/* engine_list: engines that stand beside each other: NAME[ITEM,…],NAME. */
#ifndef EB_SHELL_COMMANDS_ENGINE_LIST_H
#define EB_SHELL_COMMANDS_ENGINE_LIST_H

#include "shell/session.h"

/* Their setups, rated (session.h), into setup[0 … *count − 1], at most `most`. EB_USAGE where there are more, or one
 * is named twice. */
eb_code eb_engine_list(eb_session *session, const char *list, eb_setup *setup, size_t most, size_t *count, eb_job *job,
                       eb_status *status);

#endif
