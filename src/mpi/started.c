#include <stdlib.h>

#include "mpi/mpi.h"

static unsigned number_of(const char *name)
{
    const char *text = getenv(name);
    const long value = text ? strtol(text, NULL, 10) : 0;
    return value > 0 && value < 1000000 ? (unsigned)value : 0;
}

/* Open MPI; MPICH and Slurm's pmi2; Slurm's pmix. Slurm sets its own variables for a batch script too, which is one
 * process. */
unsigned eb_mpi_processes(void)
{
    const unsigned open_mpi = number_of("OMPI_COMM_WORLD_SIZE"), pmi = number_of("PMI_SIZE");
    const unsigned slurm = getenv("PMIX_RANK") || getenv("PMI_RANK") ? number_of("SLURM_STEP_NUM_TASKS") : 0;
    return open_mpi ? open_mpi : pmi ? pmi : slurm ? slurm : 1;
}

unsigned eb_mpi_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (getenv(names[k]))
            return number_of(names[k]);
    return 0;
}
