/* ends: notices that a process of this host has ended, whoever started it, by a pidfd. */
#pragma once

#include <stdbool.h>

#define EB_END_GRACE_S 3 /* that a process waits, after another one's end, before it ends too */

/* A descriptor for eb_end_came, which the caller closes; -1: there is none, and the end is not noticed. */
int eb_end_open(long process);
bool eb_end_came(int descriptor);

/* Ends this process EB_END_GRACE_S after that one, by a thread. mpirun would do so; srun does not. */
void eb_end_follow(long process);
