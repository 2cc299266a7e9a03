#include "shell/language/words.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static bool ends_word(char c) { return c == '\0' || c == '\n' || c == ';' || is_blank(c); }

static bool is_quote(char c) { return c == '"' || c == '\''; }

static bool is_key_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

const char *eb_skip_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

const char *eb_command_begin(const char *at)
{
    at = eb_skip_blanks(at);
    return *at == ':' ? eb_skip_blanks(at + 1) : at;
}

bool eb_at_command_end(const char *at) { return *at == '\0' || *at == '\n' || *at == ';' || *at == '#'; }

size_t eb_column_of(const char *line, const char *at)
{
    size_t column = 1;
    for (; line < at; line++) /* bytes 10xxxxxx continue a UTF-8 character */
        column += ((unsigned char)*line & 0xC0u) != 0x80u;
    return column;
}

/* Position after the closing quote of the string at `at`; NULL if the line ends first. */
static const char *behind_quotes(const char *at)
{
    char quote = *at++;
    for (; *at != quote; at++) {
        if (*at == '\0' || *at == '\n')
            return NULL;
        if (quote == '"' && *at == '\\' && at[1] != '\0' && at[1] != '\n')
            at++;
    }
    return at + 1;
}

size_t eb_key_length(const char *at)
{
    size_t length = 0;
    while (is_key_character(at[length]))
        length++;
    return at[length] == '=' ? length : 0;
}

/* The end of the word at `at`; NULL if a quote is not closed. */
static const char *word_end(const char *at)
{
    size_t key = eb_key_length(at);
    if (key > 0)
        at += key + 1;
    if (is_quote(*at)) {
        at = behind_quotes(at);
        if (!at)
            return NULL;
    }
    while (!ends_word(*at))
        at++;
    return at;
}

static const char *line_end(const char *at) { return at + strcspn(at, "\n"); }

const char *eb_next_command(const char *at)
{
    for (at = eb_skip_blanks(at); !eb_at_command_end(at); at = eb_skip_blanks(at)) {
        const char *end = word_end(at);
        at = end ? end : line_end(at);
    }
    if (*at == '#')
        at = line_end(at);
    return *at == '\0' ? at : at + 1;
}

static eb_code unquote(const char *line, const char *at, const char *end, char *out, eb_status *status)
{
    char quote = is_quote(*at) ? *at++ : '\0';
    while (at < end) {
        if (quote && *at == quote) {
            quote = '\0'; /* what follows the closing quote is literal */
            at++;
            continue;
        }
        if (quote != '"' || *at != '\\') {
            *out++ = *at++;
            continue;
        }
        switch (at[1]) {
        case 'n': *out++ = '\n'; break;
        case 't': *out++ = '\t'; break;
        case '"':
        case '\\': *out++ = at[1]; break;
        default:
            return eb_fail(status, EB_USAGE,
                           "column %zu: inside \"…\" a backslash stands before \", \\, n or t, found \"\\%c\"; '…' "
                           "takes every character as it is",
                           eb_column_of(line, at), (unsigned char)at[1] < 0x80 ? at[1] : '?');
        }
        at += 2;
    }
    *out = '\0';
    return EB_OK;
}

static eb_code open_quote(const char *line, const char *at, eb_status *status)
{
    return eb_fail(status, EB_USAGE, "column %zu: the quote %c opened here is not closed on this line",
                   eb_column_of(line, at), *at);
}

static eb_code take_text(const char *line, eb_word *word, eb_status *status)
{
    size_t room = (size_t)(word->end - word->value) + 1;
    word->text = malloc(room);
    if (!word->text)
        return eb_fail_memory(status, "a word of the command", room);
    eb_code failed = EB_OK;
    if (word->quoted) {
        failed = unquote(line, word->value, word->end, word->text, status);
    } else {
        memcpy(word->text, word->value, room - 1);
        word->text[room - 1] = '\0';
    }
    if (failed) {
        free(word->text);
        word->text = NULL;
    }
    return failed;
}

static eb_code read_word(const char *line, const char *at, size_t key, eb_word *out, eb_status *status)
{
    const char *value = key > 0 ? at + key + 1 : at, *end = word_end(at);
    if (!end)
        return open_quote(line, value, status);
    *out = (eb_word){.begin = at, .end = end, .value = value, .key_length = key, .quoted = is_quote(*value)};
    return take_text(line, out, status);
}

eb_code eb_read_word(const char *line, const char *at, eb_word *out, eb_status *status)
{
    return read_word(line, at, eb_key_length(at), out, status);
}

eb_code eb_read_name(const char *line, const char *at, eb_word *out, eb_status *status)
{
    return read_word(line, at, 0, out, status);
}

eb_code eb_read_rest(const char *line, const char *at, eb_word *out, eb_status *status)
{
    const char *end = at;
    bool word_begins = true;
    for (const char *c = at; *c != '\0' && *c != '\n' && *c != ';';) {
        if (word_begins && is_quote(*c)) {
            const char *behind = behind_quotes(c);
            if (!behind)
                return open_quote(line, c, status);
            c = behind;
            end = c;
            word_begins = false;
            continue;
        }
        word_begins = is_blank(*c);
        c++;
        if (!word_begins)
            end = c;
    }
    *out = (eb_word){.begin = at, .end = end, .value = at};
    out->quoted = is_quote(*at) && behind_quotes(at) == end;
    return take_text(line, out, status);
}
