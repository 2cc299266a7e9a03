#include "shell/pictures/show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>

#include "draw/figure/figure.h"
#include "draw/figure/picture.h"
#include "draw/format.h"
#include "draw/plots/bar_row.h"
#include "shell/background/progress.h"
#include "shell/pictures/probe.h"
#include "shell/render/render.h"

/* ---- at the terminal's resolution ---- */

/* Text is about as high as the terminal's own; the picture is at most two columns of a paper wide. */
static eb_figure_request request_of(const eb_shell *shell, size_t picture)
{
    const eb_terminal_size size = eb_terminal_size_of(shell);
    const double line = size.height > 0 && size.rows > 0 ? (double)size.height / size.rows : 18,
                 column = size.width > 0 && size.columns > 0 ? (double)size.width / size.columns : 9,
                 dots = fmin(fmax(line / 11, 1), 6), room = column * (size.columns > 0 ? size.columns : 80) / dots;
    return (eb_figure_request){.picture = picture,
                               .form = EB_FIGURE_PNG,
                               .width = fmin(fmax(room, EB_COLUMN_WIDTH), EB_PAGE_WIDTH),
                               .dots = dots};
}

/* Kitty's protocol: base64 in pieces; q=2 asks the terminal for no answers. */
static eb_code put_kitty(FILE *out, const char *png, size_t size, eb_status *status)
{
    enum { PIECE = 4096 };
    const size_t length = BASE64_ENCODE_RAW_LENGTH(size);
    char *text = malloc(length + 1);
    if (!text)
        return eb_fail_memory(status, "a picture", length);
    base64_encode_raw(text, size, (const unsigned char *)png);
    for (size_t at = 0; at < length; at += PIECE) {
        const size_t piece = length - at < PIECE ? length - at : PIECE;
        (void)fprintf(out, "\033_G%sm=%d;", at == 0 ? "a=T,f=100,q=2," : "q=2,", at + piece < length);
        (void)fwrite(text + at, 1, piece, out);
        (void)fputs("\033\\", out);
    }
    free(text);
    return EB_OK;
}

static eb_code show_kitty(const eb_shell *shell, const eb_drawn *drawn, eb_status *status)
{
    char *png = NULL;
    size_t size = 0;
    const eb_figure_request request = request_of(shell, drawn->picture);
    FILE *memory = open_memstream(&png, &size);
    if (!memory)
        return eb_fail_memory(status, "a picture", 1);
    eb_code failed = eb_figure_write(drawn->report, &request, memory, status);
    const bool whole = fclose(memory) == 0;
    if (!failed)
        failed = whole ? put_kitty(shell->out, png, size, status) : eb_fail_memory(status, "a picture", size);
    free(png);
    return failed;
}

static eb_code show_sixel(const eb_shell *shell, const eb_drawn *drawn, eb_status *status)
{
    eb_pixels pixels;
    const eb_figure_request request = request_of(shell, drawn->picture);
    EB_TRY(eb_figure_pixels(drawn->report, &request, &pixels, status));
    const eb_code failed = eb_sixel_write(&pixels, shell->out, status);
    free(pixels.pixel);
    return failed;
}

/* ---- in characters ---- */

/* Bars of a chart, each with its number. */
static eb_code put_bars(const eb_shell *shell, const eb_chart *c, int width, eb_font font, eb_status *status)
{
    eb_canvas canvas = {.unicode = font != EB_FONT_ASCII};
    char text[64], label[2 * EB_CHART_NAME + 4];
    double most = 0;
    int label_width = 0, row = 0;
    EB_TRY(eb_canvas_resize(&canvas, width, (int)(c->rows * c->parts), status));
    for (size_t r = 0; r < c->rows; r++)
        for (size_t p = 0; p < c->parts; p++) {
            most = fmax(most, c->value[r][p]);
            (void)snprintf(label, sizeof label, c->parts > 1 ? "%s, %s" : "%s", c->row[r], c->part[p]);
            label_width = eb_wider(label_width, label);
        }
    for (size_t r = 0; r < c->rows; r++)
        for (size_t p = 0; p < c->parts; p++) {
            (void)snprintf(label, sizeof label, c->parts > 1 ? "%s, %s" : "%s", c->row[r], c->part[p]);
            const eb_bar_row bar = {.label = label,
                                    .role = EB_ROLE_SERIES,
                                    .share = c->value[r][p] / most,
                                    .text = eb_format_value(text, sizeof text, eb_real(c->value[r][p]), c->unit)};
            eb_draw_bar_row(&canvas, (eb_rect){2, row++, width - 2, 1}, label_width, 10, &bar);
        }
    return eb_put_canvas(shell->out, &canvas, font, status);
}

static eb_code put_stacked(const eb_shell *shell, const eb_chart *c, int width, eb_font font, eb_status *status)
{
    enum { LEGEND = 3 };
    eb_canvas canvas = {.unicode = font != EB_FONT_ASCII};
    const char *row[EB_CHART_ROWS], *part[EB_CHART_PARTS];
    double value[EB_CHART_ROWS * EB_CHART_PARTS];
    for (size_t r = 0; r < c->rows; r++) {
        row[r] = c->row[r];
        memcpy(value + r * c->parts, c->value[r], c->parts * sizeof *value);
    }
    for (size_t p = 0; p < c->parts; p++)
        part[p] = c->part[p];
    EB_TRY(eb_canvas_resize(&canvas, width, (int)c->rows + LEGEND, status));
    (void)eb_draw_stacked(&canvas, (eb_rect){2, 0, width - 2, canvas.height}, c->rows, row, c->parts, part, value,
                          c->unit);
    return eb_put_canvas(shell->out, &canvas, font, status);
}

static eb_code put_chart(const eb_shell *shell, const eb_report *report, const eb_item *item, int width, eb_font font,
                         eb_status *status)
{
    eb_chart *c = malloc(sizeof *c);
    if (!c)
        return eb_fail_memory(status, "a chart", sizeof *c);
    eb_code failed = EB_OK;
    if (eb_chart_of(report, item, c))
        failed = (c->stacked ? put_stacked : put_bars)(shell, c, width, font, status);
    free(c);
    return failed;
}

static eb_code show_text(const eb_shell *shell, const eb_drawn *drawn, eb_status *status)
{
    const unsigned columns = eb_terminal_width(shell->out), width = columns ? columns : EB_PLOT_WIDTH;
    const eb_font font = !shell->unicode                 ? EB_FONT_ASCII
                         : shell->console && columns > 0 ? EB_FONT_CONSOLE
                                                         : EB_FONT_UNICODE;
    const eb_item *item;
    for (size_t k = 0; (item = eb_figure_item(drawn->report, k)) != NULL; k++) {
        if (drawn->picture != EB_ALL_PICTURES && drawn->picture != k)
            continue;
        char *title = eb_utf8_shown(eb_figure_title(drawn->report, k), !shell->unicode);
        (void)fprintf(shell->out, "%s\n", title ? title : "");
        free(title);
        EB_TRY(eb_is_drawn(item) ? eb_put_drawing(shell->out, item, width, font, status)
                                 : put_chart(shell, drawn->report, item, (int)width, font, status));
        (void)fputc('\n', shell->out);
    }
    return EB_OK;
}

/* ---- either ---- */

eb_code eb_picture_show(eb_shell *shell, const eb_drawn *drawn, eb_status *status)
{
    if (shell->quiet)
        return EB_OK;
    (void)fflush(shell->out);
    const eb_graphics graphics = eb_graphics_of(shell);
    eb_code failed = graphics == EB_GRAPHICS_KITTY   ? show_kitty(shell, drawn, status)
                     : graphics == EB_GRAPHICS_SIXEL ? show_sixel(shell, drawn, status)
                                                     : EB_NO_ENGINE;
    if (!failed)
        (void)fputc('\n', shell->out);
    else if (failed == EB_NO_ENGINE) /* no graphics, or no library to draw with */
        failed = show_text(shell, drawn, status);
    if (!failed && (fflush(shell->out) != 0 || ferror(shell->out)))
        failed = eb_fail(status, EB_IO, "cannot write the output: %s", strerror(errno));
    return failed;
}
