/* lookup: finding a name in a list: exactly, ignoring case, or by a unique prefix. A failed lookup suggests the nearest
 * name. Used for commands, argument names and choices. Also finding a number's place among ascending ones.
 */
#pragma once

#include <stddef.h>

#include "core/base/status.h"

typedef struct eb_names {
    const char *what; /* "command", "argument": for messages */
    size_t count;
    const char *(*at)(const void *context, size_t index);
    const void *context;
    const char *listed; /* "`help` lists all": printed instead of the names; NULL: the message lists them */
} eb_names;

/* Sets *index to the match. EB_USAGE: `"s" is ambiguous: save, set` or `no command "jion"; did you mean join?`. */
eb_code eb_lookup(const eb_names *names, const char *name, size_t length, size_t *index, eb_status *status);

/* The name within one or two typos of `name`; NULL: none. */
const char *eb_nearest_name(const eb_names *names, const char *name, size_t length);

/* The index of exactly `name` in names[0 … count); `otherwise` if it is NULL or not found. */
size_t eb_index_of_name(const char *const *names, size_t count, const char *name, size_t otherwise);

/* The index of the last of `values`, ascending, that is not above x; 0 if all are. */
size_t eb_last_not_above(const double *values, size_t count, double x);
