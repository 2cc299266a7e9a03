/* messages: keeps the newest EB_MOST_MESSAGES errors, warnings and notes of reports in full, for the command
 * `messages`. Used on the terminal's thread only.
 */
#pragma once

#include <stddef.h>

typedef struct eb_messages eb_messages;

typedef struct eb_message {
    const char *kind, *text; /* kind: "note", "warning", "error" */
    char at[12];             /* "21:03:57", local time */
} eb_message;

#define EB_MOST_MESSAGES 500u

eb_messages *eb_messages_new(void); /* NULL: out of memory */
void eb_messages_free(eb_messages *messages);

/* Adds a copy of text; ignores an empty text and a repetition of the newest. kind: static text. messages may be NULL.
 */
void eb_messages_add(eb_messages *messages, const char *kind, const char *text);
size_t eb_messages_count(const eb_messages *messages);
eb_message eb_messages_at(const eb_messages *messages, size_t index); /* 0: the newest; valid until the next add */
