/* commands: declares the handler of every command in the command table (command_rows.h), and what several handlers
 * share: lists of engines, query sets, limits of devices. The handlers are defined in this folder and in radius/, lab/,
 * recall/, lessons/, exercises/ and diagnosis/. */
#pragma once

#include "shell/session.h"

typedef eb_code eb_handling(eb_session *, const eb_call *, eb_report *, eb_job *, eb_status *);

#define ROW(name, ...) eb_handling eb_cmd_##name;
#include "shell/language/rows/command_rows.h"
#undef ROW

/* ---- engines in arguments: NAME[ITEM,…],NAME ---- */

/* Writes the setups of a list, with device limits looked up (session.h), to setup[0 … *count − 1]. EB_USAGE for more
 * than `most` engines, or for an engine named twice. */
eb_code eb_engine_list(eb_session *session, const char *list, eb_setup *setup, size_t most, size_t *count, eb_job *job,
                       eb_status *status);

/* The spec that `name` (NULL: EB_FAST) means with the session's defaults. EB_USAGE if does(engine) is false: "NAME
 * cannot WHAT; engines that can: …". */
eb_code eb_engine_that(const eb_session *session, const char *name, bool (*does)(const eb_engine *), const char *what,
                       eb_spec *spec, eb_status *status);

/* ---- the query set that belongs to the loaded points ---- */

typedef struct eb_query_set {
    eb_dataset *points;     /* NULL: no query set */
    eb_ground_truth *truth; /* NULL: true neighbours unknown */
} eb_query_set;

/* Loads the query set that arguments queries= and truth= name, or else the one in the file of ds, and verifies it
 * against ds. The caller owns *out, which is empty after an error. */
eb_code eb_load_query_set(const eb_session *session, const eb_call *call, const eb_dataset *ds, eb_job *job,
                          eb_query_set *out, eb_status *status);

/* Queries of a command with arguments queries= and rows: a view of the first queries= (default: all) of the session's
 * query set. out->n is 0 if rows of the dataset are to be drawn instead. EB_USAGE if the set has fewer. */
eb_code eb_asked_queries(const eb_session *session, const eb_call *call, eb_dataset *out, eb_status *status);

/* Reports the session's query set; nothing if there is none. */
void eb_report_query_set(const eb_session *session, eb_report *report);

/* ---- limits of devices ---- */

/* Table "limits" of the CUDA devices; no table if count is 0. With `measure` all devices are measured, and a failure is
 * an error. Without, only the session's device is measured, if its limits are unknown, and a failure is a note. */
eb_code eb_report_limits(eb_session *session, eb_device *devices, size_t count, bool measure, eb_report *report,
                         eb_job *job, eb_status *status);
