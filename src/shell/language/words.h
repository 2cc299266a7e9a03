/* words: the lexical half of the command parser: where a word ends, what it says without its quotes. Pure.
 *
 * Grammar: command.h. Nothing here allocates but the word's text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

typedef struct eb_word {
    const char *begin, *end; /* as typed, key and quotes included */
    const char *value;       /* where the value begins: behind "key=", else begin */
    size_t key_length;       /* of "key=…", 0: no key */
    bool quoted;             /* the value is quoted */
    char *text;              /* the value without quotes, heap */
} eb_word;

const char *eb_skip_blanks(const char *at);

/* Where a command's name begins: behind blanks and the one ':' that may come before it. */
const char *eb_command_begin(const char *at);

/* At the end of a command: ';', newline, end of text, or a comment (only where a word could begin). */
bool eb_at_command_end(const char *at);

/* Where the next command begins: behind the terminator at or after `at`, which must be where a word could begin. */
const char *eb_next_command(const char *at);

/* The length of "key" when the word at `at` begins with "key="; else 0. */
size_t eb_key_length(const char *at);

/* The word at `at` (not at a command's end). `line` is where columns are counted from. */
eb_code eb_read_word(const char *line, const char *at, eb_word *out, eb_status *status);

/* The same where no key is expected: a command's name. "eps=3" is then all text. */
eb_code eb_read_name(const char *line, const char *at, eb_word *out, eb_status *status);

/* The rest of the command at `at`, blanks at its end left out, '#' an ordinary character. One quoted string alone is
 * unquoted. */
eb_code eb_read_rest(const char *line, const char *at, eb_word *out, eb_status *status);

/* Column of `at`, in characters from 1. */
size_t eb_column_of(const char *line, const char *at);
