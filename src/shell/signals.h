/* signals: SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGWINCH as something to poll, so that no handler ever runs in the
 * middle of readline, SQLite or a half-drawn line. They are blocked in every thread and read from a descriptor.
 */
#ifndef EB_SHELL_SIGNALS_H
#define EB_SHELL_SIGNALS_H

#include "core/base/status.h"

/* Blocks the signals (those that were ignored stay ignored), ignores SIGPIPE, opens the descriptor. Call before any
 * thread starts. */
eb_code eb_signals_open(int *fd, eb_status *status);

/* The next signal that came, 0 when there is none. Does not wait. */
int eb_signals_take(int fd);

#endif
