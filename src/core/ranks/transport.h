/* transport: messages between the processes of one run ("ranks", numbered from 0). The rest of the program knows only
 * this interface; src/mpi/ implements it by MPI, local.h by threads of one process.
 *
 * Messages from one rank to another arrive in the order in which they were sent. All functions may be called from any
 * thread, `receive` from one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

/* bytes is made by eb_letter_bytes and freed by eb_letter_free; NULL if size is 0. */
typedef struct eb_letter {
    uint32_t kind;  /* message.h */
    unsigned from;  /* set by receive */
    bool unhurried; /* whoever computes is not interrupted for it: it may take some milliseconds */
    uint64_t number;
    size_t size; /* at most EB_LETTER_BYTES */
    unsigned char *bytes;
} eb_letter;

#define EB_LETTER_BYTES ((size_t)1 << 30)

/* The head of a message on the wire, which stands in front of its bytes. */
typedef struct eb_letter_head {
    uint32_t kind, unhurried;
    uint64_t number;
} eb_letter_head;

/* Allocates bytes with room for the head in front of them. NULL: no memory. */
unsigned char *eb_letter_bytes(size_t size);
void eb_letter_free(eb_letter *message); /* frees the bytes, not the struct */

/* Where a rank runs. */
typedef struct eb_rank_place {
    char host[64];
    long process;                  /* its number on that host */
    unsigned on_host, ranks_there; /* the rank's number among those of its host, and how many these are */
    unsigned cores;                /* CPUs for this rank: its part of those that the ranks of its host may use */
} eb_rank_place;

typedef struct eb_transport {
    unsigned rank, ranks;
    eb_rank_place place; /* of this rank */
    void *state;

    /* Takes the message's bytes, also if it fails. Waits while too much is on its way to that rank already. */
    eb_code (*send)(void *state, unsigned to, eb_letter *message, eb_status *status);

    /* Waits up to `seconds` for a message; *came: there is one, and the caller frees it. Fails if the connection to the
     * other ranks is lost. */
    eb_code (*receive)(void *state, double seconds, eb_letter *out, bool *came, eb_status *status);

    /* on: this rank computes nothing and waits for messages, so that looking for them often costs nothing. NULL:
     * messages come at once. */
    void (*wait)(void *state, bool on);

    uint64_t (*sent)(void *state); /* bytes sent by this rank so far, with heads */
    void (*close)(void *state);    /* waits until what was sent has been received */
} eb_transport;

static inline void eb_transport_wait(const eb_transport *transport, bool on)
{
    if (transport->wait)
        transport->wait(transport->state, on);
}
