#include "ui/terminal/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"

typedef struct named_key {
    const char *name;
    eb_key_code code;
    uint32_t character;
    const char *bytes; /* the bytes that an xterm sends without modifiers; NULL: readline has no use for the key */
    char final;        /* F in "\e[1;MF", sent with modifiers M; 0: the form is "\e[N;M~" */
} named_key;

static const named_key named_keys[] = {
    {"Up", EB_KEY_UP, 0, "\033[A", 'A'},
    {"Down", EB_KEY_DOWN, 0, "\033[B", 'B'},
    {"Right", EB_KEY_RIGHT, 0, "\033[C", 'C'},
    {"Left", EB_KEY_LEFT, 0, "\033[D", 'D'},
    {"Home", EB_KEY_HOME, 0, "\033[H", 'H'},
    {"End", EB_KEY_END, 0, "\033[F", 'F'},
    {"PageUp", EB_KEY_PAGE_UP, 0, NULL, 0},
    {"PageDown", EB_KEY_PAGE_DOWN, 0, NULL, 0},
    {"Insert", EB_KEY_INSERT, 0, "\033[2~", 0},
    {"Delete", EB_KEY_DELETE, 0, "\033[3~", 0},
    {"Backspace", EB_KEY_BACKSPACE, 0, "\177", 0},
    {"S-Tab", EB_KEY_BACK_TAB, 0, NULL, 0},
    {"Enter", EB_KEY_CHARACTER, EB_ENTER, "\r", 0},
    {"Tab", EB_KEY_CHARACTER, EB_TAB, "\t", 0},
    {"Esc", EB_KEY_CHARACTER, EB_ESCAPE, "\033", 0},
    {"Space", EB_KEY_CHARACTER, ' ', " ", 0},
    {"lt", EB_KEY_CHARACTER, '<', "<", 0},
    {"Paste", EB_KEY_PASTE, 0, NULL, 0},
    {"Pasted", EB_KEY_PASTE_END, 0, NULL, 0},
    {"During", EB_KEY_DURING, 0, NULL, 0},
    {"After", EB_KEY_AFTER, 0, NULL, 0},
    {"Tick", EB_KEY_TICK, 0, NULL, 0},
};
#define NAMED (sizeof named_keys / sizeof named_keys[0])

/* ---- reading scripts ---- */

/* "Click 10 3": a name and two numbers. */
static bool read_place(const char *name, const char *word, eb_key_code code, eb_key *out)
{
    size_t length = strlen(name);
    char *end;
    if (strncmp(word, name, length) != 0 || word[length] != ' ')
        return false;
    long x = strtol(word + length, &end, 10);
    if (*end != ' ')
        return false;
    long y = strtol(end, &end, 10);
    *out = (eb_key){.code = code, .x = (int)x, .y = (int)y};
    return *end == '\0' && x >= 0 && y >= 0 && x < 10000 && y < 10000;
}

static bool read_function(const char *word, eb_key *out)
{
    char *end;
    if (word[0] != 'F' || word[1] < '0' || word[1] > '9')
        return false;
    long number = strtol(word + 1, &end, 10);
    out->code = EB_KEY_FUNCTION;
    out->character = (uint32_t)number;
    return *end == '\0' && number >= 1 && number <= 12;
}

static bool read_one_character(const char *word, uint32_t *character)
{
    size_t bytes;
    *character = eb_utf8_next(word, &bytes);
    return bytes > 0 && word[bytes] == '\0';
}

/* Reads the name between the angle brackets. */
static bool read_name(const char *word, eb_key *out)
{
    for (size_t k = 0; k < NAMED; k++)
        if (strcmp(word, named_keys[k].name) == 0) {
            out->code = named_keys[k].code;
            out->character = named_keys[k].character;
            return true;
        }
    if (read_place("Click", word, EB_KEY_CLICK, out) || read_place("Wheel-up", word, EB_KEY_WHEEL_UP, out) ||
        read_place("Wheel-down", word, EB_KEY_WHEEL_DOWN, out) || read_place("Resize", word, EB_KEY_RESIZE, out) ||
        read_function(word, out))
        return true;
    *out = (eb_key){.code = EB_KEY_CHARACTER};
    if (strncmp(word, "C-", 2) == 0 && word[2] >= 'a' && word[2] <= 'z' && word[3] == '\0') {
        out->character = (uint32_t)(word[2] - 'a' + 1);
        return true;
    }
    unsigned modifier = strncmp(word, "S-", 2) == 0   ? EB_SHIFT
                        : strncmp(word, "C-", 2) == 0 ? EB_CONTROL
                        : strncmp(word, "M-", 2) == 0 ? EB_META
                                                      : 0;
    if (!modifier)
        return false;
    bool known = modifier == EB_META && read_one_character(word + 2, &out->character) ? true : read_name(word + 2, out);
    out->modifiers |= modifier;
    return known && (modifier == EB_META || out->code != EB_KEY_CHARACTER);
}

bool eb_key_parse(const char *script, const char **rest, eb_key *out, const char **error)
{
    char word[64];
    *error = NULL;
    *out = (eb_key){.code = EB_KEY_CHARACTER};
    while (*script == '\n' || *script == '\r')
        script++;
    *rest = script;
    if (*script == '\0')
        return false;
    if (*script != '<') {
        size_t bytes;
        out->character = eb_utf8_next(script, &bytes);
        *rest = script + bytes;
        return true;
    }
    size_t length = strcspn(script, ">\n");
    if (script[length] != '>' || length - 1 >= sizeof word) {
        *error = "a key's name begins with < and ends with > on the same line; <lt> is the character <";
        return false;
    }
    memcpy(word, script + 1, length - 1);
    word[length - 1] = '\0';
    if (!read_name(word, out)) {
        *error = "no such key; there are <Enter> <Tab> <Esc> <Up> <Down> <Left> <Right> <Home> <End> <PageUp> "
                 "<PageDown> <F1>…<F12> "
                 "<C-x> <M-x> <S-Left> <Click X Y> <Wheel-up X Y> <Resize COLUMNS ROWS> <Paste> <Pasted> <During> "
                 "<After> <Tick> <lt>";
        return false;
    }
    *rest = script + length + 1;
    return true;
}

/* ---- for the line editor ---- */

size_t eb_key_bytes(eb_key key, char *buffer)
{
    size_t used = 0;
    if (key.code == EB_KEY_CHARACTER) {
        if (key.modifiers & EB_META)
            buffer[used++] = '\033';
        return used + eb_utf8_encode(key.character, buffer + used);
    }
    for (size_t k = 0; k < NAMED; k++) {
        const named_key *named = &named_keys[k];
        if (named->code != key.code || !named->bytes)
            continue;
        unsigned xterm = 1u + (key.modifiers & EB_SHIFT ? 1u : 0u) + (key.modifiers & EB_META ? 2u : 0u) +
                         (key.modifiers & EB_CONTROL ? 4u : 0u);
        size_t length = strlen(named->bytes);
        if (xterm > 1 && named->final)
            return (size_t)snprintf(buffer, 16, "\033[1;%u%c", xterm, named->final);
        if (xterm > 1 && named->bytes[length - 1] == '~')
            return (size_t)snprintf(buffer, 16, "%.*s;%u~", (int)length - 1, named->bytes, xterm);
        return (size_t)snprintf(buffer, 16, "%s%s", key.modifiers & EB_META ? "\033" : "", named->bytes);
    }
    return 0;
}
