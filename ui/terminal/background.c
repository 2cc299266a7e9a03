#include "ui/terminal/background.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "draw/console.h"

static const char question[] = "\033]11;?\033\\\033[c";

static bool awaited;
static double asked_s;
static eb_theme found = EB_THEME_AUTO;

/* Reads one to four hexadecimal digits and scales their range to 0 … 255. */
static bool read_part(const char **text, uint32_t *part)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const size_t length = strspn(*text, digits);
    if (length < 1 || length > 4)
        return false;
    *part = (uint32_t)(strtoul(*text, NULL, 16) * 255 / ((1UL << 4 * length) - 1));
    *text += length;
    return true;
}

/* "rgb:R/G/B" or "rgba:R/G/B/A". */
eb_theme eb_background_of_answer(const char *text)
{
    uint32_t red, green, blue;
    if (strncmp(text, "11;rgb", 6) != 0)
        return EB_THEME_AUTO;
    const bool alpha = text[6] == 'a';
    text += alpha ? 7 : 6;
    bool sound = *text++ == ':' && read_part(&text, &red) && *text++ == '/' && read_part(&text, &green) &&
                 *text++ == '/' && read_part(&text, &blue) && *text == (alpha ? '/' : '\0');
    if (!sound)
        return EB_THEME_AUTO;
    return eb_is_light(red << 16 | green << 8 | blue) ? EB_THEME_LIGHT : EB_THEME_DARK;
}

eb_theme eb_background_of_colorfgbg(const char *value)
{
    const char *last = value ? strrchr(value, ';') : NULL;
    char *end;
    if (!last || last[1] < '0' || last[1] > '9')
        return EB_THEME_AUTO;
    unsigned long colour = strtoul(last + 1, &end, 10);
    if (*end != '\0' || colour > 15)
        return EB_THEME_AUTO;
    return eb_is_light(eb_colour_rgb((unsigned)colour)) ? EB_THEME_LIGHT : EB_THEME_DARK;
}

bool eb_background_is_asked(const char *term, eb_scheme scheme)
{
    return scheme != EB_SCHEME_MONO && term && strcmp(term, "dumb") != 0 && !eb_is_console(term);
}

void eb_background_ask(void)
{
    const size_t length = sizeof question - 1;
    awaited = write(STDOUT_FILENO, question, length) == (ssize_t)length;
    asked_s = eb_now_s();
}

bool eb_background_awaited(double patience_s) { return awaited && eb_now_s() - asked_s < patience_s; }

void eb_background_take_string(const char *text)
{
    eb_theme told = eb_background_of_answer(text);
    if (told != EB_THEME_AUTO)
        found = told;
}

void eb_background_take_kind(void) { awaited = false; }

eb_theme eb_background_theme(void)
{
    eb_theme theme = found != EB_THEME_AUTO ? found : eb_background_of_colorfgbg(getenv("COLORFGBG"));
    return theme != EB_THEME_AUTO ? theme : EB_THEME_DARK;
}
