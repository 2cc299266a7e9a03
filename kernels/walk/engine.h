/* engine: what CPU engines that are one tile kernel do alike: count, join, distance pass (collect.h), distances. An
 * engine begins its state with an eb_host, opens and closes itself, and names those functions and these in its
 * eb_implementation.
 */
#pragma once

#include "kernels/walk/collect.h"
#include "kernels/walk/tiles.h"

typedef struct eb_host {
    eb_finder finder; /* first */
    eb_arranged points;

    /* Fills *walk for pairs within `limit` (squared): kernel, tile, state, scratch. NAN: distances alone are wanted.
     * What it allocates end() frees. */
    eb_code (*begin)(void *state, double limit, eb_tiled *walk, eb_status *status);
    void (*end)(void *state, eb_tiled *walk); /* NULL: nothing to free */
} eb_host;

/* Puts the points where the problem wants them. eb_host_close frees what it holds, not the state around it. */
eb_code eb_host_open(eb_host *host, const eb_problem *problem, const eb_context *context, eb_status *status);
void eb_host_close(eb_host *host);

/* As eb_implementation's; state begins with an eb_host. Questions add kernel_s and the operations executed to the
 * figures: a multiply-add, two FLOPs, a coordinate of each pair looked at. */
eb_code eb_host_probe(const eb_device *device, const eb_options *options, eb_status *status);
eb_code eb_host_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);
