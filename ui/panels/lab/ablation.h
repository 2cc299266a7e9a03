/* ablation: draws the effect of each of an engine's switches as bars, from a report of `ablate`, or of `ablate list`,
 * which has published figures only.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"

/* Draws a title, and for each variant a bar of its rate as a share of the baseline's with whiskers for the interval of
 * its time, and the paper's bar below it. *top: first line shown, kept within the lines. */
void eb_draw_ablation(eb_canvas *canvas, eb_rect area, const eb_report *ablate, int *top);
