/* A terminal's answers are taken out of what is typed, however they are cut into pieces. */
#include <string.h>

#include "shell/pictures/answers.h"
#include "tests/unit/test.h"

static const char kitty[] = "\033_Gi=31;OK\033\\", sixel[] = "\033[?62;4;22c", plain[] = "\033[?62;14;22c";

static void take(eb_answers *a, const char *text)
{
    for (; *text; text++)
        eb_answers_take(a, (unsigned char)*text);
}

static void assert_typed(eb_answers *a, const char *wanted)
{
    char typed[EB_TYPED_AHEAD + 1];
    size_t used = 0;
    for (int byte; (byte = eb_answers_typed(a)) >= 0;)
        typed[used++] = (char)byte;
    typed[used] = '\0';
    assert_string_equal(typed, wanted);
}

TEST(answers_are_understood)
{
    eb_answers a = {.awaited = true};
    take(&a, kitty);
    assert_true(a.kitty && a.awaited);
    take(&a, sixel);
    assert_true(a.sixel && !a.awaited);
    assert_typed(&a, "");
    eb_answers b = {.awaited = true};
    take(&b, "\033_Gi=31;ENOTSUP:no\033\\");
    take(&b, plain);
    assert_false(b.kitty || b.sixel || b.awaited);
    assert_typed(&b, "");
}

TEST(a_class_of_4_is_no_sixel)
{
    eb_answers a = {.awaited = true};
    take(&a, "\033[?4c");
    assert_false(a.sixel || a.awaited);
    eb_answers b = {.awaited = true};
    take(&b, "\033[?c");
    assert_false(b.sixel || b.awaited);
}

TEST(keys_between_answers_are_typed)
{
    eb_answers a = {.awaited = true};
    take(&a, "ab");
    take(&a, kitty);
    take(&a, "c\033[A"); /* an arrow */
    take(&a, sixel);
    take(&a, "\033[?62;4c"); /* nothing is awaited any more */
    assert_typed(&a, "abc\033[A\033[?62;4c");
}

TEST(what_only_begins_like_an_answer_is_typed)
{
    static const char *const keys[] = {"\033x", "\033_n", "\033[?x", "\033[?62;h", "\033[200~"};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        eb_answers a = {.awaited = true};
        take(&a, keys[k]);
        assert_false(eb_answers_open(&a));
        assert_typed(&a, keys[k]);
    }
    eb_answers lone = {.awaited = true};
    take(&lone, "\033");
    assert_true(eb_answers_open(&lone));
    eb_answers_close(&lone);
    assert_typed(&lone, "\033");
}

TEST(an_endless_answer_is_dropped)
{
    eb_answers a = {.awaited = true};
    take(&a, "\033_G");
    for (int k = 0; k < 125; k++)
        take(&a, "A");
    assert_false(eb_answers_open(&a));
    take(&a, "z");
    assert_typed(&a, "z");
}

TEST(more_keys_than_there_is_room_for_are_lost)
{
    eb_answers a = {.awaited = false};
    for (int k = 0; k < EB_TYPED_AHEAD + 10; k++)
        take(&a, "k");
    size_t count = 0;
    while (eb_answers_typed(&a) >= 0)
        count++;
    assert_int_equal(count, EB_TYPED_AHEAD);
}

RUN_TESTS
