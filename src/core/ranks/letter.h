/* letter: what ranks tell each other. Rank 0 asks; every other rank has a server (server.h) that answers.
 *
 * A letter's bytes are values one after the other, written and read by a packet. All ranks are the same program on
 * machines of the same byte order.
 */
#pragma once

#include "core/data/bins.h"
#include "core/ranks/transport.h"

typedef enum eb_letter_kind {
    /* from rank 0; number: of the request, ascending */
    EB_ASK_OPEN = 1, /* problem, points, setup */
    EB_ASK_COUNT,
    EB_ASK_JOIN,
    EB_ASK_HISTOGRAM,
    EB_ASK_BINS,
    EB_ASK_DISTANCES,
    EB_ASK_NEAREST,    /* of a range of queries */
    EB_ASK_ROWS,       /* the entries of the rows that the last join made */
    EB_ASK_KEEP,       /* a join whose rows stay with the ranks that make them (keep/rows.h) */
    EB_ASK_NEIGHBOURS, /* how many each point has on a grid of ε; DBSCAN's first pass (keep/clusters.h) */
    EB_ASK_UNITE,      /* core points; the second */
    EB_ASK_CLOSE,      /* problem; has no answer */
    EB_ASK_DROP,       /* points; has no answer */
    EB_CANCEL,         /* number: of the request that may stop */
    EB_QUIT,

    /* from each rank to the next one */
    EB_POINTS_HEAD,  /* number: of the points; begins them */
    EB_POINTS_PIECE, /* of the points' rows */

    /* from rank 0 to each other one: its block of the points */
    EB_BLOCK_HEAD,  /* number: of the points; begins it */
    EB_BLOCK_PIECE, /* of its rows; an empty one: there will be no more, although some are missing */

    /* to any rank; number: of the question */
    EB_WANT,    /* rows of the other rank's block, from one row up to another */
    EB_PASSING, /* such rows: the first byte's place; bytes */

    EB_CHUNK, /* from rank 0: the parts to take next: the first one, how many; number: of the question */

    /* to any rank; number: of the join */
    EB_HITS,     /* eb_hit[]: pairs of the rank's rows; to rank 0, of any rows, if it makes no table of rows */
    EB_HITS_END, /* the sender has no more of them */

    /* to rank 0; number: of the request */
    EB_HELLO,
    EB_ANSWER,   /* the last message about a request */
    EB_VALUES,   /* of a histogram: interval, then distances */
    EB_ROWS,     /* of distances: the first value's place, then distances */
    EB_OFFSETS,  /* of a join's rows: the first row, then entries up to the end of each row */
    EB_ENTRIES,  /* of a table: 0 columns, 1 distances; the first byte's place; bytes */
    EB_COUNTS,   /* of a gathering [n × levels]: the first place; 1: all from there on, 0: with places; values */
    EB_ROOTS,    /* of its forests [levels × n], likewise */
    EB_NEAR,     /* eb_near[] */
    EB_NEAREST,  /* the first query, how many; entries of each, k eb_near_row of each */
    EB_PROGRESS, /* units done since the last one */
    EB_MORE,     /* asks for parts of a question; answered by EB_CHUNK */
} eb_letter_kind;

/* Progress, and parts that are asked for ahead, are in no hurry. Were they looked for as soon as others, rank 0 of many
 * ranks would look nearly all the time. */
static inline bool eb_letter_hurries(uint32_t kind)
{
    return kind != EB_PROGRESS && kind != EB_MORE && kind != EB_CHUNK;
}

/* Writes or reads values. A failure is kept: it is enough to look at `failed` once, at the end. Read values are 0 after
 * a failure. */
typedef struct eb_packet {
    unsigned char *bytes; /* of a message; owned by the packet while writing */
    size_t size, room, at;
    bool failed; /* writing: no memory; reading: the message is too short */
} eb_packet;

void eb_pack(eb_packet *packet, const void *bytes, size_t size);
static inline void eb_pack_u64(eb_packet *packet, uint64_t value) { eb_pack(packet, &value, sizeof value); }
static inline void eb_pack_f64(eb_packet *packet, double value) { eb_pack(packet, &value, sizeof value); }
void eb_pack_text(eb_packet *packet, const char *text);
void eb_pack_bins(eb_packet *packet, const eb_bins *bins);

/* Sends the packet's bytes, which it takes. EB_NO_MEMORY if writing has failed. */
eb_code eb_packet_send(const eb_transport *transport, unsigned to, uint32_t kind, uint64_t number, eb_packet *packet,
                       eb_status *status);

/* Sends the same to all ranks but this one. */
eb_code eb_packet_send_all(const eb_transport *transport, uint32_t kind, uint64_t number, eb_packet *packet,
                           eb_status *status);

static inline eb_packet eb_packet_of(const eb_letter *message)
{
    eb_packet packet = {.bytes = message->bytes, .size = message->size};
    return packet;
}

void eb_unpack(eb_packet *packet, void *bytes, size_t size);
static inline uint64_t eb_unpack_u64(eb_packet *packet)
{
    uint64_t value = 0;
    eb_unpack(packet, &value, sizeof value);
    return value;
}
static inline double eb_unpack_f64(eb_packet *packet)
{
    double value = 0;
    eb_unpack(packet, &value, sizeof value);
    return value;
}
void eb_unpack_text(eb_packet *packet, char *text, size_t size); /* cuts what is too long */

/* The bins of so many queries that rank `from` gives. Free *out with eb_bins_free. */
eb_code eb_unpack_bins(eb_packet *packet, unsigned from, size_t queries, eb_bins *out, eb_status *status);

/* The next `size` bytes of the message; NULL: it is shorter. */
const unsigned char *eb_unpack_bytes(eb_packet *packet, size_t size);
