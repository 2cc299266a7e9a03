/* fleet: predicts a self-join that the GPUs of several hosts share: seconds, bytes and memory, from rates.
 *
 * P = hosts × gpus shares; each finds the pairs of 1/P of the triangle's tiles. With E = n(S + 1) entries of the table
 * and n·S/2 pairs:
 *
 *   start      opening and closing the engine
 *   points     one rank has the points; each of the others gets them once and passes them on: n·d·bytes ÷ link
 *              where ranks hold blocks, each of the others gets its block: n·d·bytes · (hosts − 1)/hosts ÷ link
 *   blocks     where ranks hold blocks, they pass by: n·d·bytes · (⌊(hosts − 1)/2⌋ + ¾ if hosts is even) of all hosts,
 *              each host's part of it ÷ link
 *   upload     each GPU gets all points: n·d·bytes ÷ link to the host; the GPUs of one host a part each, but all
 *              together no faster than its threads copy to pinned memory
 *              GPUs whose kernels begin while points arrive: what they wait for. With an upload of U, kernels of C,
 *              and steps of u = 1/16 of the points, kernels cannot end before x·U + (1 − (x − u)²)·C for any x, so that
 *              the upload adds u·U + U²/4C, or U − (1 − u)²·C if it is longer than 2·(1 − u)·C
 *   kernels    1/P of the time that one GPU takes for all pairs
 *   decide     a filter's pairs, for FP64 to decide: n·S/2 · d · time of a coordinate ÷ P
 *   exchange   one host: each GPU reads the points that the others uploaded, and all pairs that they found:
 *              (n·d·bytes + n·S/2 · (8 + s)) · (gpus − 1)/gpus ÷ link to a GPU
 *   order      one host: each GPU counts and places the E/P entries of its n/P rows
 *   rows       one host: each GPU writes and sorts them; several: the host does, from pairs
 *   download   one host: E/P · (4 + distance) ÷ link to the host, and all of a host's by the memory that it makes;
 *              several: 16 bytes for each pair of the share
 *   pairs      several hosts: each end to the rank that owns the row, 16 bytes: 16·n·S/hosts · (hosts − 1)/hosts ÷
 *              link; where ranks hold blocks half of it, since the finder owns one end
 *   disk       rows that are written: E/hosts · (4 + distance) and 8 for a row ÷ disk
 *
 * Parts follow each other, except: sending pairs and blocks and, on several hosts, downloading pairs go on beside the
 * kernels; rows are made, downloaded and written at the same time. Then the longest counts.
 *
 * Memory. A GPU: the points; the pairs of its share and those that it got; two chunks of rows. If the points take more
 * than three quarters of it, blocks of a third stream through it, two at a time, and are uploaded again for each pair
 * of blocks. A rank, which is a host: the points; its rows; with several hosts also the pairs that they are made of. If
 * rows do not fit, they are written as they come. If the points do not fit one of several hosts, and the engine gives
 * the truth, each rank holds a block of them, 1/hosts, and two others that pass by (core/ranks/blocks/deal.h).
 *
 * Rates: the GPU's links (machine.h) and fleet_rows.h. Without a GPU a host's processor is its share.
 */
#pragma once

#include "core/engine/engine.h"
#include "core/model/kernel.h"

typedef struct eb_fleet_rates {
#define RATE(name, value, unit, what, source) double name;
#include "core/model/fleet_rows.h"
#undef RATE
} eb_fleet_rates;

extern const eb_fleet_rates eb_fleet_usual;

/* The join. */
typedef struct eb_fleet_work {
    double n, d, selectivity;
    double value_bytes;    /* of a coordinate as loaded */
    double stored_bytes;   /* of a point on the GPU */
    double copied_bytes;   /* of a point, from GPU to GPU of a host */
    double kernels_s;      /* of all pairs on one GPU, or on one host without GPUs */
    double table_s;        /* without GPUs: of the table on one host */
    double distance_bytes; /* kept with an entry: 0, 4, 8 */
    double squared_bytes;  /* of a pair on the GPU: 4, 8 */
    double filter_bytes;   /* of a number that a filter multiplies, for FP64 to decide; 0: no filter */
    bool arrives;          /* kernels begin while points are uploaded (kernel.h) */
    bool chooses;          /* the engine chooses how, by the points */
    bool counts;           /* no table */
    bool written;          /* to disk, by each host */
    bool truth;            /* the engine gives it */
} eb_fleet_work;

typedef struct eb_fleet {
    unsigned hosts, gpus;      /* gpus: of each host */
    const eb_machine *machine; /* NULL: no GPUs */
    unsigned threads;          /* of each host; 0: fleet_rows.h has them */
    double link_bytes_s;       /* of each host to the others, one way */
    double disk_bytes_s;       /* of each host */
    double memory_bytes;       /* of each host; 0: enough */
} eb_fleet;

typedef enum eb_fleet_part {
    EB_FLEET_START,
    EB_FLEET_POINTS,
    EB_FLEET_BLOCKS,
    EB_FLEET_UPLOAD,
    EB_FLEET_KERNELS,
    EB_FLEET_DECIDE,
    EB_FLEET_PAIRS,
    EB_FLEET_EXCHANGE,
    EB_FLEET_ORDER,
    EB_FLEET_ROWS,
    EB_FLEET_DOWNLOAD,
    EB_FLEET_DISK,
    EB_FLEET_PARTS
} eb_fleet_part;

typedef struct eb_fleet_cost {
    double seconds[EB_FLEET_PARTS]; /* 0: there is no such part */
    double bytes[EB_FLEET_PARTS];   /* that pass, of all hosts together; 0: the part moves none */
    double total_s;
    eb_fleet_part longest;            /* what limits */
    double rank_bytes, gpu_bytes;     /* memory of a rank, of a GPU; the GPU's at most its capacity */
    double points_bytes, pairs_bytes; /* of gpu_bytes: points; pairs */
    double blocks;                    /* in which the points stream through a GPU; 1: they fit */
    double rounds;                    /* ranges of rows, one after another; 1: all fit */
    bool written;                     /* rows go to disk */
    bool rank_holds_the_points;       /* a host's memory suffices for all of them, or for its blocks */
    bool in_blocks;                   /* each rank holds a block of the points */
    bool gpus, fills;                 /* shares are of GPUs; the host's memory holds the download up, not the link */
} eb_fleet_cost;

/* Sets what the engine's kernel stores of points and pairs, and what its filter multiplies; d and value_bytes are set.
 */
void eb_fleet_take_kernel(eb_fleet_work *work, const eb_engine *engine, const eb_kernel_plan *kernel);

/* n > 0, hosts and gpus at least 1, rates above 0. */
void eb_fleet_predict(const eb_fleet_work *work, const eb_fleet *fleet, const eb_fleet_rates *rates,
                      eb_fleet_cost *out);

/* What limits: "the kernels", "the link between hosts for pairs". */
const char *eb_fleet_limit(const eb_fleet_cost *cost);
