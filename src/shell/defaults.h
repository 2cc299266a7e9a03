/* defaults: the only place outside an engine's own folder and the registry where engines are named: those that
 * commands, examples and hints take when nobody names one.
 */
#ifndef EB_SHELL_DEFAULTS_H
#define EB_SHELL_DEFAULTS_H

#define EB_FAST "fasted"
#define EB_TRUE "ref64"
#define EB_SURE "exact" /* the same answer, sooner */
#define EB_ABLATED EB_FAST "[paper]"

/* What one wants to know of a run first: the columns of the workbench's list. */
#define EB_LOG_COLUMNS "run,dataset,engine,eps,selectivity,pairs,kernels,total_s,state"

#endif
