/* lookup_tables: look-up tables in a GPU's shared memory, for `numbers tables`. */
#pragma once

#include "shell/session.h"

/* Table "lookup". */
eb_code eb_report_lookup_tables(const eb_session *session, const eb_call *call, eb_report *report, eb_status *status);
