#include "shell/diagnosis/clues.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/lessons/library.h"
#include "shell/lessons/texts.h"

typedef struct reader {
    eb_keyed_reader lines;
    const char *path;
    eb_clues *out;
    eb_status *status;
} reader;

static eb_code complain(const reader *r, const char *expected, const char *found)
{
    return eb_fail(r->status, EB_USAGE, "%s:%zu: expected %s, found \"%.80s\"", r->path, r->lines.number, expected,
                   found);
}

static eb_code read_switch(const reader *r, const char *name)
{
    if (r->out->count == EB_MOST_TOLD || name[0] == '\0')
        return complain(r, "switch NAME, at most 16 times", name);
    eb_told_switch *told = &r->out->told[r->out->count++];
    *told = (eb_told_switch){.name = strdup(name)};
    return told->name ? EB_OK : eb_fail_memory(r->status, "a text", strlen(name));
}

static eb_code read_clue(const reader *r, eb_told_switch *told, char *text)
{
    char *end;
    const char *key = eb_keyed_cut(&text);
    const eb_metric metric = eb_metric_find(key);
    const double factor = strtod(text, &end);
    if (metric == EB_METRIC_COUNT)
        return complain(r, "clue METRIC FACTOR with a metric that is known", key);
    if (end == text || *end != '\0' || !(factor > 0) || factor == 1 || told->clues == EB_MOST_CLUES)
        return complain(r, "clue METRIC FACTOR, at most 4 times for a switch", text);
    told->clue[told->clues++] = (eb_clue){metric, factor};
    return EB_OK;
}

static eb_code read_line(const reader *r, char *text)
{
    const char *word = eb_keyed_cut(&text);
    if (strcmp(word, "switch") == 0)
        return read_switch(r, text);
    eb_told_switch *told = r->out->count > 0 ? &r->out->told[r->out->count - 1] : NULL;
    if (told && strcmp(word, "clue") == 0)
        return read_clue(r, told, text);
    if (!told || strcmp(word, "off") != 0 || told->off)
        return complain(r, "switch, then clue or one off", word);
    told->off = strdup(text);
    return told->off ? EB_OK : eb_fail_memory(r->status, "a text", strlen(text));
}

eb_code eb_clues_parse(const char *path, const char *text, eb_clues *out, eb_status *status)
{
    reader r = {{.at = text}, path, out, status};
    char *line = NULL;
    *out = (eb_clues){.count = 0};
    eb_code failed = eb_keyed_next(&r.lines, &line, status);
    while (!failed && line) {
        failed = read_line(&r, line);
        if (!failed)
            failed = eb_keyed_next(&r.lines, &line, status);
    }
    eb_keyed_end(&r.lines);
    for (size_t k = 0; k < out->count && !failed; k++)
        if (!out->told[k].off || out->told[k].clues == 0)
            failed = eb_fail(status, EB_USAGE, "%s: expected a clue and an off for switch %s", path, out->told[k].name);
    return failed;
}

eb_code eb_clues_read(eb_clues *out, eb_status *status)
{
    char path[4096], *text;
    *out = (eb_clues){.count = 0};
    EB_TRY(eb_library_text("switches.text", "a text of switches", path, sizeof path, &text, status));
    const eb_code failed = eb_clues_parse(path, text, out, status);
    free(text);
    return failed;
}

void eb_clues_free(eb_clues *clues)
{
    for (size_t k = 0; k < clues->count; k++) {
        free(clues->told[k].name);
        free(clues->told[k].off);
    }
    *clues = (eb_clues){.count = 0};
}

const eb_clue *eb_clue_that_holds(const eb_told_switch *told, const eb_metrics *kernel, const eb_metrics *full)
{
    for (size_t k = 0; k < told->clues; k++) {
        const eb_clue *clue = &told->clue[k];
        const double ratio = eb_metric_ratio(clue->metric, kernel, full);
        if (clue->factor > 1 ? ratio >= clue->factor : ratio <= clue->factor)
            return clue;
    }
    return NULL;
}
