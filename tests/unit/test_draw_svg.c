/* Tests of svg, a screen as a picture: text, shapes, colours, and well-formed XML. */

#include "draw/svg.h"
#include "tests/unit/cases.h"
#include "tests/unit/test.h"

static eb_canvas screen(int width, int height)
{
    eb_canvas canvas = {.unicode = true};
    assert_int_equal(eb_canvas_resize(&canvas, width, height, NULL), EB_OK);
    return canvas;
}

static char *picture(const eb_canvas *canvas)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_svg(canvas, false, out, NULL), EB_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Compares the elements after the background. Frees the canvas. */
static void assert_drawn(eb_canvas *canvas, const char *expected)
{
    char *text = picture(canvas);
    const char *drawn = strstr(text, "rx=\"6\"");
    assert_non_null(drawn);
    drawn = strchr(drawn, '\n') + 1;
    if (strcmp(drawn, expected) != 0)
        fail_msg("found:\n%s\nexpected:\n%s", drawn, expected);
    free(text);
    eb_canvas_free(canvas);
}

TEST(text_is_text)
{
    eb_canvas canvas = screen(16, 2);
    eb_rect all = eb_canvas_rect(&canvas);
    (void)eb_put(&canvas, all, 1, 0, EB_ROLE_TEXT, "a <b>&  c");
    (void)eb_put(&canvas, all, 0, 1, EB_ROLE_TITLE, "ε e\xCC\x81 距");
    assert_drawn(&canvas, case_text("drawn", "text is text"));
}

TEST(blocks_are_rectangles)
{
    eb_canvas canvas = screen(12, 1);
    static const uint32_t block[] = {0x2588, 0x2588, 0x2582, 0x258E, 0x2590, 0x2593, 0x2591, 0x259A, 0x2580, 0x2594};
    for (int x = 0; x < 10; x++)
        eb_put_cell(&canvas, eb_canvas_rect(&canvas), x, 0, EB_ROLE_SERIES, block[x], '#');
    assert_drawn(&canvas, case_text("drawn", "blocks are rectangles"));
}

TEST(dots_and_frames_are_paths)
{
    eb_canvas canvas = screen(6, 2);
    eb_rect all = eb_canvas_rect(&canvas);
    eb_put_cell(&canvas, all, 0, 0, EB_ROLE_BAND, 0x2801, '.'); /* the first dot */
    eb_put_cell(&canvas, all, 1, 0, EB_ROLE_BAND, 0x2880, '.'); /* the last */
    static const uint32_t frame[] = {0x250C, 0x2500, 0x2500, 0x2524, 0x2571};
    for (int x = 0; x < 5; x++)
        eb_put_cell(&canvas, all, x, 1, EB_ROLE_FRAME, frame[x], '+');
    assert_drawn(&canvas, case_text("drawn", "dots and frames are paths"));
}

TEST(roles_with_a_ground_have_it_behind_blanks_too)
{
    eb_canvas canvas = screen(4, 1);
    eb_fill(&canvas, (eb_rect){0, 0, 3, 1}, EB_ROLE_SELECTED);
    assert_drawn(&canvas, "<rect class=\"g9\" x=\"8\" y=\"8\" width=\"24\" height=\"16\"/>\n</svg>\n");
}

/* For any cell content the document is printable ASCII, every '<' begins an element, and every '&' a character
 * reference. */
TEST(anything_makes_a_sound_document)
{
    eb_canvas canvas = screen(200, 300);
    for (int k = 0; k < 200 * 300; k++)
        canvas.cell[k] = (eb_cell){.character = k < 0x3000 ? (uint32_t)k : 0x2500 + (uint32_t)k % 0x400,
                                   .combining = k % 7 == 0 ? 0x301 : 0,
                                   .role = (uint8_t)(k / 3 % EB_ROLES)};
    char *text = picture(&canvas);
    for (const char *at = text; *at; at++) {
        assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
        if (*at == '<')
            assert_non_null(memchr("/srtp", at[1], 5)); /* </…, style, svg, rect, text, path */
        if (*at == '&')
            assert_memory_equal(at, "&#x", 3);
    }
    assert_null(strstr(text, "&#x0;")); /* XML allows no control characters */
    assert_null(strstr(text, "&#x1B;"));
    assert_memory_equal(text + strlen(text) - 7, "</svg>\n", 7);
    free(text);
    eb_canvas_free(&canvas);
}

/* Frames of a film: two letters, then others, each over the previous one. */
static void draw_letters(void *context, size_t frame)
{
    static const char *const shown[] = {"ab  x", "aB  x", "aB  y"};
    eb_canvas *canvas = context;
    (void)eb_put(canvas, eb_canvas_rect(canvas), 0, 0, EB_ROLE_TEXT, shown[frame]);
}

TEST(a_film_writes_what_changes)
{
    eb_canvas canvas = screen(5, 1);
    const eb_film film = {3, 0.25, draw_letters, &canvas};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_film(&canvas, &film, false, out, NULL), EB_OK);
    assert_int_equal(fclose(out), 0);
    const char *first = strstr(text, "<text class");
    assert_non_null(first);
    assert_string_equal(first, case_text("drawn", "a film writes what changes"));
    free(text);
    eb_canvas_free(&canvas);
}

RUN_TESTS
