/* server: what a rank other than 0 does: it opens the problems of rank 0, and answers its part of each question.
 *
 * One thread hears the messages, so that a cancel arrives while another one computes; requests are worked off in the
 * order in which they came. */
#pragma once

#include "core/ranks/server/served.h"

/* Returns when rank 0 says so (EB_OK), or when the connection is lost. */
eb_code eb_serve(const eb_server_request *request, eb_status *status);
