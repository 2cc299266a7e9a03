/* index: what an inverted file is made of, and those files that stay for whoever asks next: the last few of the
 * process, whoever made them. They are shared by reference: one that is dropped from here lives on until the last who
 * works with it lets go.
 */
#pragma once

#include "core/base/job.h"
#include "core/inverted/inverted.h"

#define EB_INVERTED_ROUNDS 25u

/* ---- what is asked for ---- */

typedef struct eb_inverted_request {
    const eb_dataset *points;
    const uint32_t *rows; /* [n] which of its rows, ascending: those that are no queries; NULL: all n */
    size_t n;
    eb_inverted_shape shape;
    unsigned rounds;                 /* of k-means; 0: EB_INVERTED_ROUNDS */
    size_t list_sample, book_sample; /* rows trained on, at most; 0: 128 a list, 256 an entry of a book */
    uint64_t seed;
} eb_inverted_request;

/* What is meant where a request has 0. */
typedef struct eb_inverted_training {
    unsigned rounds;
    size_t list_sample, book_sample;
} eb_inverted_training;
eb_inverted_training eb_inverted_training_of(const eb_inverted_request *request);

/* Bytes that building takes at most, the file included; EB_NO_MEMORY, in a sentence, where that is more than limit (0:
 * none). */
uint64_t eb_inverted_build_bytes(const eb_inverted_request *request);
eb_code eb_index_check_memory(const eb_inverted_request *request, uint64_t limit, eb_status *status);

/* ---- what was made ---- */

enum { EB_SHA256_TEXT = 65 };

/* All that a file's bits depend on: two files of one origin are the same. */
typedef struct eb_index_origin {
    char sha256[EB_SHA256_TEXT]; /* of the dataset */
    char rows[EB_SHA256_TEXT];   /* of the rows' numbers (uint32, ascending); "": all of them */
    uint64_t points;             /* rows that the dataset has */
    uint64_t fingerprint;        /* of the points in memory: parts and scaled copies of a dataset have its sha256 too */
    eb_inverted_shape shape;
    unsigned rounds;                   /* of k-means */
    uint64_t list_sample, book_sample; /* rows trained on, at most */
    uint64_t seed;
} eb_index_origin;

bool eb_same_origin(const eb_index_origin *a, const eb_index_origin *b);

/* Of some of a dataset's rows (NULL: all); what else it is the caller fills in. One pass over the points. */
eb_code eb_index_origin_of(const eb_dataset *points, const uint32_t *rows, size_t n, unsigned threads, eb_job *job,
                           eb_index_origin *out, eb_status *status);

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
    unsigned found;        /* times that eb_index_find had it */
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
