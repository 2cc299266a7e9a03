#include "ui/widgets/page.h"

#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"

enum { SIDE_BY_SIDE = 12, INDENT = 2, GAP = 2 };

int eb_page_row(const eb_page *page, int line)
{
    return line >= page->top && line - page->top < page->area.height ? page->area.y + line - page->top : -1;
}

/* Puts text, broken at blanks into lines of `width` columns, at column x from page->line on, and leaves page->line as
 * it is. Returns the number of lines; 0 if width < 1 or out of memory. */
static int put_broken(const eb_page *page, eb_role role, int x, int width, const char *text)
{
    char *shown = width > 0 ? eb_utf8_shown(text, page->ascii) : NULL;
    int lines = 0;
    for (const char *at = shown; shown && *at; lines++) {
        const char *begin = at;
        size_t bytes = eb_utf8_line(&at, (size_t)width);
        if (!page->canvas || eb_page_row(page, page->line + lines) < 0)
            continue;
        char *line = strndup(begin, bytes);
        eb_rect own = eb_rect_cut((eb_rect){page->area.x + x, page->area.y, width, page->area.height}, page->area);
        if (line)
            (void)eb_put(page->canvas, own, page->area.x + x, eb_page_row(page, page->line + lines), role, line);
        free(line);
    }
    free(shown);
    return lines;
}

void eb_page_text(eb_page *page, eb_role role, int x, const char *text)
{
    page->line += put_broken(page, role, x, page->area.width - x, text);
}

void eb_page_pair(eb_page *page, eb_role role, int x, const char *left, int column, const char *right)
{
    int width = page->area.width;
    if (width - column < SIDE_BY_SIDE) {
        eb_page_text(page, role, x, left);
        eb_page_text(page, EB_ROLE_TEXT, x + INDENT, right);
        return;
    }
    int of_left = put_broken(page, role, x, column - GAP - x, left);
    int of_right = put_broken(page, EB_ROLE_TEXT, column, width - column, right);
    page->line += of_left > of_right ? of_left : of_right;
}
