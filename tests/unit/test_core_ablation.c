/* ablation: presets, dependencies, and the text form of a set of switches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/study/ablation.h"

static void leaving_one_out_takes_its_dependents_along(void **state)
{
    (void)state;
    assert_int_equal(eb_without(EB_PRESET_PAPER, EB_SWIZZLE), EB_PRESET_PAPER & ~EB_SWIZZLE);
    assert_int_equal(eb_without(EB_PRESET_PAPER, EB_ASYNC_COPY), EB_PRESET_PAPER & ~(EB_ASYNC_COPY | EB_PIPELINE));
    assert_int_equal(eb_without(EB_PRESET_BEST, EB_SWIZZLE), EB_PRESET_BEST & ~EB_SWIZZLE);
    assert_int_equal(eb_without(EB_PRESET_BEST, EB_SYMMETRIC), EB_PRESET_BEST & ~EB_SYMMETRIC);
}

static void every_usable_set_survives_its_text(void **state)
{
    (void)state;
    for (uint32_t set = 0; set <= EB_PRESET_BEST; set++) {
        char text[256];
        eb_status status;
        uint32_t back = ~0u;
        eb_switches_format(set, text, sizeof text);
        bool usable = true;
        for (size_t k = 0; k < eb_switch_count(); k++)
            usable = usable && (!(set & eb_switch_at(k)->bit) || !(eb_switch_at(k)->needs & ~set));
        assert_int_equal(eb_switches_parse(text, &back, &status), usable ? EB_OK : EB_USAGE);
        if (usable)
            assert_int_equal(back, set);
    }
}

static void bad_sets_say_why(void **state)
{
    (void)state;
    eb_status status;
    uint32_t set = 7;
    assert_int_equal(eb_switches_parse("fastest", &set, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "expected paper or best"));
    assert_int_equal(eb_switches_parse("paper-async-copy", &set, &status), EB_USAGE);
    assert_string_equal(status.message, "switch pipeline needs async-copy, which is off; take pipeline off too");
    assert_int_equal(eb_switches_parse("paper-swizle", &set, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "no switch \"swizle\"; there are: tile-order, block-tile"));
    assert_int_equal(eb_switches_parse("paper ", &set, &status), EB_USAGE);
    assert_int_equal(set, 7);
    assert_int_equal(eb_switches_parse("paper-pipeline-async-copy", &set, &status), EB_OK);
    assert_int_equal(set, EB_PRESET_PAPER & ~(EB_ASYNC_COPY | EB_PIPELINE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaving_one_out_takes_its_dependents_along),
        cmocka_unit_test(every_usable_set_survives_its_text),
        cmocka_unit_test(bad_sets_say_why),
    };
    return cmocka_run_group_tests_name("core_ablation", tests, NULL, NULL);
}
