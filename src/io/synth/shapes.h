/* shapes: makes synthetic points that are distributed like measured ones: on a sphere like stars, along curves like
 * coasts, on a surface like measurements of a terrain, in clusters. Point i depends on (key, i) alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers of a counter-based generator. Value i depends on (key, i) alone, so threads can make any part of a dataset in
 * any order. Uses only IEEE operations that round the same everywhere: + − × ÷ √, and no libm. */
double eb_synth_uniform(uint64_t key, uint64_t i); /* in [0, 1), 53 bits */
double eb_synth_above_0(uint64_t key, uint64_t i); /* in (0, 1] */

/* N(0, 1) by Box and Muller's method: values i and i + 1, i even. */
void eb_synth_gaussian_pair(uint64_t key, uint64_t i, double out[2]);

double eb_synth_logarithm(double x);                          /* of x in (0, 1] */
void eb_synth_circle(double u, double *cosine, double *sine); /* of 2πu, u in [0, 1) */

/* Uniform on the unit sphere of d dimensions. */
void eb_synth_sphere(uint64_t key, uint64_t i, size_t d, double *out);

/* Closed curves, wrinkled at all scales down to a 16,000th of their length. Long curves have many points, short ones
 * few. The first two coordinates span a globe's degrees. */
void eb_synth_coast(uint64_t key, uint64_t i, size_t d, double *out);

/* Whole numbers: d measurements at a place on one of four maps. Each is a smooth landscape with its own range (3000
 * metres, 360 degrees, 60, …) and a little scatter. */
void eb_synth_terrain(uint64_t key, uint64_t i, size_t d, double *out);

/* Gaussian clouds of standard deviation 0.05 around 256 centres in [0, 1)^d; the first centres have the most points. */
void eb_synth_clusters(uint64_t key, uint64_t i, size_t d, double *out);
