#include "shell/conclude/held.h"

#include <stdio.h>
#include <string.h>

#include "shell/conclude/words.h"

/* Bytes of the narrowest type that holds the values; those of FP64 if no other does. */
static unsigned narrowest(const eb_held held[EB_NUMBERS], bool scaled)
{
    unsigned bytes = eb_number_type_of(EB_F64_NUMBER)->bytes;
    for (int k = 0; k < EB_NUMBERS; k++) {
        const unsigned own = eb_number_type_of((eb_number)k)->bytes;
        if ((scaled ? held[k].exact_scaled : held[k].exact) && own < bytes)
            bytes = own;
    }
    return bytes;
}

/* "BF16", "E4M3 (times 2^4)", "INT8 (in steps of 0.5)". */
static int name_one(char *buffer, size_t size, eb_number number, const eb_held *held)
{
    const char *title = eb_number_type_of(number)->title;
    if (number == EB_S8 && !held->exact)
        return snprintf(buffer, size, "%s (in steps of %s)", title, EB_NUMBER(held->step));
    if (!held->exact)
        return snprintf(buffer, size, "%s (times 2^%d)", title, held->exponent);
    return snprintf(buffer, size, "%s", title);
}

static bool is_named(const eb_held *held, eb_number number, unsigned bytes, bool scaled)
{
    return eb_number_type_of(number)->bytes == bytes && (scaled ? held->exact_scaled : held->exact);
}

/* Writes the types of `bytes` bytes that hold the values, and returns their number. */
static size_t name_all(char *buffer, size_t size, const eb_held held[EB_NUMBERS], unsigned bytes, bool scaled)
{
    size_t used = 0, count = 0, named = 0;
    for (int k = 0; k < EB_NUMBERS; k++)
        count += is_named(&held[k], (eb_number)k, bytes, scaled);
    for (int k = 0; k < EB_NUMBERS; k++) {
        if (!is_named(&held[k], (eb_number)k, bytes, scaled))
            continue;
        const char *before = named == 0 ? "" : named + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(buffer + used, size - used, "%s", before);
        used += (size_t)name_one(buffer + used, size - used, (eb_number)k, &held[k]);
        named++;
    }
    return count;
}

char *eb_held_sentence(const eb_held held[EB_NUMBERS], eb_dtype stored, char buffer[EB_HELD_BYTES])
{
    char names[EB_HELD_BYTES - 32]; /* three types of a byte take at most 90 */
    const unsigned as_stored = narrowest(held, false), scaled = narrowest(held, true);
    const bool by_scaling = scaled < as_stored;
    const unsigned bytes = by_scaling ? scaled : as_stored;
    buffer[0] = '\0';
    if (bytes == eb_number_type_of(EB_F64_NUMBER)->bytes)
        return buffer;
    const size_t count = name_all(names, sizeof names, held, bytes, by_scaling);
    if (bytes < eb_dtype_size(stored))
        (void)snprintf(buffer, EB_HELD_BYTES, "these values are %s already", names);
    else
        (void)snprintf(buffer, EB_HELD_BYTES, "%s %s these values", names, count == 1 ? "holds" : "hold");
    return buffer;
}
