/* manual: writes help pages, and the sections COMMANDS, ENGINES and GLOSSARY of epsbench(1), from the command table,
 * the engines' descriptions and the glossary. Also searches all help texts.
 */
#pragma once

#include <stdio.h>

#include "core/base/status.h"
#include "core/engine/engine.h"
#include "core/report/report.h"
#include "shell/language/command.h"
#include "shell/language/glossary.h"

/* Pages of `help`, with lines not broken yet (eb_report_flow). Heap; NULL: out of memory. */
char *eb_manual_overview(void); /* a line for each of the first commands, then all other names */
char *eb_manual_page(const eb_command *command);
char *eb_manual_engine_page(const eb_engine *engine);
char *eb_manual_term_page(const eb_term *term); /* NULL: all terms */

/* Breaks the lines of such a page at 78 columns. Heap; NULL: out of memory. */
char *eb_manual_broken(const char *flow);

/* The manual's sections, in mdoc(7): commands by group, engines with their options, terms. */
void eb_manual_commands(FILE *out);
void eb_manual_engines(FILE *out);
void eb_manual_terms(FILE *out);

/* Searches commands and their arguments, engines and their options, formats, terms and lessons. An entry is found if
 * each of the words begins a word in it. Reports the line to type for each entry found: first those found by name, then
 * by summary, then by text. EB_NOT_FOUND, with the nearest known word, if no entry is found.
 */
eb_code eb_help_search(const char *words, eb_report *report, eb_status *status);
