#include "shell/pictures/answers.h"

#include <stdlib.h>
#include <string.h>

enum { ESCAPE = 033 };

static void type(eb_answers *a, unsigned char byte)
{
    if (a->typed_count < EB_TYPED_AHEAD)
        a->typed[(a->typed_from + a->typed_count++) % EB_TYPED_AHEAD] = byte;
}

void eb_answers_close(eb_answers *a)
{
    for (size_t k = 0; k < a->length; k++)
        type(a, (unsigned char)a->part[k]);
    a->length = 0;
}

int eb_answers_typed(eb_answers *a)
{
    if (a->typed_count == 0)
        return -1;
    const unsigned char byte = a->typed[a->typed_from];
    a->typed_from = (a->typed_from + 1) % EB_TYPED_AHEAD;
    a->typed_count--;
    return byte;
}

/* ---- answers ---- */

static bool begins(const eb_answers *a, const char *text)
{
    const size_t length = strlen(text) < a->length ? strlen(text) : a->length;
    return memcmp(a->part, text, length) == 0;
}

/* ESC [ ? numbers and semicolons: the device's attributes, until the letter c. */
static bool is_attributes(const eb_answers *a)
{
    static const char start[] = "\033[?";
    if (!begins(a, start))
        return false;
    for (size_t k = sizeof start - 1; k + 1 < a->length; k++)
        if (!strchr("0123456789;", a->part[k]))
            return false;
    const char last = a->part[a->length - 1];
    return a->length < sizeof start || strchr("0123456789;c", last) != NULL;
}

static bool ends(const eb_answers *a, const char *text)
{
    const size_t length = strlen(text);
    return a->length >= length && memcmp(a->part + a->length - length, text, length) == 0;
}

/* True if one of the attributes after the first, which is the terminal's class, is 4. */
static bool tells_sixel(const eb_answers *a)
{
    char list[EB_ANSWER_BYTES];
    bool tells = false;
    memcpy(list, a->part, a->length);
    list[a->length - 1] = '\0'; /* the c */
    for (const char *at = strchr(list, ';'); at; at = strchr(at + 1, ';'))
        tells |= strtoul(at + 1, NULL, 10) == 4;
    return tells;
}

static bool tells_kitty(const eb_answers *a)
{
    static const char ok[] = ";OK\033\\";
    return ends(a, ok);
}

void eb_answers_take(eb_answers *a, unsigned char byte)
{
    if (!a->awaited || (a->length == 0 && byte != ESCAPE)) {
        type(a, byte);
        return;
    }
    a->part[a->length++] = (char)byte;
    const bool kitty = begins(a, "\033_G");
    if (kitty && a->length > 3 && ends(a, "\033\\")) {
        a->kitty |= tells_kitty(a);
        a->length = 0;
    } else if (is_attributes(a) && ends(a, "c")) {
        a->sixel = tells_sixel(a);
        a->awaited = false;
        a->length = 0;
    } else if (!kitty && !is_attributes(a)) {
        eb_answers_close(a);
    } else if (a->length == EB_ANSWER_BYTES) {
        a->length = 0; /* no answer is so long, and nothing that a person types begins like one */
    }
}
