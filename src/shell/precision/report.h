/* report: what `precision` reports: a row a rung, what preparation gains, where it hurts, and the verdict. */
#pragma once

#include "core/report/report.h"
#include "shell/precision/trying.h"

/* The report at one ε, finished or so far. */
void eb_report_trying(const eb_session *session, const eb_trying *t, eb_report *report);

/* The verdict: the conclusion, and notes that say why nothing cheaper is enough and what preparation gained. */
void eb_conclude_trying(const eb_trying *t, eb_report *report);

/* The report at several ε, with its conclusion: where each rung breaks down. */
void eb_report_breakdown(const eb_session *session, const eb_trying *t, size_t count, eb_report *report);

/* Logs the rungs at one ε, as they are reported. */
void eb_trying_log(eb_session *session, const eb_trying *t);

/* The part of these that both reports have: rows of the table of rungs. */
eb_table *eb_rungs_table(eb_report *report, const char *title);
void eb_rungs_add(const eb_session *session, const eb_trying *t, eb_table *table);
