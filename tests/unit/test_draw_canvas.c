/* Tests of the canvas: clipping, wide and combining characters at edges, hostile text, ASCII, frames, plain text. */

#include "draw/canvas.h"
#include "draw/utf8.h"
#include "tests/unit/test.h"

static eb_canvas make(int width, int height, bool unicode)
{
    eb_canvas canvas = {.unicode = unicode};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&canvas, width, height, &status), EB_OK);
    return canvas;
}

static void assert_screen(const eb_canvas *canvas, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    eb_status status;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_dump(canvas, out, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
}

TEST(text_is_clipped_on_all_sides)
{
    eb_canvas c = make(8, 3, true);
    eb_rect clip = {2, 1, 4, 1};
    assert_int_equal(eb_put(&c, clip, 0, 1, EB_ROLE_TEXT, "abcdefgh"), 8);
    assert_int_equal(eb_put(&c, clip, 2, 0, EB_ROLE_TEXT, "no"), 2);
    assert_int_equal(eb_put(&c, clip, 2, 2, EB_ROLE_TEXT, "no"), 2);
    assert_int_equal(eb_put(&c, (eb_rect){-5, -5, 100, 100}, -3, 2, EB_ROLE_TEXT, "xyzend of it"), 12);
    assert_screen(&c, "\n  cdef\nend of i\n");
    eb_put_cell(&c, clip, 7, 1, EB_ROLE_TEXT, 'X', 'X');
    eb_put_cell(&c, (eb_rect){0, 0, 99, 99}, 8, 0, EB_ROLE_TEXT, 'X', 'X');
    eb_put_cell(&c, (eb_rect){0, 0, 99, 99}, -1, 0, EB_ROLE_TEXT, 'X', 'X');
    eb_fill(&c, (eb_rect){6, 2, 50, 50}, EB_ROLE_BAD);
    assert_screen(&c, "\n  cdef\nend of\n");
    assert_int_equal(c.cell[2 * 8 + 7].role, EB_ROLE_BAD);
    eb_canvas_free(&c);
}

TEST(wide_characters_are_never_halves)
{
    eb_canvas c = make(6, 4, true);
    eb_rect all = eb_canvas_rect(&c);
    assert_int_equal(eb_put(&c, all, 0, 0, EB_ROLE_TEXT, "日本語"), 6);
    assert_int_equal(eb_put(&c, all, 1, 1, EB_ROLE_TEXT, "日本語"), 6);
    assert_int_equal(eb_put(&c, all, -1, 2, EB_ROLE_TEXT, "日本"), 4);
    assert_screen(&c, "日本語\n 日本\n 本\n\n");
    (void)eb_put(&c, all, 1, 0, EB_ROLE_TEXT, "x"); /* over the right half of the first */
    (void)eb_put(&c, all, 2, 0, EB_ROLE_TEXT, "y"); /* over the left half of the second */
    assert_screen(&c, " xy 語\n 日本\n 本\n\n");
    eb_fill(&c, (eb_rect){0, 1, 2, 1}, EB_ROLE_TEXT); /* ends in the middle of a wide character */
    assert_screen(&c, " xy 語\n   本\n 本\n\n");
    eb_canvas_free(&c);
}

TEST(combining_characters_stay_with_theirs)
{
    eb_canvas c = make(4, 2, true);
    assert_int_equal(eb_put(&c, eb_canvas_rect(&c), 0, 0, EB_ROLE_TEXT, "e\xCC\x81\xCC\x82g"),
                     2); /* the first of both */
    assert_int_equal(eb_put(&c, eb_canvas_rect(&c), 0, 1, EB_ROLE_TEXT, "\xCC\x81x"), 1);
    assert_screen(&c, "e\xCC\x81g\nx\n");
    eb_canvas_free(&c);
}

TEST(hostile_text_steers_nothing)
{
    eb_canvas c = make(12, 2, true);
    (void)eb_put(&c, eb_canvas_rect(&c), 0, 0, EB_ROLE_TEXT, "a\033[2Jb\xFF\nc\td");
    for (int k = 0; k < 24; k++)
        assert_true(c.cell[k].character >= 0x20);
    assert_screen(&c, "a\xEF\xBF\xBD[2Jb\xEF\xBF\xBD c d\n\n");
    eb_canvas_free(&c);
}

TEST(ascii_terminals_get_ascii)
{
    eb_canvas c = make(14, 4, false);
    eb_frame(&c, eb_canvas_rect(&c), EB_ROLE_FRAME, "ε");
    (void)eb_put(&c, eb_rect_inside(eb_canvas_rect(&c)), 1, 1, EB_ROLE_TEXT, "ε ≤ 2×3");
    eb_put_cell(&c, eb_canvas_rect(&c), 1, 2, EB_ROLE_TEXT, 0x2588, '#');
    for (int k = 0; k < 14 * 4; k++)
        assert_in_range(c.cell[k].character, 0x20, 0x7E);
    assert_screen(&c, "+- eps ------+\n|eps <= 2x3  |\n|#           |\n+------------+\n");
    eb_canvas_free(&c);
}

TEST(long_text_says_that_it_is_cut)
{
    eb_canvas c = make(10, 4, true);
    eb_rect clip = {1, 0, 6, 4};
    assert_int_equal(eb_put_short(&c, clip, 1, 0, EB_ROLE_TEXT, "abcdef"), 6);
    assert_int_equal(eb_put_short(&c, clip, 1, 1, EB_ROLE_TEXT, "abcdefg"), 7);
    assert_int_equal(eb_put_short(&c, clip, 1, 2, EB_ROLE_TEXT, "日本語文"), 8);
    assert_int_equal(eb_put_right(&c, clip, 7, 3, EB_ROLE_TEXT, "right"), 5);
    assert_screen(&c, " abcdef\n abcde…\n 日本 …\n  right\n");
    eb_canvas_free(&c);
}

TEST(text_wraps_at_blanks)
{
    eb_canvas c = make(8, 3, true);
    assert_int_equal(eb_put_wrapped(&c, (eb_rect){0, 0, 8, 3}, EB_ROLE_TEXT, "one two three four five six"), 4);
    assert_screen(&c, "one two\nthree\nfour\n");
    assert_int_equal(eb_put_wrapped(&c, (eb_rect){0, 0, 0, 3}, EB_ROLE_TEXT, "x"), 0);
    eb_canvas_free(&c);
}

/* Every drawing call at every small size and place changes only cells of its area. */
TEST(nothing_is_drawn_outside)
{
    eb_canvas c = make(16, 9, true);
    for (int w = 0; w <= 8; w++)
        for (int h = 0; h <= 5; h++)
            for (int x = -2; x <= 14; x += 4) {
                eb_rect area = {x, 2, w, h};
                for (int k = 0; k < 16 * 9; k++)
                    c.cell[k] = (eb_cell){.character = '~', .role = EB_ROLE_BAD};
                eb_frame(&c, area, EB_ROLE_FRAME, "title 日本");
                (void)eb_put_wrapped(&c, area, EB_ROLE_TEXT, "日本語 some text");
                (void)eb_put_short(&c, area, x - 1, 3, EB_ROLE_TEXT, "日本語日本語日本語");
                for (int k = 0; k < 16 * 9; k++)
                    if (!eb_rect_has(area, k % 16, k / 16))
                        assert_true(c.cell[k].character == '~' && c.cell[k].role == EB_ROLE_BAD);
            }
    eb_canvas_free(&c);
}

/* ---- any text at any place ---- */

static unsigned next_random(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Words of letters, wide and combining characters, invalid UTF-8 and terminal control sequences. */
static void make_text(unsigned *seed, char *text)
{
    static const char *const pieces[] = {"a",        "xyz",  " ",        "日",           "本語",     "e\xCC\x81",
                                         "\xCC\x81", "ε",    "\033[2J",  "\xFF",         "\xE6\x97", "\n",
                                         "\t",       "\x7F", "\xC2\x9B", "\xE2\x80\xAE", "🙂",       "█"};
    text[0] = '\0';
    for (unsigned count = next_random(seed, 9); count > 0; count--)
        strcat(text, pieces[next_random(seed, sizeof pieces / sizeof pieces[0])]);
}

static int columns_of(uint32_t c)
{
    char utf8[4];
    return (int)eb_utf8_columns(utf8, eb_utf8_encode(c, utf8));
}

/* Wide characters have both halves, no cell has a control character, and ASCII stays ASCII. */
static void assert_whole(const eb_canvas *c)
{
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            const eb_cell *cell = &c->cell[y * c->width + x];
            if (cell->character == 0) { /* the right half of a wide character */
                assert_true(x > 0 && columns_of(cell[-1].character) == 2);
                assert_int_equal(cell->combining, 0);
                continue;
            }
            assert_true(cell->character >= 0x20 && !(cell->character >= 0x7F && cell->character < 0xA0));
            assert_true(cell->character != 0x202E && cell->combining != 0x202E);
            int columns = columns_of(cell->character);
            assert_true(columns == 1 || (columns == 2 && x + 1 < c->width && cell[1].character == 0));
            if (!c->unicode)
                assert_true(cell->character < 0x7F && cell->combining == 0);
        }
}

/* Cells outside the clip keep their content, except that the other half of an overwritten wide character becomes a
 * blank. */
static void assert_kept_outside(const eb_canvas *before, const eb_canvas *after, eb_rect clip)
{
    for (int y = 0; y < after->height; y++)
        for (int x = 0; x < after->width; x++) {
            eb_cell was = before->cell[y * after->width + x], is = after->cell[y * after->width + x];
            if (eb_rect_has(clip, x, y))
                continue;
            assert_int_equal(was.role, is.role);
            if (was.character == is.character && was.combining == is.combining)
                continue;
            bool half = was.character == 0 || columns_of(was.character) == 2;
            bool beside = eb_rect_has(clip, x - 1, y) || eb_rect_has(clip, x + 1, y);
            assert_true(half && beside && is.character == ' ');
        }
}

static void draw_something(unsigned *seed, eb_canvas *c, eb_rect clip)
{
    char text[128];
    make_text(seed, text);
    int x = (int)next_random(seed, 20) - 4, y = (int)next_random(seed, 8) - 1;
    eb_role role = (eb_role)next_random(seed, EB_ROLES);
    switch (next_random(seed, 8)) {
    case 0: (void)eb_put_short(c, clip, x, y, role, text); break;
    case 1: (void)eb_put_right(c, clip, x, y, role, text); break;
    case 2: (void)eb_put_wrapped(c, clip, role, text); break;
    case 3: eb_frame(c, clip, role, text); break;
    case 4: eb_fill(c, clip, role); break;
    case 5: eb_recolour(c, clip, role); break;
    case 6: eb_put_cell(c, clip, x, y, role, 0x2588, '#'); break;
    default: assert_true(eb_put(c, clip, x, y, role, text) >= 0); break;
    }
}

TEST(any_text_anywhere_keeps_the_grid_whole)
{
    unsigned seed = 1;
    for (int unicode = 0; unicode < 2; unicode++) {
        eb_canvas c = make(14, 6, unicode), before = make(14, 6, unicode);
        for (int step = 0; step < 40000; step++) {
            eb_rect clip = {(int)next_random(&seed, 20) - 3, (int)next_random(&seed, 10) - 2,
                            (int)next_random(&seed, 20) - 1, (int)next_random(&seed, 8) - 1};
            memcpy(before.cell, c.cell, 14 * 6 * sizeof *c.cell);
            draw_something(&seed, &c, clip);
            assert_whole(&c);
            assert_kept_outside(&before, &c, clip);
        }
        eb_canvas_free(&c);
        eb_canvas_free(&before);
    }
}

TEST(rectangles_are_cut)
{
    for (int x = -3; x < 9; x++)
        for (int width = -2; width < 9; width++) {
            eb_rect r = {x, 1, width, 2}, clip = {2, 0, 4, 2}, cut = eb_rect_cut(r, clip);
            for (int at = -4; at < 16; at++)
                for (int y = -1; y < 4; y++)
                    assert_int_equal(eb_rect_has(cut, at, y), eb_rect_has(r, at, y) && eb_rect_has(clip, at, y));
            assert_true(cut.width >= 0 && cut.height >= 0);
        }
    assert_true(eb_rect_empty(eb_rect_inside((eb_rect){5, 5, 1, 9})));
    assert_true(eb_rect_empty(eb_rect_inside((eb_rect){5, 5, 0, 0})));
}

TEST(sizes_that_are_none_are_refused)
{
    eb_canvas c = make(3, 2, true);
    eb_status status;
    assert_int_equal(eb_canvas_resize(&c, 0, 5, &status), EB_USAGE);
    assert_int_equal(eb_canvas_resize(&c, 5, -1, &status), EB_USAGE);
    assert_int_equal(eb_canvas_resize(&c, 5000, 5, &status), EB_USAGE);
    assert_int_equal(c.width, 3);
    eb_canvas_free(&c);
}

RUN_TESTS
