/* speeds: how fast rungs are: measured where a GPU joins, else by the machine model alone. */
#pragma once

#include "core/report/report.h"
#include "shell/precision/trying.h"

/* What a run on a GPU measured; NAN: unknown. */
typedef struct eb_speed {
    double kernel_s, total_s;
    double tflops;      /* 2·d operations a pair, as the model counts */
    double limit_share; /* of what the GPU's instructions of that type reach: executed operations */
} eb_speed;

/* How fast a rung is; rung t->rungs is the truth. */
eb_speed eb_speed_of(const eb_trying *t, size_t rung);
bool eb_speeds_known(const eb_trying *t); /* of any rung */

/* Table "speeds": a row for each rung, then the truth's. No table if a GPU measured none. */
void eb_report_speeds(const eb_trying *t, eb_report *report);

/* The share of pairs lost, by the join, else predicted; half of what one wrong pair would be where none is lost. */
double eb_lost_share(const eb_trying *t, size_t rung);

/* Series "pareto": the share lost against the rate; against bytes where no rates are known. */
void eb_report_pareto(const eb_session *session, const eb_trying *t, eb_report *report);

/* Notes: what the rates are, and what the GPU does not compute. */
void eb_note_speeds(const eb_trying *t, eb_report *report);
