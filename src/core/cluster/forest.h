/* forest: which of n points hang together, as pairs of them come, from several threads at once and in any order.
 *
 * A disjoint-set forest with path halving (Tarjan & van Leeuwen 1984) whose links are set by compare-and-swap (Anderson
 * & Woll 1991). A root is the smallest point of its set, so that the outcome depends on no order. 4 bytes a point.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef _Atomic uint32_t eb_tree; /* a point's parent; a root's is itself */

/* As many forests of n points each, one behind the other: every point a set of its own. */
void eb_forest_plant(eb_tree *forests, size_t n, size_t count);

/* The smallest point of i's set, as it is while nobody unites. */
uint32_t eb_forest_root(eb_tree *forest, uint32_t i);

void eb_forest_unite(eb_tree *forest, uint32_t i, uint32_t j);
