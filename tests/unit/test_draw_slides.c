/* Tests of slides: at any screen size, a slide's pages show all of it uncut; an answer is hidden until requested;
 * letters are as large as fits. */

#include "draw/large.h"
#include "draw/slides.h"
#include "tests/unit/slide_reports.h"
#include "tests/unit/test.h"

/* Returns, on the heap, a page of a slide. */
static char *page_text(const eb_report *report, eb_slide_view view, bool unicode, int columns, int rows)
{
    eb_canvas canvas = {.unicode = unicode};
    eb_status status;
    char *shown = NULL;
    size_t bytes;
    assert_int_equal(eb_canvas_resize(&canvas, columns, rows, &status), EB_OK);
    eb_draw_slide(&canvas, (eb_rect){0, 0, columns, rows - 1}, report, &view);
    FILE *out = open_memstream(&shown, &bytes);
    assert_int_equal(eb_canvas_dump(&canvas, out, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    eb_canvas_free(&canvas);
    return shown;
}

/* Returns, on the heap, all pages of a slide, one below the other; no row is wider than the screen, and none is cut. */
static char *slide_text(const eb_report *report, eb_slide_view view, bool unicode, int columns, int rows)
{
    const int pages = eb_slide_pages(report, &view, unicode, columns, rows);
    char *all = calloc(1, 1);
    for (view.page = 0; view.page < pages; view.page++) {
        char *page = page_text(report, view, unicode, columns, rows), *joined = NULL;
        assert_true(asprintf(&joined, "%s%s", all, page) >= 0);
        free(page);
        free(all);
        all = joined;
    }
    return all;
}

static bool has_words(const char *text, const char *words)
{
    char *copy = strdup(words), *rest = copy;
    bool all = true;
    for (char *word; all && (word = strtok_r(rest, " ", &rest));)
        all = strstr(text, word) != NULL;
    free(copy);
    return all;
}

static void expect_words(const char *text, const char *words, int columns, int rows)
{
    if (!has_words(text, words))
        fail_msg("at %d x %d \"%s\" is not all in\n%s", columns, rows, words, text);
}

static void check_cells(const char *text, int columns, int rows)
{
    char cell[40];
    for (int row = 0; row < SR_ROWS; row++)
        for (int c = 0; c < SR_COLUMNS; c++) {
            (void)snprintf(cell, sizeof cell, c == 0 ? "row%02d" : "cell-%02d-%02d", row, c);
            expect_words(text, cell, columns, rows);
        }
    for (int c = 1; c < SR_COLUMNS; c++) { /* the first column has no title: it names the rows */
        (void)snprintf(cell, sizeof cell, "line%02d", c);
        expect_words(text, cell, columns, rows);
    }
}

TEST(nothing_is_cut_at_any_size)
{
    static const int sizes[][2] = {{40, 12}, {60, 20}, {80, 24}, {100, 30}, {120, 40}, {160, 50}, {200, 60}};
    eb_report *report = sr_report();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int unicode = 0; unicode < 2; unicode++) {
            const int columns = sizes[k][0], rows = sizes[k][1];
            char *text = slide_text(report, (eb_slide_view){.slide = 0}, unicode, columns, rows);
            expect_words(text, "Something is given here, long enough broken narrow screen.", columns, rows);
            expect_words(text, "first second, which more words than one line has room for", columns, rows);
            free(text);
            text = slide_text(report, (eb_slide_view){.slide = 1}, unicode, columns, rows);
            expect_words(text, "tune S=16 counted Wide and long Turned A curve", columns, rows);
            check_cells(text, columns, rows);
            assert_null(strstr(text, "▸"));
            if (columns >= 80) /* the lesson's name above may be cut */
                assert_null(strstr(text, "…"));
            free(text);
        }
    eb_report_free(report);
}

TEST(an_answer_is_told_when_it_is_asked_for)
{
    eb_report *report = sr_report();
    char *text = slide_text(report, (eb_slide_view){.slide = 0}, true, 80, 24);
    assert_null(strstr(text, "▸"));
    assert_null(strstr(text, "hint"));
    free(text);
    text = slide_text(report, (eb_slide_view){.slide = 0, .answer = true, .hint = true}, true, 80, 24);
    assert_non_null(strstr(text, "▸ b  the second"));
    assert_null(strstr(text, "▸ a"));
    assert_non_null(strstr(text, "A hint helps."));
    free(text);
    char *before = slide_text(report, (eb_slide_view){.slide = 3}, false, 80, 24),
         *after = slide_text(report, (eb_slide_view){.slide = 3, .answer = true}, false, 80, 24);
    assert_int_equal(strncmp(before, after, 10 * 8), 0);
    assert_string_not_equal(before, after);
    free(before);
    free(after);
    eb_report_free(report);
}

/* True if the heading's rows have large letters on a canvas of that size. */
static bool heading_is(const char *text, eb_large size, const char *heading)
{
    eb_canvas canvas = {.unicode = true};
    eb_status status;
    char line[1024] = "";
    size_t used = 0;
    assert_int_equal(eb_canvas_resize(&canvas, 200, 8, &status), EB_OK);
    eb_put_large(&canvas, eb_canvas_rect(&canvas), 0, 0, EB_ROLE_TITLE, size, heading);
    FILE *out = fmemopen(line, sizeof line, "w");
    assert_int_equal(eb_canvas_dump(&canvas, out, &status), EB_OK);
    (void)fclose(out);
    used = strcspn(line, "\n");
    line[used] = '\0';
    eb_canvas_free(&canvas);
    return strstr(text, line) != NULL;
}

TEST(letters_are_as_large_as_there_is_room)
{
    eb_report *report = sr_report();
    char *small = slide_text(report, (eb_slide_view){.slide = 2}, true, 40, 14),
         *usual = slide_text(report, (eb_slide_view){.slide = 2}, true, 80, 24),
         *large = slide_text(report, (eb_slide_view){.slide = 2}, true, 200, 60),
         *coarse = slide_text(report, (eb_slide_view){.slide = 3, .coarse = true}, true, 80, 24);
    assert_true(heading_is(small, EB_LARGE_NARROW, "Far from ε") || strstr(small, "Far from ε"));
    assert_true(heading_is(usual, EB_LARGE, "Far from ε"));
    assert_true(heading_is(large, EB_LARGE_WIDE, "Far from ε"));
    assert_non_null(strstr(coarse, "One switch: a heading of many words"));
    free(small);
    free(usual);
    free(large);
    free(coarse);
    eb_report_free(report);
}

TEST(what_is_beyond_is_kept_within)
{
    eb_report *report = sr_report(), *other = eb_report_new("lesson");
    eb_slide_view view = {.slide = 100, .page = 100};
    eb_canvas canvas = {.unicode = true};
    eb_status status;
    assert_int_equal(eb_slides_count(report), SR_SLIDES);
    assert_int_equal(eb_slides_count(other), 0);
    assert_int_equal(eb_slides_count(NULL), 0);
    assert_string_equal(eb_slide_kind(report, 1), "evidence");
    assert_string_equal(eb_slide_kind(report, 100), "");
    assert_true(eb_slide_has_hint(report, 0));
    assert_false(eb_slide_has_hint(report, 3));
    for (int columns = 1; columns <= 90; columns += 3)
        for (int rows = 1; rows <= 30; rows++) {
            assert_int_equal(eb_canvas_resize(&canvas, columns, rows, &status), EB_OK);
            for (view.slide = 0; view.slide < SR_SLIDES; view.slide++)
                eb_draw_slide(&canvas, eb_canvas_rect(&canvas), report, &view);
        }
    view = (eb_slide_view){.slide = 100, .page = 100};
    eb_draw_slide(&canvas, eb_canvas_rect(&canvas), report, &view);
    assert_int_equal(view.slide, SR_SLIDES - 1);
    assert_int_equal(view.page, 0);
    eb_draw_slide(&canvas, eb_canvas_rect(&canvas), other, &view);
    assert_int_equal(view.slide, 0);
    eb_canvas_free(&canvas);
    eb_report_free(report);
    eb_report_free(other);
}

RUN_TESTS
