#include "shell/language/glossary.h"

#include <string.h>
#include <strings.h>

#include "core/base/lookup.h"
#include "core/report/fields.h"
#include "shell/defaults.h"

#define TERM(name_, also_, panels_, means_) {.name = (name_), .also = (also_), .panels = (panels_), .means = (means_)},
static const eb_term terms[] = {
#include "shell/language/glossary_rows.h"
};

size_t eb_term_count(void) { return sizeof terms / sizeof terms[0]; }

const eb_term *eb_term_at(size_t index) { return &terms[index]; }

static const char *name_at(const void *context, size_t index)
{
    (void)context;
    return terms[index].name;
}

static bool is_word(const char *word, const char *name, size_t length)
{
    return strlen(word) == length && strncasecmp(word, name, length) == 0;
}

/* True if the name is one of "a;b;c", ignoring case. */
static bool is_among(const char *list, const char *name, size_t length)
{
    while (list && *list) {
        size_t own = strcspn(list, ";");
        if (own == length && strncasecmp(list, name, length) == 0)
            return true;
        list += own + (list[own] == ';');
    }
    return false;
}

/* Finds a term by its name or other name, or by the title or key of a field that the term explains. */
static const eb_term *called(const char *name, size_t length)
{
    for (size_t k = 0; k < eb_term_count(); k++)
        if (is_among(terms[k].name, name, length) || is_among(terms[k].also, name, length))
            return &terms[k];
    for (size_t k = 0; k < EB_FIELDS; k++)
        if (eb_field_meanings[k][0] != '\0' &&
            (is_word(eb_fields[k]->title, name, length) || is_word(eb_fields[k]->key, name, length)))
            return called(eb_field_meanings[k], strlen(eb_field_meanings[k]));
    return NULL;
}

const eb_term *eb_term_find(const char *name)
{
    static const eb_names names = {"term", sizeof terms / sizeof terms[0], name_at, NULL, NULL};
    const eb_term *whole = called(name, strlen(name));
    size_t index;
    return whole ? whole : eb_lookup(&names, name, strlen(name), &index, NULL) == EB_OK ? &terms[index] : NULL;
}

const eb_term *eb_term_of_title(const char *title)
{
    const eb_term *whole = called(title, strlen(title));
    const char *comma = strchr(title, ',');
    return whole || !comma ? whole : called(title, (size_t)(comma - title));
}

bool eb_term_is_on(const eb_term *term, const char *panel) { return is_among(term->panels, panel, strlen(panel)); }
