/* stored: reads a finished table back from its folder of parts (parts.h). The arrays are mapped, so the table may be
 * larger than memory.
 */
#pragma once

#include "core/join/join.h"
#include "io/parts/parts.h"

typedef struct eb_stored eb_stored;

/* Opens a finished table. EB_NOT_FOUND if index.json is missing: the table is unfinished, or it is no such folder.
 * EB_BAD_FORMAT for an index of a later version, missing or cut files, and rows that are missing or there twice. */
eb_code eb_stored_open(const char *path, eb_stored **out, eb_status *status);

/* Reads every file and compares its checksum: EB_BAD_FORMAT names the first that differs. Progress: one unit a byte of
 * the phase "checking checksums". */
eb_code eb_stored_verify(const eb_stored *stored, unsigned threads, eb_job *job, eb_status *status);

const char *eb_stored_path(const eb_stored *stored);
const eb_parts_table *eb_stored_table(const eb_stored *stored);
uint64_t eb_stored_entries(const eb_stored *stored);
size_t eb_stored_parts(const eb_stored *stored);
uint64_t eb_stored_bytes(const eb_stored *stored); /* of all arrays */

/* A fact as it was told (save/facts.h). Valid until the table is closed. NULL: no such fact, or a number. */
const char *eb_stored_fact(const eb_stored *stored, const char *key);

/* Tells all facts again. The keys belong to `stored`. */
eb_code eb_stored_tell(const eb_stored *stored, eb_facts *facts, eb_status *status);

/* Passes the whole table on in the order of its rows, in batches of about `room` bytes. EB_BAD_FORMAT for rows that no
 * table has. Reads the cancel flag. */
eb_code eb_stored_rows(const eb_stored *stored, uint64_t room, eb_batch_consumer consumer, void *context, eb_job *job,
                       eb_status *status);

void eb_stored_close(eb_stored *stored); /* NULL is fine */
