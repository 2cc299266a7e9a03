/* engine: the common part of CPU engines that consist of one tile kernel. An engine begins its state with an eb_host,
 * has its own open and close, and names in its eb_implementation the functions below and count, join and histogram of
 * collect.h.
 */
#pragma once

#include "kernels/walk/tiles.h"

typedef struct eb_host {
    eb_finder finder; /* must be the first member */
    eb_arranged points;

    /* Fills *walk (kernel, tile, state, scratch) for pairs within `limit`, a squared distance. NAN: only distances are
     * wanted. end() frees what begin() allocates. */
    eb_code (*begin)(void *state, double limit, eb_tiled *walk, eb_status *status);
    void (*end)(void *state, eb_tiled *walk); /* NULL: nothing to free */
} eb_host;

/* Arranges the points in the problem's order. eb_host_close frees them, not the state that contains the host. */
eb_code eb_host_open(eb_host *host, const eb_problem *problem, const eb_context *context, eb_status *status);
void eb_host_close(eb_host *host);

/* probe, distances and bins of eb_implementation; state begins with an eb_host. Each question adds its kernel time and
 * its operations to the figures: two FLOPs (a multiply-add) for each coordinate of each pair visited. */
eb_code eb_host_probe(const eb_device *device, const eb_options *options, eb_status *status);
eb_code eb_host_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);
eb_code eb_host_bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status);

/* Writes the places of m queries. point: [n] the point at each place; NULL: place k has point k. EB_INTERNAL if a row
 * is not below n. */
eb_code eb_find_places(const uint32_t *point, size_t n, const uint32_t *rows, size_t m, uint32_t *place,
                       eb_status *status);
