/* defaults: the engines and parameters that commands, examples and hints use when the person names none. Outside an
 * engine's own folder and the registry, engines are named only here.
 */
#pragma once

#define EB_FAST "fasted"
#define EB_TRUE "ref64"
#define EB_SURE "exact" /* the same result as EB_TRUE in less time */
#define EB_LISTS "ivfpq"
#define EB_RUNGS "tensor" /* number types of tensor cores, as options */
#define EB_ABLATED EB_FAST "[paper]"

/* GPU and dataset of the published figures of switches (FASTED, Table 5). */
#define EB_PUBLISHED_GPU "a100-pcie"
#define EB_PUBLISHED_N 100000
#define EB_PUBLISHED_D 4096
/* Bytes a second that its Box 1 takes from L2 and shared memory. */
#define EB_PUBLISHED_L2 6.4e12
#define EB_PUBLISHED_SHARED 17.9e12

/* The shapes that `grid` measures by default: FASTED's Fig. 8, with two values of n per decade. */
#define EB_GRID_N_FROM 1e3
#define EB_GRID_N_TO 1e6
#define EB_GRID_N_STEP 3.1622776601683795
#define EB_GRID_D_FROM 64
#define EB_GRID_D_TO 4096
#define EB_GRID_D_STEP 2
#define EB_GRID_S 64
#define EB_GRID_LIMIT_S 10

/* Columns of the workbench's list of runs. */
#define EB_LOG_COLUMNS "run,dataset,engine,eps,selectivity,pairs,kernels,total_s,state"

/* The name that a case of `diagnose` has as a lesson, in the log too. */
#define EB_DIAGNOSIS "which-switch"
