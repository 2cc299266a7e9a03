/* words: splits a command line into words and removes quotes, for the command parser. Grammar: command.h. Only the text
 * of a word is allocated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

typedef struct eb_word {
    const char *begin, *end; /* as typed, key and quotes included */
    const char *value;       /* start of the value: after "key=", else begin */
    size_t key_length;       /* length of the key; 0: no key */
    bool quoted;             /* the value is quoted */
    char *text;              /* the value without quotes, heap */
} eb_word;

const char *eb_skip_blanks(const char *at);

/* Start of a command's name: after blanks and an optional ':'. */
const char *eb_command_begin(const char *at);

/* True at the end of a command: ';', newline, end of text or '#'. `at` must be where a word may begin. */
bool eb_at_command_end(const char *at);

/* Start of the next command: after the terminator at or after `at`. `at` must be where a word may begin. */
const char *eb_next_command(const char *at);

/* The length of "key" if the word at `at` begins with "key="; else 0. */
size_t eb_key_length(const char *at);

/* Reads the word at `at`, which is not a command's end. Columns in messages are counted from `line`. */
eb_code eb_read_word(const char *line, const char *at, eb_word *out, eb_status *status);

/* eb_read_word without keys, for a command's name: "eps=3" is all text. */
eb_code eb_read_name(const char *line, const char *at, eb_word *out, eb_status *status);

/* Reads the rest of the command, without blanks at its end; '#' is an ordinary character. Quotes are removed if the
 * rest is one quoted string. */
eb_code eb_read_rest(const char *line, const char *at, eb_word *out, eb_status *status);

/* Column of `at`, in characters from 1. */
size_t eb_column_of(const char *line, const char *at);
