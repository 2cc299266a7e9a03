#include "core/ranks/blocks/holding.h"

static size_t points_of(const eb_problem *problem)
{
    return problem->left->n + (eb_is_self_join(problem) ? 0 : problem->right->n);
}

static bool fits(const eb_setup *setup, const eb_problem *problem, unsigned ranks_there)
{
    const uint64_t limit = setup->resources.memory_limit / ranks_there;
    const size_t n = points_of(problem), d = problem->left->d;
    const eb_dtype dtype = problem->left->dtype;
    if (setup->device.kind != EB_DEVICE_CPU || setup->resources.memory_limit == 0)
        return true;
    const uint64_t needed = setup->run->memory_needed ? setup->run->memory_needed(n, d, dtype) : 0;
    return (uint64_t)n * d * eb_dtype_size(dtype) + needed <= limit;
}

/* Some engines, and some ways of engines, join one set with itself only. They are asked, about two points. */
static bool joins_two_sets(const eb_setup *setup, const eb_problem *problem)
{
    eb_dataset left = *problem->left, right = *problem->right;
    const eb_problem small = {.left = &left, .right = &right};
    const eb_question question = {.eps = 1};
    const eb_share share = eb_share_rows(0, 1);
    eb_opened opened;
    eb_status why;
    uint64_t entries;
    left.n = right.n = 1;
    if (eb_problem_open_here(setup, &small, NULL, &opened, &why))
        return false;
    const eb_code failed = opened.run->count(opened.state, &question, &share, &entries, &why);
    eb_problem_close(&opened);
    return !failed;
}

static const char *reason(eb_holding asked, bool truth)
{
    if (asked == EB_HOLD_BLOCKS)
        return truth ? "each with all points, since the engine joins no two blocks"
                     : "each with all points, since only engines that give the truth hold blocks";
    return truth ? "each with all points, although they exceed its memory limit, since the engine joins no two blocks"
                 : "each with all points, although they exceed its memory limit, since only engines that give the "
                   "truth hold blocks";
}

bool eb_holds_blocks(const eb_setup *setup, const eb_problem *problem, unsigned ranks_there, const char **sentence)
{
    const eb_holding asked = setup->resources.holding;
    const bool wanted =
        asked == EB_HOLD_BLOCKS || (asked == EB_HOLD_AUTO && !fits(setup, problem, ranks_there ? ranks_there : 1));
    *sentence = "";
    if (!wanted)
        return false;
    const bool truth = eb_setup_exactness(setup) == EB_TRUTH;
    if (truth && joins_two_sets(setup, problem))
        return true;
    *sentence = reason(asked, truth);
    return false;
}
