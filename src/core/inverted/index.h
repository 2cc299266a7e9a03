/* index: requests for inverted files, and the process's cache of the last few files built or loaded. Files are shared
 * by reference: one that drops out of the cache lives until its last holder releases it.
 */
#pragma once

#include "core/base/job.h"
#include "core/inverted/inverted.h"

#define EB_INVERTED_ROUNDS 25u

/* ---- requests ---- */

typedef struct eb_inverted_request {
    const eb_dataset *points;
    const uint32_t *rows; /* [n] rows of `points` to index, ascending (those that are not queries); NULL: all n */
    size_t n;
    eb_inverted_shape shape;
    unsigned rounds;                 /* of k-means; 0: EB_INVERTED_ROUNDS */
    size_t list_sample, book_sample; /* most rows to train on; 0: 128 a list, 256 an entry of a book */
    uint64_t seed;
} eb_inverted_request;

/* The training with defaults filled in for zeros. */
typedef struct eb_inverted_training {
    unsigned rounds;
    size_t list_sample, book_sample;
} eb_inverted_training;
eb_inverted_training eb_inverted_training_of(const eb_inverted_request *request);

/* Most bytes of the host that building takes, the file included. on_gpu: a GPU finds lists and codes.
 * eb_index_check_memory: EB_NO_MEMORY if that exceeds limit (0: no limit). */
uint64_t eb_inverted_build_bytes(const eb_inverted_request *request, bool on_gpu);
eb_code eb_index_check_memory(const eb_inverted_request *request, bool on_gpu, uint64_t limit, eb_status *status);

/* ---- indexes ---- */

enum { EB_SHA256_TEXT = 65 };

/* Everything that a file's bits depend on: two files of the same origin are identical. */
typedef struct eb_index_origin {
    char sha256[EB_SHA256_TEXT]; /* of the dataset */
    char rows[EB_SHA256_TEXT];   /* of the rows' numbers (uint32, ascending); "": all rows */
    uint64_t points;             /* rows of the dataset */
    uint64_t fingerprint; /* of the points in memory, because parts and scaled copies of a dataset share its sha256 */
    eb_inverted_shape shape;
    unsigned rounds;                   /* of k-means */
    uint64_t list_sample, book_sample; /* most rows trained on */
    uint64_t seed;
} eb_index_origin;

bool eb_same_origin(const eb_index_origin *a, const eb_index_origin *b);

/* Sets the members for some of a dataset's rows (NULL: all); the caller sets shape, rounds, samples and seed. One pass
 * over the points. */
eb_code eb_index_origin_of(const eb_dataset *points, const uint32_t *rows, size_t n, unsigned threads, eb_job *job,
                           eb_index_origin *out, eb_status *status);

#define EB_CACHED_INDEXES 3u

/* Seconds that the parts of building took. */
typedef struct eb_index_times {
    double lists_s, books_s; /* training */
    double assign_s;         /* finding each row's list */
    double encode_s;         /* finding each row's codes, and placing them */
} eb_index_times;

/* Immutable, but for `holders` and `found`. */
typedef struct eb_index {
    eb_inverted_file file;
    eb_index_origin origin;
    double build_s;        /* seconds that building took */
    eb_index_times times;  /* 0 if it was loaded */
    char source[512];      /* name of the dataset, cut to fit */
    char program[64];      /* loaded index: the program that saved it */
    char built[32];        /* time of building: 2026-11-23T17:25:00Z */
    char loaded_from[512]; /* the file; "": built by this process */
    unsigned found;        /* times that eb_index_find returned it */
    unsigned holders;
} eb_index;

/* The cached index of this origin, or NULL. The caller holds it and must release it. */
eb_index *eb_index_find(const eb_index_origin *origin);

/* The most recently used index of this dataset, or NULL. The caller must release it. */
eb_index *eb_index_latest(const eb_dataset *points);

/* All cached indexes of this dataset, most recently used first. Returns their number; the caller must release each. */
size_t eb_index_all(const eb_dataset *points, eb_index *out[EB_CACHED_INDEXES]);

/* Puts *index into the cache, which takes over its file and drops the least recently used index. If another thread has
 * cached the same origin meanwhile, that index stays instead. *out is the cached index, which the caller must release.
 * On failure *index is still the caller's. */
eb_code eb_index_keep(eb_index *index, eb_index **out, eb_status *status);

void eb_index_release(eb_index *index); /* NULL is fine */

uint64_t eb_inverted_bytes(const eb_inverted_file *file); /* bytes in memory */
