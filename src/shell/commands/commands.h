/* commands: the handlers that the command table names (command_rows.h). The files beside this one hold them, and those
 * of radius/, lab/, recall/ and lessons/, grouped by what they are about.
 */
#pragma once

#include "shell/session.h"

typedef eb_code eb_handling(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

#define ROW(name, ...) eb_handling eb_cmd_##name;
#include "shell/language/command_rows.h"
#undef ROW
