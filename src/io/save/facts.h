/* facts: what a saved table says of its origin: keys with a text or a number, in the order in which they were told. */
#pragma once

#include <stddef.h>

#include "core/base/status.h"

#define EB_FACTS 20u

typedef struct eb_fact {
    const char *key;
    char *text; /* heap; NULL: a number */
    double number;
} eb_fact;

typedef struct eb_facts {
    eb_fact fact[EB_FACTS];
    size_t count;
} eb_facts;

/* Add a fact. The key must outlive the facts. The text is copied, made printable and cut after 4000 bytes. */
eb_code eb_facts_tell(eb_facts *facts, const char *key, const char *text, eb_status *status);
eb_code eb_facts_tell_number(eb_facts *facts, const char *key, double number, eb_status *status);

/* The facts as a new JSON object. NULL: out of memory. */
struct json_t *eb_facts_json(const eb_facts *facts);

void eb_facts_free(eb_facts *facts);
