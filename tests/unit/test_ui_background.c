/* Detection of the terminal's background colour: valid and invalid replies, COLORFGBG, and which terminals are asked.
 */

#include "tests/unit/test.h"
#include "ui/terminal/background.h"

TEST(answers_are_read)
{
    assert_int_equal(eb_background_of_answer("11;rgb:ffff/ffff/ffff"), EB_THEME_LIGHT);
    assert_int_equal(eb_background_of_answer("11;rgb:FDFD/f6f6/e3e3"), EB_THEME_LIGHT);
    assert_int_equal(eb_background_of_answer("11;rgb:f/f/f"), EB_THEME_LIGHT);
    assert_int_equal(eb_background_of_answer("11;rgb:ff/ff/ff"), EB_THEME_LIGHT);
    assert_int_equal(eb_background_of_answer("11;rgba:ffff/ffff/ffff/8000"), EB_THEME_LIGHT);
    assert_int_equal(eb_background_of_answer("11;rgb:0000/0000/0000"), EB_THEME_DARK);
    assert_int_equal(eb_background_of_answer("11;rgb:1e/1e/2e"), EB_THEME_DARK);
    assert_int_equal(eb_background_of_answer("11;rgb:0/2b/36"), EB_THEME_DARK);
}

TEST(what_is_no_colour_says_nothing)
{
    static const char *const wrong[] = {"",
                                        "11",
                                        "11;",
                                        "11;rgb",
                                        "11;rgb:",
                                        "11;rgba:",
                                        "11;rgb:ffff",
                                        "11;rgb:ffff/ffff",
                                        "11;rgb:ffff/ffff/",
                                        "11;rgb:ffff/ffff/ffff/ffff",
                                        "11;rgba:ffff/ffff/ffff",
                                        "11;rgb:fffff/ffff/ffff",
                                        "11;rgb:ffff/zzzz/ffff",
                                        "11;rgb:-1/-1/-1",
                                        "11;rgb:ffff/ffff/ffffx",
                                        "10;rgb:ffff/ffff/ffff",
                                        "11;white",
                                        "11;?",
                                        "\xFF\xFE"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(eb_background_of_answer(wrong[k]), EB_THEME_AUTO);
}

TEST(colorfgbg_is_read)
{
    assert_int_equal(eb_background_of_colorfgbg("0;15"), EB_THEME_LIGHT);
    assert_int_equal(eb_background_of_colorfgbg("0;default;15"), EB_THEME_LIGHT);
    assert_int_equal(eb_background_of_colorfgbg("0;7"), EB_THEME_LIGHT);
    assert_int_equal(eb_background_of_colorfgbg("15;0"), EB_THEME_DARK);
    assert_int_equal(eb_background_of_colorfgbg("7;4"), EB_THEME_DARK);
    static const char *const wrong[] = {"",          ";",     "15",
                                        "0;default", "0;16",  "0;-1",
                                        "0;15x",     "0; 15", "0;99999999999999999999"};
    assert_int_equal(eb_background_of_colorfgbg(NULL), EB_THEME_AUTO);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(eb_background_of_colorfgbg(wrong[k]), EB_THEME_AUTO);
}

TEST(only_terminals_with_colours_are_asked)
{
    assert_true(eb_background_is_asked("xterm-256color", EB_SCHEME_256));
    assert_true(eb_background_is_asked("screen", EB_SCHEME_8));
    assert_false(eb_background_is_asked("xterm-256color", EB_SCHEME_MONO)); /* NO_COLOR */
    assert_false(eb_background_is_asked("linux", EB_SCHEME_8));
    assert_false(eb_background_is_asked("linux-16color", EB_SCHEME_16));
    assert_false(eb_background_is_asked("dumb", EB_SCHEME_8));
    assert_false(eb_background_is_asked(NULL, EB_SCHEME_8));
}

TEST(an_answer_outweighs_colorfgbg)
{
    assert_int_equal(unsetenv("COLORFGBG"), 0);
    assert_int_equal(eb_background_theme(), EB_THEME_DARK);
    assert_int_equal(setenv("COLORFGBG", "0;15", 1), 0);
    assert_int_equal(eb_background_theme(), EB_THEME_LIGHT);
    eb_background_take_string("11;rgb:0000/zz/0000");
    assert_int_equal(eb_background_theme(), EB_THEME_LIGHT);
    eb_background_take_string("11;rgb:0000/0000/0000");
    assert_int_equal(eb_background_theme(), EB_THEME_DARK);
}

RUN_TESTS
