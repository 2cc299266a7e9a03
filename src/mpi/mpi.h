/* mpi: ranks as processes that mpirun or srun has started, by MPI.
 *
 * One thread makes all calls of MPI, from its start to its end. MPI is only started in a process that was started as
 * one of several.
 */
#pragma once

#include "core/ranks/transport.h"

/* Number of processes that this one was started among, by the environment that mpirun and srun set; 1: alone. */
unsigned eb_mpi_processes(void);

/* This process's number among them, by the same environment. */
unsigned eb_mpi_rank(void);

/* Connects the processes. EB_NO_DEVICE: this program was built without MPI. Once another rank of the same host has
 * ended too early, receive fails in rank 0. */
eb_code eb_mpi_open(eb_transport *out, eb_status *status);
