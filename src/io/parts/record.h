/* record: the JSON texts of a folder of parts: the record of one part, and the index of all. Private to io/parts. */
#pragma once

#include <jansson.h>

#include "io/parts/table.h"
#include "io/save/facts.h"

#define EB_PARTS_INDEX "index.json"
#define EB_PARTS_RECORD "part-%010zu.json"
#define EB_PARTS_ARRAY "part-%010zu.%s.npy"
#define EB_PARTS_NAME 48u

typedef enum eb_part_array {
    EB_PART_INDPTR,
    EB_PART_INDICES,
    EB_PART_DISTANCES,
    EB_PART_POINTS,
    EB_PART_ARRAYS
} eb_part_array;
extern const char *const eb_part_array_name[EB_PART_ARRAYS];

typedef struct eb_array_file {
    char name[EB_PARTS_NAME]; /* in the folder; "": there is none */
    uint64_t bytes;
    char sha256[65];
} eb_array_file;

typedef struct eb_part_record {
    size_t number, first, rows;
    bool listed; /* `first` means nothing */
    uint64_t entries;
    eb_array_file array[EB_PART_ARRAYS];
} eb_part_record;

/* What index.json says. `text` owns the facts. */
typedef struct eb_parts_index {
    eb_parts_table table;
    uint64_t entries;
    size_t parts;
    eb_part_record *part; /* [parts], by number */
    eb_array_file labels, label_names;
    json_t *text; /* NULL: no index was read */
} eb_parts_index;

/* What a table is. Of a text that is no such object: EB_BAD_FORMAT, with the path. */
json_t *eb_table_json(const eb_parts_table *table);
eb_code eb_table_take(const char *path, const json_t *object, eb_parts_table *out, eb_status *status);

/* New references; NULL: out of memory. */
json_t *eb_record_json(const eb_parts_table *table, const eb_part_record *part);
json_t *eb_index_json(const eb_parts_index *index, const eb_facts *facts);

/* Reads the text of folder/name. Absent files: EB_NOT_FOUND. EB_BAD_FORMAT for anything that this program does not
 * write, and for a later version. */
eb_code eb_record_read(const char *folder, const char *name, eb_parts_table *table, eb_part_record *out,
                       eb_status *status);
eb_code eb_index_read(const char *folder, eb_parts_index *out, eb_status *status);
void eb_index_free(eb_parts_index *index);

/* EB_BAD_FORMAT unless each of the n rows is in exactly one part; listed rows are counted here, not read. */
eb_code eb_records_check_rows(const char *folder, const eb_parts_table *table, const eb_part_record *part, size_t parts,
                              eb_status *status);

/* Writes the JSON text; NULL: EB_NO_MEMORY. */
eb_code eb_json_write_file(const char *path, const json_t *text, eb_status *status);

/* The same as folder/name. */
eb_code eb_json_write(const char *folder, const char *name, const json_t *text, eb_status *status);

/* "folder/name" without doubled slashes. Heap; NULL: out of memory. */
char *eb_parts_path(const char *folder, const char *name);

/* Sorts by number. */
void eb_records_sort(eb_part_record *part, size_t parts);
