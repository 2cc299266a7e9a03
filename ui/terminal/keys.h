/* keys: one type for key presses, mouse events and the keys of a key script.
 *
 * A key script is text. Plain characters stand for themselves, other keys are names in angle brackets: <Enter> <Left>
 * <S-Left> <F2> <C-c> <M-x> <Esc> <Tab> <PageDown> <Click 10 3> <Wheel-up 10 3> <Resize 120 40>; <lt> is '<'. Keys
 * between <During> and <After> are pressed while the command before them runs; <Tick> is one turn of a played report.
 * Line ends are ignored.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum eb_key_code {
    EB_KEY_CHARACTER, /* key.character: any Unicode character, control characters among them (Ctrl-A is 1, Tab 9, Enter
                         13, Esc 27) */
    EB_KEY_UP,
    EB_KEY_DOWN,
    EB_KEY_LEFT,
    EB_KEY_RIGHT,
    EB_KEY_HOME,
    EB_KEY_END,
    EB_KEY_PAGE_UP,
    EB_KEY_PAGE_DOWN,
    EB_KEY_INSERT,
    EB_KEY_DELETE,
    EB_KEY_BACKSPACE,
    EB_KEY_BACK_TAB,
    EB_KEY_FUNCTION, /* key.character: 1 … 12 */
    EB_KEY_CLICK,    /* key.x, key.y */
    EB_KEY_WHEEL_UP,
    EB_KEY_WHEEL_DOWN,
    EB_KEY_PASTE,     /* a paste begins: what follows is text, not keys … */
    EB_KEY_PASTE_END, /* … up to here */
    EB_KEY_RESIZE,    /* key.x columns, key.y rows; only in scripts */
    EB_KEY_DURING,    /* only in scripts: the keys that follow are pressed while the command runs … */
    EB_KEY_AFTER,     /* … up to here */
    EB_KEY_TICK,      /* only in scripts, where time stands still: one turn of a played report */
} eb_key_code;

enum { EB_SHIFT = 1, EB_CONTROL = 2, EB_META = 4 }; /* modifiers of named keys; characters have META alone */

typedef struct eb_key {
    eb_key_code code;
    uint32_t character;
    unsigned modifiers;
    int x, y;
} eb_key;

#define EB_ESCAPE 27u
#define EB_ENTER 13u
#define EB_TAB 9u

static inline bool eb_key_is(eb_key key, uint32_t character)
{
    return key.code == EB_KEY_CHARACTER && key.modifiers == 0 && key.character == character;
}

/* Esc and q close an overlay, or a view that replaced another one. */
static inline bool eb_key_closes(eb_key key) { return eb_key_is(key, EB_ESCAPE) || eb_key_is(key, 'q'); }

/* Reads the first key of a script and moves *rest past it. False at the end, or, with *error set to a static sentence,
 * where the script has no valid key. */
bool eb_key_parse(const char *script, const char **rest, eb_key *out, const char **error);

/* Writes the bytes that a terminal sends for the key, for readline, into buffer (at least 16 bytes). Returns their
 * number; 0 if readline has no use for the key. */
size_t eb_key_bytes(eb_key key, char *buffer);
