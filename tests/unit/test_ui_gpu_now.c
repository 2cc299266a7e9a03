/* What the header says of a GPU: what is known, as much as has room, each value whole. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "draw/utf8.h"
#include "ui/gpu_watch.h"
#include "ui/widgets/gpu_now.h"

static const eb_gpu_now busy = {.sm_clock_hz = 1.98e9, .power_w = 512, .temperature_c = 61, .busy = 1};
static const eb_gpu_memory half = {.used_bytes = 70.0 * (1u << 30), .all_bytes = 140.0 * (1u << 30)};
static const eb_gpu_now nothing = {NAN, NAN, NAN, NAN};
static const eb_gpu_memory unknown = {NAN, NAN};

static void what_is_known_is_told(void **state)
{
    (void)state;
    char text[128];
    assert_string_equal(eb_gpu_words(&busy, &half, 80, text, sizeof text),
                        "1.98 GHz  512 W  61 °C  70.0 GiB of 140 GiB");
    assert_string_equal(eb_gpu_words(&nothing, &unknown, 80, text, sizeof text), "");
    assert_string_equal(eb_gpu_words(&nothing, &half, 80, text, sizeof text), "70.0 GiB of 140 GiB");
    assert_string_equal(eb_gpu_words(&busy, &unknown, 80, text, sizeof text), "1.98 GHz  512 W  61 °C");
}

static void values_are_whole_at_any_width(void **state)
{
    (void)state;
    char text[128], whole[128];
    (void)eb_gpu_words(&busy, &half, 80, whole, sizeof whole);
    for (int columns = 0; columns < 60; columns++) {
        (void)eb_gpu_words(&busy, &half, columns, text, sizeof text);
        assert_true(eb_text_width(text) <= columns);
        assert_true(columns < eb_text_width(whole) ? strcmp(text, whole) != 0 : strcmp(text, whole) == 0);
        assert_true(columns < 8 || strncmp(text, "1.98 GHz", 8) == 0);
        assert_true(!strstr(text, "GiB") || strstr(text, "70.0 GiB of 140 GiB"));
    }
}

/* A driver that takes its time. */
static eb_gpu_sample slow(int device)
{
    (void)usleep(300000);
    eb_gpu_sample sample = {busy, half};
    sample.now.power_w = device;
    return sample;
}

static void nobody_waits_for_a_slow_driver(void **state)
{
    (void)state;
    eb_gpu_watch *watch = eb_gpu_watch_new(slow);
    eb_gpu_sample sample;
    assert_non_null(watch);
    bool found = false;
    double longest_s = 0, end_s = eb_now_s() + 30;
    for (double s = eb_now_s(); !found && s < end_s; s = eb_now_s()) {
        found = eb_gpu_watch_take(watch, 3, &sample);
        longest_s = fmax(longest_s, eb_now_s() - s);
        (void)usleep(1000);
    }
    assert_true(found && sample.now.power_w == 3);
    assert_true(longest_s < 0.2);
    assert_false(eb_gpu_watch_take(watch, 4, &sample)); /* another one's is no answer */
    double s = eb_now_s();
    eb_gpu_watch_free(watch); /* an answer is still to come */
    assert_true(eb_now_s() - s < 0.2);
    (void)usleep(400000); /* it came: nothing leaks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_is_told),
        cmocka_unit_test(values_are_whole_at_any_width),
        cmocka_unit_test(nobody_waits_for_a_slow_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
