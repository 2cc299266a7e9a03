/* tune_thin: tuning very many points on the CPU. The curve is sampled among some of them, drawn at random: at any ε
 * these have S in proportion to their number, and for the same time more queries can be asked, which tells more than
 * more points do. If all points are too many for the memory limit, passes go by slabs (core/slabs/passes.h). Only the
 * truth is tuned so, in one process. Used inside tune only.
 */
#pragma once

#include "core/tune/curve.h"

/* The number of points to draw (core/sample/rows.h); n: the curve is of all points. */
size_t eb_thin_count(const eb_setup *setup, const eb_dataset *points);

/* Makes a curve of drawn points one of all n. */
void eb_thin_curve(eb_curve *curve, size_t n);

/* Distances that a pass may keep beside the points, at most `most`. */
uint64_t eb_thin_keep(const eb_setup *setup, const eb_dataset *points, uint64_t most);
