/* commands: the handlers that the command table names. The files beside this one hold them, grouped by what they are
 * about. */
#ifndef EB_SHELL_COMMANDS_COMMANDS_H
#define EB_SHELL_COMMANDS_COMMANDS_H

#include "shell/session.h"

/* data.c: the current dataset, and what can run here. */
eb_code eb_cmd_load(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_synth(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_info(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_project(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_files(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_engines(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_devices(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

/* tune.c: ε ↔ selectivity. */
eb_code eb_cmd_tune(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_curve(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_sweep(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

/* join.c: running one engine, writing what it found. */
eb_code eb_cmd_join(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_save(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

/* compare.c: two engines side by side. */
eb_code eb_cmd_compare(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

/* ablate.c: FASTED's optimisations, left out one at a time. */
eb_code eb_cmd_ablate(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

/* accuracy.c: the last comparison. */
eb_code eb_cmd_accuracy(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_hist(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

/* counters.c: hardware counters. */
eb_code eb_cmd_counters(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

/* log.c: the session log. */
eb_code eb_cmd_runs(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_sessions(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_show(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_diff(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_note(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_export(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

/* shell.c: the shell itself. */
eb_code eb_cmd_replay(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_set(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_timer(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_watch(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_mode(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_echo(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_dump(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_panel(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_help(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);
eb_code eb_cmd_quit(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

#endif
