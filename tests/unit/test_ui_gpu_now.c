/* The header's GPU line: known values only, as many as fit, none cut. */
#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

#include "draw/utf8.h"
#include "tests/unit/test.h"
#include "ui/gpu_watch.h"

static const eb_gpu_now busy = {.sm_clock_hz = 1.98e9, .power_w = 512, .temperature_c = 61, .busy = 1};
static const eb_gpu_memory half = {.used_bytes = 70.0 * (1u << 30), .all_bytes = 140.0 * (1u << 30)};
static const eb_gpu_now nothing = {NAN, NAN, NAN, NAN};
static const eb_gpu_memory unknown = {NAN, NAN};

TEST(what_is_known_is_told)
{
    char text[128];
    assert_string_equal(eb_gpu_words(&busy, &half, 80, text, sizeof text),
                        "1.98 GHz  512 W  61 °C  70.0 GiB of 140 GiB");
    assert_string_equal(eb_gpu_words(&nothing, &unknown, 80, text, sizeof text), "");
    assert_string_equal(eb_gpu_words(&nothing, &half, 80, text, sizeof text), "70.0 GiB of 140 GiB");
    assert_string_equal(eb_gpu_words(&busy, &unknown, 80, text, sizeof text), "1.98 GHz  512 W  61 °C");
}

TEST(values_are_whole_at_any_width)
{
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

/* A driver that answers only when the test allows it. */
static _Atomic unsigned asked, allowed;

static eb_gpu_sample slow(int device)
{
    unsigned mine = atomic_fetch_add(&asked, 1) + 1;
    while (atomic_load(&allowed) < mine)
        (void)usleep(1000);
    eb_gpu_sample sample = {busy, half};
    sample.now.power_w = device;
    return sample;
}

static void wait_until_asked(unsigned times)
{
    while (atomic_load(&asked) < times)
        (void)usleep(1000);
}

/* A caller that waited for the driver would never return; the alarm ends the test then. */
TEST(nobody_waits_for_a_slow_driver)
{
    (void)alarm(60);
    eb_gpu_watch *watch = eb_gpu_watch_new(slow);
    eb_gpu_sample sample;
    assert_non_null(watch);
    assert_false(eb_gpu_watch_take(watch, 3, &sample));
    wait_until_asked(1);
    assert_false(eb_gpu_watch_take(watch, 3, &sample));
    atomic_store(&allowed, 1);
    while (!eb_gpu_watch_take(watch, 3, &sample)) /* each attempt asks again */
        (void)usleep(1000);
    assert_true(sample.now.power_w == 3);
    wait_until_asked(2);
    assert_false(eb_gpu_watch_take(watch, 4, &sample)); /* another device's answer does not count */
    eb_gpu_watch_free(watch);                           /* freed while an answer is outstanding */
    atomic_store(&allowed, 2);
    (void)alarm(0);
}

RUN_TESTS
