/* histogram_zoom: the part of a histogram that is shown (plot.h, eb_histogram_view), made
 * smaller, larger, moved. Pure. */
#pragma once

#include "draw/plots/plot.h"

/* To `factor` times the width, around the middle: at most all of it, at least a few bins. */
void eb_histogram_zoom(eb_histogram_view *view, const eb_series *series, double factor);

/* To where nearly all is: the bins but for one in 500 of what they hold, half of it at each end. All of them, where
 * that is most of the axis anyway. */
void eb_histogram_zoom_to_mass(eb_histogram_view *view, const eb_series *series);

/* By a part of what is shown, as far as the axis goes; at least by a bin. */
void eb_histogram_move(eb_histogram_view *view, const eb_series *series, double part);

/* How much of the axis is shown, 0–1; NAN: the series has no bins. */
double eb_histogram_share(const eb_histogram_view *view, const eb_series *series);
