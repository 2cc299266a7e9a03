/* markdown: writes a session's document as Markdown. Pictures are characters in blocks of text, so that the document is
 * one file. */
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/utf8.h"
#include "shell/document/bars.h"
#include "shell/document/document.h"
#include "shell/render/render.h"

static void put_lines(FILE *out, const char *lines)
{
    char *shown = eb_utf8_harmless(lines);
    const char *text = shown ? shown : "out of memory\n";
    const int ticks = eb_markdown_ticks(text) < 3 ? 3 : eb_markdown_ticks(text);
    eb_put_ticks(out, ticks);
    (void)fprintf(out, "text\n%s", text);
    eb_put_ticks(out, ticks);
    (void)fputs("\n\n", out);
    free(shown);
}

static void put_paragraph(FILE *out, const char *text, const char *around)
{
    (void)fputs(around, out);
    eb_put_sentence(out, text, eb_put_markdown_text, eb_put_markdown_code);
    (void)fprintf(out, "%s\n\n", around);
}

static void put_heading(FILE *out, const eb_part *part)
{
    (void)fprintf(out, "%.*s ", (int)part->level, "######");
    if (part->number > 0) {
        (void)fprintf(out, "%u. ", part->number);
        eb_put_markdown_code(out, part->heading);
    } else {
        eb_put_markdown_text(out, part->heading);
    }
    (void)fputs("\n\n", out);
}

static eb_code put_part(const eb_part *part, FILE *out, eb_status *status)
{
    put_heading(out, part);
    if (part->remark)
        put_paragraph(out, part->remark, "");
    if (part->lines)
        put_lines(out, part->lines);
    if (part->answer)
        put_paragraph(out, part->answer, "**");
    const eb_table *runs = part->bars ? eb_report_find_table(part->report, EB_F(runs)) : NULL;
    if (runs)
        EB_TRY(eb_bars_markdown(runs, out, status));
    return eb_render_markdown_part(out, part->report, part->level + 1, status);
}

eb_code eb_document_markdown(const eb_document *document, FILE *out, eb_status *status)
{
    eb_code failed = EB_OK;
    (void)fputs("# ", out);
    eb_put_markdown_text(out, document->title);
    (void)fputs("\n\n", out);
    put_paragraph(out, document->summary, "");
    for (size_t k = 0; k < document->parts && !failed; k++)
        failed = put_part(&document->part[k], out, status);
    (void)fputs("---\n\nWritten by ", out);
    eb_put_markdown_text(out, document->writer);
    (void)fputs("\n", out);
    return failed;
}
