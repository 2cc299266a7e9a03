/* pass: a distance pass that several compute, each a part of its pairs, and what they found together. */
#pragma once

#include "core/engine/engine.h"

/* Prepares part `part` of `parts` of the pairs that the whole pass is asked for, with arrays of its own. Whatever
 * happens then, the caller frees it with eb_pass_part_free. */
eb_code eb_pass_part(const eb_distance_pass *whole, unsigned part, unsigned parts, eb_distance_pass *out,
                     eb_status *status);
void eb_pass_part_free(eb_distance_pass *part);

/* The whole pass before any part is added. */
void eb_pass_clear(eb_distance_pass *whole);

/* Adds what a part found, and may take its arrays of distances. On failure the whole pass stays what eb_pass_drop can
 * free. */
eb_code eb_pass_add(eb_distance_pass *whole, eb_distance_pass *part, eb_status *status);

/* Asks an opened engine for a part, and adds what it finds. */
eb_code eb_pass_ask_part(const eb_implementation *run, void *state, eb_distance_pass *whole, unsigned part,
                         unsigned parts, eb_status *status);

/* Frees the distances of a whole pass that failed. */
void eb_pass_drop(eb_distance_pass *whole);
