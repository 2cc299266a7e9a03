/* display: what shows commands and their reports in the place of the streams: the workbench. Every function is called
 * on the terminal's thread; `context` comes first in each. None may be NULL.
 */
#ifndef EB_SHELL_DISPLAY_H
#define EB_SHELL_DISPLAY_H

#include "core/base/job.h"
#include "core/report/report.h"
#include "shell/language/command.h"

typedef struct eb_display {
    void *context;
    int input_fd; /* polled while a job runs or the shell waits; −1: none */

    void (*begins)(void *context, const eb_call *call);
    /* Before its report and error come. From here to the next begins, the session may be read. */
    void (*ends)(void *context, const eb_call *call, eb_code outcome, double seconds);
    void (*report)(void *context, eb_report *report,
                   bool partial); /* takes the report; partial: what was finished before Ctrl-C */
    void (*error)(void *context, const char *command, const eb_status *failure);
    void (*warning)(void *context, const char *sentence);

    /* While a command runs: input_fd is readable; the job moved, or some time passed (takes live, a report like the one
     * the command will return; NULL: nothing new). */
    void (*input)(void *context);
    void (*progress)(void *context, const eb_progress *progress, eb_report *live);

    /* What the commands `dump` and `panel` ask for. */
    eb_code (*dump)(void *context, const char *path, eb_status *status);
    eb_code (*panel)(void *context, const char *name, eb_status *status);
} eb_display;

#endif
