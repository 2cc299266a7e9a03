/* live: what a running command has so far, handed from the worker to the terminal's thread: after a trial, a report
 * like the one the command will return, built by the worker and taken by the other when it likes. Only the newest
 * waits.
 */
#pragma once

#include "core/experiment/measure.h"
#include "core/report/report.h"

typedef struct eb_live eb_live;

eb_live *eb_live_new(void); /* NULL: out of memory */
void eb_live_free(eb_live *live);

/* On the terminal's thread, while no job runs: forgets all, for a command of this name. */
void eb_live_begin(eb_live *live, const char *command);

/* The newest report since the last call, NULL when there is none. The caller owns it. */
eb_report *eb_live_take(eb_live *live);

/* On the worker: what the command has so far that is no run. Takes the report; live may be NULL. */
void eb_live_show(eb_live *live, eb_report *report);

/* On the worker: what the command has so far is told by this function, until it is NULL again, not by its runs side by
 * side; and that something has changed beside them. */
typedef void eb_live_teller(void *context, eb_report *report);
void eb_live_tell(eb_live *live, eb_live_teller *tell, void *context);
void eb_live_changed(eb_live *live);

/* On the worker, as eb_run_observer's functions; live may be NULL. Without memory nothing is shown. */
void eb_live_started(eb_live *live, const eb_run *run);
void eb_live_trial(eb_live *live, const eb_run *run);
void eb_live_ended(eb_live *live, const eb_run *run);
