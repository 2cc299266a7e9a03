#include "shell/background/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct entry {
    const char *kind;
    char *text;
    char at[12];
} entry;

struct eb_messages {
    entry kept[EB_MOST_MESSAGES]; /* a ring */
    size_t added;
};

eb_messages *eb_messages_new(void) { return calloc(1, sizeof(eb_messages)); }

void eb_messages_free(eb_messages *messages)
{
    for (size_t k = 0; messages && k < EB_MOST_MESSAGES; k++)
        free(messages->kept[k].text);
    free(messages);
}

size_t eb_messages_count(const eb_messages *messages)
{
    return !messages ? 0 : messages->added < EB_MOST_MESSAGES ? messages->added : EB_MOST_MESSAGES;
}

eb_message eb_messages_at(const eb_messages *messages, size_t index)
{
    const entry *e = &messages->kept[(messages->added - 1 - index) % EB_MOST_MESSAGES];
    eb_message message = {.kind = e->kind, .text = e->text};
    memcpy(message.at, e->at, sizeof message.at);
    return message;
}

static void put_time(char *at, size_t size)
{
    struct tm local;
    time_t now = time(NULL);
    if (!localtime_r(&now, &local) || strftime(at, size, "%H:%M:%S", &local) == 0)
        at[0] = '\0';
}

void eb_messages_add(eb_messages *messages, const char *kind, const char *text)
{
    if (!messages || text[0] == '\0' || (messages->added > 0 && strcmp(eb_messages_at(messages, 0).text, text) == 0))
        return;
    char *copy = strdup(text);
    if (!copy)
        return;
    entry *e = &messages->kept[messages->added++ % EB_MOST_MESSAGES];
    free(e->text);
    *e = (entry){.kind = kind, .text = copy};
    put_time(e->at, sizeof e->at);
}
