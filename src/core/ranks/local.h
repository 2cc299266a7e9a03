/* local: a transport between threads of one process, for tests. */
#pragma once

#include "core/ranks/transport.h"

#define EB_MOST_LOCAL_RANKS 64u

/* Fills out[ranks]. The last close frees what they share. EB_USAGE: more than EB_MOST_LOCAL_RANKS. */
eb_code eb_local_ranks(unsigned ranks, eb_transport *out, eb_status *status);
