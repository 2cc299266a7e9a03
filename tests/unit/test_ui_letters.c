/* Letter keys: each has one meaning in all panels, and every letter that a panel accepts is listed in its hints. */
#include "tests/unit/ui_panel.h"

/* For each letter its meaning and the words that panels use for it. Capital letters act on other runs. */
static const struct {
    char letter;
    const char *means, *words[5];
} letters[] = {
    {'a', "all of them", {"all runs"}},
    {'b', "pairs at the boundary", {"pairs"}},
    {'c', "compute what is shown here", {"compare", "count", "ablate", "clusters", "measure"}},
    {'d', "clusters and noise", {"density"}},
    {'e', "export", {"export"}},
    {'f', "files", {"files"}},
    {'g', "the grid of rates over n × d", {"rates"}},
    {'h', "the histogram's bins; a lesson's hint", {"finer bins", "hint"}},
    {'i', "self pairs in or out", {"self pairs"}},
    {'j', "join", {"join"}},
    {'k', "k-distances", {"k-distances"}},
    {'l', "a logarithmic axis", {"log counts", "log scale"}},
    {'m', "measure the device", {"measure limits"}},
    {'n', "note, next", {"note", "next question"}},
    {'o', "overlap", {"overlap"}},
    {'p', "preset", {"preset best"}},
    {'q', "recall of queries against their throughput", {"recall"}},
    {'r', "sort, and the other way round", {"sort"}},
    {'s', "sweep", {"sweep"}},
    {'t', "the same, with more to type", {"tune S", "compare at S", "ablate at S", "engines", "precision S"}},
    {'u', "up from the bare kernel", {"add one in"}},
    {'v', "another view", {"other plot", "numbers", "roofline"}},
    {'w', "which cluster each point is in", {"which cluster"}},
    {'x', "explain", {"explain"}},
    {'y', "the other axis", {"bytes/rate"}},
    {'z', "on the whole screen", {"slides"}},
    {'A', "tell the answer", {"tell"}},
    {'B', "beside an earlier run", {"baseline"}},
    {'C', "which columns", {"columns"}},
    {'D', "two runs side by side", {"diff"}},
    {'R', "a run once more", {"run again"}},
    {'S', "sessions", {"sessions"}},
    {'W', "what was predicted wrongly", {"wrong ones"}},
};

static bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool means(int letter, const char *does)
{
    for (size_t k = 0; k < sizeof letters / sizeof letters[0]; k++)
        for (size_t i = 0; letters[k].letter == letter && i < 5 && letters[k].words[i]; i++)
            if (strcmp(letters[k].words[i], does) == 0)
                return true;
    return false;
}

/* True if the hint's keys ("< > r", "Enter") have this letter; one-byte words are characters. */
static bool names(const eb_hint *hint, int letter)
{
    for (const char *at = hint->keys; *at;) {
        size_t length = strcspn(at, " /");
        if (length == 1 && *at == letter)
            return true;
        at += length + strspn(at + length, " /");
    }
    return false;
}

TEST(a_letter_means_the_same_in_every_panel)
{
    for (size_t k = 0; k < eb_panel_count(); k++)
        for (size_t i = 0; i < EB_MAX_HINTS && eb_panel_at(k)->hint[i].keys; i++)
            for (int c = 'A'; c <= 'z'; c++)
                if (is_letter(c) && names(&eb_panel_at(k)->hint[i], c) && !means(c, eb_panel_at(k)->hint[i].does))
                    fail_msg("%s: %c is \"%s\", which is not what it means elsewhere", eb_panel_at(k)->name, c,
                             eb_panel_at(k)->hint[i].does);
}

static bool is_told(const eb_panel *panel, int letter)
{
    for (size_t i = 0; i < EB_MAX_HINTS && panel->hint[i].keys; i++)
        if (names(&panel->hint[i], letter))
            return true;
    return false;
}

/* A panel lists every letter that it accepts. */
TEST(no_letter_is_a_secret)
{
    for (size_t k = 0; k < eb_panel_count(); k++)
        for (int c = 'A'; c <= 'z'; c++) {
            ui_panel p = ui_open(eb_panel_at(k));
            eb_key key = {.code = EB_KEY_CHARACTER, .character = (uint32_t)c};
            if (is_letter(c) && p.panel->key(p.state, p.desk, key, p.area) && !is_told(p.panel, c))
                fail_msg("%s takes %c and does not say so", p.panel->name, c);
            ui_close(&p);
        }
}

RUN_TESTS
