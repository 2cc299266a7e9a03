/* index_file: saves and loads an inverted file with the facts of its making. Little-endian, in this order:
 *
 *   "EPSBIVF\n"  version (u32)  exponent (i32)
 *   n  d  nlist  m  points  rounds  list_sample  book_sample  seed (u64 each)  build_s (f64)
 *   sha256 of the dataset (64 letters)  source (512)  program (64)  built (32): text, padded with 0
 *   centroids (nlist × d f32)  books (m × 256 × d/m f32)  count (nlist × u32)
 *   codes (⌈count/32⌉ blocks of each list × m × 32 bytes)  row (blocks × 32 × u32)
 *   SHA-256 of all before it (32 bytes)
 *
 * Lists follow each other in whole blocks of 32 points (core/inverted/inverted.h), so the counts give their positions.
 */
#pragma once

#include <stdio.h>

#include "core/inverted/index.h"

/* Writes the whole file or nothing. program: its name and version. EB_IO on failure. */
eb_code eb_index_save(const eb_index *index, const char *program, const char *path, eb_status *status);

/* The caller frees out->file (eb_inverted_free). EB_BAD_FORMAT for a file that is damaged or not an index; EB_USAGE for
 * an index of other points than these. */
eb_code eb_index_load(const char *path, const eb_dataset *points, unsigned threads, eb_job *job, eb_index *out,
                      eb_status *status);

/* Write and read the bytes before the final SHA-256; for tests. Reading checks everything but the dataset's hash. */
eb_code eb_index_write(const eb_index *index, const char *program, FILE *file);
eb_code eb_index_parse(const unsigned char *data, size_t size, const char *name, eb_index *out, eb_status *status);

#define EB_INDEX_MAGIC "EPSBIVF\n"
#define EB_INDEX_VERSION 1u

enum {
    EB_INDEX_MAGIC_BYTES = 8,
    EB_INDEX_NUMBERS = 9, /* fields of u64 */
    EB_INDEX_SHA = 64,
    EB_INDEX_SOURCE = 512,
    EB_INDEX_PROGRAM = 64,
    EB_INDEX_BUILT = 32,
    EB_INDEX_HEAD = EB_INDEX_MAGIC_BYTES + 2 * 4 + EB_INDEX_NUMBERS * 8 + 8 + EB_INDEX_SHA + EB_INDEX_SOURCE +
                    EB_INDEX_PROGRAM + EB_INDEX_BUILT,
    EB_INDEX_DIGEST = 32,
};
