/* lookup: one name among many: exact, the same but for case, or a unique prefix. What misses gets the nearest name as a
 * suggestion. Used for commands, argument names, choices.
 */
#pragma once

#include <stddef.h>

#include "core/base/status.h"

typedef struct eb_names {
    const char *what; /* "command", "argument": for messages */
    size_t count;
    const char *(*at)(const void *context, size_t index);
    const void *context;
    const char *listed; /* "`help` lists all": said where a message has no room for them; NULL: it has */
} eb_names;

/* *index of the match. EB_USAGE: `"s" is ambiguous: save, set` or `no command "jion"; did you mean join?`. */
eb_code eb_lookup(const eb_names *names, const char *name, size_t length, size_t *index, eb_status *status);

/* The name that a typo or two lead from; NULL: none is so near. */
const char *eb_nearest_name(const eb_names *names, const char *name, size_t length);

/* Where `name` itself is among names[0 … count). NULL, or none of them: otherwise. */
size_t eb_index_of_name(const char *const *names, size_t count, const char *name, size_t otherwise);
