/* commands: declares the handler of every command in the command table (command_rows.h). The handlers are defined in
 * this folder and in radius/, lab/, recall/ and lessons/. */
#pragma once

#include "shell/session.h"

typedef eb_code eb_handling(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

#define ROW(name, ...) eb_handling eb_cmd_##name;
#include "shell/language/command_rows.h"
#undef ROW
