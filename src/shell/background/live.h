/* live: passes the results so far of a running command from the worker thread to the terminal's thread. After a trial
 * the worker thread builds a report like the command's own; the terminal's thread takes the newest one. Older reports
 * are dropped.
 */
#pragma once

#include "core/experiment/measure.h"
#include "core/report/report.h"

typedef struct eb_live eb_live;

eb_live *eb_live_new(void); /* NULL: out of memory */
void eb_live_free(eb_live *live);

/* Clears everything for a new command. Call on the terminal's thread while no job runs. */
void eb_live_begin(eb_live *live, const char *command);

/* The newest report since the last call; NULL: none. The caller owns it. */
eb_report *eb_live_take(eb_live *live);

/* On the worker thread: publishes a report of results that are no runs. Takes ownership; live may be NULL. */
void eb_live_show(eb_live *live, eb_report *report);

/* On the worker thread: eb_live_tell sets the function that fills the reports; NULL: a table of the runs. Call
 * eb_live_changed when such a report changes otherwise than by a run. */
typedef void eb_live_teller(void *context, eb_report *report);
void eb_live_tell(eb_live *live, eb_live_teller *tell, void *context);
void eb_live_changed(eb_live *live);

/* On the worker thread: called by the functions of an eb_run_observer. live may be NULL; out of memory nothing is
 * shown. */
void eb_live_started(eb_live *live, const eb_run *run);
void eb_live_trial(eb_live *live, const eb_run *run);
void eb_live_ended(eb_live *live, const eb_run *run);
