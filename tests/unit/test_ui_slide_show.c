/* The slide show: one step per key through all pages of a slide; its only input is a report of slides. */

#include "tests/unit/slide_reports.h"
#include "tests/unit/test.h"
#include "ui/widgets/slide_show.h"

static eb_canvas canvas;
static eb_slide_show show;

static int begin(void **state)
{
    (void)state;
    eb_status status;
    canvas.unicode = true;
    assert_int_equal(eb_canvas_resize(&canvas, 100, 30, &status), EB_OK);
    assert_true(eb_slide_show_open(&show, sr_report(), false));
    eb_slide_show_draw(&show, &canvas);
    return 0;
}

static int end(void **state)
{
    (void)state;
    eb_slide_show_close(&show);
    eb_canvas_free(&canvas);
    return 0;
}

static void press(const char *script)
{
    eb_key key;
    const char *error = NULL;
    while (eb_key_parse(script, &script, &key, &error)) {
        eb_slide_show_key(&show, key);
        if (show.report)
            eb_slide_show_draw(&show, &canvas);
    }
    assert_null(error);
}

TEST(it_opens_reports_of_slides_only)
{
    eb_slide_show other = {0};
    eb_report *report = eb_report_new("lesson");
    assert_false(eb_slide_show_open(&other, report, false));
    assert_null(other.report);
    eb_report_free(report);
}

TEST_WITH(every_key_of_a_kind_steps, begin, end)
{
    static const char *const on[] = {" ", "<Enter>", "<Right>", "<PageDown>", "<Down>", "<Wheel-down 3 3>"},
                             *const back[] = {"<Left>", "<PageUp>", "<Up>", "<Backspace>", "<Wheel-up 3 3>"};
    for (size_t k = 0; k < sizeof on / sizeof *on; k++) {
        press("<Home>");
        press(on[k]);
        assert_int_equal(show.view.slide, 1);
    }
    for (size_t k = 0; k < sizeof back / sizeof *back; k++) {
        press("<End>");
        assert_int_equal(show.view.slide, SR_SLIDES - 1);
        press(back[k]);
        assert_int_equal(show.view.slide, SR_SLIDES - 2);
    }
    press("<End> <Home><Left>");
    assert_int_equal(show.view.slide, 0);
}

TEST_WITH(all_pages_are_seen_forwards_and_backwards, begin, end)
{
    press(" ");
    const int pages = eb_slide_pages(show.report, &show.view, true, 100, 30);
    assert_true(pages > 2);
    for (int page = 0; page < pages; page++) {
        assert_int_equal(show.view.slide, 1);
        assert_int_equal(show.view.page, page);
        press(" ");
    }
    assert_int_equal(show.view.slide, 2);
    assert_int_equal(show.view.page, 0);
    press("<Left>");
    assert_int_equal(show.view.slide, 1);
    assert_int_equal(show.view.page, pages - 1);
}

TEST_WITH(an_answer_is_for_its_question, begin, end)
{
    press("ah");
    assert_true(show.view.answer && show.view.hint);
    press("a");
    assert_false(show.view.answer);
    press("a <Left>");
    assert_false(show.view.answer || show.view.hint);
    press(" a");
    assert_false(show.view.answer); /* evidence has no answer */
}

TEST_WITH(leaving_lets_go_of_the_report, begin, end)
{
    press(":");
    assert_true(show.types);
    show.types = false;
    press("q");
    assert_null(show.report);
    assert_true(eb_slide_show_open(&show, sr_report(), false));
    press("<Esc>");
    assert_null(show.report);
}

RUN_TESTS
