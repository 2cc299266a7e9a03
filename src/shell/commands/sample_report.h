/* sample_report: the argument sample=, and how reports say that only some of the points were compared. */
#pragma once

#include "core/experiment/compare.h"
#include "shell/language/command.h"

/* Reads sample=: "all", or a number of points. Without it the comparison decides (core/experiment/compare_sample.h). */
eb_code eb_read_sample(const eb_call *call, eb_compare_request *request, eb_status *status);

/* ", 2,000 of 400,000 points" for titles; "" if all points were compared. Returns buffer. */
enum { EB_SAMPLE_WORDS = 80 };
const char *eb_sample_words(const eb_comparison *comparison, char buffer[EB_SAMPLE_WORDS]);

/* Adds what a reader must know of a sample: the number of points drawn, and notes. Nothing if all were compared. */
void eb_report_sample(eb_report *report, const eb_comparison *comparison);
