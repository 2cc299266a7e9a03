/* signals: SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGWINCH, read from a descriptor that can be polled. They are blocked
 * in every thread, so that no signal handler interrupts readline, SQLite or a half-drawn line.
 */
#pragma once

#include <stdbool.h>

#include "core/base/status.h"

/* Blocks the signals, ignores SIGPIPE and opens the descriptor. Signals that were ignored stay ignored. Call before any
 * thread starts. */
eb_code eb_signals_open(int *fd, eb_status *status);

/* The next signal that has arrived; 0: none. Does not wait. *typed: true if a key at the terminal sent it; may be NULL.
 */
int eb_signals_take(int fd, bool *typed);

/* True if SIGINT, SIGTERM or SIGHUP has arrived since the last eb_signals_forget, taken or not. May be called from any
 * thread, so that long waits can be given up. */
bool eb_signals_came(void);
void eb_signals_forget(void);

/* Waits until `ended` is readable. If SIGTERM or SIGHUP (with and_interrupt also SIGINT, when nobody is at a prompt)
 * stays pending for 0.7 s, the threads that should take it hang in a write or a driver: then give_back is called, which
 * restores the terminal, and the signal ends the program. */
void eb_signals_guard(int fd, int ended, bool and_interrupt, void (*give_back)(void));

/* Ends the program with the signal's default action. */
void eb_signals_end_by(int number);
