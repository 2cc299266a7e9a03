/* process: identifies the process of a session, and tests whether it is gone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct eb_process {
    char host[256];
    char boot[64]; /* the kernel's boot id; "": unknown */
    int64_t pid;
    int64_t start; /* clock ticks from the boot to the process's start; 0: unknown */
} eb_process;

void eb_process_self(eb_process *out);

/* True only if it is certain that `other` is gone: it ran on this host, and either before the last boot, or its pid is
 * free, a zombie's, or that of a process with another start. False for processes of other hosts. */
bool eb_process_gone(const eb_process *self, const eb_process *other);
