/* index_cache: inverted files that stay for whoever asks next: the last few of the process, whoever made them. They are
 * shared by reference: one that is dropped from here lives on until the last who works with it lets go.
 */
#ifndef EB_CORE_INVERTED_INDEX_CACHE_H
#define EB_CORE_INVERTED_INDEX_CACHE_H

#include "core/inverted/origin.h"

#define EB_CACHED_INDEXES 3u

/* Immutable, but for who holds it. */
typedef struct eb_index {
    eb_inverted_file file;
    eb_index_origin origin;
    double build_s;        /* what building it took, whenever that was */
    char source[512];      /* the dataset as it was called, cut where it is longer */
    char program[64];      /* of one that was loaded: what saved it */
    char built[32];        /* when: 2026-11-23T17:25:00Z */
    char loaded_from[512]; /* the file; "": built by this process */
    unsigned holders;
} eb_index;

/* The one of this origin; NULL: it is not kept. What is found is held: let it go. */
eb_index *eb_index_find(const eb_index_origin *origin);

/* The one that was used last of this dataset's; NULL: none is kept. Held. */
eb_index *eb_index_latest(const eb_dataset *points);

/* All of this dataset's, the one used last first; how many. Held, each of them. */
size_t eb_index_all(const eb_dataset *points, eb_index *out[EB_CACHED_INDEXES]);

/* Takes over what *index holds, and sets *index to the one to work with, held: that one, or, where somebody has put the
 * same there meanwhile, theirs. The one used least lately is dropped. On failure *index is still the caller's. */
eb_code eb_index_keep(eb_index *index, eb_index **out, eb_status *status);

void eb_index_release(eb_index *index); /* NULL is fine */

uint64_t eb_inverted_bytes(const eb_inverted_file *file); /* that it takes in memory */

#endif
