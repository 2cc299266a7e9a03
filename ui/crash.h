/* crash: what is left to do when the program dies by its own fault: the terminal as the person had it, a report of what
 * happened, one line that says where it is, and then the death the signal means.
 */
#ifndef EB_UI_CRASH_H
#define EB_UI_CRASH_H

/* Watches for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. The report goes to `path`; `build` is in it: the program's version. */
void eb_crash_watch(const char *path, const char *build);

/* How the terminal is now, and how to leave its full screen. Before curses starts. */
void eb_crash_remember_terminal(void);
void eb_crash_forget_terminal(void);

/* What runs just now, for the report; "" nothing. Copied. */
void eb_crash_note(const char *command);

#endif
