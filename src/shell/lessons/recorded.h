/* recorded: the values that a GPU measured for the lessons, so that a session without a GPU shows them too.
 *
 * They are in recorded.tsv, in the folder of the lessons: three lines `# device: …`, `# date: …` and `# commit: …`,
 * then a line for each value: the lesson's name, the step from 1, the value's name and the value, with tabs between.
 * `lesson record FILE` writes that file on a GPU.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/report/report.h"

typedef struct eb_recorded_row {
    char *lesson, *name, *value; /* heap */
    size_t step;
} eb_recorded_row;

typedef struct eb_recorded {
    char device[128], date[32], commit[64]; /* "": not said */
    eb_recorded_row *row;
    size_t rows;
} eb_recorded;

/* Reads the file beside a lesson, given by the lesson's path. Without such a file *out has no rows. EB_USAGE names the
 * line that is wrong. eb_recorded_parse: the same for a text; error messages come from `path`. Free *out in any case.
 */
eb_code eb_recorded_read(const char *lesson_path, eb_recorded *out, eb_status *status);
eb_code eb_recorded_parse(const char *path, const char *text, eb_recorded *out, eb_status *status);
void eb_recorded_free(eb_recorded *recorded);

/* "NVIDIA H200, 2026-11-26, commit 0a1b2c", or "no GPU yet" if nothing is recorded. Returns buffer. */
char *eb_recorded_by(const eb_recorded *recorded, char *buffer, size_t size);

/* A number or a text, which stays valid as long as `recorded`; n/a: not recorded. */
eb_value eb_recorded_find(const eb_recorded *recorded, const char *lesson, size_t step, const char *name);

/* Adds a value, or replaces it. Adds nothing for n/a. */
eb_code eb_recorded_add(eb_recorded *recorded, const char *lesson, size_t step, const char *name, eb_value value,
                        eb_status *status);

/* The file is complete or unchanged (core/files/new_file.h). */
eb_code eb_recorded_write(const eb_recorded *recorded, const char *path, eb_status *status);
