/* Every scheme shows what matters; no scheme names a colour it does not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "draw/colours.h"

static void the_scheme_follows_the_terminal_and_the_person(void **state)
{
    (void)state;
    assert_int_equal(eb_scheme_for(256, NULL), EB_SCHEME_256);
    assert_int_equal(eb_scheme_for(1 << 24, ""), EB_SCHEME_256); /* NO_COLOR counts only when it is not empty */
    assert_int_equal(eb_scheme_for(88, NULL), EB_SCHEME_16);
    assert_int_equal(eb_scheme_for(16, NULL), EB_SCHEME_16);
    assert_int_equal(eb_scheme_for(8, NULL), EB_SCHEME_8);
    assert_int_equal(eb_scheme_for(2, NULL), EB_SCHEME_MONO);
    assert_int_equal(eb_scheme_for(-1, NULL), EB_SCHEME_MONO);
    assert_int_equal(eb_scheme_for(256, "1"), EB_SCHEME_MONO);
}

static void colours_exist_in_their_scheme(void **state)
{
    (void)state;
    static const int most[] = {[EB_SCHEME_MONO] = 0, [EB_SCHEME_8] = 8, [EB_SCHEME_16] = 16, [EB_SCHEME_256] = 256};
    for (int scheme = EB_SCHEME_MONO; scheme <= EB_SCHEME_256; scheme++)
        for (int role = 0; role < EB_ROLES; role++) {
            eb_style look = eb_style_of((eb_role)role, (eb_scheme)scheme);
            assert_true(look.foreground >= -1 && look.foreground < most[scheme]);
            assert_true(look.background >= -1 && look.background < most[scheme]);
        }
}

static bool same(eb_style a, eb_style b)
{
    return a.foreground == b.foreground && a.background == b.background && a.attributes == b.attributes;
}

static void what_matters_is_no_plain_text(void **state)
{
    (void)state;
    static const eb_role matters[] = {EB_ROLE_FOCUS, EB_ROLE_SELECTED, EB_ROLE_MARKED, EB_ROLE_BAD,   EB_ROLE_WARNING,
                                      EB_ROLE_KEY,   EB_ROLE_STATUS,   EB_ROLE_CURSOR, EB_ROLE_PROMPT};
    for (int scheme = EB_SCHEME_MONO; scheme <= EB_SCHEME_256; scheme++) {
        eb_style plain = eb_style_of(EB_ROLE_TEXT, (eb_scheme)scheme);
        for (size_t k = 0; k < sizeof matters / sizeof matters[0]; k++)
            assert_false(same(plain, eb_style_of(matters[k], (eb_scheme)scheme)));
        assert_false(
            same(eb_style_of(EB_ROLE_FRAME, (eb_scheme)scheme), eb_style_of(EB_ROLE_FOCUS, (eb_scheme)scheme)));
        assert_false(
            same(eb_style_of(EB_ROLE_SELECTED, (eb_scheme)scheme), eb_style_of(EB_ROLE_MARKED, (eb_scheme)scheme)));
        for (int a = 0; scheme != EB_SCHEME_MONO && a < EB_SERIES_ROLES; a++)
            for (int b = 0; b < a; b++)
                assert_false(same(eb_style_of((eb_role)(EB_ROLE_SERIES + a), (eb_scheme)scheme),
                                  eb_style_of((eb_role)(EB_ROLE_SERIES + b), (eb_scheme)scheme)));
    }
    assert_true(same(eb_style_of(EB_ROLES, EB_SCHEME_256), eb_style_of(EB_ROLE_TEXT, EB_SCHEME_256)));
}

static void colours_are_xterms(void **state)
{
    (void)state;
    assert_int_equal(eb_colour_rgb(0), 0x000000);
    assert_int_equal(eb_colour_rgb(9), 0xFF0000);
    assert_int_equal(eb_colour_rgb(16), 0x000000);
    assert_int_equal(eb_colour_rgb(196), 0xFF0000);
    assert_int_equal(eb_colour_rgb(74), 0x5FAFD7);
    assert_int_equal(eb_colour_rgb(231), 0xFFFFFF);
    assert_int_equal(eb_colour_rgb(232), 0x080808);
    assert_int_equal(eb_colour_rgb(255), 0xEEEEEE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scheme_follows_the_terminal_and_the_person),
        cmocka_unit_test(colours_exist_in_their_scheme),
        cmocka_unit_test(what_matters_is_no_plain_text),
        cmocka_unit_test(colours_are_xterms),
    };
    return cmocka_run_group_tests_name("colours", tests, NULL, NULL);
}
