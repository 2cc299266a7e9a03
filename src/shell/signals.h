/* signals: SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGWINCH as something to poll, so that no handler ever runs in the
 * middle of readline, SQLite or a half-drawn line. They are blocked in every thread and read from a descriptor.
 */
#pragma once

#include <stdbool.h>

#include "core/base/status.h"

/* Blocks the signals (those that were ignored stay ignored), ignores SIGPIPE, opens the descriptor. Call before any
 * thread starts. */
eb_code eb_signals_open(int *fd, eb_status *status);

/* The next signal that came, 0 when there is none. Does not wait. *typed: a key at the terminal sent it. */
int eb_signals_take(int fd);
int eb_signals_take_typed(int fd, bool *typed);

/* Whether a signal that interrupts or ends (SIGINT, SIGTERM, SIGHUP) has come, taken or not, since the last
 * eb_signals_forget. From any thread: who waits in the middle of something can give up. */
bool eb_signals_came(void);
void eb_signals_forget(void);

/* Waits until `ended` is readable. A signal that asks the program to end and that nobody takes is not lost: whoever
 * should hear it is deaf, in a write that nobody reads or in a driver. After most of a second give_back is called and
 * the signal ends the program. SIGINT does so where `and_interrupt` says that nobody is at a prompt. */
void eb_signals_guard(int fd, int ended, bool and_interrupt, void (*give_back)(void));

/* Ends the program as the signal would have ended it. */
void eb_signals_end_by(int number);
