/* Tests that a Linux console shows only characters of its font. */

#include "draw/console.h"
#include "tests/unit/test.h"

TEST(consoles_are_known_by_name)
{
    assert_true(eb_is_console("linux"));
    assert_true(eb_is_console("linux-16color"));
    assert_false(eb_is_console("linuxish"));
    assert_false(eb_is_console("xterm-256color"));
    assert_false(eb_is_console(""));
    assert_false(eb_is_console(NULL));
}

/* Dots become the half block that contains all of them. */
TEST(dots_become_halves)
{
    static const struct {
        uint32_t braille, shown;
    } dots[] = {{0x2801, 0x2580}, {0x281B, 0x2580}, {0x2880, 0x2584}, {0x28E4, 0x2584}, {0x2847, 0x258C},
                {0x2805, 0x258C}, {0x28B8, 0x2590}, {0x2841, 0x258C}, {0x2881, 0x2588}, {0x28FF, 0x2588}};
    for (size_t k = 0; k < sizeof dots / sizeof dots[0]; k++)
        assert_int_equal(eb_console_character(dots[k].braille), dots[k].shown);
}

/* No braille, eighths, quadrants or small triangles remain, and nothing visible becomes a blank. */
TEST(what_is_left_is_in_the_font)
{
    for (uint32_t c = 0x2801; c < 0x2900; c++)
        assert_in_range(eb_console_character(c), 0x2580, 0x2590);
    for (uint32_t c = 0x2581; c < 0x2590; c++) {
        uint32_t shown = eb_console_character(c);
        assert_true(shown == 0x2584 || shown == 0x2588 || shown == 0x258C);
    }
    static const uint32_t kept[] = {' ', 'a', 0x2500, 0x2502, 0x2580, 0x2588, 0x2591, 0x2592, 0x2593, 0x03B5};
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++)
        assert_int_equal(eb_console_character(kept[k]), kept[k]);
    assert_int_equal(eb_console_character(0x2506), 0x2502);
    assert_int_equal(eb_console_character(0x259A), 0x25A0);
    assert_int_equal(eb_console_character(0x25B8), 0x25BA);
    assert_int_equal(eb_console_character(0x25C2), 0x25C4);
}

TEST(bands_become_shades)
{
    eb_canvas canvas = {.unicode = true};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&canvas, 3, 1, &status), EB_OK);
    eb_rect all = eb_canvas_rect(&canvas);
    eb_put_cell(&canvas, all, 0, 0, EB_ROLE_BAND, 0x28FF, '.');
    eb_put_cell(&canvas, all, 1, 0, EB_ROLE_SERIES, 0x28FF, '*');
    eb_canvas_to_console(&canvas);
    assert_int_equal(canvas.cell[0].character, 0x2591);
    assert_int_equal(canvas.cell[1].character, 0x2588);
    assert_int_equal(canvas.cell[2].character, ' ');
    eb_canvas_free(&canvas);
}

RUN_TESTS
