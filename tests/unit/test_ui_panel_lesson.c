/* The panel Lesson: the list and how far one is, the question and its keys, the way from the evidence to the next
 * question, what was predicted wrongly; any size. */
#include "tests/unit/ui_panel.h"

static eb_report *list_report(void)
{
    eb_report *r = eb_report_new("lesson");
    eb_table *t = eb_report_table(r, "lessons", "Lessons");
    EB_COLUMNS(t, {"lesson", "lesson", EB_IDENTITY}, {"title", "title", EB_IDENTITY}, {"steps", "steps", EB_PLAIN},
               {"answered", "answered", EB_PLAIN}, {"right", "right", EB_PLAIN}, {"first", NULL, EB_PLAIN});
    EB_ROW(t, eb_text("epsilon"), eb_text("Of radii"), eb_uint(3), eb_uint(3), eb_uint(3), eb_uint(3));
    EB_ROW(t, eb_text("norms"), eb_text("Of sums"), eb_uint(3), eb_uint(3), eb_uint(3), eb_uint(1));
    EB_ROW(t, eb_text("rounding"), eb_text("Of bits"), eb_uint(3), eb_uint(2), eb_uint(1), eb_uint(1));
    EB_ROW(t, eb_text("swizzle"), eb_text("Of banks"), eb_uint(3), eb_uint(0), eb_uint(0), eb_uint(0));
    return r;
}

static void put_question(eb_report *r, unsigned step, bool choice)
{
    eb_record *q = eb_report_record(r, "question", "mine, a step: Its title");
    eb_record_field(q, "lesson", NULL, EB_IDENTITY, eb_text("mine"));
    eb_record_field(q, "step", NULL, EB_PLAIN, eb_uint(step));
    eb_record_field(q, "steps", NULL, EB_PLAIN, eb_uint(2));
    eb_record_field(q, "given", "given", EB_IDENTITY, eb_text("Something is given."));
    eb_record_field(q, "question", "question", EB_IDENTITY, eb_text("Which is it?"));
    if (choice) {
        eb_record_field(q, "a", "a", EB_IDENTITY, eb_text("the first"));
        eb_record_field(q, "b", "b", EB_IDENTITY, eb_text("the second"));
    }
    eb_record_field(q, "how", "next", EB_IDENTITY, eb_text("`answer a` predicts"));
}

static eb_report *begun_report(bool choice)
{
    eb_report *r = eb_report_new("lesson");
    eb_report_field(r, "lesson", "lesson", EB_IDENTITY, eb_text("My lesson"));
    put_question(r, 1, choice);
    return r;
}

static eb_report *answer_report(bool evidence, bool right)
{
    eb_report *r = eb_report_new("answer");
    if (evidence) {
        eb_table *t = eb_report_table(r, "seen", "What was seen");
        EB_COLUMNS(t, {"x", "x", EB_PLAIN});
        EB_ROW(t, eb_uint(4711));
    }
    eb_report_field(r, "correct", NULL, EB_PLAIN, eb_bool(right));
    eb_record *a = eb_report_record(r, "answered", right ? "Right" : "Not so");
    eb_record_field(a, "answer", "your answer", EB_IDENTITY, eb_text("a: the first"));
    eb_record_field(a, "why", "why", EB_IDENTITY, eb_text("Because."));
    return r;
}

static eb_report *hint_report(void)
{
    eb_report *r = eb_report_new("hint");
    eb_record_field(eb_report_record(r, "hint", "A hint"), "hint", "hint", EB_IDENTITY, eb_text("It helps."));
    return r;
}

static void put_wrong(eb_report *r)
{
    eb_table *t = eb_report_table(r, "wrong", "Predicted wrongly");
    EB_COLUMNS(t, {"lesson", "lesson", EB_IDENTITY}, {"step", "step", EB_IDENTITY},
               {"question", "question", EB_IDENTITY}, {"answer", "answer", EB_IDENTITY},
               {"expected", "expected", EB_IDENTITY});
    EB_ROW(t, eb_text("mine"), eb_int(1), eb_text("Which is it?"), eb_text("a"), eb_text("b"));
}

static void it_asks_for_the_list_once(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_lesson);
    ui_look(&p);
    ui_look(&p);
    ui_expect_commands(&p, "lesson", NULL);
    ui_expect_seen(&p, 78, 17, "lesson swizzle");
    ui_close(&p);
}

static void the_list_says_how_far_one_is_and_begins_what_is_chosen(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_lesson);
    ui_take(&p, list_report());
    ui_expect_screens(&p, "lesson-list");
    ui_expect_seen(&p, 78, 17, "done, right at once");
    ui_expect_seen(&p, 78, 17, "done, 1 at once");
    ui_expect_seen(&p, 78, 17, "2 of 3, 1 wrong");
    assert_true(p.panel->invites(p.state, p.desk));
    ui_press(&p, "<Down><Down><Enter>");
    ui_expect_commands(&p, "lesson rounding", NULL);
    ui_press(&p, "<End>z");
    ui_expect_commands(&p, "lesson swizzle slides", NULL);
    ui_press(&p, "<Home><Up>W<Click 5 5>");
    ui_expect_commands(&p, "lesson wrong", NULL);
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "lesson swizzle", NULL);
    ui_close(&p);
}

static void a_choice_is_answered_by_cursor_or_letter(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_lesson);
    ui_take(&p, begun_report(true));
    ui_expect_screens(&p, "lesson-choice");
    ui_expect_seen(&p, 78, 17, "[predict]");
    ui_press(&p, "<Down><Enter>");
    ui_press(&p, "a");
    ui_press(&p, "hA");
    ui_expect_commands(&p, "answer b", "answer a", "hint", "answer", NULL);
    ui_expect_unseen(&p, 78, 17, "It helps.");
    ui_take(&p, hint_report());
    ui_expect_seen(&p, 78, 17, "It helps.");
    ui_take(&p, begun_report(true));
    ui_expect_unseen(&p, 78, 17, "It helps."); /* that was of the question before */
    ui_close(&p);
}

static void a_number_is_typed(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_lesson);
    ui_take(&p, begun_report(false));
    assert_false(p.panel->invites(p.state, p.desk));
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, NULL);
    ui_press(&p, "-1.55<Backspace>e3");
    ui_expect_seen(&p, 78, 17, "your number: -1.5e3_");
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "answer -1.5e3", NULL);
    ui_close(&p);
}

static void enter_leads_from_the_evidence_to_the_next_question(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_lesson);
    eb_report *answer = answer_report(true, false);
    put_question(answer, 2, true);
    ui_take(&p, begun_report(true));
    ui_take(&p, answer);
    ui_expect_seen(&p, 78, 17, "4,711");
    ui_expect_seen(&p, 78, 17, "[evidence]");
    ui_press(&p, "<Enter>");
    ui_expect_seen(&p, 78, 17, "Not so");
    ui_expect_seen(&p, 78, 17, "[explanation]");
    ui_expect_unseen(&p, 78, 17, "4,711");
    ui_press(&p, "<Enter>");
    ui_expect_seen(&p, 78, 17, "Which is it?");
    ui_expect_seen(&p, 78, 17, "[flip the switch]");
    ui_take(&p, answer_report(false, true)); /* a step that shows nothing, and the last */
    ui_expect_seen(&p, 78, 17, "Right");
    ui_close(&p);
}

static void the_end_says_what_was_wrong(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_lesson);
    eb_report *answer = answer_report(true, true);
    put_wrong(answer);
    eb_report_note(answer, "the lesson is over: 1 of 2 predicted rightly");
    ui_take(&p, answer);
    ui_expect_seen(&p, 78, 17, "4,711");
    ui_press(&p, "<Enter><Enter>");
    ui_expect_screens(&p, "lesson-over");
    ui_expect_seen(&p, 78, 17, "you said a; it is b");
    ui_expect_seen(&p, 78, 17, "1 of 2 predicted rightly");
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "lesson", NULL);
    eb_report *none = eb_report_new("lesson");
    eb_report_table(none, "wrong", "Predicted wrongly");
    ui_take(&p, none);
    ui_expect_seen(&p, 78, 17, "Nothing was predicted wrongly");
    ui_close(&p);
}

static void one_comes_back_to_the_question_that_waits(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_lesson);
    eb_report *list = list_report();
    put_question(list, 1, true);
    ui_take(&p, list);
    ui_expect_seen(&p, 78, 17, "Of banks");
    ui_press(&p, "<Backspace>");
    ui_expect_seen(&p, 78, 17, "Which is it?");
    ui_press(&p, "<Backspace>");
    ui_expect_commands(&p, "lesson", NULL);
    ui_close(&p);
}

static void it_stays_inside_its_area(void **state)
{
    (void)state;
    ui_panel p = ui_open(&eb_panel_lesson);
    ui_expect_inside(&p);
    ui_take(&p, list_report());
    ui_expect_inside(&p);
    ui_take(&p, begun_report(true));
    ui_expect_inside(&p);
    ui_take(&p, answer_report(true, false));
    ui_expect_inside(&p);
    ui_press(&p, "<Enter>");
    ui_expect_inside(&p);
    eb_report *wrong = eb_report_new("lesson");
    put_wrong(wrong);
    ui_take(&p, wrong);
    ui_expect_inside(&p);
    ui_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_asks_for_the_list_once),
        cmocka_unit_test(the_list_says_how_far_one_is_and_begins_what_is_chosen),
        cmocka_unit_test(a_choice_is_answered_by_cursor_or_letter),
        cmocka_unit_test(a_number_is_typed),
        cmocka_unit_test(enter_leads_from_the_evidence_to_the_next_question),
        cmocka_unit_test(the_end_says_what_was_wrong),
        cmocka_unit_test(one_comes_back_to_the_question_that_waits),
        cmocka_unit_test(it_stays_inside_its_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
