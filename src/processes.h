/* processes: the program as one of several processes that mpirun or srun has started. Rank 0 is the program as always;
 * the others answer its questions. */
#pragma once

#include "core/ranks/ranks.h"

typedef struct eb_processes {
    eb_transport transport;
    eb_ranks *ranks; /* of rank 0 */
} eb_processes;

/* In a process that runs alone it does nothing: *out has no ranks. In rank 0 it connects the others. In another rank it
 * serves until rank 0 ends. Returns the exit status of a process that has ended or failed, which it says; otherwise -1.
 * Signals must be blocked already. */
int eb_processes_begin(eb_processes *out);
void eb_processes_end(eb_processes *processes);
