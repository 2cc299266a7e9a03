#include "io/save/facts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { FACT_BYTES = 4000 };

/* A copy of the text as printable UTF-8 in one line; invalid bytes and control characters become '?'. Heap. */
static char *printable(const char *text)
{
    size_t size = strnlen(text, FACT_BYTES), used = 0;
    char *copy = malloc(size + 1);
    for (size_t k = 0; copy && k < size;) {
        utf8proc_int32_t character;
        utf8proc_ssize_t bytes =
            utf8proc_iterate((const utf8proc_uint8_t *)text + k, (utf8proc_ssize_t)(size - k), &character);
        bool sound = bytes > 0 && character >= 0x20 && (character < 0x7f || character > 0x9f);
        size_t taken = bytes > 0 ? (size_t)bytes : 1;
        if (sound)
            memcpy(copy + used, text + k, taken);
        else
            copy[used] = '?';
        used += sound ? taken : 1;
        k += taken;
    }
    if (copy)
        copy[used] = 0;
    return copy;
}

static eb_code add(eb_facts *facts, eb_fact fact, eb_status *status)
{
    if (facts->count == EB_FACTS) {
        free(fact.text);
        return eb_fail(status, EB_INTERNAL, "%s: more than %u facts about a table", fact.key, EB_FACTS);
    }
    facts->fact[facts->count++] = fact;
    return EB_OK;
}

eb_code eb_facts_tell(eb_facts *facts, const char *key, const char *text, eb_status *status)
{
    eb_fact fact = {.key = key, .text = printable(text)};
    return fact.text ? add(facts, fact, status) : eb_fail_memory(status, "saving", FACT_BYTES);
}

eb_code eb_facts_tell_number(eb_facts *facts, const char *key, double number, eb_status *status)
{
    return add(facts, (eb_fact){.key = key, .number = number}, status);
}

json_t *eb_facts_json(const eb_facts *facts)
{
    json_t *object = json_object();
    for (size_t k = 0; object && k < facts->count; k++) {
        const eb_fact *fact = &facts->fact[k];
        if (json_object_set_new(object, fact->key, fact->text ? json_string(fact->text) : json_real(fact->number)) == 0)
            continue;
        json_decref(object); /* the value is NULL: out of memory */
        return NULL;
    }
    return object;
}

void eb_facts_free(eb_facts *facts)
{
    for (size_t k = 0; k < facts->count; k++)
        free(facts->fact[k].text);
    facts->count = 0;
}
