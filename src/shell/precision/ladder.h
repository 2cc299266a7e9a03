/* ladder: the rungs that `precision` tries: number types of tensor cores, each prepared as a careful program would do
 * it, and the switches of preparation that are predicted one by one. */
#pragma once

#include "core/engine/spec.h"
#include "shell/session.h"

typedef struct eb_ladder_rung {
    const char *type;         /* as in types= */
    const char *title;        /* "INT8, point steps" */
    const char *spec, *other; /* two ways to prepare the points, of which the better is taken; other NULL: one way */
    unsigned bytes;           /* of a coordinate */
    bool usual;               /* tried unless types= names others */
} eb_ladder_rung;

/* One switch of preparation of one type, alone. */
typedef struct eb_ladder_switch {
    const char *type;           /* as in types= */
    const char *title;          /* "INT8" */
    const char *name;           /* "centre=mean" */
    const char *raw, *prepared; /* specs */
} eb_ladder_switch;

#define EB_MOST_RUNGS 13u
#define EB_MOST_SWITCHES 18u

/* Rungs, the fewest bytes first, and switches. NULL beyond the last. */
const eb_ladder_rung *eb_ladder_at(size_t index);
const eb_ladder_switch *eb_ladder_switch_at(size_t index);

/* Whether a list "s8,bf16" names a type; NULL names the usual ones. EB_USAGE for a list with an unknown type. */
bool eb_ladder_names(const char *list, const char *type, bool usual);
eb_code eb_ladder_check(const char *list, eb_status *status);
