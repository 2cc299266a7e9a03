/* Completion: names offered in each place, at every position of any line. */

#include "core/engine/engine.h"
#include "kernels/device/cuda.h"
#include "shell/language/candidates.h"
#include "tests/unit/own_folder.h"
#include "tests/unit/test.h"

static bool offers(const char *line, const char *name)
{
    eb_candidates list;
    bool found = false;
    assert_true(eb_complete(line, strlen(line), &list));
    for (size_t k = 0; k < list.count; k++)
        found |= strcmp(list.candidate[k].name, name) == 0;
    eb_candidates_free(&list);
    return found;
}

/* Commands that run an engine do not offer engines that cannot run here; other commands offer all engines. */
TEST(completion_leaves_out_what_cannot_run_here)
{
    const eb_engine *ted;
    assert_int_equal(eb_engine_find("ted", 3, &ted, NULL), EB_OK);
    bool runs = ted->on[EB_DEVICE_CUDA].run && eb_cuda_seen(0);
    assert_int_equal(offers("join ", "ted"), runs);
    assert_int_equal(offers("compare fasted ref64 ", "ted"), runs);
    assert_int_equal(offers("counters fasted,", "fasted,ted"), runs);
    assert_true(offers("help ", "ted") && offers("model ", "ted") && offers("runs engine=", "ted"));
    assert_true(offers("ablate ", "ted") && offers("set ", "ted.") && offers("join ted[", "ted[device="));
}

/* xorshift64*: the same sequence on every machine. */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545F4914F6CDD1Du;
}

TEST(completion_survives_any_line)
{
    static const char *const pieces[] = {"join ",   "compare ", "set ",  "counters ", "fasted", "ref64", "[", "]",
                                         ",",       "=",        ".",     " ",         "-",      "+",     "S", "tensor",
                                         "paper",   "device",   "\"",    "'",         ";",      "#",     "ε", "help ",
                                         "engine=", "default=", "sm_80", "watch 2 ",  "trials "};
    uint64_t seed = 20250611;
    for (size_t round = 0; round < 20000; round++) {
        char line[256] = "";
        for (size_t k = next_random(&seed) % 16; k > 0; k--)
            strcat(line, pieces[next_random(&seed) % (sizeof pieces / sizeof pieces[0])]);
        eb_candidates list;
        assert_true(eb_complete(line, strlen(line), &list));
        for (size_t k = 0; k < list.count; k++)
            assert_true(list.candidate[k].name[0] != '\0');
        eb_candidates_free(&list);
    }
}

TEST(completion_ends_anywhere)
{
    const char line[] = "counters fasted[tensor=sm_80,-swizzle],ref64[ S 3; set fasted.tensor sm_80 ref64.filter=off;"
                        "load 'a b'; watch times=2 3 join \"ref64\" eps=\\;x # note ε; set tensor=sm_80 note \"";
    for (size_t cursor = 0; cursor < sizeof line; cursor++) {
        eb_candidates list;
        assert_true(eb_complete(line, cursor, &list));
        eb_candidates_free(&list);
    }
}

RUN_TESTS
