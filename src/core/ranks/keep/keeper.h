/* keeper: what a rank does with the rows that it made, where they stay with it. */
#pragma once

#include "core/join/neighbours.h"

/* What a keeper tells rank 0 of the rows that it has kept. */
typedef struct eb_kept {
    size_t size; /* bytes; 0: the rank had no rows, or failed */
    _Alignas(16) unsigned char bytes[1024];
} eb_kept;

/* Keeps a table of consecutive rows, which stay the caller's. order: [size] what rank 0 has said about it. The same
 * function runs in all ranks, in rank 0 too. */
typedef eb_code (*eb_row_keeper)(const void *order, size_t size, const eb_neighbours *rows, unsigned threads,
                                 eb_job *job, eb_kept *told, eb_status *status);
