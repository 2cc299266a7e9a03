/* crash: restores the terminal and writes a report when the program crashes.
 *
 * On SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGQUIT the handler restores the terminal's modes and screen. It
 * writes version, commit, the running command and a backtrace to $XDG_STATE_HOME/epsbench/crash.txt, and one line about
 * that to stderr. The signal then ends the program by its default action. If several threads crash together, the first
 * one does this and the others wait. The handler makes async-signal-safe calls only; all data for it are prepared
 * before.
 */
#pragma once

#include <termios.h>

/* Installs the handlers. Once. */
void eb_crash_arm(const char *version, const char *commit);

/* Sets the state to restore: the modes of fd, and bytes to write to it. Both are copied. NULL modes: nothing to
 * restore.
 */
void eb_crash_terminal(int fd, const struct termios *modes, const char *bytes);

/* Restores the terminal now, for an exit that is no crash but cannot wait for the workbench. */
void eb_crash_give_back(void);

/* Sets the running command for the report; "" for none. A long text is cut. */
void eb_crash_running(const char *command);
