/* gap: where pairs tie at ε, an ε behind them. */
#ifndef EB_SHELL_CONCLUDE_GAP_H
#define EB_SHELL_CONCLUDE_GAP_H

#include "core/report/report.h"

/* A note with a line to type, where so many pairs, two or more, lie at ε and none between it and `beyond`; NAN: nobody
 * knows. */
void eb_note_gap(eb_report *report, double eps, uint64_t near, double beyond);

#endif
