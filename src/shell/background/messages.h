/* messages: what was said to the person: errors, warnings, notes of reports, each in full, the newest few hundred. The
 * terminal's thread's.
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

/* kind: static text. messages may be NULL; an empty text, and what was just said, is not kept. Without memory nothing
 * is. */
void eb_messages_add(eb_messages *messages, const char *kind, const char *text);
size_t eb_messages_count(const eb_messages *messages);
eb_message eb_messages_at(const eb_messages *messages, size_t index); /* 0: the newest. Good until the next is added */
