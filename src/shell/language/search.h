/* search: where a word occurs in all that `help` can explain: commands and their arguments, engines and their options,
 * formats, terms, lessons. Names come first, then summaries, then texts.
 */
#ifndef EB_SHELL_LANGUAGE_SEARCH_H
#define EB_SHELL_LANGUAGE_SEARCH_H

#include "core/base/status.h"
#include "core/report/report.h"

/* A row for each line to type that leads to what has every one of the words, each at the beginning of a word there.
 * EB_NOT_FOUND, with the nearest word that there is: nothing has. */
eb_code eb_help_search(const char *words, eb_report *report, eb_status *status);

#endif
