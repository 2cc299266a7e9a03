/* Tests that every scheme is legible on dark and light backgrounds, and uses only colours it has. */

#include "draw/colours.h"
#include "tests/unit/test.h"

TEST(the_scheme_follows_the_terminal_and_the_person)
{
    assert_int_equal(eb_scheme_for(256, NULL), EB_SCHEME_256);
    assert_int_equal(eb_scheme_for(1 << 24, ""), EB_SCHEME_256); /* an empty NO_COLOR does not count */
    assert_int_equal(eb_scheme_for(88, NULL), EB_SCHEME_16);
    assert_int_equal(eb_scheme_for(16, NULL), EB_SCHEME_16);
    assert_int_equal(eb_scheme_for(8, NULL), EB_SCHEME_8);
    assert_int_equal(eb_scheme_for(2, NULL), EB_SCHEME_MONO);
    assert_int_equal(eb_scheme_for(-1, NULL), EB_SCHEME_MONO);
    assert_int_equal(eb_scheme_for(256, "1"), EB_SCHEME_MONO);
}

TEST(colours_exist_in_their_scheme)
{
    static const int most[] = {[EB_SCHEME_MONO] = 0, [EB_SCHEME_8] = 8, [EB_SCHEME_16] = 16, [EB_SCHEME_256] = 256};
    for (int k = 0; k < 2 * EB_ROLES; k++)
        for (int scheme = EB_SCHEME_MONO; scheme <= EB_SCHEME_256; scheme++) {
            eb_style look = eb_style_of((eb_role)(k / 2), (eb_scheme)scheme, k % 2);
            assert_true(look.foreground >= -1 && look.foreground < most[scheme]);
            assert_true(look.background >= -1 && look.background < most[scheme]);
        }
}

static bool same(eb_style a, eb_style b)
{
    return a.foreground == b.foreground && a.background == b.background && a.attributes == b.attributes;
}

static void check_what_matters(eb_scheme scheme, bool light)
{
    static const eb_role matters[] = {EB_ROLE_FOCUS, EB_ROLE_SELECTED, EB_ROLE_MARKED, EB_ROLE_BAD,   EB_ROLE_WARNING,
                                      EB_ROLE_KEY,   EB_ROLE_STATUS,   EB_ROLE_CURSOR, EB_ROLE_PROMPT};
    eb_style plain = eb_style_of(EB_ROLE_TEXT, scheme, light);
    for (size_t k = 0; k < sizeof matters / sizeof matters[0]; k++)
        assert_false(same(plain, eb_style_of(matters[k], scheme, light)));
    assert_false(same(eb_style_of(EB_ROLE_FRAME, scheme, light), eb_style_of(EB_ROLE_FOCUS, scheme, light)));
    assert_false(same(eb_style_of(EB_ROLE_SELECTED, scheme, light), eb_style_of(EB_ROLE_MARKED, scheme, light)));
    for (int a = 0; scheme != EB_SCHEME_MONO && a < EB_SERIES_ROLES; a++)
        for (int b = 0; b < a; b++)
            assert_false(same(eb_style_of((eb_role)(EB_ROLE_SERIES + a), scheme, light),
                              eb_style_of((eb_role)(EB_ROLE_SERIES + b), scheme, light)));
    assert_true(same(eb_style_of(EB_ROLES, scheme, light), plain));
}

TEST(what_matters_is_no_plain_text)
{
    for (int scheme = EB_SCHEME_MONO; scheme <= EB_SCHEME_256; scheme++) {
        check_what_matters((eb_scheme)scheme, false);
        check_what_matters((eb_scheme)scheme, true);
    }
}

/* ---- legibility ---- */

static bool is_no_text(int role) { return role == EB_ROLE_FRAME || role == EB_ROLE_BAND; }

/* The RGB colour of a number; −1: the terminal's own colour. bright: bold brightens the first 8. */
static uint32_t shown(short number, uint32_t own, bool bright)
{
    return number < 0 ? own : eb_colour_rgb((unsigned)number + (bright && number < 8 ? 8 : 0));
}

static void check_contrast(int role, eb_scheme scheme, bool light, uint32_t ink, uint32_t ground)
{
    eb_style style = eb_style_of((eb_role)role, scheme, light);
    const double least = is_no_text(role) ? 3 : 4.5;
    for (int bright = 0; bright <= (style.attributes & EB_STYLE_BOLD ? 1 : 0); bright++) {
        double found = eb_contrast(shown(style.foreground, ink, bright), shown(style.background, ground, false));
        if (found < least)
            fail_msg("role %d, scheme %d, %s%s: the contrast is %.2f; expected at least %g", role, (int)scheme,
                     light ? "light" : "dark", bright ? ", bold is bright" : "", found, least);
    }
}

TEST(every_role_is_legible_on_its_background)
{
    for (int role = 0; role < EB_ROLES; role++) {
        for (int scheme = EB_SCHEME_8; scheme <= EB_SCHEME_256; scheme++) {
            check_contrast(role, (eb_scheme)scheme, false, eb_colour_rgb(7), 0x000000);
            check_contrast(role, (eb_scheme)scheme, true, 0x000000, 0xFFFFFF);
        }
        check_contrast(role, EB_SCHEME_256, false, EB_DARK_INK, EB_DARK_GROUND); /* pictures */
        check_contrast(role, EB_SCHEME_256, true, EB_LIGHT_INK, EB_LIGHT_GROUND);
    }
}

/* The shade nearest to the background stands for the smallest value. */
TEST(a_maps_shades_go_away_from_the_background)
{
    for (int light = 0; light <= 1; light++)
        for (int k = 1; k + 1 < EB_HEAT_ROLES; k++) {
            const uint32_t ground = light ? 0xFFFFFF : 0x000000;
            short less = eb_style_of((eb_role)(EB_ROLE_HEAT + k), EB_SCHEME_256, light).background;
            short more = eb_style_of((eb_role)(EB_ROLE_HEAT + k + 1), EB_SCHEME_256, light).background;
            assert_true(eb_contrast(eb_colour_rgb((unsigned)more), ground) >
                        eb_contrast(eb_colour_rgb((unsigned)less), ground));
        }
}

TEST(contrast_is_wcags)
{
    assert_float_equal(eb_contrast(0x000000, 0xFFFFFF), 21, 1e-9);
    assert_float_equal(eb_contrast(0x767676, 0xFFFFFF), 4.54, 0.005);
    assert_float_equal(eb_contrast(0xFFFFFF, 0x0000EE), 9.40, 0.005);
    assert_float_equal(eb_contrast(0x123456, 0x123456), 1, 1e-9);
    assert_true(eb_is_light(0xFFFFFF));
    assert_true(eb_is_light(0xFDF6E3)); /* Solarized's */
    assert_false(eb_is_light(0x000000));
    assert_false(eb_is_light(0x002B36));
}

TEST(colours_are_xterms)
{
    assert_int_equal(eb_colour_rgb(0), 0x000000);
    assert_int_equal(eb_colour_rgb(9), 0xFF0000);
    assert_int_equal(eb_colour_rgb(16), 0x000000);
    assert_int_equal(eb_colour_rgb(196), 0xFF0000);
    assert_int_equal(eb_colour_rgb(74), 0x5FAFD7);
    assert_int_equal(eb_colour_rgb(231), 0xFFFFFF);
    assert_int_equal(eb_colour_rgb(232), 0x080808);
    assert_int_equal(eb_colour_rgb(255), 0xEEEEEE);
}

RUN_TESTS
