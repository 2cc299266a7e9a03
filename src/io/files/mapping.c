#include "io/files/mapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Entries are reused, never freed: a signal handler may be reading one. */
struct eb_mapping {
    _Atomic uintptr_t begin; /* 0: not in use */
    _Atomic size_t size;
    _Atomic bool torn;
    eb_mapping *next; /* constant */
};

static _Atomic(eb_mapping *) all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards adding and removing entries, and `before` */
static struct sigaction before;                          /* the previous SIGBUS action */

/* ---- in the handler: async-signal-safe only ---- */

static eb_mapping *mapping_of(uintptr_t address)
{
    for (eb_mapping *m = atomic_load(&all); m; m = m->next) {
        uintptr_t begin = atomic_load(&m->begin);
        if (begin && address - begin < atomic_load(&m->size)) /* unsigned: no address below begin */
            return m;
    }
    return NULL;
}

/* Replaces the whole mapping at once: replacing pages one by one could exceed the system's number of mappings, and no
 * part of a file that was cut short is used anyway. Threads that fault at the same time all do this, with the same
 * result. */
static bool put_zeros(eb_mapping *m)
{
    void *begin = (void *)atomic_load(&m->begin);
    atomic_store(&m->torn, true);
    /* The system call itself: a sanitizer's wrapper of mmap is not safe in signal handlers. */
    return syscall(SYS_mmap, begin, atomic_load(&m->size), PROT_READ,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == (long)begin;
}

static void on_bus_error(int number, siginfo_t *about, void *context)
{
    (void)context;
    int error = errno;
    bool sent = about->si_code <= 0; /* sent by a program, without an address */
    eb_mapping *torn = sent ? NULL : mapping_of((uintptr_t)about->si_addr);
    if (!torn || !put_zeros(torn)) {
        /* Not our mapping: restore the previous action; the access faults again and reaches it. */
        (void)sigaction(number, &before, NULL);
        if (sent)
            (void)raise(number);
    }
    errno = error;
}

/* ---- outside the handler ---- */

/* Installs the handler if it is not installed. Checked for every mapping, as other code (test frameworks) may have
 * replaced it. */
static bool guard(void)
{
    struct sigaction now, ours = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    (void)sigemptyset(&ours.sa_mask);
    if (sigaction(SIGBUS, NULL, &now) != 0)
        return false;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_bus_error)
        return true;
    before = now;
    return sigaction(SIGBUS, &ours, NULL) == 0;
}

/* An unused entry. NULL: out of memory. */
static eb_mapping *free_entry(void)
{
    for (eb_mapping *m = atomic_load(&all); m; m = m->next)
        if (atomic_load(&m->begin) == 0)
            return m;
    eb_mapping *added = calloc(1, sizeof *added);
    if (added) {
        added->next = atomic_load(&all);
        atomic_store(&all, added);
    }
    return added;
}

static eb_code enter(void *address, size_t size, const char *name, eb_mapping **out, eb_status *status)
{
    eb_mapping *entry = free_entry();
    if (!entry)
        return eb_fail_memory(status, name, sizeof *entry);
    if (!guard())
        return eb_fail(status, EB_IO, "%s: cannot guard a mapping of it: %s", name, strerror(errno));
    atomic_store(&entry->torn, false);
    atomic_store(&entry->size, size);
    atomic_store(&entry->begin, (uintptr_t)address);
    *out = entry;
    return EB_OK;
}

eb_code eb_map(int fd, size_t size, const char *name, eb_mapping **out, eb_status *status)
{
    void *address = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED)
        return eb_fail(status, EB_IO, "%s: cannot map %zu bytes: %s", name, size, strerror(errno));
    (void)pthread_mutex_lock(&lock);
    eb_code failed = enter(address, size, name, out, status);
    (void)pthread_mutex_unlock(&lock);
    if (failed)
        (void)munmap(address, size);
    return failed;
}

void eb_unmap(eb_mapping *mapping)
{
    if (!mapping)
        return;
    void *address = (void *)atomic_load(&mapping->begin);
    size_t size = atomic_load(&mapping->size);
    (void)pthread_mutex_lock(&lock);
    atomic_store(&mapping->begin, 0);
    (void)pthread_mutex_unlock(&lock);
    (void)munmap(address, size);
}

const unsigned char *eb_mapping_data(const eb_mapping *mapping) { return (const void *)atomic_load(&mapping->begin); }

bool eb_mapping_torn(const eb_mapping *mapping) { return atomic_load(&mapping->torn); }
