/* place: where a rank runs, and which CPUs are its own. */
#pragma once

#ifdef EB_HAVE_MPI

#include <mpi.h>

#include "core/ranks/transport.h"

/* All ranks of `all` call it, each with its number there. */
void eb_mpi_place(MPI_Comm all, unsigned number, eb_rank_place *place);

#endif
