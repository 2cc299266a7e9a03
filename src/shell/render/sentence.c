/* sentence: code within sentences of documents. */
#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"
#include "shell/render/render.h"

static size_t count_ticks(const char *text)
{
    size_t count = 0;
    while ((text = strchr(text, '`'))) {
        count++;
        text++;
    }
    return count;
}

void eb_put_sentence(FILE *out, const char *text, void (*plain)(FILE *, const char *),
                     void (*code)(FILE *, const char *))
{
    char *rest = strdup(text), *at = rest;
    if (!rest || count_ticks(text) % 2 != 0) {
        plain(out, text);
        at = NULL;
    }
    for (bool inside = false; at; inside = !inside) {
        const char *piece = strsep(&at, "`");
        if (piece[0] != '\0')
            (inside ? code : plain)(out, piece);
    }
    free(rest);
}

/* ---- Markdown ---- */

int eb_markdown_ticks(const char *text)
{
    size_t most = 0;
    for (const char *at = text; *at; at += at[0] != '`') {
        const size_t ticks = strspn(at, "`");
        most = ticks > most ? ticks : most;
        at += ticks;
        if (!*at)
            break;
    }
    return most < 100 ? (int)most + 1 : 100;
}

void eb_put_ticks(FILE *out, int count)
{
    while (count-- > 0)
        (void)fputc('`', out);
}

/* The blanks beside the text do not show. */
void eb_put_markdown_code(FILE *out, const char *line)
{
    char *shown = eb_utf8_shown(line, false);
    const char *text = shown ? shown : "out of memory";
    const int ticks = eb_markdown_ticks(text);
    eb_put_ticks(out, ticks);
    (void)fprintf(out, ticks > 1 ? " %s " : "%s", text);
    eb_put_ticks(out, ticks);
    free(shown);
}
