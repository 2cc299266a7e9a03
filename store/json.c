#include "store/json.h"

#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at `at` (RFC 3629); 0: invalid. The text's final NUL ends a truncated sequence. */
static size_t sequence_length(const unsigned char *at)
{
    if (at[0] < 0x80)
        return 1;
    size_t length = at[0] >= 0xf0 && at[0] <= 0xf4 ? 4 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    for (size_t k = 1; k < length; k++)
        if ((at[k] & 0xc0) != 0x80)
            return 0;
    bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool surrogate = at[0] == 0xed && at[1] > 0x9f, beyond = at[0] == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

/* A text with U+FFFD for each invalid byte: JSON allows UTF-8 only. */
static json_t *mended_text(const char *text)
{
    char *mended = malloc(3 * strlen(text) + 1), *to = mended;
    if (!mended)
        return NULL;
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = sequence_length(at);
        memcpy(to, length ? (const char *)at : "\xef\xbf\xbd", length ? length : 3);
        to += length ? length : 3;
        at += length ? length : 1;
    }
    *to = '\0';
    json_t *json = json_string(mended);
    free(mended);
    return json;
}

json_t *eb_json_text(const char *text)
{
    json_t *json = json_string(text);
    return json ? json : mended_text(text);
}

json_t *eb_json_value(eb_value value)
{
    switch (value.kind) {
    case EB_NA: break;
    case EB_BOOL: return json_boolean(value.as.boolean);
    case EB_INTEGER: return json_integer(value.as.integer);
    case EB_UNSIGNED: return json_integer((json_int_t)value.as.u64);
    case EB_REAL: return json_real(value.as.real);
    case EB_TEXT: return eb_json_text(value.as.text);
    }
    return json_null();
}
