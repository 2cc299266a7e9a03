/* Tests of plot labels at hostile widths and values: labels never touch, and a cut label says so. */
#include <float.h>
#include <math.h>

#include "draw/plots/bar_row.h"
#include "draw/plots/plot.h"
#include "tests/unit/test.h"

enum { WIDEST = 90, HIGHEST = 24 };

static char at(const eb_canvas *canvas, int x, int y)
{
    uint32_t c = canvas->cell[y * canvas->width + x].character;
    return c < 0x80 ? (char)c : '\x7F';
}

/* Reads the next word of a row from *x up to `end`; false: no more words. */
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

/* Every label is a number at its place on the axis, beyond the previous one, with an empty column between. */
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

/* Labels are whole numbers that fall from row to row. */
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

TEST(ticks_keep_apart)
{
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

/* All letters belong to whole labels, unless a later mark covers one: marks take precedence. */
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

TEST(marks_leave_labels_whole)
{
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

/* ---- texts beside plots: whole, or ending in … ---- */

enum { CUT = '\x7F', DRAWN = '\x01' }; /* CUT: …; DRAWN: a sign of bars and axes */

static char letter(const eb_canvas *canvas, int x, int y)
{
    uint32_t c = canvas->cell[y * canvas->width + x].character;
    return c < 0x80 ? (char)c : c == 0x2026 ? CUT : DRAWN;
}

/* The columns from x to `end`, trimmed. */
static const char *stretch(const eb_canvas *canvas, int x, int end, int y)
{
    static char text[WIDEST + 1];
    int length = 0;
    while (x < end && letter(canvas, x, y) == ' ')
        x++;
    while (x < end)
        text[length++] = letter(canvas, x++, y);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return text;
}

static void assert_told(const char *found, const char *whole, const eb_canvas *canvas)
{
    size_t length = strlen(found);
    bool cut = length > 0 && found[length - 1] == CUT && strncmp(found, whole, length - 1) == 0;
    if (!cut && strcmp(found, whole) != 0)
        fail_msg("\"%s\" for \"%s\", %d columns wide", found, whole, canvas->width);
}

static eb_canvas canvas_of(int width, int height)
{
    eb_canvas canvas = {.unicode = true};
    assert_int_equal(eb_canvas_resize(&canvas, width, height, NULL), EB_OK);
    return canvas;
}

TEST(titles_of_axes_are_told)
{
    for (int width = 1; width <= WIDEST; width++)
        for (int height = 1; height <= HIGHEST; height++)
            for (int log = 0; log < 2; log++) {
                eb_plot plot = {.x = {.low = 1, .high = 20, .log = log, .title = "selectivity of some points"},
                                .y = {.low = 1, .high = 7e4, .log = log, .title = "pairs that lie near it"}};
                eb_canvas canvas = canvas_of(width, height);
                if (eb_plot_frame(&canvas, eb_canvas_rect(&canvas), &plot) && plot.area.y > 0) {
                    const char *x = log ? "selectivity of some points (log)" : plot.x.title;
                    const char *y = log ? "pairs that lie near it (log)" : plot.y.title;
                    assert_told(stretch(&canvas, 0, width, height - 1), x, &canvas);
                    assert_told(stretch(&canvas, 0, width, 0), y, &canvas);
                }
                eb_canvas_free(&canvas);
            }
}

TEST(notes_of_histograms_are_told)
{
    const char *const notes[] = {"Not drawn: 12,345 left, 678 right",
                                 "Not drawn: 12,345 left, 678 right, 190 outside this zoom",
                                 "Not drawn: 190 outside this zoom"};
    double x[40], y[40];
    for (int k = 0; k < 40; k++) {
        x[k] = k;
        y[k] = k % 20;
    }
    for (int width = 1; width <= WIDEST; width++)
        for (int kind = 0; kind < 4; kind++) {
            eb_canvas canvas = canvas_of(width, 12);
            eb_series bars = {.shape = EB_BARS, .points = 40, .x = x, .y = y, .under = NAN, .over = NAN};
            eb_histogram_view view = {NAN, NAN, false};
            if (kind < 2) {
                bars.under = 12345;
                bars.over = 678;
            }
            if (kind > 0)
                view = (eb_histogram_view){0, kind == 3 ? -1 : 19, false};
            eb_draw_histogram(&canvas, eb_canvas_rect(&canvas), &bars, &view);
            if (kind < 3)
                assert_told(stretch(&canvas, 0, width, 11), notes[kind], &canvas);
            else
                assert_told(stretch(&canvas, 0, width, 0), "(no bins in the zoom)", &canvas);
            eb_canvas_free(&canvas);
        }
}

static const char *const parts[] = {"conversion, norms", "kernels", "neighbour table", "all else"};
enum { PARTS = 4, ENGINES = 2 };
static const char *const engines[ENGINES] = {"fasted[paper,tensor=sm_80]", "ref64"};

/* A legend: a sign of the filling, a blank, a name, two blanks. */
static void assert_legend(const eb_canvas *canvas, int from, int end)
{
    int part = 0;
    for (int y = from; y < end; y++)
        for (int x = 0; x < canvas->width;) {
            int next = x + 1;
            assert_int_equal(letter(canvas, x, y), DRAWN);
            while (next < canvas->width && letter(canvas, next, y) != DRAWN)
                next++;
            if (canvas->width > 2)
                assert_told(stretch(canvas, x + 1, next, y), parts[part], canvas);
            if (next < canvas->width && letter(canvas, next - 2, y) != ' ')
                fail_msg("\"%s\" touches what follows it, %d columns wide", parts[part], canvas->width);
            part++;
            x = next;
        }
    assert_int_equal(part, PARTS);
}

/* A row has a label, a bar and its total; none overlaps another. */
static void assert_bar(const eb_canvas *canvas, int y, const char *label, const char *total)
{
    int first = 0, last = canvas->width - 1;
    while (first < canvas->width && letter(canvas, first, y) != DRAWN)
        first++;
    while (last >= 0 && letter(canvas, last, y) != DRAWN)
        last--;
    if (last < 0)
        return; /* no room for a bar: the longest text stands alone */
    assert_true(first == 0 || letter(canvas, first - 1, y) == ' ');
    if (first > 1)
        assert_told(stretch(canvas, 0, first, y), label, canvas);
    const char *behind = stretch(canvas, last + 1, canvas->width, y);
    if (behind[0])
        assert_told(behind, total, canvas);
}

TEST(stacked_bars_and_their_legend_are_told)
{
    const double value[ENGINES * PARTS] = {0.1, 0.2, 0.3, 0.4, 0.05, 0.05, 0, 0.1};
    for (int width = 1; width <= WIDEST; width++) {
        eb_canvas canvas = canvas_of(width, HIGHEST);
        int rows = eb_draw_stacked(&canvas, eb_canvas_rect(&canvas), ENGINES, engines, PARTS, parts, value, EB_SECONDS);
        assert_bar(&canvas, 0, engines[0], "1.00 s");
        assert_bar(&canvas, 1, engines[1], "200 ms");
        assert_legend(&canvas, ENGINES, rows);
        eb_canvas_free(&canvas);
    }
}

TEST(rows_with_a_bar_are_told)
{
    const eb_bar_row bar = {.label = engines[0], .share = 0.7, .text = "226 TFLOPS executed"};
    for (int width = 1; width <= WIDEST; width++)
        for (int label = 1; label <= 30; label++) {
            eb_canvas canvas = canvas_of(width, 1);
            eb_draw_bar_row(&canvas, eb_canvas_rect(&canvas), label, 19, &bar);
            assert_bar(&canvas, 0, bar.label, bar.text);
            eb_canvas_free(&canvas);
        }
}

/* ---- placement of labels of several marks, as a pure function ---- */

static const eb_rect field = {3, 1, 40, 12};

/* A curve through the middle; letters in a corner. */
static int ground(const void *context, int x, int y)
{
    (void)context;
    return x < 8 && y == 1 ? -1 : y == 6;
}

static bool covers(const eb_plot_label *l, int x, int y)
{
    return l->placed && l->at_y == y && x >= l->at_x && x < l->at_x + l->width;
}

static void assert_apart(const eb_plot_label *label, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        const eb_plot_label *l = &label[a];
        if (!l->placed)
            continue;
        assert_true(eb_rect_has(field, l->at_x, l->at_y) && eb_rect_has(field, l->at_x + l->width - 1, l->at_y));
        for (int x = l->at_x; x < l->at_x + l->width; x++)
            for (size_t b = 0; b < count; b++) {
                assert_false(label[b].x == x && label[b].y == l->at_y); /* on no mark */
                assert_false(b != a && covers(&label[b], x, l->at_y));  /* on no label */
                assert_int_not_equal(ground(NULL, x, l->at_y), -1);
            }
    }
}

TEST(labels_of_marks_keep_apart)
{
    for (int a = 3; a < 43; a++)
        for (int b = 3; b < 43; b++)
            for (int y = 1; y < 13; y++) {
                eb_plot_label label[] = {{.x = a, .y = y, .width = 3},
                                         {.x = b, .y = y, .width = 4},
                                         {.x = (a + b) / 2, .y = 13 - y, .width = 5},
                                         {.x = a, .y = y == 12 ? 1 : y + 1, .width = 0},
                                         {.x = 1, .y = 0, .width = 3}};
                eb_place_labels(label, 5, field, ground, NULL);
                assert_apart(label, 5);
                assert_true(label[0].placed && label[1].placed); /* two labels always fit */
                assert_false(label[3].placed || label[4].placed);
            }
}

/* "S=1" right of its mark would cover the next mark. */
TEST(a_label_makes_way_for_the_next_mark)
{
    eb_plot_label label[] = {{.x = 20, .y = 4, .width = 3}, {.x = 23, .y = 4, .width = 3}};
    eb_place_labels(label, 2, field, ground, NULL);
    assert_true(label[0].placed && label[0].at_x == 16 && label[0].at_y == 4);
    assert_true(label[1].placed && label[1].at_x == 25 && label[1].at_y == 4);
}

RUN_TESTS
