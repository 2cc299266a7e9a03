/* Lesson files: valid files parse, and each mistake gives its message. Golden tests play whole lessons. */

#include "shell/lessons/check.h"
#include "shell/lessons/course.h"
#include "shell/lessons/lesson.h"
#include "tests/unit/test.h"

#define HEAD "title T\nabout A\n"
#define STEP "step One\nask Which?\nchoice a this\nright 'a'\nexplain so\n"

TEST(a_file_becomes_steps)
{
    static const char text[] =
        "# a comment\n" HEAD "\n" STEP "step Two\nsay a long\n  text {1 + 1},\n\tand longer\nrun info; tune S=1\n"
        "gpu take x = SELECT 1\ncpu take x = 2\nask How many?\nwithin 0.1\nhint few\nright :x\n"
        "show report A title\nshow targets(eps,wanted) Two columns\nexplain why";
    eb_lesson *lesson;
    eb_status status = {0};
    if (eb_lesson_parse("somewhere/mine.lesson", text, &lesson, &status))
        fail_msg("%s", status.message);
    assert_string_equal(lesson->name, "mine");
    assert_string_equal(lesson->title, "T");
    assert_string_equal(lesson->about, "A");
    assert_int_equal(lesson->steps, 2);
    const eb_lesson_step *two = &lesson->step[1];
    assert_string_equal(two->title, "Two");
    const eb_lesson_line *line = &lesson->line[two->first];
    assert_int_equal(line[0].word, EB_LESSON_SAY);
    assert_string_equal(line[0].text, "a long text {1 + 1}, and longer");
    assert_int_equal(line[0].number, 11);
    assert_string_equal(line[1].text, "info; tune S=1");
    assert_int_equal(line[1].number, 14);
    assert_int_equal(line[2].where, EB_LESSON_ON_GPU);
    assert_string_equal(line[2].name, "x");
    assert_string_equal(line[2].text, "SELECT 1");
    assert_int_equal(line[3].where, EB_LESSON_ON_CPU);
    assert_ptr_equal(&lesson->line[two->ask], &line[4]);
    assert_string_equal(line[8].name, "report");
    assert_string_equal(line[8].text, "A title");
    assert_null(line[8].columns);
    assert_string_equal(line[9].name, "targets");
    assert_string_equal(line[9].columns, "eps,wanted");
    assert_string_equal(line[9].text, "Two columns");
    assert_int_equal(two->end, lesson->lines);
    eb_lesson_free(lesson);
}

TEST(the_head_says_where_a_lesson_stands)
{
    eb_lesson *lesson;
    eb_status status = {0};
    if (eb_lesson_parse("x.lesson",
                        HEAD "part memory\nlevel second\nminutes 12\nafter tiling swizzle\nstep One\nask How many?\n"
                             "slip 1/2 half\ncode mma.cuh multiply\nmodel 2\ngpu measured 3\napart so\nexplain x\n",
                        &lesson, &status))
        fail_msg("%s", status.message);
    assert_string_equal(lesson->part, "memory");
    assert_int_equal(lesson->part_number, 3);
    assert_string_equal(lesson->level, "second");
    assert_int_equal(lesson->minutes, 12);
    assert_string_equal(lesson->after, "tiling swizzle");
    const eb_lesson_line *line = &lesson->line[lesson->step[0].ask];
    assert_string_equal(line[1].name, "1/2");
    assert_string_equal(line[1].text, "half");
    assert_string_equal(line[2].name, "mma.cuh");
    assert_string_equal(line[2].text, "multiply");
    assert_int_equal(line[4].word, EB_LESSON_MEASURED);
    eb_lesson_free(lesson);
    assert_int_equal(eb_lesson_parse("x.lesson", HEAD STEP, &lesson, &status), EB_OK);
    assert_null(lesson->part);
    assert_int_equal(lesson->part_number, EB_LESSON_PART_COUNT);
    assert_int_equal(lesson->minutes, 0);
    eb_lesson_free(lesson);
}

TEST(what_is_wrong_is_said_with_its_line)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"", ":0: expected a title, an about and a step"},
        {HEAD, ":2: expected a title, an about and a step"},
        {"title T\n" STEP, "expected a title, an about and a step"},
        {HEAD "sing loudly\n",
         ":3: expected a keyword, as say, run, take, ask, choice, right or explain, found \"sing\""},
        {HEAD "say too early\n" STEP, ":3: expected title, about, part, level, minutes, after or step, found \"say\""},
        {HEAD STEP "title again\n", ":8: expected title once, before the first step, found \"again\""},
        {HEAD "title again\n" STEP, ":3: expected title once"},
        {HEAD "step One\nask\n", ":4: expected a text behind the keyword, found \"ask\""},
        {HEAD "step One\nright 1\nexplain x\n", ":3: expected one `ask` in each step, for every device, found \"One\""},
        {HEAD "step One\ngpu ask x\ncpu ask y\nright 1\nexplain x\n", ":3: expected one `ask` in each step"},
        {HEAD "step One\nask x\nexplain x\n", ":3: expected one `right` in each step"},
        {HEAD "step One\nask x\ngpu right 1\nexplain x\n", ":3: expected one `right` in each step"},
        {HEAD "step One\nright 1\nask x\nexplain x\n", ":3: expected one `right` in each step, after `ask`"},
        {HEAD "step One\nexplain x\nask x\nright 1\n", ":3: expected an `explain` in each step, after `ask`"},
        {HEAD STEP "within 0.1\n", ":3: expected `within` with numbers, not with choices"},
        {HEAD STEP "choice a that\n", ":8: expected a letter that no other choice has, found \"a\""},
        {HEAD STEP "choice ab that\n", ":8: expected choice LETTER TEXT, found \"ab\""},
        {HEAD STEP "take x 1\n", ":8: expected take NAME = SQL"},
        {HEAD STEP "take 1x = 1\n", ":8: expected take NAME = SQL, found \"1x\""},
        {HEAD STEP "show a-b\n", ":8: expected show KEY, or show KEY(COLUMN,COLUMN), found \"a-b\""},
        {HEAD STEP "show targets()\n", ":8: expected show KEY, or show KEY(COLUMN,COLUMN), found \"targets()\""},
        {HEAD STEP "show targets(eps\n", ":8: expected show KEY, or show KEY(COLUMN,COLUMN), found \"targets(eps\""},
        {HEAD "part the end\n" STEP, ":3: expected one of the parts the question, one distance, the tensor core, "
                                     "memory, scheduling, precision, indexes, measuring, found \"the end\""},
        {HEAD "level fourth\n" STEP, ":3: expected level first, second or third, found \"fourth\""},
        {HEAD "minutes 0\n" STEP, ":3: expected whole minutes from 1 to 600, found \"0\""},
        {HEAD "minutes 5 or 6\n" STEP, ":3: expected whole minutes from 1 to 600, found \"5 or 6\""},
        {HEAD "minutes -1\n" STEP, ":3: expected whole minutes"},
        {HEAD "after\n" STEP, ":3: expected a text behind the keyword, found \"after\""},
        {HEAD "gpu part memory\n" STEP, ":3: expected part once, before the first step"},
        {HEAD "minutes 5\nminutes 5\n" STEP, ":4: expected minutes once, before the first step, found \"5\""},
        {HEAD STEP "level first\n", ":8: expected level once, before the first step, found \"first\""},
        {HEAD STEP "wrong b no\n", ":8: expected `wrong` with the letter of a choice, found \"b\""},
        {HEAD STEP "wrong ab no\n", ":8: expected wrong LETTER TEXT, found \"ab\""},
        {HEAD STEP "wrong a\n", ":8: expected a text behind the keyword, found \"wrong\""},
        {HEAD STEP "slip 2 twice\n", ":8: expected `slip` with numbers, not with choices, found \"twice\""},
        {HEAD STEP "code mma.cuh\n", ":8: expected a text behind the keyword, found \"code\""},
        {HEAD "step One\nslip 2 twice\nask x\nright 1\nexplain x\n",
         ":4: expected `slip` after `ask`, found \"twice\""},
        {HEAD "step One\nmodel 2\nask x\nexplain x\n", ":4: expected `model` after `ask`, found \"2\""},
        {HEAD "step One\nask x\nmodel 1\nmodel 2\nexplain x\n", "`model` and `measured` at most once in a step"},
        {HEAD "step One\nask x\ngpu measured 2\nexplain x\n",
         ":3: expected one `right` in each step, after `ask`, or `model` or `measured`, found \"One\""},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        eb_lesson *lesson;
        eb_status status = {0};
        assert_int_equal(eb_lesson_parse("x.lesson", wrong[k].text, &lesson, &status), EB_USAGE);
        assert_null(lesson);
        if (!strstr(status.message, wrong[k].sentence) || strncmp(status.message, "x.lesson:", 9) != 0)
            fail_msg("\"%s\" says \"%s\", expected \"%s\" in it", wrong[k].text, status.message, wrong[k].sentence);
    }
}

TEST(a_file_that_is_not_there_is_said)
{
    eb_lesson *lesson;
    eb_status status = {0};
    assert_int_equal(eb_lesson_read("/nonexistent/x.lesson", &lesson, &status), EB_IO);
    assert_string_equal(status.message, "cannot open /nonexistent/x.lesson: No such file or directory");
}

/* ---- the course ---- */

static eb_lesson *lesson_of(const char *name, const char *head)
{
    char path[64], text[300];
    eb_lesson *lesson;
    eb_status status = {0};
    (void)snprintf(path, sizeof path, "%s.lesson", name);
    (void)snprintf(text, sizeof text, HEAD "%s\n" STEP, head);
    if (eb_lesson_parse(path, text, &lesson, &status))
        fail_msg("%s", status.message);
    return lesson;
}

/* Sorts the lessons and compares their names; frees them. */
static void expect_order(eb_lesson **lesson, size_t count, const char *expected)
{
    char found[200] = "";
    eb_course_sort(lesson, count);
    for (size_t k = 0; k < count; k++) {
        (void)snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", k ? " " : "", lesson[k]->name);
        eb_lesson_free(lesson[k]);
    }
    assert_string_equal(found, expected);
}

TEST(the_course_goes_by_parts_then_by_what_builds_on_what)
{
    eb_lesson *lesson[] = {lesson_of("own", ""),
                           lesson_of("a", "part memory\nafter c b"),
                           lesson_of("b", "part memory\nafter z"),
                           lesson_of("c", "part memory\nafter b x"),
                           lesson_of("d", "part memory"),
                           lesson_of("z", "part the question\nafter a"),
                           lesson_of("bb", "part memory")};
    expect_order(lesson, 7, "z b bb c a d own");
    eb_lesson *circle[] = {lesson_of("b", "after a"), lesson_of("a", "after b"), lesson_of("c", "after c")};
    expect_order(circle, 3, "c a b");
    eb_course_sort(NULL, 0);
}

TEST(a_name_of_after_is_a_whole_word)
{
    eb_lesson *lesson = lesson_of("x", "after tiling tile-order");
    assert_true(eb_lesson_builds_on(lesson, "tiling"));
    assert_true(eb_lesson_builds_on(lesson, "tile-order"));
    assert_false(eb_lesson_builds_on(lesson, "tile"));
    assert_false(eb_lesson_builds_on(lesson, "order"));
    assert_false(eb_lesson_builds_on(lesson, ""));
    eb_lesson_free(lesson);
    lesson = lesson_of("x", "");
    assert_false(eb_lesson_builds_on(lesson, ""));
    eb_lesson_free(lesson);
}

TEST(numbers_written_by_hand_are_found)
{
    static const struct {
        const char *text, *numbers;
    } cases[] = {{"", ""},
                 {"none of 64, sm_90, m16n8k16, 1,024, Table 5", ""},
                 {"2.18 times, and 3.5.", "2.18 3.5 "},
                 {"40 %, 5%, 7 percent, 8 per cent", "40 5 7 "},
                 {"{1.5} and {printf('%.1f', 2.5)} but 3.5", "3.5 "},
                 {"{1.5 without an end", ""},
                 {"version 1.2.3 of x1.5 or 1.5a", ""},
                 {"1,024.5", "1,024.5 "},
                 {"2^0.5", "0.5 "},
                 {".5 5. 5.x, the bits 01001.000", ""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char found[100] = "";
        const char *at = cases[k].text;
        for (size_t length; (length = eb_written_number(&at)) > 0; at += length)
            (void)snprintf(found + strlen(found), sizeof found - strlen(found), "%.*s ", (int)length, at);
        if (strcmp(found, cases[k].numbers) != 0)
            fail_msg("in \"%s\" are \"%s\", found \"%s\"", cases[k].text, cases[k].numbers, found);
    }
}

RUN_TESTS
