/* parts: a neighbour table as a folder of parts with one index, which can be written piece by piece, by several
 * processes, and go on where it was interrupted.
 *
 * The folder has index.json and, for each part, NumPy arrays that np.load(…, mmap_mode="r") maps:
 *   part-NUMBER.indptr.npy     int64 [rows + 1]   begin of each of the part's rows, the first is 0
 *   part-NUMBER.indices.npy    int32 [entries]    columns, ascending within a row, the point itself included
 *   part-NUMBER.distances.npy  f64 or f32 [entries]; missing if the table keeps no distances
 *   part-NUMBER.rows.npy       int32 [rows]       the points of the rows, ascending; only in a part of listed rows
 * A part has either consecutive rows, and NUMBER is the first one, or listed rows, and NUMBER counts such parts. Each
 * row is in exactly one part. The points' labels, if any, are labels.npy (int32) and label_names.npy.
 *
 * A finished part has a record, part-NUMBER.json, which appears after its arrays. It says which table the part belongs
 * to, its rows, and each array's bytes and SHA-256 (of the whole file, as sha256sum prints it). index.json is made of
 * all records once every row is there, and replaces them. Each of these files appears complete or not at all
 * (core/files/new_file.h). So a folder without index.json is an unfinished table, whose parts with a record are done.
 *
 * Writing, also from several processes (`shared`), each with its own rows:
 *   eb_parts_open(PATH, &table, …)
 *     eb_part_open(parts, first, end) → eb_part_rows(batch) … → eb_part_close      for each gap of eb_parts_gap
 *   eb_parts_complete(parts, facts, labels)      in one process, when the others have closed their parts
 *   eb_parts_close
 */
#pragma once

#include <stdio.h>

#include "core/data/labels.h"
#include "io/parts/table.h"
#include "io/save/facts.h"

typedef struct eb_parts eb_parts; /* the folder, being written */
typedef struct eb_part eb_part;

/* True if a table of this name goes to a folder of parts: the path ends with "/", or is a folder. */
bool eb_parts_named(const char *path);

/* True if the path is a folder with an index or a part's record, sound or not. */
bool eb_parts_at(const char *path);

/* Opens the folder, or makes it. EB_EXISTS if other files are in it, if it holds another table (the message names the
 * first difference; how a finished one was cut does not matter), or if another process writes it and one of both does
 * not share. The table is copied. */
eb_code eb_parts_open(const char *path, const eb_parts_table *table, const eb_parts_how *how, eb_parts **out,
                      eb_status *status);

/* Opens an unnamed file on the folder's disk, which vanishes when it is closed. */
eb_code eb_parts_scratch(const eb_parts *parts, FILE **out, eb_status *status);

/* Finished parts that were there at opening, and the rows and entries of all finished parts. */
size_t eb_parts_there(const eb_parts *parts);
size_t eb_parts_rows(const eb_parts *parts);
uint64_t eb_parts_entries(const eb_parts *parts);
size_t eb_parts_count(const eb_parts *parts);
uint64_t eb_parts_bytes(const eb_parts *parts); /* of the finished parts' arrays */

/* True if index.json is there. */
bool eb_parts_are_complete(const eb_parts *parts);

/* Finds the first rows from `from` on that no finished part of consecutive rows has, up to `most` of them. False: none.
 */
bool eb_parts_gap(const eb_parts *parts, size_t from, size_t most, size_t *first, size_t *end);

/* True if the part with this number is finished. */
bool eb_parts_has(const eb_parts *parts, size_t number);

/* Begins a part of the rows first … end − 1, or a part of `rows` listed rows. Both borrow `parts`. */
eb_code eb_part_open(eb_parts *parts, size_t first, size_t end, eb_part **out, eb_status *status);
eb_code eb_part_open_listed(eb_parts *parts, size_t number, size_t rows, eb_part **out, eb_status *status);

/* Writes the part's next rows. batch->first_row is `first` plus the rows written so far (listed rows: without `first`).
 * points: [batch->rows] the points of listed rows; NULL for consecutive ones. The caller keeps the batch. After a
 * failure only eb_part_abandon may follow. */
eb_code eb_part_rows(eb_part *part, const eb_neighbours *batch, const uint32_t *points, eb_status *status);

/* Completes the arrays, then the record. EB_INTERNAL if rows are missing. Another thread may meanwhile open and write
 * the next part. eb_part_close or eb_part_abandon follows. */
eb_code eb_part_finish(eb_part *part, eb_status *status);

/* Finishes the part unless it is, and adds it to `parts`. Always frees it. */
eb_code eb_part_close(eb_part *part, eb_status *status);
void eb_part_abandon(eb_part *part); /* NULL is fine */

/* Reads all records, checks that each row is in exactly one part, and writes index.json. facts and labels (may be NULL)
 * go into the index and beside it. EB_INTERNAL if rows are missing or a self-join has an odd number of entries of
 * different points. If the index is there, only records are removed that a kill after it has left. */
eb_code eb_parts_complete(eb_parts *parts, const eb_facts *facts, const eb_labels *labels, eb_status *status);

void eb_parts_close(eb_parts *parts); /* NULL is fine */
