/* forest: connected components of n points from their pairs, which may come from several threads in any order.
 *
 * A disjoint-set forest with path halving (Tarjan & van Leeuwen 1984) whose links are set by compare-and-swap (Anderson
 * & Woll 1991). A root is the smallest point of its set, so the result does not depend on the order. 4 bytes a point.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef _Atomic uint32_t eb_tree; /* parent of a point; a root is its own parent */

/* Initialises `count` forests of n points each, stored one after another: every point is a set of its own. */
void eb_forest_plant(eb_tree *forests, size_t n, size_t count);

/* The smallest point of i's set; final only while no thread unites. */
uint32_t eb_forest_root(eb_tree *forest, uint32_t i);

void eb_forest_unite(eb_tree *forest, uint32_t i, uint32_t j);
