/* advice: what errors about a text table say, and the lines to type that they end with. Each line has been tried on the
 * beginning of the table (head.h), so that it loads that. */
#pragma once

#include "io/csv/table.h"

#define EB_TABLE_ADVICE 640u

/* Writes "; `load FILE …` does this, `load FILE …` does that" for a table that could not be read; "" if no line helps
 * or the message is brief. Returns advice. */
char *eb_advise_on_table(const eb_text_table *t, char advice[EB_TABLE_ADVICE]);
