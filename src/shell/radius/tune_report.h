/* tune_report: what `tune` reports: its targets, counted or sampled, and what they rest on. */
#pragma once

#include "core/tune/tune.h"
#include "shell/session.h"

/* Where the exact pass is: made, not needed, stopped by the person, or still going on in the background. */
typedef enum eb_pass_state { EB_PASS_MADE, EB_PASS_NOT_NEEDED, EB_PASS_STOPPED, EB_PASS_BEHIND } eb_pass_state;

enum { EB_LINE_TEXT = 256 };

/* Reports the targets (count ≥ 1), the session's ε and the curve. line: the command that counts exactly. */
void eb_report_tuning(const eb_session *session, const eb_curve *curve, const eb_target *targets, size_t count,
                      unsigned passes, eb_pass_state pass, const char *line, eb_report *report);

/* While the exact pass runs: the targets' ε by the curve, and the curve. */
void eb_report_sampled(const eb_curve *curve, const eb_target *targets, size_t count, eb_report *report);

/* A sentence about sampled targets: "ε ≈ 217.03 gives about 64 neighbours a point (95 %: 54.5 to 78.7), …". */
char *eb_sampled_words(const eb_target *target, size_t queries, char *buffer, size_t size);

/* Warns if the curve's band may be too narrow. */
void eb_warn_of_doubt(const eb_curve *curve, eb_report *report);
