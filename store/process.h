/* process: which process a session belongs to, and whether it is gone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct eb_process {
    char host[256];
    char boot[64]; /* the kernel's boot id; "" when it has none to tell */
    int64_t pid;
    int64_t start; /* clock ticks from the boot to the process's start; 0: unknown */
} eb_process;

void eb_process_self(eb_process *out);

/* True only when certain: a process of this host, of an earlier boot, or whose number is free, a zombie's or taken by a
 * process with another start. Of other hosts nothing is known. */
bool eb_process_gone(const eb_process *self, const eb_process *other);
