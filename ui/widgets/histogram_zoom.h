/* histogram_zoom: zooms and moves the visible part of a histogram (draw/plots/plot.h, eb_histogram_view). Pure
 * functions.
 */
#pragma once

#include "draw/plots/plot.h"

/* Makes the visible part `factor` times as wide around its middle: at most the whole axis, at least a few bins. */
void eb_histogram_zoom(eb_histogram_view *view, const eb_series *series, double factor);

/* Zooms to the bins that hold all but 0.2 % of the mass, 0.1 % left out at each end. Shows the whole axis if these bins
 * cover most of it. */
void eb_histogram_zoom_to_mass(eb_histogram_view *view, const eb_series *series);

/* Moves by `part` of the visible width, at least by a bin, and at most to the axis' end. */
void eb_histogram_move(eb_histogram_view *view, const eb_series *series, double part);

/* The visible share of the axis, 0–1; NAN: the series has no bins. */
double eb_histogram_share(const eb_histogram_view *view, const eb_series *series);
