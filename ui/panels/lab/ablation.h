/* ablation: what each of an engine's switches is worth, as bars: from a report of `ablate`, or of `ablate list` where
 * nothing was measured yet.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

/* A title, and a bar for each variant: its rate as a share of the baseline's, whiskers where its time's interval
 * reaches, the paper's below it. *top: first line shown, kept within the lines there are. */
void eb_draw_ablation(eb_canvas *canvas, eb_rect area, const eb_report *ablate, int *top);
