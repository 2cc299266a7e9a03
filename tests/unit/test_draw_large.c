/* Tests of large letters: every printable one exists and is unique, takes the stated area, is clipped, and works
 * without Unicode. */

#include "draw/large.h"
#include "draw/large_font.h"
#include "tests/unit/cases.h"
#include "tests/unit/test.h"

enum { GLYPHS = sizeof eb_glyphs / sizeof *eb_glyphs };

static bool same(const eb_glyph *a, const eb_glyph *b)
{
    for (int y = 0; y < EB_GLYPH_ROWS; y++)
        if (strcmp(a->row[y] ? a->row[y] : "", b->row[y] ? b->row[y] : "") != 0)
            return false;
    return true;
}

TEST(every_letter_is_there_and_like_no_other)
{
    for (uint32_t c = '!'; c <= '~'; c++) {
        size_t found = 0;
        for (size_t k = 0; k < GLYPHS; k++)
            found += eb_glyphs[k].character == c;
        if (found != 1)
            fail_msg("%c is there %zu times", (char)c, found);
    }
    for (size_t k = 0; k < GLYPHS; k++)
        for (size_t other = 0; other < k; other++)
            if (same(&eb_glyphs[k], &eb_glyphs[other]))
                fail_msg("U+%04X looks like U+%04X", (unsigned)eb_glyphs[k].character,
                         (unsigned)eb_glyphs[other].character);
}

TEST(a_letter_is_five_dots_wide_at_most_and_has_no_other_signs)
{
    for (size_t k = 0; k < GLYPHS; k++) {
        const size_t width = strlen(eb_glyphs[k].row[0]);
        size_t dots = 0;
        for (int y = 0; y < EB_GLYPH_ROWS && eb_glyphs[k].row[y]; y++) {
            const char *row = eb_glyphs[k].row[y];
            if (strlen(row) != width || strspn(row, " X") != width || width < 1 || width > 5)
                fail_msg("row %d of U+%04X is \"%s\"", y, (unsigned)eb_glyphs[k].character, row);
            for (const char *dot = row; *dot; dot++)
                dots += *dot == 'X';
        }
        assert_true(dots > 0);
    }
}

/* Returns, on the heap, a canvas with the text in its corner. */
static char *drawn(eb_large size, bool unicode, const char *text, eb_rect clip)
{
    eb_canvas canvas = {.unicode = unicode};
    eb_status status;
    char *shown = NULL;
    size_t bytes;
    assert_int_equal(eb_canvas_resize(&canvas, 60, 8, &status), EB_OK);
    eb_put_large(&canvas, clip, 0, 0, EB_ROLE_TITLE, size, text);
    FILE *out = open_memstream(&shown, &bytes);
    assert_int_equal(eb_canvas_dump(&canvas, out, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    eb_canvas_free(&canvas);
    return shown;
}

static void expect(eb_large size, bool unicode, const char *text, const char *picture)
{
    char *shown = drawn(size, unicode, text, (eb_rect){0, 0, 60, 8});
    assert_string_equal(shown, picture);
    free(shown);
}

TEST(a_word_looks_as_it_should)
{
    expect(EB_LARGE, true, "ε2", case_text("drawn", "a word looks as it should"));
    expect(EB_LARGE_NARROW, true, "Hp", case_text("drawn", "a word looks as it should 2"));
    expect(EB_LARGE, false, "L.", "#\n#\n#\n#\n#\n#\n##### #\n\n");
    expect(EB_LARGE_WIDE, false, "1", "  ##\n####\n  ##\n  ##\n  ##\n  ##\n######\n\n");
}

/* The last column that is not blank, plus one. */
static int right_edge(const char *shown)
{
    int most = 0;
    for (const char *line = shown; *line; line += strcspn(line, "\n") + 1)
        most = (int)strcspn(line, "\n") > most ? (int)strcspn(line, "\n") : most;
    return most;
}

TEST(it_takes_the_columns_it_says_and_no_more_than_the_clip)
{
    static const char text[] = "Words, 12!";
    char *shown = drawn(EB_LARGE, false, text, (eb_rect){0, 0, 60, 8});
    assert_int_equal(right_edge(shown), eb_large_columns(EB_LARGE, false, text));
    free(shown);
    assert_int_equal(2 * eb_large_columns(EB_LARGE, true, text), eb_large_columns(EB_LARGE_WIDE, true, text));
    assert_int_equal((eb_large_columns(EB_LARGE, true, text) + 1) / 2, eb_large_columns(EB_LARGE_NARROW, true, text));
    assert_int_equal(eb_large_columns(EB_LARGE, true, ""), 0);
    shown = drawn(EB_LARGE, false, text, (eb_rect){0, 0, 9, 3});
    assert_true(right_edge(shown) <= 9);
    assert_string_equal(strchr(strchr(strchr(shown, '\n') + 1, '\n') + 1, '\n'), "\n\n\n\n\n\n");
    free(shown);
}

TEST(what_has_no_letters_is_shown_as_ascii_shows_it)
{
    char *sigma = drawn(EB_LARGE, true, "≤", (eb_rect){0, 0, 60, 8}),
         *ascii = drawn(EB_LARGE, true, "<=", (eb_rect){0, 0, 60, 8});
    assert_string_equal(sigma, ascii);
    free(sigma);
    free(ascii);
    char *wide = drawn(EB_LARGE, true, "漢", (eb_rect){0, 0, 60, 8}),
         *asked = drawn(EB_LARGE, true, "?", (eb_rect){0, 0, 60, 8});
    assert_string_equal(wide, asked);
    free(wide);
    free(asked);
}

RUN_TESTS
