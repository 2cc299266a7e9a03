/* manual: the command table, the engines' descriptions and the glossary as text to read: help pages, and the COMMANDS,
 * ENGINES and GLOSSARY sections of epsbench(1).
 */
#pragma once

#include <stdio.h>

#include "core/base/status.h"
#include "core/engine/engine.h"
#include "core/report/report.h"
#include "shell/language/command.h"
#include "shell/language/glossary.h"

/* Pages of `help`, as they flow (eb_report_flow). Heap; NULL: out of memory. */
char *eb_manual_overview(void); /* commands to begin with, a line each, then the names of all others */
char *eb_manual_page(const eb_command *command);
char *eb_manual_engine_page(const eb_engine *engine);
char *eb_manual_term_page(const eb_term *term); /* NULL: all of them */

/* Such a page broken at 78 columns. Heap; NULL: out of memory. */
char *eb_manual_broken(const char *flow);

/* All commands in mdoc(7), grouped. */
void eb_manual_commands(FILE *out);

/* All engines and their options, in mdoc(7). */
void eb_manual_engines(FILE *out);

/* All terms, in mdoc(7). */
void eb_manual_terms(FILE *out);

/* Where a word occurs in all that `help` can explain: commands and their arguments, engines and their options, formats,
 * terms, lessons; names first, then summaries, then texts. A row for each line to type that leads to what has every one
 * of the words, each at the beginning of a word there. EB_NOT_FOUND, with the nearest word that there is: nothing has.
 */
eb_code eb_help_search(const char *words, eb_report *report, eb_status *status);
