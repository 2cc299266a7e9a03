#include "mpi/place.h"

#ifdef EB_HAVE_MPI

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* Ranks that may use the same CPUs share them equally. */
static unsigned cores_of(const cpu_set_t *may, unsigned here, unsigned ranks)
{
    cpu_set_t any;
    CPU_ZERO(&any);
    for (unsigned r = 0; r < ranks; r++)
        CPU_OR(&any, &any, &may[r]);
    const unsigned own = (unsigned)CPU_COUNT(&may[here]), shared = (unsigned)CPU_COUNT(&any) / ranks,
                   cores = own < shared ? own : shared;
    return cores ? cores : 1;
}

void eb_mpi_place(MPI_Comm all, unsigned number, eb_rank_place *place)
{
    MPI_Comm host;
    int rank, ranks;
    cpu_set_t own;
    (void)gethostname(place->host, sizeof place->host - 1);
    place->process = (long)getpid();
    (void)MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, (int)number, MPI_INFO_NULL, &host);
    (void)MPI_Comm_rank(host, &rank);
    (void)MPI_Comm_size(host, &ranks);
    place->on_host = (unsigned)rank;
    place->ranks_there = (unsigned)ranks;
    place->cores = 1;
    CPU_ZERO(&own);
    (void)sched_getaffinity(0, sizeof own, &own);
    cpu_set_t *may = malloc((size_t)ranks * sizeof *may);
    if (may) {
        (void)MPI_Allgather(&own, sizeof own, MPI_BYTE, may, sizeof own, MPI_BYTE, host);
        place->cores = cores_of(may, place->on_host, place->ranks_there);
    }
    free(may);
    (void)MPI_Comm_free(&host);
}

#else /* built without MPI */

typedef int eb_no_place; /* a file needs a declaration */

#endif
