/* Labels of plots at hostile widths and values: none touches another, none is cut without saying so. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw/plots/plot.h"

enum { WIDEST = 90, HIGHEST = 24 };

static char at(const eb_canvas *canvas, int x, int y)
{
    uint32_t c = canvas->cell[y * canvas->width + x].character;
    return c < 0x80 ? (char)c : '\x7F';
}

/* The next word of a row from *x on, up to `end`; false: none. */
static bool next_word(const eb_canvas *canvas, int *x, int end, int y, char word[WIDEST + 1])
{
    int length = 0;
    while (*x < end && at(canvas, *x, y) == ' ')
        (*x)++;
    while (*x < end && at(canvas, *x, y) != ' ')
        word[length++] = at(canvas, (*x)++, y);
    word[length] = '\0';
    return length > 0;
}

static double number_of(const char *word)
{
    char *end;
    double value = strtod(word, &end);
    return *end ? NAN : value;
}

/* Every label is a number that stands on the axis, beyond the one before it, with an empty column between. */
static void assert_x_labels(const eb_canvas *canvas, const eb_plot *plot, int width, int y)
{
    char word[WIDEST + 1];
    double before = -INFINITY;
    for (int x = 0; next_word(canvas, &x, width, y, word);) {
        double value = number_of(word), slack = 1e-9 * (fabs(plot->x.low) + fabs(plot->x.high));
        if (!(value > before && value >= plot->x.low - slack && value <= plot->x.high + slack))
            fail_msg("\"%s\" below an axis of %g … %g, %d columns wide", word, plot->x.low, plot->x.high, width);
        before = value;
    }
}

/* Whole numbers, falling from row to row. */
static void assert_y_labels(const eb_canvas *canvas, const eb_plot *plot)
{
    char word[WIDEST + 1], more[WIDEST + 1];
    double before = INFINITY;
    for (int y = plot->area.y; y < plot->area.y + plot->area.height; y++) {
        int x = 0;
        if (!next_word(canvas, &x, plot->area.x - 1, y, word))
            continue;
        double value = number_of(word);
        if (!(value < before) || next_word(canvas, &x, plot->area.x - 1, y, more))
            fail_msg("\"%s\" (%.9g before) beside an axis of %.9g … %.9g, log %d, %d rows", word, before, plot->y.low,
                     plot->y.high, plot->y.log, plot->area.height);
        before = value;
    }
}

static const double ends[][2] = {{0, 1},
                                 {-1, 1},
                                 {0, 1e-300},
                                 {-1e300, 1e300},
                                 {99999, 100001},
                                 {-0.0004, 0.0006},
                                 {1e6, 1.0000001e6},
                                 {0.001, 12345678},
                                 {1e-12, 1e15},
                                 {0.5, 700},
                                 {1, 2},
                                 {1455.8, 1455.9}};

static void ticks_keep_apart(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        for (int log = 0; log < 2; log++)
            for (int width = 1; width <= WIDEST; width++)
                for (int height = 1; height <= HIGHEST; height++) {
                    bool logs = log && ends[k][0] > 0;
                    eb_axis axis = {.low = ends[k][0], .high = ends[k][1], .log = logs};
                    eb_plot plot = {.x = axis, .y = axis};
                    eb_canvas canvas = {.unicode = true};
                    assert_int_equal(eb_canvas_resize(&canvas, width, height, NULL), EB_OK);
                    if (eb_plot_frame(&canvas, eb_canvas_rect(&canvas), &plot)) {
                        assert_x_labels(&canvas, &plot, width, plot.area.y + plot.area.height + 1);
                        assert_y_labels(&canvas, &plot);
                    }
                    eb_canvas_free(&canvas);
                }
}

static bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/* What letters there are, are whole labels, but where a sign was put into one later: where a point lies is told. */
static void assert_whole_labels(const eb_canvas *canvas, const eb_plot *plot)
{
    for (int y = plot->area.y; y < plot->area.y + plot->area.height; y++)
        for (int x = plot->area.x; x < canvas->width; x++) {
            char word[WIDEST + 1];
            int length = 0;
            bool signed_before = at(canvas, x - 1, y) == '\x7F';
            while (x < canvas->width && is_letter(at(canvas, x, y)))
                word[length++] = at(canvas, x++, y);
            word[length] = '\0';
            if (signed_before || (x < canvas->width && at(canvas, x, y) == '\x7F'))
                continue;
            if (length > 0 && strcmp(word, "first") != 0 && strcmp(word, "other") != 0)
                fail_msg("\"%s\" is no whole label (%d columns)", word, canvas->width);
        }
}

static void marks_leave_labels_whole(void **state)
{
    (void)state;
    for (int width = 10; width <= 40; width++)
        for (int a = 0; a <= 20; a++)
            for (int b = 0; b <= 20; b++)
                for (int kind = 0; kind < 4; kind++) {
                    eb_canvas canvas = {.unicode = true};
                    assert_int_equal(eb_canvas_resize(&canvas, width, 6, NULL), EB_OK);
                    eb_plot plot = {.x = {.low = 0, .high = 20}, .y = {.low = 0, .high = 1}};
                    assert_true(eb_plot_frame(&canvas, eb_canvas_rect(&canvas), &plot));
                    double x[2] = {a, b};
                    const char *label[] = {"first", "other"};
                    for (int k = 0; k < 2; k++)
                        if (kind >> k & 1)
                            eb_plot_vertical(&canvas, &plot, x[k], EB_ROLE_CURSOR, label[k]);
                        else
                            eb_plot_mark(&canvas, &plot, x[k], 1, EB_ROLE_TARGET, 0x25C6, '@', label[k]);
                    assert_whole_labels(&canvas, &plot);
                    eb_canvas_free(&canvas);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_keep_apart),
        cmocka_unit_test(marks_leave_labels_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
