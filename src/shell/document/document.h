/* document: the report of a session to hand on: one file of Markdown or HTML with all that the log has of it. HTML
 * needs no other file and no network.
 */
#pragma once

#include <stdio.h>

#include "core/report/report.h"
#include "store/store.h"

/* A heading and what stands below it, in this order; texts that are NULL, and a report of no items, are left out. Texts
 * are on the heap and may hold any bytes. */
typedef struct eb_part {
    unsigned level;    /* 2, or 3 below the part of level 2 before it */
    unsigned number;   /* of a command; 0: of none */
    char *heading;     /* of a command: its line */
    char *remark;      /* when, how long, where it comes from */
    char *lines;       /* command lines to type */
    char *answer;      /* the conclusion, or why there is none */
    bool failed;       /* the answer is an error */
    eb_report *report; /* its conclusion is not shown */
    bool bars;         /* the report has a table "runs", whose times are drawn as bars (bars.h) */
} eb_part;

typedef struct eb_document {
    char *title, *summary;
    char *writer; /* name and version of the program that writes it */
    eb_part *part;
    size_t parts, room;
    bool out_of_memory;
} eb_document;

/* Makes the document of a session; its facts are moved into it. The caller frees *out, also after an error. */
eb_code eb_document_make(eb_past_session *past, const char *writer, eb_document *out, eb_status *status);
void eb_document_free(eb_document *document);

eb_code eb_document_markdown(const eb_document *document, FILE *out, eb_status *status);
eb_code eb_document_html(const eb_document *document, FILE *out, eb_status *status);

/* True if the file's ending is one of a document: .md or .html. */
bool eb_is_document(const char *path);

/* Writes the report of a session to such a file, which appears only when it is complete. *commands: those in it. */
eb_code eb_document_export(eb_store *store, int64_t session, const char *path, const char *writer, uint64_t *commands,
                           eb_status *status);

/* ---- shared in this folder ---- */

/* The session in a few sentences, one fact each; on the heap, NULL: out of memory. */
char *eb_document_summary(const eb_report *facts);

/* The first row of the run table whose run answered the same question: same points, ε and mode. Only their times
 * compare.
 */
size_t eb_question_of(const eb_table *runs, size_t row);
