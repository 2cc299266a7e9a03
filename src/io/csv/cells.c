#include "io/csv/cells.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

eb_piece eb_trimmed(eb_piece text)
{
    while (text.begin < text.end && is_blank(*text.begin))
        text.begin++;
    while (text.begin < text.end && is_blank(text.end[-1]))
        text.end--;
    return text;
}

bool eb_take_line(eb_lines *lines, eb_piece *out)
{
    while (lines->at < lines->end) {
        const char *newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
        eb_piece line = {lines->at, newline ? newline : lines->end};
        lines->at = newline ? newline + 1 : lines->end;
        lines->line++;
        if (line.begin < line.end && line.end[-1] == '\r')
            line.end--;
        eb_piece text = eb_trimmed(line);
        if (text.begin == text.end || *text.begin == '#')
            continue;
        *out = line;
        return true;
    }
    return false;
}

char eb_find_separator(eb_piece line, const char *candidates)
{
    const char *best = candidates + strlen(candidates);
    bool quoted = false;
    for (const char *p = line.begin; p < line.end; p++) {
        char c = *p; /* read once: in a mapping the byte may change between two reads */
        if (c == '"')
            quoted = !quoted;
        const char *hit = quoted || !c ? NULL : strchr(candidates, c);
        if (hit && hit < best)
            best = hit;
    }
    return *best ? *best : ' ';
}

eb_piece eb_take_cell(char separator, eb_piece *rest, bool *more)
{
    const char *p = rest->begin;
    bool quoted = false;
    while (p < rest->end && (quoted || (separator == ' ' ? !is_blank(*p) : *p != separator)))
        quoted ^= *p++ == '"';
    eb_piece cell = {rest->begin, p};
    *more = p < rest->end;
    rest->begin = *more ? p + 1 : p;
    if (separator == ' ')
        *rest = eb_trimmed(*rest);
    return eb_trimmed(cell);
}

eb_piece eb_unquoted(eb_piece cell)
{
    if (eb_piece_length(cell) >= 2 && *cell.begin == '"' && cell.end[-1] == '"')
        return eb_trimmed((eb_piece){cell.begin + 1, cell.end - 1});
    return cell;
}

bool eb_cell_text(eb_piece cell, char *buffer, size_t size)
{
    eb_piece text = eb_unquoted(cell);
    bool was_quoted = text.begin != cell.begin;
    size_t length = 0;
    for (const char *p = text.begin; p < text.end; p++) {
        if (length + 1 >= size)
            return false;
        char c = *p;
        buffer[length++] = c;
        if (was_quoted && c == '"' && p + 1 < text.end && p[1] == '"')
            p++;
    }
    buffer[length] = 0;
    return true;
}

eb_piece eb_start_of(char separator, eb_piece line) { return separator == ' ' ? eb_trimmed(line) : line; }

size_t eb_count_cells(char separator, eb_piece line)
{
    eb_piece rest = eb_start_of(separator, line);
    size_t cells = 0;
    for (bool more = true; more; cells++)
        (void)eb_take_cell(separator, &rest, &more);
    return cells;
}
