/* Scripts of keys, and the keys that the line editor gets from them. */

#include "tests/unit/test.h"
#include "ui/terminal/keys.h"

static eb_key one(const char *script)
{
    const char *rest, *error;
    eb_key key;
    if (!eb_key_parse(script, &rest, &key, &error))
        fail_msg("%s: %s", script, error ? error : "the end");
    assert_string_equal(rest, "");
    return key;
}

static void assert_key(const char *script, eb_key_code code, uint32_t character, unsigned modifiers)
{
    eb_key key = one(script);
    assert_int_equal(key.code, code);
    assert_int_equal(key.character, character);
    assert_int_equal(key.modifiers, modifiers);
}

TEST(names_are_keys)
{
    assert_key("a", EB_KEY_CHARACTER, 'a', 0);
    assert_key("ε", EB_KEY_CHARACTER, 0x3B5, 0);
    assert_key("<Enter>", EB_KEY_CHARACTER, EB_ENTER, 0);
    assert_key("<lt>", EB_KEY_CHARACTER, '<', 0);
    assert_key(">", EB_KEY_CHARACTER, '>', 0);
    assert_key("<C-c>", EB_KEY_CHARACTER, 3, 0);
    assert_key("<M-x>", EB_KEY_CHARACTER, 'x', EB_META);
    assert_key("<S-Left>", EB_KEY_LEFT, 0, EB_SHIFT);
    assert_key("<C-Right>", EB_KEY_RIGHT, 0, EB_CONTROL);
    assert_key("<S-Tab>", EB_KEY_BACK_TAB, 0, 0);
    assert_key("<F12>", EB_KEY_FUNCTION, 12, 0);
    eb_key click = one("<Click 10 3>");
    assert_true(click.code == EB_KEY_CLICK && click.x == 10 && click.y == 3);
    eb_key size = one("\n<Resize 120 40>");
    assert_true(size.code == EB_KEY_RESIZE && size.x == 120 && size.y == 40);
}

TEST(what_is_no_key_is_named)
{
    const char *const wrong[] =
        {"<Entr>",
         "<",
         "<Enter",
         "<F13>",
         "<F0>",
         "<Click 1>",
         "<Click 1 2 3>",
         "<C-1>",
         "<>",
         "<S-a>",
         "<M->",
         "<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        const char *rest, *error = NULL;
        eb_key key;
        if (eb_key_parse(wrong[k], &rest, &key, &error))
            fail_msg("%s was taken for a key", wrong[k]);
        assert_non_null(error);
    }
    const char *rest, *error;
    eb_key key;
    assert_false(eb_key_parse("\n\n", &rest, &key, &error));
    assert_null(error); /* the end is not an error */
}

static void assert_bytes(const char *script, const char *expected)
{
    char bytes[16];
    size_t count = eb_key_bytes(one(script), bytes);
    assert_int_equal(count, strlen(expected));
    assert_memory_equal(bytes, expected, count);
}

TEST(the_line_editor_gets_what_a_terminal_sends)
{
    assert_bytes("a", "a");
    assert_bytes("ε", "\xCE\xB5");
    assert_bytes("語", "\xE8\xAA\x9E");
    assert_bytes("𝛆", "\xF0\x9D\x9B\x86");
    assert_bytes("<Up>", "\033[A");
    assert_bytes("<C-Left>", "\033[1;5D");
    assert_bytes("<M-b>", "\033b");
    assert_bytes("<Backspace>", "\177");
    assert_bytes("<M-Backspace>", "\033\177");
    assert_bytes("<C-Delete>", "\033[3;5~");
    assert_bytes("<Click 1 1>", "");
    assert_bytes("<F5>", "");
    assert_bytes("<PageUp>", "");
}

/* Any bytes: each key consumes at least one, a refusal gives its reason, and the end is reached. */
TEST(any_script_is_read_or_refused)
{
    static const char *const pieces[] = {"<",           ">",        "<Enter>",  "<M-",
                                         "<C-",         "<S-Left>", "Click 1 ", "-9",
                                         "F12",         "\n",       "a",        "ε",
                                         "\xFF",        "\xE6\x97", "lt>",      "<Resize 99999 -1>",
                                         "<Click 1 2>", " ",        "<M-ε>",    "<M-C-x>"};
    unsigned seed = 7;
    char script[256], bytes[16];
    size_t keys = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        script[0] = '\0';
        for (unsigned k = 0; k < 8; k++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(script, pieces[(seed >> 8) % (sizeof pieces / sizeof pieces[0])]);
        }
        const char *at = script, *rest, *error;
        eb_key key;
        while (eb_key_parse(at, &rest, &key, &error)) {
            assert_true(rest > at && rest <= script + strlen(script));
            assert_null(error);
            assert_true(key.code <= EB_KEY_RESIZE);
            assert_true(key.code != EB_KEY_FUNCTION || (key.character >= 1 && key.character <= 12));
            assert_true(eb_key_bytes(key, bytes) <= sizeof bytes);
            at = rest;
            keys++;
        }
        refused += error != NULL;
        assert_true(error || strspn(at, "\r\n") == strlen(at));
    }
    assert_true(keys > 10000 && refused > 1000);
}

RUN_TESTS
