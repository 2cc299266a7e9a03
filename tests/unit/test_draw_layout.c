/* Tests of the layout at every terminal size. */

#include "draw/layout.h"
#include "tests/unit/test.h"

static bool inside(eb_rect r, int columns, int rows)
{
    return r.width >= 0 && r.height >= 0 &&
           (eb_rect_empty(r) || (r.x >= 0 && r.y >= 0 && r.x + r.width <= columns && r.y + r.height <= rows));
}

static bool apart(eb_rect a, eb_rect b) { return eb_rect_empty(eb_rect_cut(a, b)); }

static void check(const eb_layout_request *q)
{
    eb_layout l = eb_layout_make(q);
    const eb_rect parts[] = {l.status, l.tabs, l.panel, l.second, l.message, l.hints, l.line};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    int cells = 0;
    for (size_t a = 0; a < PARTS; a++) {
        assert_true(inside(parts[a], q->columns, q->rows));
        cells += eb_rect_empty(parts[a]) ? 0 : parts[a].width * parts[a].height;
        for (size_t b = a + 1; b < PARTS; b++)
            assert_true(apart(parts[a], parts[b]));
    }
    assert_int_equal(cells, q->columns * q->rows); /* every cell belongs to one area */
    assert_int_equal(l.too_small, q->columns < EB_MIN_COLUMNS || q->rows < EB_MIN_ROWS);
    assert_false(eb_rect_empty(l.panel));
    if (l.too_small)
        return;
    assert_true(l.status.height == 1 && l.tabs.height == 1 && l.line.height >= 1);
    assert_true(l.message.height >= 1 && l.message.height <= EB_MESSAGE_ROWS);
    assert_true(l.message.height <= (q->message_rows > 1 ? q->message_rows : 1)); /* no more rows than it needs */
    assert_true(l.panel.height >= 3 && l.panel.height >= 2 * l.message.height && l.line.height <= q->rows / 3);
    assert_int_equal(!eb_rect_empty(l.second), q->two_panels && q->columns >= EB_WIDE);
}

TEST(every_size_is_laid_out)
{
    const int lines[] = {-1, 0, 1, 40, 79, 80, 81, 400, 100000};
    for (int columns = 1; columns <= 300; columns++)
        for (int rows = 1; rows <= 300; rows++)
            for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
                for (int two = 0; two < 2; two++)
                    check(&(eb_layout_request){columns, rows, lines[k], two == 1, (int)k - 1});
}

/* A message is shown in full if the panel can spare the rows. */
TEST(a_message_has_the_rows_it_needs)
{
    for (int rows = 0; rows <= EB_MESSAGE_ROWS; rows++)
        assert_int_equal(eb_layout_make(&(eb_layout_request){80, 24, 30, false, rows}).message.height,
                         rows > 1 ? rows : 1);
    assert_int_equal(eb_layout_make(&(eb_layout_request){80, 24, 30, false, 100}).message.height, EB_MESSAGE_ROWS);
    assert_int_equal(eb_layout_make(&(eb_layout_request){40, 10, 30, false, 100}).message.height, 2);
}

TEST(a_usual_terminal)
{
    eb_layout l = eb_layout_make(&(eb_layout_request){80, 24, 30, true, 1});
    assert_int_equal(l.status.y, 0);
    assert_int_equal(l.tabs.y, 1);
    assert_int_equal(l.panel.y, 2);
    assert_int_equal(l.panel.height, 19);
    assert_int_equal(l.message.y, 21);
    assert_int_equal(l.hints.y, 22);
    assert_int_equal(l.line.y, 23);
    assert_true(eb_rect_empty(l.second));
    l = eb_layout_make(&(eb_layout_request){200, 60, 401, true, 1});
    assert_int_equal(l.line.height, 3);
    assert_int_equal(l.panel.width + l.second.width, 200);
    l = eb_layout_make(&(eb_layout_request){80, 12, 30, false, 1});
    assert_true(eb_rect_empty(l.hints));
}

RUN_TESTS
