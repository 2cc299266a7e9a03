/* defaults: the only place outside an engine's own folder and the registry where engines are named: those that
 * commands, examples and hints take when nobody names one.
 */
#pragma once

#define EB_FAST "fasted"
#define EB_TRUE "ref64"
#define EB_SURE "exact" /* the same answer, sooner */
#define EB_LISTS "ivfpq"
#define EB_ABLATED EB_FAST "[paper]"

/* What published figures of switches are of: FASTED's Table 5. */
#define EB_PUBLISHED_GPU "a100-pcie"
#define EB_PUBLISHED_N 100000
#define EB_PUBLISHED_D 4096

/* What `grid` measures: FASTED's Fig. 8, two shapes a decade of n. */
#define EB_GRID_N_FROM 1e3
#define EB_GRID_N_TO 1e6
#define EB_GRID_N_STEP 3.1622776601683795
#define EB_GRID_D_FROM 64
#define EB_GRID_D_TO 4096
#define EB_GRID_D_STEP 2
#define EB_GRID_S 64
#define EB_GRID_LIMIT_S 10

/* What one wants to know of a run first: the columns of the workbench's list. */
#define EB_LOG_COLUMNS "run,dataset,engine,eps,selectivity,pairs,kernels,total_s,state"
