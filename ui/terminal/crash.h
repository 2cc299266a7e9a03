/* crash: when the program dies of a bug, the terminal is given back as it was and a report stays behind.
 *
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGQUIT: the terminal's modes and screen are restored, version, commit,
 * the running command and a backtrace go to $XDG_STATE_HOME/epsbench/crash.txt, one line on stderr says so, and the
 * signal then ends the program as it would have. Of threads that crash together the first does so, the others wait.
 * Only async-signal-safe calls happen there; all they need is prepared before.
 */
#pragma once

#include <termios.h>

/* Installs the handlers. Once. */
void eb_crash_arm(const char *version, const char *commit);

/* What to give back: the modes of fd and bytes to write to it; NULL modes: the terminal is as it was. Copied. */
void eb_crash_terminal(int fd, const struct termios *modes, const char *bytes);

/* Gives it back now, for an end that is no crash but cannot wait. */
void eb_crash_give_back(void);

/* The command that runs, for the report; "" none. Cut when long. */
void eb_crash_running(const char *command);
