#include "store/process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the beginning of a file as text; "" if it cannot be read. */
static void read_text(const char *path, char *buffer, size_t size)
{
    FILE *file = fopen(path, "re");
    buffer[file ? fread(buffer, 1, size - 1, file) : 0] = '\0';
    if (file)
        (void)fclose(file);
}

/* State letter and start of a process, fields 3 and 22 of /proc/PID/stat; false if they cannot be read. The name in
 * field 2 may contain blanks and parentheses, so fields are counted from the last closing one. */
static bool read_stat(int64_t pid, char *state, int64_t *start)
{
    char path[64], text[1024];
    (void)snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_text(path, text, sizeof text);
    char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] == '\0')
        return false;
    *state = at[2];
    at += 2;
    for (int field = 3; field < 22; field++) {
        at = strchr(at, ' ');
        if (!at)
            return false;
        at++;
    }
    *start = strtoll(at, NULL, 10);
    return true;
}

void eb_process_self(eb_process *out)
{
    char state;
    *out = (eb_process){.pid = getpid()};
    if (gethostname(out->host, sizeof out->host - 1) != 0)
        out->host[0] = '\0';
    read_text("/proc/sys/kernel/random/boot_id", out->boot, sizeof out->boot);
    out->boot[strcspn(out->boot, "\n")] = '\0';
    if (!read_stat(out->pid, &state, &out->start))
        out->start = 0;
}

bool eb_process_gone(const eb_process *self, const eb_process *other)
{
    char state;
    int64_t start;
    if (strcmp(self->host, other->host) != 0)
        return false;
    if (strcmp(self->boot, other->boot) != 0)
        return self->boot[0] != '\0' && other->boot[0] != '\0';
    if (other->pid <= 0 || other->pid > INT_MAX)
        return true;
    if (kill((pid_t)other->pid, 0) != 0 && errno == ESRCH)
        return true;
    if (!read_stat(other->pid, &state, &start))
        return false; /* a process has this pid, and /proc does not show which */
    return state == 'Z' || state == 'X' || (other->start > 0 && start != other->start);
}
