/* html: writes a session's document as one page of HTML that loads nothing: its style (style.css) and its pictures are
 * in it. The page forbids loading by its own policy, too. */
#include "core/report/find.h"
#include "shell/document/bars.h"
#include "shell/document/document.h"
#include "shell/render/render.h"

extern const char eb_document_style[]; /* style.S */

static void put_head(const eb_document *document, FILE *out)
{
    (void)fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
        out);
    eb_put_html_text(out, document->title);
    (void)fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", eb_document_style);
    eb_put_html_text(out, document->title);
    (void)fputs("</h1>\n<p class=\"summary\">", out);
    eb_put_html_text(out, document->summary);
    (void)fputs("</p>\n", out);
}

/* Links to the parts of level 2. */
static void put_contents(const eb_document *document, FILE *out)
{
    (void)fputs("<nav><ul>\n", out);
    for (size_t k = 0; k < document->parts; k++) {
        if (document->part[k].level > 2)
            continue;
        (void)fprintf(out, "<li><a href=\"#part%zu\">", k);
        eb_put_html_text(out, document->part[k].heading);
        (void)fputs("</a></li>\n", out);
    }
    (void)fputs("</ul></nav>\n", out);
}

static void put_paragraph(FILE *out, const char *class, const char *text)
{
    (void)fprintf(out, "<p class=\"%s\">", class);
    eb_put_sentence(out, text, eb_put_html_text, eb_put_html_code);
    (void)fputs("</p>\n", out);
}

static void put_lines(FILE *out, const char *lines)
{
    (void)fputs("<pre class=\"scroll\">", out);
    eb_put_html_text(out, lines);
    (void)fputs("</pre>\n", out);
}

static void put_heading(const eb_part *part, size_t place, FILE *out)
{
    (void)fprintf(out, "<h%u id=\"part%zu\">", part->level, place);
    if (part->number > 0)
        (void)fprintf(out, "%u. ", part->number);
    (part->number > 0 ? eb_put_html_code : eb_put_html_text)(out, part->heading);
    (void)fprintf(out, "</h%u>\n", part->level);
}

static eb_code put_part(const eb_part *part, size_t place, FILE *out, eb_status *status)
{
    (void)fputs("<section>\n", out);
    put_heading(part, place, out);
    if (part->remark)
        put_paragraph(out, "remark", part->remark);
    if (part->lines)
        put_lines(out, part->lines);
    if (part->answer)
        put_paragraph(out, part->failed ? "answer failed" : "answer", part->answer);
    const eb_table *runs = part->bars ? eb_report_find_table(part->report, EB_F(runs)) : NULL;
    if (runs)
        EB_TRY(eb_bars_html(runs, out, status));
    EB_TRY(eb_render_html_part(out, part->report, part->level + 1, status));
    (void)fputs("</section>\n", out);
    return EB_OK;
}

eb_code eb_document_html(const eb_document *document, FILE *out, eb_status *status)
{
    eb_code failed = EB_OK;
    put_head(document, out);
    put_contents(document, out);
    for (size_t k = 0; k < document->parts && !failed; k++)
        failed = put_part(&document->part[k], k, out, status);
    (void)fputs("<footer>Written by ", out);
    eb_put_html_text(out, document->writer);
    (void)fputs("</footer>\n</body>\n</html>\n", out);
    return failed;
}
