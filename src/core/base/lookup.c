#include "core/base/lookup.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Longer words get no suggestion, since no known name is that long. */
enum { LONGEST_TYPO = 64 };

/* Edits between two words, each an insertion, a deletion, a substitution, or two neighbours swapped (the commonest
 * typo), by dynamic programming over three rows. */
static size_t edit_distance(const char *a, size_t length_a, const char *b, size_t length_b)
{
    size_t row[3][LONGEST_TYPO + 1];
    size_t *before = row[0], *above = row[1], *current = row[2];
    for (size_t j = 0; j <= length_b; j++)
        before[j] = above[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        current[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (current[j - 1] + 1 < best)
                best = current[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            current[j] = best;
        }
        size_t *oldest = before;
        before = above;
        above = current;
        current = oldest;
    }
    return above[length_b];
}

const char *eb_nearest_name(const eb_names *names, const char *name, size_t length)
{
    const char *found = NULL;
    size_t allowed = length < 4 ? 1 : 2, best = SIZE_MAX;
    if (length == 0 || length > LONGEST_TYPO)
        return NULL;
    for (size_t k = 0; k < names->count; k++) {
        const char *candidate = names->at(names->context, k);
        if (strlen(candidate) > LONGEST_TYPO)
            continue;
        size_t distance = edit_distance(name, length, candidate, strlen(candidate));
        if (distance <= allowed && distance < strlen(candidate) && distance < best) {
            best = distance;
            found = candidate;
        }
    }
    return found;
}

/* Writes "a, b, c": the names that begin with the prefix, ending in "…" if the buffer is too small. */
static void join_names(const eb_names *names, const char *prefix, size_t length, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < names->count; k++) {
        const char *candidate = names->at(names->context, k);
        if (strncmp(candidate, prefix, length) != 0)
            continue;
        int written = snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", candidate);
        if (written < 0 || (size_t)written >= size - used) {
            (void)snprintf(buffer + used, size - used, "…");
            return;
        }
        used += (size_t)written;
    }
}

static bool equal_ignoring_case(const char *a, size_t length, const char *b)
{
    if (strlen(b) != length)
        return false;
    for (size_t k = 0; k < length; k++)
        if (tolower((unsigned char)a[k]) != tolower((unsigned char)b[k]))
            return false;
    return true;
}

static eb_code no_such_name(const eb_names *names, const char *name, size_t length, eb_status *status)
{
    int shown = length > 64 ? 64 : (int)length;
    const char *suggestion = eb_nearest_name(names, name, length);
    if (suggestion)
        return eb_fail(status, EB_USAGE, "no %s \"%.*s\"; did you mean %s?", names->what, shown, name, suggestion);
    if (names->count == 0)
        return eb_fail(status, EB_USAGE, "no %s \"%.*s\"; there are none here", names->what, shown, name);
    if (names->listed)
        return eb_fail(status, EB_USAGE, "no %s \"%.*s\"; %s", names->what, shown, name, names->listed);
    char all[400];
    join_names(names, "", 0, all, sizeof all);
    return eb_fail(status, EB_USAGE, "no %s \"%.*s\"; there are: %s", names->what, shown, name, all);
}

eb_code eb_lookup(const eb_names *names, const char *name, size_t length, size_t *index, eb_status *status)
{
    size_t prefixes = 0, prefixed = 0, alike = 0, like = 0;
    for (size_t k = 0; k < names->count && length > 0; k++) {
        const char *candidate = names->at(names->context, k);
        if (equal_ignoring_case(name, length, candidate)) {
            like = k;
            alike++;
        }
        if (strncmp(candidate, name, length) != 0)
            continue;
        if (candidate[length] == '\0') {
            *index = k;
            return EB_OK;
        }
        prefixed = k;
        prefixes++;
    }
    if (alike == 1 || prefixes == 1) {
        *index = alike == 1 ? like : prefixed;
        return EB_OK;
    }
    if (prefixes == 0)
        return no_such_name(names, name, length, status);
    char matches[400];
    join_names(names, name, length, matches, sizeof matches);
    return eb_fail(status, EB_USAGE, "\"%.*s\" is ambiguous: %s", (int)length, name, matches);
}

size_t eb_index_of_name(const char *const *names, size_t count, const char *name, size_t otherwise)
{
    for (size_t k = 0; name && k < count; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    return otherwise;
}

size_t eb_last_not_above(const double *values, size_t count, double x)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (values[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}
